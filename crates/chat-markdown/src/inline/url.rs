//! Where links lead.
//!
//! An address is taken apart and put together again in the way of the service, which repairs what authors leave out and
//! refuses what might run something.

use crate::context::Context;
use unicode_normalization::UnicodeNormalization;

/// Addresses with other schemes are not linked: some run code.
const SAFE_SCHEMES: [&str; 25] = [
    "bitcoin",
    "file",
    "ftp",
    "geo",
    "http",
    "https",
    "im",
    "irc",
    "ircs",
    "magnet",
    "mailto",
    "matrix",
    "mms",
    "news",
    "nntp",
    "openpgp4fpr",
    "sip",
    "sms",
    "smsto",
    "ssh",
    "tel",
    "urn",
    "webcal",
    "wtai",
    "xmpp",
];

/// Safe schemes whose addresses have a host.
const SCHEMES_WITH_HOST: [&str; 6] = ["file", "ftp", "http", "https", "mms", "nntp"];

/// Parts of the organization's own site that are linked relatively.
const OWN_PATHS: [&str; 4] = ["/user_uploads/", "/user_avatars/", "/thumbnail", "/#"];

/// The parts of an address.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Parts<'a> {
    pub scheme: String,
    pub host: &'a str,
    pub path: &'a str,
    pub query: &'a str,
    pub fragment: &'a str,
}

impl<'a> Parts<'a> {
    /// Takes an address apart. None if its host can't be one.
    pub fn of(address: &'a str) -> Option<Self> {
        let mut parts = Parts::default();
        let mut rest = address;
        if let Some((scheme, behind)) = rest.split_once(':')
            && scheme.starts_with(|first: char| first.is_ascii_alphabetic())
            && scheme.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"+-.".contains(&byte))
        {
            parts.scheme = scheme.to_ascii_lowercase();
            rest = behind;
        }
        if let Some(behind) = rest.strip_prefix("//") {
            let end = behind.find(['/', '?', '#']).unwrap_or(behind.len());
            (parts.host, rest) = behind.split_at(end);
            if !is_host(parts.host) {
                return None;
            }
        }
        (rest, parts.fragment) = rest.split_once('#').unwrap_or((rest, ""));
        (parts.path, parts.query) = rest.split_once('?').unwrap_or((rest, ""));
        Some(parts)
    }

    /// Puts them together. What is empty is left out with its mark.
    pub fn join(&self) -> String {
        let mut out = String::new();
        if !self.scheme.is_empty() {
            out.push_str(&self.scheme);
            out.push(':');
        }
        let needs_host = SCHEMES_WITH_HOST.contains(&self.scheme.as_str()) && !self.path.starts_with("//");
        if !self.host.is_empty() || needs_host {
            out.push_str("//");
            out.push_str(self.host);
            if !self.path.is_empty() && !self.path.starts_with('/') {
                out.push('/');
            }
        }
        out.push_str(self.path);
        for (mark, part) in [('?', self.query), ('#', self.fragment)] {
            if !part.is_empty() {
                out.push(mark);
                out.push_str(part);
            }
        }
        out
    }
}

fn is_host(host: &str) -> bool {
    match (host.split_once('['), host.contains(']')) {
        (None, true) | (Some(_), false) => return false,
        (Some((before, behind)), true) => {
            let (inside, behind) = behind.split_once(']').unwrap_or_default();
            let before_is_fine = before.is_empty() || before.ends_with('@');
            let behind_is_fine = behind.is_empty() || behind.starts_with(':');
            let is_future = inside.starts_with('v') && inside.contains('.');
            let is_numeric = inside.parse::<std::net::Ipv6Addr>().is_ok();
            return before_is_fine && behind_is_fine && (is_future || is_numeric);
        }
        (None, false) => {}
    }
    // Some characters look like several others, among them marks that would end the host.
    host.is_ascii() || {
        let marks = ['@', ':', '#', '?'];
        let name: String = host.chars().filter(|character| !marks.contains(character)).collect();
        let alike: String = name.nfkc().collect();
        alike == name || !alike.contains(['/', '?', '#', '@', ':'])
    }
}

/// An address as it may be in the HTML, with a scheme where it needs one. None if its scheme is not safe; empty if it
/// can't be read.
pub(crate) fn sanitized(address: &str) -> Option<String> {
    let repaired = address.trim_start_matches(|first: char| first <= ' ').replace(['\t', '\r', '\n'], "");
    let repaired = repaired.replace(' ', "%20");
    let Some(mut parts) = Parts::of(&repaired) else { return Some(String::new()) };
    if parts.scheme.is_empty() && parts.host.is_empty() {
        let is_fragment = parts.path.is_empty() && parts.query.is_empty() && !parts.fragment.is_empty();
        if parts.path.contains('@') {
            parts.scheme = "mailto".to_owned();
        } else if parts.path.starts_with('/') || is_fragment {
            return Some(parts.join());
        }
    }
    if parts.scheme.is_empty() {
        return sanitized(&format!("http://{address}"));
    }
    SAFE_SCHEMES.contains(&parts.scheme.as_str()).then(|| parts.join())
}

/// Whether a checked address may be linked.
pub(crate) fn is_safe(address: &str) -> bool {
    !address.is_empty() && sanitized(address).is_some_and(|it| !it.is_empty())
}

/// Where a link leads, checked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Target {
    /// The address as it is in the HTML.
    pub href: String,
}

impl Target {
    /// Makes an address relative if it leads into the organization.
    pub fn of(context: &Context<'_>, address: &str) -> Self {
        let own = context.settings.own_url.and_then(|base| {
            let path = address.strip_prefix(base.trim_end_matches('/'))?;
            OWN_PATHS.iter().any(|own| path.starts_with(own)).then_some(path)
        });
        let href = match own {
            Some(fragment) if fragment.starts_with("/#") => &fragment[1..],
            Some(path) => path,
            None => address,
        };
        Self { href: href.to_owned() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_repaired() {
        for (address, href) in [
            ("https://x.y", "https://x.y"),
            ("HTTP://x", "http://x"),
            ("x.y", "http://x.y"),
            ("a@b.c", "mailto:a@b.c"),
            ("//x.y/z", "http://x.y/z"),
            ("/help?a=b#c", "/help?a=b#c"),
            ("#b", "#b"),
            ("", "http://"),
            ("https://x.y/a b", "https://x.y/a%20b"),
            ("https:x", "https:///x"),
            ("https://x.y?#", "https://x.y"),
            ("https://[x", ""),
        ] {
            assert_eq!(sanitized(address).as_deref(), Some(href), "{address}");
        }
        for address in [
            "javascript:alert(1)",
            "JaVaScRiPt:1",
            "data:text/html,x",
            "java\tscript:1",
            " vbscript:1",
            "localhost:9991/x",
        ] {
            assert_eq!(sanitized(address), None, "{address}");
        }
    }
}
