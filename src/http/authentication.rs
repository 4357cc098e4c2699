//! HTTP Basic authentication: an account's real address and its API key (specification, Authentication 1).

use crate::error::Error;
use crate::realm::Realm;
use crate::realm::user::User;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use std::sync::Arc;

/// The account that a header's credentials are of.
///
/// # Errors
///
/// In the order in which they are checked: `InvalidAuthorizationHeader`, `BasicAuthenticationRequired`,
/// `MalformedApiKey`, `InvalidApiKey`, `UserDeactivated`.
pub fn authenticate(realm: &Realm, header: &str) -> Result<Arc<User>, Error> {
    let (email, key) = credentials(header)?;
    if key.len() != 32 || !key.bytes().all(|byte| byte.is_ascii_alphanumeric()) {
        return Err(Error::MalformedApiKey);
    }
    let user = realm.users_by_key.get(&key).and_then(|id| realm.users.get(id)).ok_or(Error::InvalidApiKey)?;
    if !user.email.eq_ignore_ascii_case(&email) && user.email.to_lowercase() != email.to_lowercase() {
        return Err(Error::InvalidApiKey);
    }
    if !user.is_active {
        return Err(Error::UserDeactivated);
    }
    Ok(user.clone())
}

/// The address that a header's credentials claim, whether they are right or not.
pub fn claimed_email(header: &str) -> Option<String> {
    credentials(header).ok().map(|(email, _)| email)
}

/// Address and key as the header has them.
fn credentials(header: &str) -> Result<(String, String), Error> {
    let mut tokens = header.split_whitespace();
    let (Some(scheme), Some(payload), None) = (tokens.next(), tokens.next(), tokens.next()) else {
        return Err(Error::InvalidAuthorizationHeader);
    };
    if !scheme.eq_ignore_ascii_case("basic") {
        return Err(Error::BasicAuthenticationRequired);
    }
    let decoded = STANDARD.decode(payload).ok().and_then(|bytes| String::from_utf8(bytes).ok());
    let decoded = decoded.ok_or(Error::InvalidAuthorizationHeader)?;
    match decoded.split_once(':') {
        Some((email, key)) if !key.contains(':') => Ok((email.to_owned(), key.trim().to_owned())),
        _ => Err(Error::InvalidAuthorizationHeader),
    }
}
