//! Hosts and origins as requests name them: read in one strict way.

use http::{HeaderMap, HeaderName};
use std::net::{Ipv4Addr, Ipv6Addr};

/// Ends of names that can't be registered, and so can lead to no foreign page (RFC 2606, RFC 6761, RFC 6762; `internal`
/// is kept for private use).
const RESERVED_ENDS: [&str; 6] = ["localhost", "local", "test", "internal", "example", "invalid"];

/// A host with or without a port.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Authority {
    /// In lower case; an IPv6 address in its brackets.
    name: String,
    is_address: bool,
}

impl Authority {
    /// Reads `host` or `host:port`; None for anything else.
    pub fn parse(text: &str) -> Option<Self> {
        let (name, port) = match text.strip_prefix('[') {
            Some(rest) => {
                let (address, behind) = rest.split_once(']')?;
                (&text[..address.len() + 2], if behind.is_empty() { None } else { Some(behind.strip_prefix(':')?) })
            }
            None => text.split_once(':').map_or((text, None), |(name, port)| (name, Some(port))),
        };
        let is_port = |port: &str| port.bytes().all(|byte| byte.is_ascii_digit()) && port.parse::<u16>().is_ok();
        if !port.is_none_or(is_port) {
            return None;
        }
        let bare = name.strip_prefix('[').and_then(|name| name.strip_suffix(']'));
        let is_address = match bare {
            Some(address) => address.parse::<Ipv6Addr>().ok().map(|_| true)?,
            None => name.parse::<Ipv4Addr>().is_ok(),
        };
        (is_address || is_name(name)).then(|| Self { name: name.to_ascii_lowercase(), is_address })
    }

    /// Reads an origin as browsers send it, `scheme://host` or `scheme://host:port`; None for anything else, `null` too.
    pub fn of_origin(text: &str) -> Option<Self> {
        let (scheme, authority) = text.split_once("://")?;
        let is_scheme = scheme.starts_with(|first: char| first.is_ascii_alphabetic())
            && scheme.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"+-.".contains(&byte));
        if is_scheme { Self::parse(authority) } else { None }
    }

    /// The host, in lower case, without its port.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Whether it is this machine, by an address or by a name that browsers never look up elsewhere.
    pub fn is_loopback(&self) -> bool {
        matches!(self.name.as_str(), "127.0.0.1" | "[::1]" | "localhost") || self.name.ends_with(".localhost")
    }

    /// Whether it is a name that can be registered, so that it may lead anywhere.
    pub fn can_be_registered(&self) -> bool {
        let end = self.name.rsplit_once('.').map(|(_, end)| end);
        !self.is_address && end.is_some_and(|end| !RESERVED_ENDS.contains(&end))
    }

    /// Whether a host as it was configured, with or without brackets, is this one.
    pub fn is(&self, host: &str) -> bool {
        let bare = |name: &str| name.trim_matches(['[', ']']).to_ascii_lowercase();
        !host.is_empty() && bare(&self.name) == bare(host)
    }
}

fn is_name(name: &str) -> bool {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_');
    !name.is_empty() && name.split('.').all(|label| !label.is_empty() && label.bytes().all(is_plain))
}

/// A header that may come once.
pub enum Single<'headers> {
    /// It did not come.
    Absent,
    /// It came once, in characters that can be shown.
    Once(&'headers str),
    /// It came several times, or can't be read.
    Unreadable,
}

impl<'headers> Single<'headers> {
    /// Looks for a header.
    pub fn of(headers: &'headers HeaderMap, name: HeaderName) -> Self {
        let mut values = headers.get_all(name).iter();
        match (values.next(), values.next()) {
            (None, _) => Single::Absent,
            (Some(value), None) => value.to_str().map_or(Single::Unreadable, Single::Once),
            (Some(_), Some(_)) => Single::Unreadable,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hosts_are_names_or_addresses_with_a_port_or_none() {
        for (text, name) in [
            ("localhost", "localhost"),
            ("A.LocalHost:1", "a.localhost"),
            ("127.0.0.1:65535", "127.0.0.1"),
            ("[::1]:9991", "[::1]"),
            ("my_service", "my_service"),
            ("chat.example.org", "chat.example.org"),
        ] {
            assert_eq!(Authority::parse(text).expect(text).name(), name);
        }
        for text in [
            "",
            ":1",
            "a b",
            "localhost:",
            "localhost:evil",
            "localhost:65536",
            "localhost:1@evil.test",
            "[::1]x",
            "[::1",
            "[x]",
            ".localhost",
            "a..b",
            "localhost.",
            "evil.test\"><script>",
            "localhost/x",
            "::1",
            "é",
            "localhost:+1",
        ] {
            assert_eq!(Authority::parse(text), None, "{text}");
        }
    }

    #[test]
    fn origins_are_a_scheme_and_a_host_and_nothing_else() {
        for text in ["http://localhost", "https://127.0.0.1:3000", "http://[::1]:5", "capacitor://localhost"] {
            assert!(Authority::of_origin(text).expect(text).is_loopback(), "{text}");
        }
        for text in [
            "null",
            "",
            "localhost",
            "://localhost",
            "1://localhost",
            "http://",
            "http://localhost/",
            "http://localhost?x",
            "http://127.0.0.1:x",
            "http://127.0.0.1:9991.evil.test",
            "http://[::1].evil.test",
            "http://[::1]evil.test",
            "http://localhost:1@evil.test",
            "http://user@localhost",
        ] {
            assert_eq!(Authority::of_origin(text), None, "{text}");
        }
        assert!(!Authority::of_origin("http://localhost.evil.test").expect("well-formed").is_loopback());
    }

    #[test]
    fn only_names_with_a_public_end_can_be_registered() {
        let can = |text: &str| Authority::parse(text).expect(text).can_be_registered();

        for text in ["evil.com", "rebind.evil.dev:9991", "localhost.evil.net", "a.internals"] {
            assert!(can(text), "{text}");
        }
        for text in
            ["chat", "127.0.0.1", "10.0.2.2:1", "[::1]", "a.localhost", "mac.local", "chat.test", "host.internal"]
        {
            assert!(!can(text), "{text}");
        }
    }
}
