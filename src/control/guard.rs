//! Decides which requests may call control. Refuses those from foreign web pages, and those without the token; if no
//! token is required, those for foreign host names.

use crate::error::Error;
use crate::http::host::Host;
use crate::http::single_header::SingleHeader;
use http::{HeaderMap, header};

/// The conditions of access to control.
#[derive(Clone, Debug)]
pub struct Guard {
    /// The host that the server listens on; empty if it listens on the loopback addresses only.
    pub host: String,
    /// The token that requests must send; None if none is needed.
    pub token: Option<String>,
}

impl Guard {
    /// Checks that a request may call control.
    ///
    /// # Errors
    ///
    /// In this order: `ControlForbidden` for a foreign, unreadable or repeated origin and, if no token is needed, for a
    /// foreign, missing, unreadable or repeated host name; `InvalidControlToken` for a missing or wrong token.
    pub fn check(&self, headers: &HeaderMap) -> Result<(), Error> {
        let forbidden = |requester: String| Err(Error::ControlForbidden { requester: requester.into() });
        match SingleHeader::from_headers(headers, header::ORIGIN) {
            SingleHeader::Absent => {}
            SingleHeader::Value(origin)
                if Host::parse_origin(origin).is_some_and(|host| self.is_local_or_bound(&host)) => {}
            SingleHeader::Value(origin) => return forbidden(format!("pages of {origin}")),
            SingleHeader::Unreadable => return forbidden("several origins".to_owned()),
        }
        let Some(token) = &self.token else {
            return match SingleHeader::from_headers(headers, header::HOST) {
                SingleHeader::Value(host) if Host::parse(host).is_some_and(|host| self.is_local_or_bound(&host)) => {
                    Ok(())
                }
                SingleHeader::Value(host) => forbidden(format!("the host name {host}")),
                SingleHeader::Absent => forbidden("requests without a host name".to_owned()),
                SingleHeader::Unreadable => forbidden("several host names".to_owned()),
            };
        };
        let SingleHeader::Value(received_token) = SingleHeader::from_headers(headers, header::AUTHORIZATION) else {
            return Err(Error::InvalidControlToken);
        };
        let received_token = received_token.strip_prefix("Bearer ");
        if received_token.is_some_and(|received_token| equal_in_constant_time(received_token.trim(), token)) {
            Ok(())
        } else {
            Err(Error::InvalidControlToken)
        }
    }

    /// Whether the request's host name may be used for control. If a token is needed, any may.
    pub fn admits_host(&self, headers: &HeaderMap) -> bool {
        self.token.is_some()
            || matches!(SingleHeader::from_headers(headers, header::HOST), SingleHeader::Value(host)
                if Host::parse(host).is_some_and(|host| self.is_local_or_bound(&host)))
    }

    /// Whether a host is the one that the server listens on, or a loopback name.
    fn is_local_or_bound(&self, host: &Host) -> bool {
        host.is_loopback() || host.is_same_host(&self.host)
    }
}

/// Compares all bytes of the token, so that the time does not reveal where the received one differs.
fn equal_in_constant_time(received_token: &str, token: &str) -> bool {
    let (received_token, token) = (received_token.as_bytes(), token.as_bytes());
    let differences = (0..token.len()).fold(received_token.len() ^ token.len(), |differences, index| {
        differences | usize::from(received_token.get(index).copied().unwrap_or_default() ^ token[index])
    });
    differences == 0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_this_machine_and_the_bound_host_are_admitted() {
        let guard = Guard { host: "10.1.2.3".into(), token: None };

        for host in
            ["127.0.0.1", "127.0.0.1:9991", "[::1]:9991", "localhost", "a.localhost:1", "10.1.2.3:5", "LOCALHOST"]
        {
            assert!(guard.is_local_or_bound(&Host::parse(host).expect(host)), "{host}");
        }
        for host in ["example.org", "localhost.example.org", "127.0.0.1.example.org", "10.1.2.4", "[::2]"] {
            assert!(!guard.is_local_or_bound(&Host::parse(host).expect(host)), "{host}");
        }
    }

    #[test]
    fn only_the_whole_token_is_accepted() {
        assert!(equal_in_constant_time("secret", "secret"));
        for received_token in ["", "secre", "secret!", "Secret"] {
            assert!(!equal_in_constant_time(received_token, "secret"), "{received_token}");
        }
    }
}
