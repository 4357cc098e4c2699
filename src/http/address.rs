//! Which world a request is for, and which address its URLs must lead back to (contract, Worlds).

use super::authority::Authority;
use super::protocol::RESUMABLE_PREFIX;
use super::request::RequestHead;
use crate::api::Origin;
use crate::world::Worlds;
use http::{HeaderMap, HeaderName, header};
use std::borrow::Cow;

const FORWARDED_PROTO: HeaderName = HeaderName::from_static("x-forwarded-proto");
/// What follows a world's name in a host's.
const LOCAL: &str = ".localhost";
const FORWARDED_HOST: HeaderName = HeaderName::from_static("x-forwarded-host");

/// A request's world, the address it came to, and the path inside that world.
pub struct Address<'a> {
    /// The world's name; it may not exist.
    pub world: Cow<'a, str>,
    /// What URLs in the reply begin with.
    pub origin: Origin<'a>,
    /// `/api/v1/…` or a file's path, still percent-encoded.
    pub path: &'a str,
    /// The path of an operation, without `/api/v1` or `/json`; None for a path outside of the API.
    pub operation: Option<&'a str>,
    /// Whether the path takes the session of a browser for credentials.
    pub takes_session: TakesSession,
    /// Whether nothing named the world: it is the default one.
    pub is_root: bool,
}

/// Whether a path takes the session of a browser for credentials.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TakesSession {
    /// The API, which takes keys.
    No,
    /// Files, where there are no other credentials, and pages.
    Too,
    /// What web clients call.
    Alone,
}

impl<'a> Address<'a> {
    /// Finds the world: by the port, by the path, by the host name, else the default one. `port_world` is the world that
    /// the request's port belongs to, if it belongs to one.
    pub fn of(head: &'a RequestHead, port_world: Option<&'a str>) -> Self {
        let origin = origin_of(head.scheme, &head.headers);
        if let Some(world) = port_world {
            return Self::new(world.into(), origin, head.path(), false);
        }
        if let Some((name, mut rest)) = world_in_path(head.path()) {
            let (prefix, _) = head.path().split_at(head.path().len() - rest.len());
            // A client that puts its base URL before a path that has the prefix already means the same.
            while let Some(inner) = rest.strip_prefix(prefix).filter(|inner| inner.starts_with('/')) {
                rest = inner;
            }
            return Self::new(name.into(), Origin { prefix, ..origin }, rest, false);
        }
        let named = world_in_host(head.header(header::HOST).unwrap_or_default());
        let is_root = named.is_none();
        Self::new(named.unwrap_or(Cow::Borrowed(Worlds::DEFAULT)), origin, head.path(), is_root)
    }

    fn new(world: Cow<'a, str>, origin: Origin<'a>, path: &'a str, is_root: bool) -> Self {
        let (operation, takes_session) = (path_of_operation(path, origin.prefix), TakesSession::of_path(path));
        Self { world, origin, path, operation, takes_session, is_root }
    }
}

impl TakesSession {
    fn of_path(path: &str) -> Self {
        match path.strip_prefix('/') {
            Some(path) if path.starts_with("json/") => TakesSession::Alone,
            Some(inner) if inner.starts_with("api/") && !path.starts_with(RESUMABLE_PREFIX) => TakesSession::No,
            _ => TakesSession::Too,
        }
    }
}

/// The path of an operation. A client that puts its base URL and `/api/v1` before an address that has the world's path
/// already means the address.
fn path_of_operation<'a>(path: &'a str, prefix: &str) -> Option<&'a str> {
    let of_session = || path.strip_prefix("/json").filter(|path| path.starts_with('/'));
    let path = path.strip_prefix("/api/v1").or_else(of_session)?;
    // Comparing with an empty text reads at an address without memory, which some processors are slow to suppress.
    if prefix.is_empty() {
        return Some(path);
    }
    let inner = path.strip_prefix(prefix).filter(|inner| inner.starts_with('/'));
    Some(inner.unwrap_or(path))
}

/// The address that a client used, which proxies tell; `scheme` is that of the connection.
pub fn origin_of<'a>(scheme: &'static str, headers: &'a HeaderMap) -> Origin<'a> {
    let scheme = match first_forwarded(headers, FORWARDED_PROTO) {
        Some(proto) if proto.eq_ignore_ascii_case("https") => "https",
        Some(proto) if proto.eq_ignore_ascii_case("http") => "http",
        _ => scheme,
    };
    // What is no host makes no address either.
    let is_host = |host: &&str| Authority::parse(host).is_some();
    let asked = headers.get(header::HOST).and_then(|host| host.to_str().ok());
    let forwarded = first_forwarded(headers, FORWARDED_HOST).filter(is_host);
    let host = forwarded.or_else(|| asked.filter(is_host)).unwrap_or("127.0.0.1");
    Origin { scheme, host, prefix: "" }
}

/// What the proxy next to the client said; those behind it add theirs after a comma.
fn first_forwarded(headers: &HeaderMap, name: HeaderName) -> Option<&str> {
    headers.get(name)?.to_str().ok()?.split(',').next().map(str::trim).filter(|value| !value.is_empty())
}

fn world_in_path(path: &str) -> Option<(&str, &str)> {
    let rest = path.strip_prefix("/w/")?;
    let end = rest.find('/').unwrap_or(rest.len());
    Some((&rest[..end], &rest[end..]))
}

fn world_in_host(host: &str) -> Option<Cow<'_, str>> {
    let name = host
        .rsplit_once(':')
        .map_or(host, |(name, port)| if port.bytes().all(|byte| byte.is_ascii_digit()) { name } else { host });
    let (name, end) = name.split_at_checked(name.len().checked_sub(LOCAL.len())?)?;
    if name.is_empty() || !end.eq_ignore_ascii_case(LOCAL) {
        return None;
    }
    // Names of hosts ignore case; those of worlds have none.
    let has_capitals = name.bytes().any(|byte| byte.is_ascii_uppercase());
    Some(if has_capitals { name.to_ascii_lowercase().into() } else { name.into() })
}
