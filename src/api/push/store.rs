//! Storing the key and the token of a device. Registrations of all levels end here.

use crate::api::OperationContext;
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

/// The first byte of a key.
const KEY_PREFIX: u8 = 0x31;
/// Length of a key without the prefix, in bytes.
const KEY_BYTES: usize = 32;
/// Length of the part of a token's hash that is its ID, in bytes.
const TOKEN_ID_BYTES: usize = 8;

/// The new key of a device.
pub struct NewKey {
    pub id: i64,
    /// The key in base64.
    pub base64: String,
}

/// The new token of a device.
pub struct NewToken {
    pub id: String,
    pub kind: PushService,
    /// The registration that is handed to the relay.
    pub payload: Value,
}

impl NewKey {
    /// Checks the length of the key and its prefix.
    ///
    /// # Errors
    ///
    /// `InvalidPushKey` unless the key is base64 of the prefix and 32 bytes.
    pub fn check(&self) -> Result<(), Error> {
        let bytes = STANDARD.decode(&self.base64).map_err(|_| Error::InvalidPushKey)?;
        let is_valid = bytes.len() == KEY_BYTES + 1 && bytes[0] == KEY_PREFIX;
        if is_valid { Ok(()) } else { Err(Error::InvalidPushKey) }
    }
}

/// Stores the key, the token or both, and hands the token to the relay, unless a fault makes the relay fail.
pub fn store_registration(
    tx: &mut Tx,
    context: &OperationContext<'_>,
    (device_id, mut device): (DeviceId, Device),
    key: Option<NewKey>,
    token: Option<NewToken>,
) {
    let user = context.caller().id;
    let mut update = DeviceUpdate { device_id, ..DeviceUpdate::default() };
    if let Some(NewKey { id: key_id, base64 }) = key {
        device.push_key_id = Some(key_id);
        device.push_key = Some(base64);
        update.push_key_id = Some(key_id);
    }
    if let Some(token) = &token {
        device.pending_push_token_id = Some(token.id.clone());
        device.push_service = token.kind;
        device.push_registration_error_code = None;
        update.pending_push_token_id = Some(Some(token.id.clone()));
    }
    store_and_emit_device(tx, user, device_id, device.clone(), update);
    // If a fault makes the relay fail, the token stays pending, as on a server that retries (A-54 in
    // docs/assumptions.md).
    if let Some(token) = token.filter(|_| super::check_relay(context).is_ok()) {
        if context.has(Feature::RegistrationRemovesLegacyToken) {
            tx.change_push_targets(user, |state| {
                state.push_tokens.retain(|legacy| token_id(&legacy.token) != token.id);
            });
        }
        confirm_token(tx, user, device_id, device, token);
    }
}

/// Hands the token to the relay, which accepts it, and makes it the current one.
fn confirm_token(tx: &mut Tx, user: UserId, id: DeviceId, mut device: Device, token: NewToken) {
    let now = tx.now;
    tx.push(user, PushTarget::Device(id), PushContent::Registration(token.payload));
    device.push_token_id = Some(token.id.clone());
    device.pending_push_token_id = None;
    device.push_token_last_updated = Some(now);
    let update = DeviceUpdate {
        device_id: id,
        push_key_id: None,
        push_token_id: Some(token.id),
        pending_push_token_id: Some(None),
        push_token_last_updated_timestamp: Some(now.seconds()),
    };
    store_and_emit_device(tx, user, id, device, update);
}

/// Events: `device` update to the user, and below level 468 also `push_device`.
fn store_and_emit_device(tx: &mut Tx, user: UserId, id: DeviceId, device: Device, update: DeviceUpdate) {
    let legacy_event = PushDevice {
        push_account_id: device.account_id(id),
        status: device.status(),
        error_code: device.push_registration_error_code.clone(),
    };
    tx.change_push_targets(user, |state| state.devices.insert(id, device));
    tx.emit(Audience::of_user(user), update);
    tx.emit_before(Feature::ServerAssignsDeviceIds.since(), Audience::of_user(user), |_| legacy_event);
}

/// The ID of a token: base64 of the beginning of its SHA-256.
pub fn token_id(token: &str) -> String {
    STANDARD.encode(&Sha256::digest(token.as_bytes())[..TOKEN_ID_BYTES])
}
