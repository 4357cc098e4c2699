//! Logging in with a JSON web token (A-154 in docs/assumptions.md).

use super::login::{find_account, log_in};
use crate::api::{OperationContext, Write, operation};
use crate::error::Error;
use crate::realm::tx::Tx;
use crate::record::user::{UserRecord, UserView};
use crate::time::Timestamp;
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

/// The key with which tokens for all worlds are signed, by HS256.
pub const TOKEN_SIGNING_KEY: &str = "chatdouble-takes-tokens-signed-with-this-key";

operation! {
    /// Returns an account's API key for a JSON web token with its address.
    pub FetchApiKeyForToken = POST "/jwt/fetch_api_key", for Anyone, since 160;
    params {
        /// A JSON web token with the claim `email`, signed by HS256 with the key
        /// `chatdouble-takes-tokens-signed-with-this-key`.
        token: String,
        /// Whether the reply has `user`, the account as its owner sees it.
        include_profile: bool = false,
    }
    reply ApiKeyForTokenReply;
    errors [JwtMissing, JwtInvalid, JwtWithoutEmail, AuthenticationFailed, UserDeactivated, RealmDeactivated];
    events [RealmUserUpdate, UserGroupRemoveMembers, StreamDelete];
}

/// Credentials for Basic authentication, and their owner.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct ApiKeyForTokenReply {
    /// 32 letters and digits.
    pub api_key: String,
    /// The account's real address, which is the user name for Basic authentication.
    pub email: String,
    /// The account as its owner sees it; absent unless requested.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub user: Option<UserRecord>,
}

impl Write for FetchApiKeyForToken {
    fn run(tx: &mut Tx, context: &OperationContext<'_>, params: Self::Params) -> Result<ApiKeyForTokenReply, Error> {
        if params.token.is_empty() {
            return Err(Error::JwtMissing);
        }
        let claims = verified_claims(&params.token, context.now).ok_or(Error::JwtInvalid)?;
        let email = claims["email"].as_str().ok_or(Error::JwtWithoutEmail)?;
        let user = find_account(tx, email)?;
        if !user.is_active {
            return Err(Error::UserDeactivated);
        }
        if tx.organization.is_deactivated {
            return Err(Error::RealmDeactivated);
        }

        let credentials = log_in(tx, context.feature_level, &user);
        let user = &tx.users[&user.id];
        // Without custom profile fields, whatever the parameter of the same name says.
        let view = UserView { viewer: Some(user), client_gravatar: false, include_profile: false };
        let record = params.include_profile.then(|| UserRecord::new(tx, user, view));
        Ok(ApiKeyForTokenReply { api_key: credentials.api_key, email: credentials.email, user: record })
    }
}

/// The claims of a token; None if it is malformed, has a wrong signature or another algorithm, is not yet valid, or has
/// expired.
fn verified_claims(token: &str, now: Timestamp) -> Option<Value> {
    let (signed_part, signature) = token.rsplit_once('.')?;
    let (header, payload) = signed_part.split_once('.')?;
    let decode = |part: &str| serde_json::from_slice::<Value>(&URL_SAFE_NO_PAD.decode(part).ok()?).ok();
    if decode(header)?["alg"] != "HS256" {
        return None;
    }
    if !is_signature_valid(signed_part, &URL_SAFE_NO_PAD.decode(signature).ok()?) {
        return None;
    }
    let claims = decode(payload).filter(Value::is_object)?;
    // UNIX seconds, possibly with a fraction; an error for other values.
    let claim_time = |name: &str| claims.get(name).map(|value| value.as_f64().ok_or(()));
    let now = now.seconds() as f64;
    let has_expired = match claim_time("exp") {
        None => false,
        Some(expiry) => expiry.ok()? <= now,
    };
    let is_too_early = match claim_time("nbf") {
        None => false,
        Some(start) => start.ok()? > now,
    };
    (!has_expired && !is_too_early).then_some(claims)
}

#[cfg(feature = "jwt")]
fn is_signature_valid(signed_part: &str, signature: &[u8]) -> bool {
    use hmac::{Hmac, Mac};

    let hmac = Hmac::<sha2::Sha256>::new_from_slice(TOKEN_SIGNING_KEY.as_bytes());
    hmac.is_ok_and(|hmac| hmac.chain_update(signed_part).verify_slice(signature).is_ok())
}

/// Without the feature, no token is valid.
#[cfg(not(feature = "jwt"))]
fn is_signature_valid(_signed_part: &str, _signature: &[u8]) -> bool {
    false
}

#[cfg(all(test, feature = "jwt"))]
mod tests {
    use super::*;

    #[test]
    fn tokens_made_by_other_software_are_accepted() {
        // Made by a Python script that does not share code with this program.
        let token = "eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJlbWFpbCI6Im1lbEBjaGF0LnRlc3QifQ.5SkQDmK57rrk7dgb_k87t6NitRetrKhihpvANtcMjlA";

        assert_eq!(
            verified_claims(token, Timestamp::from_micros(0)).map(|claims| claims["email"].clone()),
            Some("mel@chat.test".into())
        );
    }

    #[test]
    fn malformed_and_wrongly_signed_tokens_have_no_claims() {
        for token in [
            "",
            ".",
            "..",
            "a.b.c",
            "e30.e30.",
            "eyJhbGciOiJub25lIiwidHlwIjoiSldUIn0.eyJlbWFpbCI6Im1lbEBjaGF0LnRlc3QifQ.TLagZVxPNw2QdEOf__rgiffQKhngMqWDAjsOU202Wwc",
        ] {
            assert_eq!(verified_claims(token, Timestamp::from_micros(0)), None, "{token}");
        }
    }
}
