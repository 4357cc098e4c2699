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
    Credentials::read(header)?.check(realm)
}

/// Address and key as a header has them, whether they are right or not.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Credentials {
    text: String,
    colon: usize,
}

impl Credentials {
    /// Takes an `Authorization` header apart.
    ///
    /// # Errors
    ///
    /// `InvalidAuthorizationHeader`, `BasicAuthenticationRequired`.
    pub fn read(header: &str) -> Result<Self, Error> {
        let mut tokens = header.split_ascii_whitespace();
        let (Some(scheme), Some(payload), None) = (tokens.next(), tokens.next(), tokens.next()) else {
            return Err(Error::InvalidAuthorizationHeader);
        };
        if !scheme.eq_ignore_ascii_case("basic") {
            return Err(Error::BasicAuthenticationRequired);
        }
        let decoded = STANDARD.decode(payload).ok().and_then(|bytes| String::from_utf8(bytes).ok());
        let text = decoded.ok_or(Error::InvalidAuthorizationHeader)?;
        let mut colons = text.match_indices(':').map(|(colon, _)| colon);
        match (colons.next(), colons.next()) {
            (Some(colon), None) => Ok(Self { text, colon }),
            _ => Err(Error::InvalidAuthorizationHeader),
        }
    }

    /// The address.
    pub fn email(&self) -> &str {
        &self.text[..self.colon]
    }

    /// The address alone.
    pub fn into_email(mut self) -> String {
        self.text.truncate(self.colon);
        self.text
    }

    /// The account that they are of.
    ///
    /// # Errors
    ///
    /// `MalformedApiKey`, `InvalidApiKey`, `UserDeactivated`.
    pub fn check(&self, realm: &Realm) -> Result<Arc<User>, Error> {
        let (email, key) = (self.email(), self.text[self.colon + 1..].trim());
        if key.len() != 32 || !key.bytes().all(|byte| byte.is_ascii_alphanumeric()) {
            return Err(Error::MalformedApiKey);
        }
        let user = realm.users_by_key.get(key).and_then(|id| realm.users.get(id)).ok_or(Error::InvalidApiKey)?;
        if !user.email.eq_ignore_ascii_case(email) && user.email.to_lowercase() != email.to_lowercase() {
            return Err(Error::InvalidApiKey);
        }
        if !user.is_active {
            return Err(Error::UserDeactivated);
        }
        Ok(user.clone())
    }
}
