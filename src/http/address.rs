//! The address of a request: its world, the path inside that world, and the origin for URLs in replies.

use super::host::Host;
use super::protocol::RESUMABLE_PREFIX;
use super::request::RequestHead;
use crate::api::Origin;
use crate::world::Worlds;
use http::{HeaderMap, HeaderName, header};
use std::borrow::Cow;

const FORWARDED_PROTO: HeaderName = HeaderName::from_static("x-forwarded-proto");
const FORWARDED_HOST: HeaderName = HeaderName::from_static("x-forwarded-host");
/// A world `NAME` is also served as the host `NAME.localhost`.
const WORLD_HOST_SUFFIX: &str = ".localhost";

/// The destination of a request.
pub struct Address<'a> {
    /// The name of a world, which may not exist.
    pub world: Cow<'a, str>,
    /// The beginning of URLs in the reply.
    pub origin: Origin<'a>,
    /// The path without the prefix of the world, still percent-encoded.
    pub path: &'a str,
    /// The path of an operation, without `/api/v1` or `/json`; None for a path outside the API.
    pub operation_path: Option<&'a str>,
    pub session_use: SessionUse,
    /// Whether the request names no world and so is for the default one.
    pub names_no_world: bool,
}

/// Whether a path accepts the session of a browser as credentials.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SessionUse {
    /// Paths of the API, which take keys.
    Never,
    /// Files, pages and resumable uploads, which take a session from requests without a key.
    WithoutKey,
    /// Paths under `/json`, which web clients call.
    Always,
}

impl<'a> Address<'a> {
    /// Finds the world by the port, else by the path, else by the host name. If none of them names a world, it is the
    /// default one. `port_world` is the world whose port received the request, if the port belongs to a single world.
    pub fn from_request(head: &'a RequestHead, port_world: Option<&'a str>) -> Self {
        let origin = origin_of(head.scheme, &head.headers);
        if let Some(world) = port_world {
            return Self::new(world.into(), origin, head.path(), false);
        }
        if let Some((name, mut path)) = world_in_path(head.path()) {
            let (prefix, _) = head.path().split_at(head.path().len() - path.len());
            // Some clients prepend their base URL to a path that already has the prefix.
            while let Some(stripped_path) =
                path.strip_prefix(prefix).filter(|stripped_path| stripped_path.starts_with('/'))
            {
                path = stripped_path;
            }
            return Self::new(name.into(), Origin { prefix, ..origin }, path, false);
        }
        let host_world = world_in_host(head.header(header::HOST).unwrap_or_default());
        let names_no_world = host_world.is_none();
        Self::new(host_world.unwrap_or(Cow::Borrowed(Worlds::DEFAULT)), origin, head.path(), names_no_world)
    }

    fn new(world: Cow<'a, str>, origin: Origin<'a>, path: &'a str, names_no_world: bool) -> Self {
        let (operation_path, session_use) = (operation_path(path, origin.prefix), SessionUse::of_path(path));
        Self { world, origin, path, operation_path, session_use, names_no_world }
    }
}

impl SessionUse {
    fn of_path(path: &str) -> Self {
        if path.starts_with("/json/") {
            SessionUse::Always
        } else if path.starts_with("/api/") && !path.starts_with(RESUMABLE_PREFIX) {
            SessionUse::Never
        } else {
            SessionUse::WithoutKey
        }
    }
}

/// The path of an operation, without `/api/v1` or `/json`; None for other paths. Some clients prepend their base URL
/// and `/api/v1` to a path that already has the world's prefix; the prefix is removed.
fn operation_path<'a>(path: &'a str, prefix: &str) -> Option<&'a str> {
    let below_json = || path.strip_prefix("/json").filter(|path| path.starts_with('/'));
    let path = path.strip_prefix("/api/v1").or_else(below_json)?;
    // With length 0, the C library's `memcmp` may still issue a masked load at the (dangling) address. Some processors
    // are slow at that: it took 2.7 % of a small read's time.
    if prefix.is_empty() {
        return Some(path);
    }
    let stripped_path = path.strip_prefix(prefix).filter(|stripped_path| stripped_path.starts_with('/'));
    Some(stripped_path.unwrap_or(path))
}

/// The origin that a client used, according to the headers of proxies. `scheme` is that of the connection.
pub fn origin_of<'a>(scheme: &'static str, headers: &'a HeaderMap) -> Origin<'a> {
    let scheme = match first_forwarded(headers, FORWARDED_PROTO) {
        Some(proto) if proto.eq_ignore_ascii_case("https") => "https",
        Some(proto) if proto.eq_ignore_ascii_case("http") => "http",
        _ => scheme,
    };
    // A malformed host must not appear in URLs of the reply.
    let is_host = |host: &&str| Host::parse(host).is_some();
    let direct_host = headers.get(header::HOST).and_then(|host| host.to_str().ok());
    let forwarded_host = first_forwarded(headers, FORWARDED_HOST).filter(is_host);
    let host = forwarded_host.or_else(|| direct_host.filter(is_host)).unwrap_or("127.0.0.1");
    Origin { scheme, host, prefix: "" }
}

/// The value that the proxy next to the client set. Later proxies append theirs after a comma.
fn first_forwarded(headers: &HeaderMap, name: HeaderName) -> Option<&str> {
    headers.get(name)?.to_str().ok()?.split(',').next().map(str::trim).filter(|value| !value.is_empty())
}

/// The name of the world in a path that begins with `/w/NAME`, and the rest of the path.
fn world_in_path(path: &str) -> Option<(&str, &str)> {
    let path = path.strip_prefix("/w/")?;
    let end = path.find('/').unwrap_or(path.len());
    Some((&path[..end], &path[end..]))
}

/// The name of the world in a host such as `NAME.localhost:9991`.
fn world_in_host(host: &str) -> Option<Cow<'_, str>> {
    let name = host
        .rsplit_once(':')
        .map_or(host, |(name, port)| if port.bytes().all(|byte| byte.is_ascii_digit()) { name } else { host });
    let (name, suffix) = name.split_at_checked(name.len().checked_sub(WORLD_HOST_SUFFIX.len())?)?;
    if name.is_empty() || !suffix.eq_ignore_ascii_case(WORLD_HOST_SUFFIX) {
        return None;
    }
    // Host names ignore case; names of worlds are in lower case.
    let has_capitals = name.bytes().any(|byte| byte.is_ascii_uppercase());
    Some(if has_capitals { name.to_ascii_lowercase().into() } else { name.into() })
}
