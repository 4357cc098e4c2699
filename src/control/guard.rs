//! Who may call control: nobody's web page, no foreign host name, and off loopback only with the token.
//!
//! A choice where the API is silent: A-71 in docs/assumptions.md.

use crate::error::Error;
use http::{HeaderMap, HeaderValue, header};

/// The conditions.
#[derive(Clone, Debug)]
pub struct Guard {
    /// The host that the server was bound to.
    pub host: String,
    /// The token that is asked for.
    pub token: Option<String>,
}

impl Guard {
    /// Whether a request may steer.
    ///
    /// # Errors
    ///
    /// In this order: `ControlForbidden` for a foreign page, for a foreign host name without a token in force;
    /// `ControlToken`.
    pub fn check(&self, headers: &HeaderMap) -> Result<(), Error> {
        if let Some(origin) = headers.get(header::ORIGIN) {
            let origin = origin.to_str().unwrap_or_default();
            let host = origin.split_once("://").map(|(_, host)| host).unwrap_or_default();
            if !self.is_own(host) {
                return Err(Error::ControlForbidden { what: format!("pages of {origin}").into() });
            }
        }
        let text = |name| headers.get(name).and_then(|value: &HeaderValue| value.to_str().ok());
        let host = text(header::HOST).unwrap_or_default();
        if self.token.is_none() && !self.is_own(host) {
            return Err(Error::ControlForbidden { what: format!("the host name {host}").into() });
        }
        let Some(token) = &self.token else { return Ok(()) };
        let given = text(header::AUTHORIZATION).and_then(|value| value.strip_prefix("Bearer "));
        if given.is_some_and(|given| equal_in_constant_time(given.trim(), token)) {
            Ok(())
        } else {
            Err(Error::ControlToken)
        }
    }

    /// Whether a host (with or without a port) is the bound one or this machine.
    fn is_own(&self, host: &str) -> bool {
        let name = without_port(host).to_ascii_lowercase();
        let bound = self.host.trim_matches(['[', ']']).to_ascii_lowercase();
        matches!(name.as_str(), "127.0.0.1" | "[::1]" | "localhost")
            || name.ends_with(".localhost")
            || (!bound.is_empty() && name.trim_matches(['[', ']']) == bound)
    }
}

/// A host without its port.
pub fn without_port(host: &str) -> &str {
    if let Some(end) = host.find(']') {
        return &host[..=end];
    }
    host.split(':').next().unwrap_or_default()
}

/// Compares all bytes whatever they are, so that the time tells nothing of the token.
fn equal_in_constant_time(given: &str, token: &str) -> bool {
    let (given, token) = (given.as_bytes(), token.as_bytes());
    let differences = (0..token.len()).fold(given.len() ^ token.len(), |differences, index| {
        differences | usize::from(given.get(index).copied().unwrap_or_default() ^ token[index])
    });
    differences == 0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_this_machine_and_the_bound_host_are_own() {
        let guard = Guard { host: "10.1.2.3".into(), token: None };

        for host in
            ["127.0.0.1", "127.0.0.1:9991", "[::1]:9991", "localhost", "a.localhost:1", "10.1.2.3:5", "LOCALHOST"]
        {
            assert!(guard.is_own(host), "{host}");
        }
        for host in ["", "example.org", "localhost.example.org", "127.0.0.1.example.org", "10.1.2.4", "[::2]"] {
            assert!(!guard.is_own(host), "{host}");
        }
    }

    #[test]
    fn tokens_are_equal_only_when_they_are() {
        assert!(equal_in_constant_time("secret", "secret"));
        for given in ["", "secre", "secret!", "Secret"] {
            assert!(!equal_in_constant_time(given, "secret"), "{given}");
        }
    }
}
