//! Which world a request is for, and which address its URLs must lead back to (contract, Worlds).

use super::authority::Authority;
use super::request::RequestHead;
use crate::api::Origin;
use crate::dialect::{Dialect, USERS_OWN};
use crate::world::Worlds;
use http::{HeaderMap, HeaderName, header};
use memchr::memmem;
use serde_json::Value;
use std::borrow::Cow;
use std::collections::BTreeMap;

const FORWARDED_PROTO: HeaderName = HeaderName::from_static("x-forwarded-proto");
/// What follows a world's name in a host's.
const LOCAL: &str = ".localhost";
const FORWARDED_HOST: HeaderName = HeaderName::from_static("x-forwarded-host");

/// A request's world, the address it came to, and the path inside that world.
pub struct Addressed<'a> {
    /// The world's name; it may not exist.
    pub world: Cow<'a, str>,
    /// What URLs in the reply begin with.
    pub origin: Origin<'a>,
    /// `/api/v1/…` or a file's path, still percent-encoded.
    pub path: &'a str,
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

impl<'a> Addressed<'a> {
    /// Whether the path takes the session of a browser for credentials.
    pub fn takes_session(&self) -> TakesSession {
        match self.path.strip_prefix('/') {
            Some(path) if path.starts_with("json/") => TakesSession::Alone,
            Some(path) if path.starts_with("api/") && !path.starts_with("api/v1/tus") => TakesSession::No,
            _ => TakesSession::Too,
        }
    }

    /// The path of an operation, without `/api/v1` or `/json`; None for a path outside of the API. A client that puts its base URL
    /// and `/api/v1` before an address that has the world's path already means the address.
    pub fn path_of_operation(&self) -> Option<&'a str> {
        let of_session = || self.path.strip_prefix("/json").filter(|path| path.starts_with('/'));
        let path = self.path.strip_prefix("/api/v1").or_else(of_session)?;
        let prefix = self.origin.prefix;
        // Comparing with an empty text reads at an address without memory, which some processors are slow to suppress.
        if prefix.is_empty() {
            return Some(path);
        }
        let inner = path.strip_prefix(prefix).filter(|inner| inner.starts_with('/'));
        Some(inner.unwrap_or(path))
    }
}

/// Finds the world: by the port, by the path, by the host name, else the default one.
pub fn address<'a>(head: &'a RequestHead, port_world: Option<&'a str>) -> Addressed<'a> {
    let asked = head.header(header::HOST);
    let origin = origin_of(head.scheme, &head.headers);
    if let Some(world) = port_world {
        return Addressed { world: world.into(), origin, path: head.path(), is_root: false };
    }
    if let Some((name, mut rest)) = world_in_path(head.path()) {
        let (prefix, _) = head.path().split_at(head.path().len() - rest.len());
        // A client that puts its base URL before a path that has the prefix already means the same.
        while let Some(inner) = rest.strip_prefix(prefix).filter(|inner| inner.starts_with('/')) {
            rest = inner;
        }
        return Addressed { world: name.into(), origin: Origin { prefix, ..origin }, path: rest, is_root: false };
    }
    let named = world_in_host(asked.unwrap_or_default());
    let is_root = named.is_none();
    Addressed { world: named.unwrap_or(Cow::Borrowed(Worlds::DEFAULT)), origin, path: head.path(), is_root }
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

/// Parameters by their neutral names, with neutral values.
pub fn neutral_parameters(dialect: &Dialect, values: &BTreeMap<String, String>) -> BTreeMap<String, String> {
    let neutral = |(key, value): (&String, &String)| {
        let key = dialect.neutral_key(key).to_owned();
        let value = dialect.neutral_value(&key, value).into_owned();
        (key, value)
    };
    values.iter().map(neutral).collect()
}

/// Keys whose values are addresses relative to the organization's.
const ADDRESSES: &[&str] = &[
    "avatar_url",
    "avatar_url_medium",
    "url",
    "uri",
    "source_url",
    "login_url",
    "signup_url",
    "still_url",
    "display_icon",
    "export_url",
    "icon_url",
    "logo_url",
    "night_logo_url",
    "realm_icon",
    "realm_icon_url",
    "realm_logo_url",
    "realm_night_logo_url",
    "server_emoji_data_url",
];

/// Keys whose values are HTML.
const HTML: &[&str] = &[
    "content",
    "content_html_diff",
    "rendered",
    "rendered_content",
    "orig_rendered_content",
    "prev_rendered_content",
    "rendered_description",
    "rendered_value",
    "match_content",
];

/// Whether a reply may have an address that [`prefix_addresses`] would change: a value, or an attribute in HTML, that
/// begins with a slash.
pub fn may_have_addresses(reply: &[u8]) -> bool {
    memmem::find(reply, b":\"/").is_some() || memmem::find(reply, b"\\\"/").is_some()
}

/// Puts the world's prefix before all addresses that are relative to the organization's.
pub fn prefix_addresses(value: &mut Value, prefix: &str) {
    if prefix.is_empty() {
        return;
    }
    match value {
        Value::Array(items) => items.iter_mut().for_each(|item| prefix_addresses(item, prefix)),
        Value::Object(object) => {
            let is_html = object.get("content_type").is_some_and(|kind| kind == "text/html");
            for (key, value) in object.iter_mut() {
                match value {
                    _ if USERS_OWN.contains(&key.as_str()) => {}
                    // Drafts, phrases and history have Markdown here.
                    Value::String(_) if key == "content" && !is_html => {}
                    Value::String(text) if ADDRESSES.contains(&key.as_str()) => {
                        if text.starts_with('/') && !text.starts_with("//") {
                            *text = format!("{prefix}{text}");
                        }
                    }
                    Value::String(text) if HTML.contains(&key.as_str()) => *text = prefix_html(text, prefix),
                    other => prefix_addresses(other, prefix),
                }
            }
        }
        _ => {}
    }
}

/// Addresses are in tags; what looks like one elsewhere is what somebody wrote.
fn prefix_html(html: &str, prefix: &str) -> String {
    let mut prefixed = String::with_capacity(html.len() + 64);
    let mut rest = html;
    while let Some(start) = rest.find('<') {
        let (text, behind) = rest.split_at(start);
        prefixed.push_str(text);
        let (tag, behind) = behind.split_at(end_of_tag(behind));
        prefixed.push_str(&prefix_tag(tag, prefix));
        rest = behind;
    }
    prefixed + rest
}

/// Where a tag ends that begins the text: a bracket within quotes is none.
fn end_of_tag(tag: &str) -> usize {
    let mut is_quoted = false;
    let end = tag.bytes().position(|byte| {
        is_quoted ^= byte == b'"';
        byte == b'>' && !is_quoted
    });
    end.map_or(tag.len(), |end| end + 1)
}

fn prefix_tag(tag: &str, prefix: &str) -> String {
    let mut tag = tag.to_owned();
    for folder in ["user_uploads", "user_avatars", "static"] {
        for attribute in ["href", "src"] {
            tag = tag.replace(&format!("{attribute}=\"/{folder}/"), &format!("{attribute}=\"{prefix}/{folder}/"));
        }
    }
    tag
}
