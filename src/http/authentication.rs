//! HTTP Basic authentication: an account's real address and its API key (specification, Authentication 1).

use crate::error::Error;
use crate::realm::Realm;
use crate::realm::user::User;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use http::{HeaderMap, header};
use parking_lot::Mutex;
use std::sync::Arc;

/// The parsed credentials of a request, or the error in them; None for a request without credentials.
pub type RequestCredentials = Option<Result<Arc<Credentials>, Error>>;

/// Returns the account of a request's credentials; None for a request without any.
///
/// # Errors
///
/// The error in the credentials, such as `InvalidAuthorizationHeader`; else the errors of [`Credentials::check`].
pub fn authenticate(realm: &Realm, credentials: &RequestCredentials) -> Result<Option<Arc<User>>, Error> {
    let Some(credentials) = credentials else { return Ok(None) };
    credentials.as_ref().map_err(Error::clone)?.check(realm).map(Some)
}

/// An email address and an API key, which are not checked yet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Credentials {
    email: Arc<str>,
    key: Box<str>,
}

impl Credentials {
    /// Parses an `Authorization` header.
    ///
    /// # Errors
    ///
    /// `InvalidAuthorizationHeader`, `BasicAuthenticationRequired`.
    pub fn parse(header: &str) -> Result<Self, Error> {
        let mut tokens = header.split_ascii_whitespace();
        let (Some(scheme), Some(encoded), None) = (tokens.next(), tokens.next(), tokens.next()) else {
            return Err(Error::InvalidAuthorizationHeader);
        };
        if !scheme.eq_ignore_ascii_case("basic") {
            return Err(Error::BasicAuthenticationRequired);
        }
        let decoded = STANDARD.decode(encoded).ok().and_then(|bytes| String::from_utf8(bytes).ok());
        let text = decoded.ok_or(Error::InvalidAuthorizationHeader)?;
        match text.split_once(':') {
            Some((email, key)) if !key.contains(':') => Ok(Self { email: email.into(), key: key.into() }),
            _ => Err(Error::InvalidAuthorizationHeader),
        }
    }

    /// The credentials that a client of the user would send.
    pub fn of_user(user: &User) -> Self {
        Self { email: user.email.as_str().into(), key: user.api_key.as_str().into() }
    }

    /// The address in the header, which may belong to no account.
    pub fn email(&self) -> &Arc<str> {
        &self.email
    }

    /// Checks that a text has the form of a key.
    ///
    /// # Errors
    ///
    /// `MalformedApiKey`.
    pub fn check_key_format(key: &str) -> Result<(), Error> {
        let is_well_formed = key.len() == 32 && key.bytes().all(|byte| byte.is_ascii_alphanumeric());
        if is_well_formed { Ok(()) } else { Err(Error::MalformedApiKey) }
    }

    /// The account whose key this is, whatever the email address.
    pub fn owner<'realm>(&self, realm: &'realm Realm) -> Option<&'realm Arc<User>> {
        realm.users_by_key.get(self.key.trim()).and_then(|id| realm.users.get(id))
    }

    /// Returns the account if address and key match and the account is active.
    ///
    /// # Errors
    ///
    /// In the order in which they are checked: `MalformedApiKey`, `InvalidApiKey`, `RealmDeactivated`,
    /// `UserDeactivated`.
    pub fn check(&self, realm: &Realm) -> Result<Arc<User>, Error> {
        let (email, key) = (&*self.email, self.key.trim());
        Self::check_key_format(key)?;
        let user = self.owner(realm).ok_or(Error::InvalidApiKey)?;
        // Most addresses are ASCII; only others need the second comparison, which allocates.
        if !user.email.eq_ignore_ascii_case(email) && user.email.to_lowercase() != email.to_lowercase() {
            return Err(Error::InvalidApiKey);
        }
        realm.check_is_active(user)?;
        Ok(user.clone())
    }
}

/// The last credentials of a connection: most clients send the same header with each request, and it is parsed only
/// once.
#[derive(Debug, Default)]
pub struct CredentialsCache {
    last_header: Mutex<Option<CachedHeader>>,
}

/// The bytes of a header and the credentials in it.
type CachedHeader = (Box<[u8]>, Arc<Credentials>);

impl CredentialsCache {
    /// Parses the credentials of a request; None for a request without any.
    pub fn read(&self, headers: &HeaderMap) -> RequestCredentials {
        let mut values = headers.get_all(header::AUTHORIZATION).iter();
        let header = values.next()?;
        if values.next().is_some() {
            return Some(Err(Error::InvalidAuthorizationHeader));
        }
        let mut last_header = self.last_header.lock();
        if let Some((_, credentials)) =
            last_header.as_ref().filter(|(cached_bytes, _)| **cached_bytes == *header.as_bytes())
        {
            return Some(Ok(credentials.clone()));
        }
        let credentials =
            header.to_str().map_err(|_| Error::InvalidAuthorizationHeader).and_then(Credentials::parse).map(Arc::new);
        if let Ok(credentials) = &credentials {
            *last_header = Some((header.as_bytes().into(), credentials.clone()));
        }
        Some(credentials)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_cache_returns_the_credentials_of_each_request() {
        let cache = CredentialsCache::default();
        let read = |text: &str| {
            let headers = HeaderMap::from_iter([(header::AUTHORIZATION, text.parse().expect("a header"))]);
            cache.read(&headers).expect("there is a header").map(|credentials| credentials.email().to_string())
        };
        let basic = |email_and_key: &str| format!("Basic {}", STANDARD.encode(email_and_key));

        for _ in 0..2 {
            assert_eq!(read(&basic("mel@chat.test:one")), Ok("mel@chat.test".into()));
        }
        assert_eq!(read("Bearer one"), Err(Error::BasicAuthenticationRequired));
        assert_eq!(read(&basic("sam@chat.test:two")), Ok("sam@chat.test".into()));
        assert_eq!(read(&basic("mel@chat.test:one")), Ok("mel@chat.test".into()));
        assert!(cache.read(&HeaderMap::new()).is_none());
    }
}
