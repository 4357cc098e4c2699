//! Who may call control: nobody's web page, no foreign host name, and off loopback only with the token.
//!
//! A choice where the API is silent: A-71 in docs/assumptions.md.

use crate::error::Error;
use crate::http::authority::{Authority, Single};
use http::{HeaderMap, header};

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
        let forbidden = |what: String| Err(Error::ControlForbidden { what: what.into() });
        match Single::of(headers, header::ORIGIN) {
            Single::Absent => {}
            Single::Once(origin) if Authority::of_origin(origin).is_some_and(|host| self.is_own(&host)) => {}
            Single::Once(origin) => return forbidden(format!("pages of {origin}")),
            Single::Unreadable => return forbidden("several origins".to_owned()),
        }
        let Some(token) = &self.token else {
            return match Single::of(headers, header::HOST) {
                Single::Once(host) if Authority::parse(host).is_some_and(|host| self.is_own(&host)) => Ok(()),
                Single::Once(host) => forbidden(format!("the host name {host}")),
                Single::Absent => forbidden("requests without a host name".to_owned()),
                Single::Unreadable => forbidden("several host names".to_owned()),
            };
        };
        let Single::Once(sent) = Single::of(headers, header::AUTHORIZATION) else {
            return Err(Error::ControlToken);
        };
        let sent = sent.strip_prefix("Bearer ");
        if sent.is_some_and(|sent| equal_in_constant_time(sent.trim(), token)) {
            Ok(())
        } else {
            Err(Error::ControlToken)
        }
    }

    /// Whether a request is for a host under which control is called: any where a token is asked for.
    pub fn admits_host(&self, headers: &HeaderMap) -> bool {
        self.token.is_some()
            || matches!(Single::of(headers, header::HOST), Single::Once(host)
                if Authority::parse(host).is_some_and(|host| self.is_own(&host)))
    }

    /// Whether a host is the bound one or this machine.
    fn is_own(&self, host: &Authority) -> bool {
        host.is_loopback() || host.is(&self.host)
    }
}

/// Compares all bytes whatever they are, so that the time tells nothing of the token.
fn equal_in_constant_time(sent: &str, token: &str) -> bool {
    let (sent, token) = (sent.as_bytes(), token.as_bytes());
    let differences = (0..token.len()).fold(sent.len() ^ token.len(), |differences, index| {
        differences | usize::from(sent.get(index).copied().unwrap_or_default() ^ token[index])
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
            assert!(guard.is_own(&Authority::parse(host).expect(host)), "{host}");
        }
        for host in ["example.org", "localhost.example.org", "127.0.0.1.example.org", "10.1.2.4", "[::2]"] {
            assert!(!guard.is_own(&Authority::parse(host).expect(host)), "{host}");
        }
    }

    #[test]
    fn tokens_are_equal_only_when_they_are() {
        assert!(equal_in_constant_time("secret", "secret"));
        for sent in ["", "secre", "secret!", "Secret"] {
            assert!(!equal_in_constant_time(sent, "secret"), "{sent}");
        }
    }
}
