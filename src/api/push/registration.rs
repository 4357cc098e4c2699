//! Giving a device its key and token, whatever way it registers.

use crate::api::Call;
use crate::error::Error;
use crate::feature::Feature;
use crate::realm::device::Device;
use crate::realm::event::Audience;
use crate::realm::id::{DeviceId, UserId};
use crate::realm::push::{PushContent, PushService, PushTarget};
use crate::realm::tx::Tx;
use crate::record::events::{DeviceUpdate, PushDevice};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde_json::Value;
use sha2::{Digest, Sha256};

/// What the bytes of a key begin with.
const KEY_PREFIX: u8 = 0x31;
/// Bytes of a key behind the prefix.
const KEY_BYTES: usize = 32;
/// Bytes of a token's hash that name it.
const TOKEN_ID_BYTES: usize = 8;

/// A device's new key.
pub struct Key {
    pub id: i64,
    pub key: String,
}

/// A device's new token, as the relay is handed it.
pub struct Token {
    pub id: String,
    pub kind: PushService,
    pub payload: Value,
}

impl Key {
    pub fn check(&self) -> Result<(), Error> {
        let bytes = STANDARD.decode(&self.key).map_err(|_| Error::InvalidPushKey)?;
        let is_good = bytes.len() == KEY_BYTES + 1 && bytes[0] == KEY_PREFIX;
        if is_good { Ok(()) } else { Err(Error::InvalidPushKey) }
    }
}

/// Gives a device a key, a token or both, and hands the token on.
pub fn complete(
    tx: &mut Tx,
    call: &Call<'_>,
    (id, mut device): (DeviceId, Device),
    key: Option<Key>,
    token: Option<Token>,
) {
    let user = call.caller().id;
    let mut changed = DeviceUpdate { device_id: id, ..DeviceUpdate::default() };
    if let Some(Key { id, key }) = key {
        device.push_key_id = Some(id);
        device.push_key = Some(key);
        changed.push_key_id = Some(id);
    }
    if let Some(token) = &token {
        device.pending_push_token_id = Some(token.id.clone());
        device.push_token_kind = token.kind;
        device.push_registration_error_code = None;
        changed.pending_push_token_id = Some(Some(token.id.clone()));
    }
    put(tx, user, id, device.clone(), changed);
    // A relay that does not answer leaves the token pending, as a server that tries again would.
    if let Some(token) = token.filter(|_| super::check_relay(call).is_ok()) {
        if call.has(Feature::ReplacesOlderToken) {
            tx.change_push_targets(user, |own| own.push_tokens.retain(|old| token_id(&old.token) != token.id));
        }
        confirm(tx, user, id, device, token);
    }
}

/// The relay took the token: it is in force.
fn confirm(tx: &mut Tx, user: UserId, id: DeviceId, mut device: Device, token: Token) {
    let now = tx.now;
    tx.push(user, PushTarget::Device(id), PushContent::Registration(token.payload));
    device.push_token_id = Some(token.id.clone());
    device.pending_push_token_id = None;
    device.push_token_last_updated = Some(now);
    let changed = DeviceUpdate {
        device_id: id,
        push_key_id: None,
        push_token_id: Some(token.id),
        pending_push_token_id: Some(None),
        push_token_last_updated_timestamp: Some(now.seconds()),
    };
    put(tx, user, id, device, changed);
}

fn put(tx: &mut Tx, user: UserId, id: DeviceId, device: Device, changed: DeviceUpdate) {
    let former = PushDevice {
        push_account_id: device.account(id),
        status: device.status(),
        error_code: device.push_registration_error_code.clone(),
    };
    tx.change_push_targets(user, |own| own.devices.insert(id, device));
    tx.emit(Audience::user(user), changed);
    tx.emit_before(Feature::DevicesNumberedByServer.since(), Audience::user(user), |_| former);
}

/// What names a token.
pub fn token_id(token: &str) -> String {
    STANDARD.encode(&Sha256::digest(token.as_bytes())[..TOKEN_ID_BYTES])
}
