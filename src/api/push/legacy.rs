//! Registering a device below 468, where clients chose the devices' numbers and gave key and token but once (A-104 in
//! docs/assumptions.md).

use super::registration::{Key, Token, complete, token_id};
use crate::api::{Call, Success};
use crate::error::Error;
use crate::feature::Feature;
use crate::realm::device::Device;
use crate::realm::id::DeviceId;
use crate::realm::push::PushService;
use crate::realm::setting::RealmSetting;
use crate::realm::tx::Tx;
use serde_json::json;

/// What a client sends to register a device.
pub struct Registration {
    /// The number that the client chose for it.
    pub account: i64,
    pub token_kind: Option<PushService>,
    /// Base64 of the key.
    pub push_key: Option<String>,
    /// The relay's key, base64.
    pub bouncer_public_key: Option<String>,
    /// Readable only by the relay, base64.
    pub encrypted_push_registration: Option<String>,
}

/// Registers the device of the number that the client chose; one that is registered stays as it is.
///
/// # Errors
///
/// `MissingParameter`, `PushNotConfigured`, `InvalidPushKey`.
pub fn register(tx: &mut Tx, call: &Call<'_>, sent: Registration) -> Result<Success, Error> {
    let user = call.caller().id;
    let missing = |name: &'static str| move || Error::MissingParameter { var_name: name.into() };
    let account = sent.account;
    let kind = sent.token_kind.ok_or_else(missing("token_kind"))?;
    let key = sent.push_key.ok_or_else(missing("push_key"))?;
    let relay_key = sent.bouncer_public_key.ok_or_else(missing("bouncer_public_key"))?;
    let registration = sent.encrypted_push_registration.ok_or_else(missing("encrypted_push_registration"))?;
    if !tx.organization.is_on(RealmSetting::PushNotificationsEnabled) {
        return Err(Error::PushNotConfigured);
    }
    let key = Key { id: account & i64::from(u32::MAX), key };
    if call.has(Feature::PushKeysHaveForm) {
        key.check()?;
    }
    let known = tx.user_state(user).devices.iter().find(|(id, device)| device.account(**id) == account);
    let known = known.map(|(id, device)| (*id, device.clone()));
    let is_registered = |device: &Device| device.push_key_id.is_some() && device.push_registration_error_code.is_none();
    if known.as_ref().is_some_and(|(_, device)| is_registered(device)) {
        return Ok(Success {});
    }

    let (id, mut device) = known.unwrap_or_else(|| {
        tx.realm_mut().counters.device += 1;
        (DeviceId(tx.counters.device), Device::default())
    });
    device.push_account_id = Some(account);
    let token = token_id(&registration);
    let payload = json!({
        "token_kind": kind.name(),
        "token_id": token,
        "bouncer_public_key": relay_key,
        "encrypted_push_registration": registration,
    });
    complete(tx, call, (id, device), Some(key), Some(Token { id: token, kind, payload }));
    Ok(Success {})
}
