//! Registering a device for encrypted notifications: its key and its token, first both, later one or both.
//!
//! A choice where the API is silent: A-188 in docs/assumptions.md.

use super::legacy::{self, LegacyRegistration};
use super::store::{NewKey, NewToken, store_registration};
use crate::api::changes::users::device::unknown_device_error;
use crate::api::parameter::{FromJson, Parameter, impl_json_parameter};
use crate::api::{OperationContext, Success, Write, operation};
use crate::error::Error;
use crate::feature::Feature;
use crate::realm::device::Device;
use crate::realm::id::DeviceId;
use crate::realm::push::PushService;
use crate::realm::setting::RealmSetting;
use crate::realm::tx::Tx;
use schemars::{Schema, SchemaGenerator};
use serde_json::{Value, json};

operation! {
    /// Registers a device for encrypted notifications, or gives it another key or token.
    pub RegisterPush = POST "/mobile_push/register", for Human, since 406;
    params {
        /// ID of one of the caller's devices.
        device_id formerly "push_account_id" 406..468: DeviceId,
        /// ID of the key, which pushes repeat; the key is ignored without it.
        push_key_id since 468: Option<KeyId>,
        /// Base64 of a byte 0x31 and the 32 bytes of the key.
        push_key formerly "push_public_key" 406..432: Option<String>,
        /// The push service of the token; the token is ignored without it.
        token_kind: Option<PushService>,
        /// Base64 of the first 8 bytes of the token's SHA-256.
        token_id since 468: Option<String>,
        /// Base64 of the relay's public key with which the registration is encrypted.
        bouncer_public_key: Option<String>,
        /// Base64 of the registration with the token, which only the relay can decrypt.
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
        let service = Self::ALL.into_iter().find(|service| service.name() == text);
        service.ok_or_else(|| Error::disallowed_value(name))
    }

    fn schema(_generator: &mut SchemaGenerator) -> Schema {
        schemars::json_schema!({"type": "string", "enum": Self::ALL.map(Self::name)})
    }
}

/// The ID of a push key: an unsigned 32-bit integer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KeyId(pub i64);

impl FromJson for KeyId {
    fn from_json(value: &Value, path: &str) -> Result<Self, Error> {
        let number = i64::from_json(value, path)?;
        if (0..=i64::from(u32::MAX)).contains(&number) {
            return Ok(Self(number));
        }
        Err(Error::InvalidValueBecause { parameter: path.into(), reason: "Not a valid unsigned 32-bit integer".into() })
    }

    fn json_schema(_generator: &mut SchemaGenerator) -> Schema {
        schemars::json_schema!({"type": "integer", "minimum": 0, "maximum": u32::MAX})
    }
}
impl_json_parameter!(KeyId);

impl RegisterPush {
    /// The key of the request; None if its ID or the key is missing.
    fn key(&self) -> Option<NewKey> {
        let KeyId(id) = self.push_key_id?;
        Some(NewKey { id, base64: self.push_key.clone()? })
    }

    /// The token of the request; None if one of its four parameters is missing.
    fn token(&self) -> Option<NewToken> {
        let id = self.token_id.clone()?;
        let kind = self.token_kind?;
        let payload = json!({
            "token_kind": kind.name(),
            "token_id": id,
            "bouncer_public_key": self.bouncer_public_key.as_ref()?,
            "encrypted_push_registration": self.encrypted_push_registration.as_ref()?,
        });
        Some(NewToken { id, kind, payload })
    }
}

/// Checks that a device can get this key, token or both.
///
/// # Errors
///
/// `PushDataMissing`, `NoKeyToRotate`, `NoTokenToRotate`, `InvalidPushKey`.
fn check_key_and_token(device: &Device, key: Option<&NewKey>, token: Option<&NewToken>) -> Result<(), Error> {
    let has_key = device.push_key_id.is_some();
    match (key, token) {
        (None, None) => Err(Error::PushDataMissing),
        (Some(_), None) if !has_key => Err(Error::NoKeyToRotate),
        (None, Some(_)) if !has_key => Err(Error::NoTokenToRotate),
        (Some(key), _) => key.check(),
        (None, Some(_)) => Ok(()),
    }
}

/// Whether a device is already registered with this token, and with this key, if the request has one.
fn is_registered(device: &Device, key: Option<&NewKey>, token: &NewToken) -> bool {
    let has_key =
        key.is_none_or(|key| device.push_key_id == Some(key.id) && device.push_key.as_ref() == Some(&key.base64));
    has_key && device.push_registration_error_code.is_none() && device.push_token_id.as_ref() == Some(&token.id)
}

impl Write for RegisterPush {
    fn run(tx: &mut Tx, context: &OperationContext<'_>, params: Self::Params) -> Result<Success, Error> {
        if !context.has(Feature::ServerAssignsDeviceIds) {
            let registration = LegacyRegistration {
                account_id: params.device_id.0,
                token_kind: params.token_kind,
                push_key: params.push_key,
                bouncer_public_key: params.bouncer_public_key,
                encrypted_push_registration: params.encrypted_push_registration,
            };
            return legacy::register_device(tx, context, registration);
        }
        let user = context.caller().id;
        let id = params.device_id;
        if !tx.organization.is_enabled(RealmSetting::PushNotificationsEnabled) {
            return Err(Error::PushNotConfigured);
        }
        let device = tx.user_state(user).devices.get(&id).cloned().ok_or_else(unknown_device_error)?;
        let (key, token) = (params.key(), params.token());
        check_key_and_token(&device, key.as_ref(), token.as_ref())?;
        if token.as_ref().is_some_and(|token| is_registered(&device, key.as_ref(), token)) {
            return Ok(Success {});
        }

        store_registration(tx, context, (id, device), key, token);
        Ok(Success {})
    }
}
