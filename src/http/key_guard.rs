//! The check of which hosts and origins may get API keys without a password and may show the login pages.
//!
//! The API accepts pages of any origin, because they send a key with each request. The operations that return keys
//! require none: without this check, any page that a developer visits could fetch a key, also through a host name that
//! its owner points at this machine (DNS rebinding).

use super::host::Host;
use super::single_header::SingleHeader;
use crate::error::Error;
use http::{HeaderMap, header};

/// The hosts and origins that may get keys, in addition to those of this machine.
#[derive(Clone, Debug, Default)]
pub struct KeyGuard {
    /// The host to which the server is bound; None for loopback.
    pub host: Option<String>,
    /// Further host names of the server.
    pub host_names: Vec<String>,
    /// The origin whose pages may call the API; `*` for all.
    pub cors_origin: String,
}

impl KeyGuard {
    /// Checks that a request may get keys: it comes from no page, or from a page of this machine or of the configured
    /// origin; and it names no host, a configured one, or one whose name nobody else can register.
    ///
    /// # Errors
    ///
    /// `KeysForbidden`.
    pub fn check(&self, headers: &HeaderMap) -> Result<(), Error> {
        let forbidden = |requester: String| Err(Error::KeysForbidden { requester: requester.into() });
        match SingleHeader::from_headers(headers, header::ORIGIN) {
            SingleHeader::Absent => {}
            SingleHeader::Value(origin) if self.trusts_origin(origin) => {}
            SingleHeader::Value(origin) => return forbidden(format!("pages of {origin}")),
            SingleHeader::Unreadable => return forbidden("several origins".to_owned()),
        }
        match SingleHeader::from_headers(headers, header::HOST) {
            SingleHeader::Absent => Ok(()),
            SingleHeader::Value(host) if Host::parse(host).is_some_and(|host| self.trusts_host(&host)) => Ok(()),
            SingleHeader::Value(host) => forbidden(format!("the host name {host}")),
            SingleHeader::Unreadable => forbidden("several host names".to_owned()),
        }
    }

    /// Checks that a page may be shown or submitted: like [`KeyGuard::check`], but pages of the same host are allowed
    /// too.
    ///
    /// # Errors
    ///
    /// `KeysForbidden`.
    pub fn check_page(&self, headers: &HeaderMap) -> Result<(), Error> {
        match (SingleHeader::from_headers(headers, header::ORIGIN), SingleHeader::from_headers(headers, header::HOST)) {
            (SingleHeader::Value(origin), SingleHeader::Value(host)) if has_host(origin, host) => {
                let mut headers_without_origin = headers.clone();
                headers_without_origin.remove(header::ORIGIN);
                self.check(&headers_without_origin)
            }
            _ => self.check(headers),
        }
    }

    /// Whether a page of this origin may send requests in the session of its browser: the origin is that of the
    /// request's host, this machine or the configured one.
    pub fn may_use_session(&self, origin: &str, host: Option<&str>) -> bool {
        host.is_some_and(|host| has_host(origin, host)) || self.trusts_origin(origin)
    }

    /// Whether pages of an origin may get keys: the origin is of this machine, or the configured one if that is not
    /// `*`.
    pub fn trusts_origin(&self, origin: &str) -> bool {
        (self.cors_origin != "*" && origin == self.cors_origin)
            || Host::parse_origin(origin).is_some_and(|host| host.is_loopback())
    }

    /// Whether the host of a request is this machine or the bound host.
    pub fn is_for_this_machine(&self, headers: &HeaderMap) -> bool {
        let is_bound = |host: &Host| self.host.iter().any(|bound_host| host.is_same_host(bound_host));
        matches!(SingleHeader::from_headers(headers, header::HOST), SingleHeader::Value(host)
            if Host::parse(host).is_some_and(|host| host.is_loopback() || is_bound(&host)))
    }

    fn trusts_host(&self, host: &Host) -> bool {
        let is_host = |name: &String| host.is_same_host(name);
        !host.can_be_registered() || self.host.iter().any(is_host) || self.host_names.iter().any(is_host)
    }
}

/// Whether an origin has this host, including the port.
fn has_host(origin: &str, host: &str) -> bool {
    let origin_host = ["http://", "https://"].iter().find_map(|scheme| origin.strip_prefix(scheme));
    Host::parse(host).is_some() && origin_host.is_some_and(|origin_host| origin_host.eq_ignore_ascii_case(host))
}
