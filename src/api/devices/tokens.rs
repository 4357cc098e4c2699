//! Legacy push tokens of devices without encryption: of the platform's service (Apple's) and of Android.

use crate::api::parameter::{Parameter, parameters};
use crate::api::{OperationContext, Success, Write, operation};
use crate::error::Error;
use crate::realm::id::UserId;
use crate::realm::push::{PushToken, PushTokenKind};
use crate::realm::tx::Tx;
use schemars::{Schema, SchemaGenerator};

/// Maximum length of a token, in code points.
const MAX_TOKEN_LENGTH: usize = 4_096;

/// The ID of an app: letters, digits, dots and dashes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AppId(pub String);

impl Parameter for AppId {
    const IS_JSON: bool = false;

    fn from_text(text: &str, name: &str) -> Result<Self, Error> {
        let is_allowed = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'-');
        if text.is_empty() || !text.bytes().all(is_allowed) {
            return Err(Error::bad_value(name, "has invalid format"));
        }
        Ok(Self(text.to_owned()))
    }

    fn schema(_generator: &mut SchemaGenerator) -> Schema {
        schemars::json_schema!({"type": "string", "pattern": "^[.a-zA-Z0-9-]+$"})
    }
}

fn check_token(kind: PushTokenKind, token: &str) -> Result<(), Error> {
    if token.is_empty() || token.chars().count() > MAX_TOKEN_LENGTH {
        return Err(Error::InvalidTokenLength);
    }
    let is_hexadecimal = token.len().is_multiple_of(2) && token.bytes().all(|byte| byte.is_ascii_hexdigit());
    if kind == PushTokenKind::Apple && !is_hexadecimal {
        return Err(Error::InvalidPlatformToken);
    }
    Ok(())
}

fn add_token(tx: &mut Tx, user: UserId, new_token: PushToken) {
    tx.change_push_targets(user, |state| {
        let tokens = &mut state.push_tokens;
        match tokens.iter().position(|token| token.matches(new_token.kind, &new_token.token)) {
            Some(index) => tokens[index] = new_token,
            None => tokens.push_back(new_token),
        }
    });
}

fn remove_token(tx: &mut Tx, user: UserId, kind: PushTokenKind, token: &str) -> Result<Success, Error> {
    check_token(kind, token)?;
    let mut tokens = tx.user_state(user).push_tokens.iter();
    let index = tokens.position(|push_token| push_token.matches(kind, token)).ok_or(Error::NoSuchToken)?;

    tx.change_push_targets(user, |state| state.push_tokens.remove(index));
    Ok(Success {})
}

operation! {
    /// Registers a token of the platform's service (Apple's) for the caller; deprecated.
    pub AddPlatformToken = POST "/users/me/platform_device_token", for Human,
        deprecated 406 => "POST /mobile_push/register";
    params {
        /// Hexadecimal, an even number of digits, at most 4,096.
        token: String,
        /// The ID of the app: letters, digits, dots and dashes.
        appid: AppId,
    }
    errors [BadValue, InvalidTokenLength, InvalidPlatformToken];
}

impl Write for AddPlatformToken {
    fn run(tx: &mut Tx, context: &OperationContext<'_>, params: Self::Params) -> Result<Success, Error> {
        check_token(PushTokenKind::Apple, &params.token)?;

        let app = Some(params.appid.0);
        add_token(tx, context.caller().id, PushToken { kind: PushTokenKind::Apple, token: params.token, app });
        Ok(Success {})
    }
}

parameters! {
    /// The parameter of the operations that take only a token.
    pub struct TokenParams {
        /// The push token, at most 4,096 code points; one of the platform's service (Apple's) in hexadecimal.
        token: String,
    }
}

operation! {
    /// Removes a token of the platform's service (Apple's); deprecated.
    pub RemovePlatformToken = DELETE "/users/me/platform_device_token", for Human,
        deprecated 406 => "POST /mobile_push/register";
    params from TokenParams;
    errors [InvalidTokenLength, InvalidPlatformToken, NoSuchToken];
}

impl Write for RemovePlatformToken {
    fn run(tx: &mut Tx, context: &OperationContext<'_>, params: Self::Params) -> Result<Success, Error> {
        remove_token(tx, context.caller().id, PushTokenKind::Apple, &params.token)
    }
}

operation! {
    /// Registers the push token of an Android device for the caller; deprecated.
    pub AddAndroidToken = POST "/users/me/android_gcm_reg_id", for Human,
        deprecated 406 => "POST /mobile_push/register";
    params from TokenParams;
    errors [InvalidTokenLength];
}

impl Write for AddAndroidToken {
    fn run(tx: &mut Tx, context: &OperationContext<'_>, params: Self::Params) -> Result<Success, Error> {
        check_token(PushTokenKind::Android, &params.token)?;

        add_token(tx, context.caller().id, PushToken { kind: PushTokenKind::Android, token: params.token, app: None });
        Ok(Success {})
    }
}

operation! {
    /// Removes the push token of an Android device; deprecated.
    pub RemoveAndroidToken = DELETE "/users/me/android_gcm_reg_id", for Human,
        deprecated 406 => "POST /mobile_push/register";
    params from TokenParams;
    errors [InvalidTokenLength, NoSuchToken];
}

impl Write for RemoveAndroidToken {
    fn run(tx: &mut Tx, context: &OperationContext<'_>, params: Self::Params) -> Result<Success, Error> {
        remove_token(tx, context.caller().id, PushTokenKind::Android, &params.token)
    }
}
