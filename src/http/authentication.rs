//! HTTP Basic authentication: an account's real address and its API key (specification, Authentication 1).

use crate::error::Error;
use crate::realm::Realm;
use crate::realm::user::User;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use http::{HeaderMap, header};
use parking_lot::Mutex;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// The credentials of a request, taken apart; None where it has none.
pub type RequestCredentials = Option<Result<Arc<Credentials>, Error>>;

/// The account that a request's credentials are of; None where it has none.
///
/// # Errors
///
/// In the order in which they are checked: `InvalidAuthorizationHeader`, `BasicAuthenticationRequired`,
/// `MalformedApiKey`, `InvalidApiKey`, `RealmDeactivated`, `UserDeactivated`.
pub fn caller(realm: &Realm, credentials: &RequestCredentials) -> Result<Option<Arc<User>>, Error> {
    let Some(credentials) = credentials else { return Ok(None) };
    credentials.as_ref().map_err(Error::clone)?.check(realm).map(Some)
}

/// Address and key as a header has them, whether they are right or not.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Credentials {
    email: Arc<str>,
    key: Box<str>,
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
        match text.split_once(':') {
            Some((email, key)) if !key.contains(':') => Ok(Self { email: email.into(), key: key.into() }),
            _ => Err(Error::InvalidAuthorizationHeader),
        }
    }

    /// Those of an account.
    pub fn of(user: &User) -> Self {
        Self { email: user.email.as_str().into(), key: user.api_key.as_str().into() }
    }

    /// The address as the header has it, whether an account has it or not.
    pub fn email(&self) -> &Arc<str> {
        &self.email
    }

    /// Asserts that a text has the form of a key.
    ///
    /// # Errors
    ///
    /// `MalformedApiKey`.
    pub fn check_form(key: &str) -> Result<(), Error> {
        let is_key = key.len() == 32 && key.bytes().all(|byte| byte.is_ascii_alphanumeric());
        if is_key { Ok(()) } else { Err(Error::MalformedApiKey) }
    }

    /// The account whose key it is, whatever the address.
    pub fn owner<'realm>(&self, realm: &'realm Realm) -> Option<&'realm Arc<User>> {
        realm.users_by_key.get(self.key.trim()).and_then(|id| realm.users.get(id))
    }

    /// The account that they are of.
    ///
    /// # Errors
    ///
    /// `MalformedApiKey`, `InvalidApiKey`, `RealmDeactivated`, `UserDeactivated`.
    pub fn check(&self, realm: &Realm) -> Result<Arc<User>, Error> {
        let (email, key) = (&*self.email, self.key.trim());
        Self::check_form(key)?;
        let user = self.owner(realm).ok_or(Error::InvalidApiKey)?;
        if !user.email.eq_ignore_ascii_case(email) && user.email.to_lowercase() != email.to_lowercase() {
            return Err(Error::InvalidApiKey);
        }
        realm.check_is_open_to(user)?;
        Ok(user.clone())
    }
}

/// The credentials of the requests of one connection: most clients send the same header with each, which is then taken
/// apart once.
#[derive(Debug)]
pub struct CredentialsCache {
    /// Number of the connection, from 1.
    pub connection: u64,
    last: Mutex<Option<CachedHeader>>,
}

/// Connections so far.
static CONNECTIONS: AtomicU64 = AtomicU64::new(0);

impl Default for CredentialsCache {
    fn default() -> Self {
        Self { connection: CONNECTIONS.fetch_add(1, Ordering::Relaxed) + 1, last: Mutex::default() }
    }
}

/// A header, and what it says.
type CachedHeader = (Box<[u8]>, Arc<Credentials>);

impl CredentialsCache {
    /// The credentials of a request; None where it has none.
    pub fn read(&self, headers: &HeaderMap) -> RequestCredentials {
        let mut all = headers.get_all(header::AUTHORIZATION).iter();
        let header = all.next()?;
        if all.next().is_some() {
            return Some(Err(Error::InvalidAuthorizationHeader));
        }
        let mut last = self.last.lock();
        if let Some((_, credentials)) = last.as_ref().filter(|(text, _)| **text == *header.as_bytes()) {
            return Some(Ok(credentials.clone()));
        }
        let read =
            header.to_str().map_err(|_| Error::InvalidAuthorizationHeader).and_then(Credentials::read).map(Arc::new);
        if let Ok(credentials) = &read {
            *last = Some((header.as_bytes().into(), credentials.clone()));
        }
        Some(read)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_request_of_a_connection_has_the_credentials_that_it_came_with() {
        let last = CredentialsCache::default();
        let read = |text: &str| {
            let headers = HeaderMap::from_iter([(header::AUTHORIZATION, text.parse().expect("a header"))]);
            last.read(&headers).expect("there is a header").map(|credentials| credentials.email().to_string())
        };
        let of = |pair: &str| format!("Basic {}", STANDARD.encode(pair));

        for _ in 0..2 {
            assert_eq!(read(&of("mel@chat.test:one")), Ok("mel@chat.test".into()));
        }
        assert_eq!(read("Bearer one"), Err(Error::BasicAuthenticationRequired));
        assert_eq!(read(&of("sam@chat.test:two")), Ok("sam@chat.test".into()));
        assert_eq!(read(&of("mel@chat.test:one")), Ok("mel@chat.test".into()));
        assert!(last.read(&HeaderMap::new()).is_none());
    }
}
