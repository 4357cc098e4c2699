//! Sanitizes the URLs of links.
//!
//! As on real servers, URLs are parsed and joined again, which adds missing parts. Schemes that may run code are
//! refused.

use crate::context::Context;
use unicode_normalization::UnicodeNormalization;

/// URLs with other schemes are not linked, because some run code.
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

/// Safe schemes whose URLs have a host.
const SCHEMES_WITH_HOST: [&str; 6] = ["file", "ftp", "http", "https", "mms", "nntp"];

/// Paths of the organization's site whose links become relative.
const RELATIVE_PATHS: [&str; 4] = ["/user_uploads/", "/user_avatars/", "/thumbnail", "/#"];

/// The parts of a URL, without delimiters. Absent parts are empty; the scheme is in lower case.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct UrlParts<'a> {
    pub scheme: String,
    pub host: &'a str,
    pub path: &'a str,
    pub query: &'a str,
    pub fragment: &'a str,
}

impl<'a> UrlParts<'a> {
    /// Parses a URL. None: its host is invalid.
    pub fn parse(url: &'a str) -> Option<Self> {
        let mut parts = Self::default();
        let mut remaining = url;
        if let Some((scheme, following)) = remaining.split_once(':')
            && scheme.starts_with(|first: char| first.is_ascii_alphabetic())
            && scheme.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"+-.".contains(&byte))
        {
            parts.scheme = scheme.to_ascii_lowercase();
            remaining = following;
        }
        if let Some(following) = remaining.strip_prefix("//") {
            let end = following.find(['/', '?', '#']).unwrap_or(following.len());
            (parts.host, remaining) = following.split_at(end);
            if !is_valid_host(parts.host) {
                return None;
            }
        }
        (remaining, parts.fragment) = remaining.split_once('#').unwrap_or((remaining, ""));
        (parts.path, parts.query) = remaining.split_once('?').unwrap_or((remaining, ""));
        Some(parts)
    }

    /// Joins the parts. Empty parts are left out with their delimiters, except a host that the scheme needs.
    pub fn join(&self) -> String {
        let mut url = String::new();
        if !self.scheme.is_empty() {
            url.push_str(&self.scheme);
            url.push(':');
        }
        let needs_host = SCHEMES_WITH_HOST.contains(&self.scheme.as_str()) && !self.path.starts_with("//");
        if !self.host.is_empty() || needs_host {
            url.push_str("//");
            url.push_str(self.host);
            if !self.path.is_empty() && !self.path.starts_with('/') {
                url.push('/');
            }
        }
        url.push_str(self.path);
        for (delimiter, part) in [('?', self.query), ('#', self.fragment)] {
            if !part.is_empty() {
                url.push(delimiter);
                url.push_str(part);
            }
        }
        url
    }
}

fn is_valid_host(host: &str) -> bool {
    match (host.split_once('['), host.contains(']')) {
        (None, true) | (Some(_), false) => return false,
        (Some((before, following)), true) => {
            let (inside, after) = following.split_once(']').unwrap_or_default();
            let is_before_valid = before.is_empty() || before.ends_with('@');
            let is_after_valid = after.is_empty() || after.starts_with(':');
            // IPvFuture of RFC 3986: `v1.x`.
            let is_ip_future = inside.starts_with('v') && inside.contains('.');
            let is_ipv6 = inside.parse::<std::net::Ipv6Addr>().is_ok();
            return is_before_valid && is_after_valid && (is_ip_future || is_ipv6);
        }
        (None, false) => {}
    }
    // Unicode normalization of some characters yields delimiters, which would end the host.
    host.is_ascii() || {
        let delimiters = ['@', ':', '#', '?'];
        let name: String = host.chars().filter(|character| !delimiters.contains(character)).collect();
        let normalized: String = name.nfkc().collect();
        normalized == name || !normalized.contains(['/', '?', '#', '@', ':'])
    }
}

/// Repairs a URL, and adds a scheme if it needs one. None: the scheme is not safe. "": the URL is invalid.
pub(crate) fn sanitize(url: &str) -> Option<String> {
    let repaired = url.trim_start_matches(|first: char| first <= ' ').replace(['\t', '\r', '\n'], "");
    let repaired = repaired.replace(' ', "%20");
    let Some(mut parts) = UrlParts::parse(&repaired) else { return Some(String::new()) };
    if parts.scheme.is_empty() && parts.host.is_empty() {
        let is_fragment = parts.path.is_empty() && parts.query.is_empty() && !parts.fragment.is_empty();
        if parts.path.contains('@') {
            parts.scheme = "mailto".to_owned();
        } else if parts.path.starts_with('/') || is_fragment {
            return Some(parts.join());
        }
    }
    if parts.scheme.is_empty() {
        return sanitize(&format!("http://{url}"));
    }
    SAFE_SCHEMES.contains(&parts.scheme.as_str()).then(|| parts.join())
}

/// Whether a URL is valid and safe, so that it may be linked.
pub(crate) fn is_safe_url(url: &str) -> bool {
    !url.is_empty() && sanitize(url).is_some_and(|sanitized| !sanitized.is_empty())
}

/// The sanitized target of a link.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Target {
    /// The URL for the attribute `href`.
    pub href: String,
}

impl Target {
    /// Makes a sanitized URL relative if it has one of [`RELATIVE_PATHS`] in the organization's site.
    pub fn from_url(context: &Context<'_>, url: &str) -> Self {
        let relative = context.settings.own_url.and_then(|base| {
            let path = url.strip_prefix(base.trim_end_matches('/'))?;
            RELATIVE_PATHS.iter().any(|prefix| path.starts_with(prefix)).then_some(path)
        });
        let href = match relative {
            Some(fragment) if fragment.starts_with("/#") => &fragment[1..],
            Some(path) => path,
            None => url,
        };
        Self { href: href.to_owned() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn urls_are_sanitized() {
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
            assert_eq!(sanitize(address).as_deref(), Some(href), "{address}");
        }
        for address in [
            "javascript:alert(1)",
            "JaVaScRiPt:1",
            "data:text/html,x",
            "java\tscript:1",
            " vbscript:1",
            "localhost:9991/x",
        ] {
            assert_eq!(sanitize(address), None, "{address}");
        }
    }
}
