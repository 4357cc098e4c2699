//! Which hosts and origins may get API keys without a password, and the sign-in pages.
//!
//! The API accepts pages of any origin, since they send a key with each request. The calls that give keys ask for none, so
//! that any page that a developer happens to visit could fetch one, also through a host name that its owner points at this
//! machine (DNS rebinding).

use super::authority::{Authority, Single};
use crate::error::Error;
use http::{HeaderMap, header};

/// Which hosts and origins get keys.
#[derive(Clone, Debug, Default)]
pub struct KeyGuard {
    /// The host that the server was bound to; None for loopback.
    pub host: Option<String>,
    /// Further names by which the server is called.
    pub host_names: Vec<String>,
    /// The origin whose pages may call the API; `*` for all.
    pub cors_origin: String,
}

impl KeyGuard {
    /// Whether a request may be given keys: it comes from no page, or from one of this machine or of the one origin that
    /// is let in, and to a host whose name no one else can register.
    ///
    /// # Errors
    ///
    /// `KeysForbidden`.
    pub fn check(&self, headers: &HeaderMap) -> Result<(), Error> {
        let forbidden = |what: String| Err(Error::KeysForbidden { what: what.into() });
        match Single::of(headers, header::ORIGIN) {
            Single::Absent => {}
            Single::Once(origin) if self.lets_in(origin) => {}
            Single::Once(origin) => return forbidden(format!("pages of {origin}")),
            Single::Unreadable => return forbidden("several origins".to_owned()),
        }
        match Single::of(headers, header::HOST) {
            Single::Absent => Ok(()),
            Single::Once(host) if Authority::parse(host).is_some_and(|host| self.is_own(&host)) => Ok(()),
            Single::Once(host) => forbidden(format!("the host name {host}")),
            Single::Unreadable => forbidden("several host names".to_owned()),
        }
    }

    /// Whether a page may be shown or used: as [`KeyGuard::check`], and to pages of the same host.
    ///
    /// # Errors
    ///
    /// `KeysForbidden`.
    pub fn check_page(&self, headers: &HeaderMap) -> Result<(), Error> {
        match (Single::of(headers, header::ORIGIN), Single::of(headers, header::HOST)) {
            (Single::Once(origin), Single::Once(host)) if is_of_host(origin, host) => {
                let mut own = headers.clone();
                own.remove(header::ORIGIN);
                self.check(&own)
            }
            _ => self.check(headers),
        }
    }

    /// Whether a page of this origin may act in the session that its browser has: one of the same host, of
    /// this machine, or of the one origin that is let in.
    pub fn lets_act(&self, origin: &str, host: Option<&str>) -> bool {
        host.is_some_and(|host| is_of_host(origin, host)) || self.lets_in(origin)
    }

    /// Whether pages of an origin may read what gives keys: those of this machine, and of the one origin that is let in.
    pub fn lets_in(&self, origin: &str) -> bool {
        (self.cors_origin != "*" && origin == self.cors_origin)
            || Authority::of_origin(origin).is_some_and(|host| host.is_loopback())
    }

    /// Whether a request is for this machine or the bound host.
    pub fn is_for_this_machine(&self, headers: &HeaderMap) -> bool {
        let is_bound = |host: &Authority| self.host.iter().any(|bound| host.is(bound));
        matches!(Single::of(headers, header::HOST), Single::Once(host)
            if Authority::parse(host).is_some_and(|host| host.is_loopback() || is_bound(&host)))
    }

    fn is_own(&self, host: &Authority) -> bool {
        let is_named = |name: &String| host.is(name);
        !host.can_be_registered() || self.host.iter().any(is_named) || self.host_names.iter().any(is_named)
    }
}

/// Whether an origin is the host that a request came to, port included.
fn is_of_host(origin: &str, host: &str) -> bool {
    let named = ["http://", "https://"].iter().find_map(|scheme| origin.strip_prefix(scheme));
    Authority::parse(host).is_some() && named.is_some_and(|named| named.eq_ignore_ascii_case(host))
}
