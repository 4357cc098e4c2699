//! Registering a device's key and token, at first both, later each by itself.
//!
//! Choices where the API is silent: in docs/assumptions.md.

use super::former;
use crate::api::devices::unknown_device;
use crate::api::parameter::{FromJson, Parameter, through_json};
use crate::api::{Call, Success, Write, operation};
use crate::error::Error;
use crate::realm::change::Tx;
use crate::realm::event::Audience;
use crate::realm::id::{DeviceId, UserId};
use crate::realm::personal::Device;
use crate::realm::push::{PushContent, PushService, PushTarget};
use crate::record::events::{DeviceUpdate, PushDevice};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use schemars::{Schema, SchemaGenerator};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

/// What the bytes of a key begin with.
const KEY_PREFIX: u8 = 0x31;
/// Bytes of a key behind the prefix.
const KEY_BYTES: usize = 32;
/// Bytes of a token's hash that name it.
const TOKEN_ID_BYTES: usize = 8;

/// The first level at which devices have numbers of the server's.
pub const DEVICES_SINCE: i64 = 468;
/// The first level at which the same token of the older kind is not needed any more.
const REPLACES_OLDER_TOKEN_SINCE: i64 = 483;

operation! {
    /// Registers a device for encrypted notifications, or gives it another key or token.
    pub RegisterPush = POST "/mobile_push/register", for Human, since 406;
    params {
        /// The device; the caller's own.
        device_id: DeviceId,
        /// Names the key.
        push_key_id: Option<KeyId>,
        /// Base64 of a byte 0x31 and the 32 bytes of the key.
        push_key: Option<String>,
        /// Of which service the token is.
        token_kind: Option<PushService>,
        /// Base64 of the first 8 bytes of the token's SHA-256.
        token_id: Option<String>,
        /// The relay's key that the registration is encrypted with, base64.
        bouncer_public_key: Option<String>,
        /// For the relay's eyes only, base64.
        encrypted_push_registration: Option<String>,
    }
    errors [
        BadValue, InvalidValueBecause, PushNotConfigured, InvalidValue, PushDataMissing, NoKeyToRotate,
        NoTokenToRotate, InvalidPushKey,
    ];
    events [DeviceUpdate];
}

impl Parameter for PushService {
    const IS_JSON: bool = false;

    fn from_text(text: &str, name: &str) -> Result<Self, Error> {
        let known = Self::ALL.into_iter().find(|service| service.name() == text);
        known.ok_or_else(|| Error::not_possible(name))
    }
    fn schema(_generator: &mut SchemaGenerator) -> Schema {
        schemars::json_schema!({"type": "string", "enum": Self::ALL.map(Self::name)})
    }
}

/// A number of 32 bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KeyId(pub i64);

impl FromJson for KeyId {
    fn from_json(value: &Value, at: &str) -> Result<Self, Error> {
        let number = i64::from_json(value, at)?;
        if (0..=i64::from(u32::MAX)).contains(&number) {
            return Ok(Self(number));
        }
        Err(Error::InvalidValueBecause { parameter: at.into(), reason: "Not a valid unsigned 32-bit integer".into() })
    }
    fn json_schema(_generator: &mut SchemaGenerator) -> Schema {
        schemars::json_schema!({"type": "integer", "minimum": 0, "maximum": u32::MAX})
    }
}
through_json!(KeyId);

/// A device's new key.
pub(super) struct Key {
    pub id: i64,
    pub key: String,
}

/// A device's new token, as the relay is handed it.
pub(super) struct Token {
    pub id: String,
    pub kind: PushService,
    pub payload: Value,
}

impl RegisterPush {
    /// The key, where all of it is given.
    fn key(&self) -> Option<Key> {
        let KeyId(id) = self.push_key_id?;
        Some(Key { id, key: self.push_key.clone()? })
    }

    /// The token, where all of it is given.
    fn token(&self) -> Option<Token> {
        let id = self.token_id.clone()?;
        let kind = self.token_kind?;
        let payload = json!({
            "token_kind": kind.name(),
            "token_id": id,
            "bouncer_public_key": self.bouncer_public_key.as_ref()?,
            "encrypted_push_registration": self.encrypted_push_registration.as_ref()?,
        });
        Some(Token { id, kind, payload })
    }
}

impl Key {
    pub fn check(&self) -> Result<(), Error> {
        let bytes = STANDARD.decode(&self.key).map_err(|_| Error::InvalidPushKey)?;
        let is_good = bytes.len() == KEY_BYTES + 1 && bytes[0] == KEY_PREFIX;
        if is_good { Ok(()) } else { Err(Error::InvalidPushKey) }
    }
}

/// Whether a device can be given a key, a token or both.
///
/// # Errors
///
/// `PushDataMissing`, `NoKeyToRotate`, `NoTokenToRotate`, `InvalidPushKey`.
fn check(device: &Device, key: Option<&Key>, token: Option<&Token>) -> Result<(), Error> {
    let is_registered = device.push_key_id.is_some();
    match (key, token) {
        (None, None) => Err(Error::PushDataMissing),
        (Some(_), None) if !is_registered => Err(Error::NoKeyToRotate),
        (None, Some(_)) if !is_registered => Err(Error::NoTokenToRotate),
        (Some(key), _) => key.check(),
        (None, Some(_)) => Ok(()),
    }
}

/// Whether a device has a token already, and the key that comes with it.
fn is_registered(device: &Device, key: Option<&Key>, token: &Token) -> bool {
    let has_key =
        key.is_none_or(|key| device.push_key_id == Some(key.id) && device.push_key.as_ref() == Some(&key.key));
    has_key && device.push_registration_error_code.is_none() && device.push_token_id.as_ref() == Some(&token.id)
}

impl Write for RegisterPush {
    fn run(tx: &mut Tx, call: &Call<'_>, params: Self::Params) -> Result<Success, Error> {
        if call.feature_level < DEVICES_SINCE {
            return former::register(tx, call, params);
        }
        let user = call.caller().id;
        let id = params.device_id;
        if !tx.organization.is_on("push_notifications_enabled") {
            return Err(Error::PushNotConfigured);
        }
        let device = tx.user_state(user).devices.get(&id).cloned().ok_or_else(unknown_device)?;
        let (key, token) = (params.key(), params.token());
        check(&device, key.as_ref(), token.as_ref())?;
        if token.as_ref().is_some_and(|token| is_registered(&device, key.as_ref(), token)) {
            return Ok(Success {});
        }

        complete(tx, call, (id, device), key, token);
        Ok(Success {})
    }
}

/// Gives a device a key, a token or both, and hands the token on.
pub(super) fn complete(
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
        if call.feature_level >= REPLACES_OLDER_TOKEN_SINCE {
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
    tx.emit_before(DEVICES_SINCE, Audience::user(user), |_| former);
}

/// What names a token.
pub(super) fn token_id(token: &str) -> String {
    STANDARD.encode(&Sha256::digest(token.as_bytes())[..TOKEN_ID_BYTES])
}
