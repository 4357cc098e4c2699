//! Registering a device for encrypted notifications below 468, where the client chose the device's ID and sent the key
//! and the token only once (A-104 in docs/assumptions.md).

use super::store::{NewKey, NewToken, store_registration, token_id};
use crate::api::{OperationContext, Success};
use crate::error::Error;
use crate::feature::Feature;
use crate::realm::device::Device;
use crate::realm::id::DeviceId;
use crate::realm::push::PushService;
use crate::realm::setting::RealmSetting;
use crate::realm::tx::Tx;
use serde_json::json;

/// The parameters of `POST /mobile_push/register` below 468.
pub struct LegacyRegistration {
    /// The ID that the client chose for the device (`push_account_id`).
    pub account_id: i64,
    pub token_kind: Option<PushService>,
    /// The key that encrypts the device's pushes, in base64.
    pub push_key: Option<String>,
    /// The public key of the relay, in base64.
    pub bouncer_public_key: Option<String>,
    /// The registration with the token, encrypted for the relay, in base64.
    pub encrypted_push_registration: Option<String>,
}

/// Registers the device with the client's ID. Does nothing if it is registered already, unless the registration failed.
///
/// # Errors
///
/// `MissingParameter`, `PushNotConfigured`, `InvalidPushKey`.
pub fn register_device(
    tx: &mut Tx,
    context: &OperationContext<'_>,
    request: LegacyRegistration,
) -> Result<Success, Error> {
    let user = context.caller().id;
    let missing_parameter = |name: &'static str| move || Error::MissingParameter { var_name: name.into() };
    let account_id = request.account_id;
    let kind = request.token_kind.ok_or_else(missing_parameter("token_kind"))?;
    let key = request.push_key.ok_or_else(missing_parameter("push_key"))?;
    let relay_key = request.bouncer_public_key.ok_or_else(missing_parameter("bouncer_public_key"))?;
    let registration =
        request.encrypted_push_registration.ok_or_else(missing_parameter("encrypted_push_registration"))?;
    if !tx.organization.is_enabled(RealmSetting::PushNotificationsEnabled) {
        return Err(Error::PushNotConfigured);
    }
    // At these levels keys have no ID: it is derived from the device's, and limited to 32 bits.
    let key = NewKey { id: account_id & i64::from(u32::MAX), base64: key };
    if context.has(Feature::PushKeysValidated) {
        key.check()?;
    }
    let existing_device = tx.user_state(user).devices.iter().find(|(id, device)| device.account_id(**id) == account_id);
    let existing_device = existing_device.map(|(id, device)| (*id, device.clone()));
    let is_registered = |device: &Device| device.push_key_id.is_some() && device.push_registration_error_code.is_none();
    if existing_device.as_ref().is_some_and(|(_, device)| is_registered(device)) {
        return Ok(Success {});
    }

    let (id, mut device) = existing_device.unwrap_or_else(|| {
        tx.realm_mut().counters.device += 1;
        (DeviceId(tx.counters.device), Device::default())
    });
    device.push_account_id = Some(account_id);
    let id_of_token = token_id(&registration);
    let payload = json!({
        "token_kind": kind.name(),
        "token_id": id_of_token,
        "bouncer_public_key": relay_key,
        "encrypted_push_registration": registration,
    });
    store_registration(tx, context, (id, device), Some(key), Some(NewToken { id: id_of_token, kind, payload }));
    Ok(Success {})
}
