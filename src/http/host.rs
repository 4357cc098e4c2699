//! Strict parsing of the hosts and origins in headers, for the checks of which pages and hosts may call the server.

use std::net::{Ipv4Addr, Ipv6Addr};

/// Top-level domains under which nobody can register a name that leads to a foreign page (RFC 2606, RFC 6761, RFC 6762;
/// `internal` is reserved for private use).
const RESERVED_DOMAINS: [&str; 6] = ["localhost", "local", "test", "internal", "example", "invalid"];

/// A host; its port is checked and dropped.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Host {
    /// In lower case; an IPv6 address in brackets.
    name: String,
    is_ip_address: bool,
}

impl Host {
    /// Parses `host` or `host:port`; None for anything else.
    pub fn parse(text: &str) -> Option<Self> {
        let (name, port) = match text.strip_prefix('[') {
            Some(after_bracket) => {
                let (address, suffix) = after_bracket.split_once(']')?;
                (&text[..address.len() + 2], if suffix.is_empty() { None } else { Some(suffix.strip_prefix(':')?) })
            }
            None => text.split_once(':').map_or((text, None), |(name, port)| (name, Some(port))),
        };
        let is_port = |port: &str| port.bytes().all(|byte| byte.is_ascii_digit()) && port.parse::<u16>().is_ok();
        if !port.is_none_or(is_port) {
            return None;
        }
        let ipv6_address = name.strip_prefix('[').and_then(|name| name.strip_suffix(']'));
        let is_ip_address = match ipv6_address {
            Some(address) => address.parse::<Ipv6Addr>().ok().map(|_| true)?,
            None => name.parse::<Ipv4Addr>().is_ok(),
        };
        (is_ip_address || is_host_name(name)).then(|| Self { name: name.to_ascii_lowercase(), is_ip_address })
    }

    /// Parses an origin as browsers send it, `scheme://host` or `scheme://host:port`; None for anything else, including
    /// `null`.
    pub fn parse_origin(text: &str) -> Option<Self> {
        let (scheme, authority) = text.split_once("://")?;
        let is_scheme = scheme.starts_with(|first: char| first.is_ascii_alphabetic())
            && scheme.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"+-.".contains(&byte));
        if is_scheme { Self::parse(authority) } else { None }
    }

    /// The host in lower case, without its port.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Whether the host is this machine, by an address or by a name that browsers never look up in DNS.
    pub fn is_loopback(&self) -> bool {
        matches!(self.name.as_str(), "127.0.0.1" | "[::1]" | "localhost") || self.name.ends_with(".localhost")
    }

    /// Whether the host is a name that anybody can register, so that it may lead to any machine.
    pub fn can_be_registered(&self) -> bool {
        let domain = self.name.rsplit_once('.').map(|(_, domain)| domain);
        !self.is_ip_address && domain.is_some_and(|domain| !RESERVED_DOMAINS.contains(&domain))
    }

    /// Whether this is the configured host, which may be written with or without brackets.
    pub fn is_same_host(&self, configured_host: &str) -> bool {
        let normalized = |name: &str| name.trim_matches(['[', ']']).to_ascii_lowercase();
        !configured_host.is_empty() && normalized(&self.name) == normalized(configured_host)
    }
}

fn is_host_name(name: &str) -> bool {
    let is_label_byte = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_');
    !name.is_empty() && name.split('.').all(|label| !label.is_empty() && label.bytes().all(is_label_byte))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_host_is_a_name_or_an_address_with_an_optional_port() {
        for (text, name) in [
            ("localhost", "localhost"),
            ("A.LocalHost:1", "a.localhost"),
            ("127.0.0.1:65535", "127.0.0.1"),
            ("[::1]:9991", "[::1]"),
            ("my_service", "my_service"),
            ("chat.example.org", "chat.example.org"),
        ] {
            assert_eq!(Host::parse(text).expect(text).name(), name);
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
            assert_eq!(Host::parse(text), None, "{text}");
        }
    }

    #[test]
    fn an_origin_is_a_scheme_and_a_host_only() {
        for text in ["http://localhost", "https://127.0.0.1:3000", "http://[::1]:5", "capacitor://localhost"] {
            assert!(Host::parse_origin(text).expect(text).is_loopback(), "{text}");
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
            assert_eq!(Host::parse_origin(text), None, "{text}");
        }
        assert!(!Host::parse_origin("http://localhost.evil.test").expect("well-formed").is_loopback());
    }

    #[test]
    fn only_names_below_public_domains_can_be_registered() {
        let can_be_registered = |text: &str| Host::parse(text).expect(text).can_be_registered();

        for text in ["evil.com", "rebind.evil.dev:9991", "localhost.evil.net", "a.internals"] {
            assert!(can_be_registered(text), "{text}");
        }
        for text in
            ["chat", "127.0.0.1", "10.0.2.2:1", "[::1]", "a.localhost", "mac.local", "chat.test", "host.internal"]
        {
            assert!(!can_be_registered(text), "{text}");
        }
    }
}
