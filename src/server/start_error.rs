//! Why a server does not start.

use crate::fixture;
use crate::tls::TlsError;
use std::{fmt, io};

/// Why a server could not be started.
///
/// ```
/// use chatdouble::{Options, Server, StartError};
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() {
/// let fixture = r#"{"users": [{"handle": "mel", "role": "king"}]}"#.into();
/// match Server::start_with(Options { fixture, ..Options::default() }).await {
///     Err(StartError::Fixture(faults)) => assert_eq!(faults[0].path, "$.users[0].role"),
///     other => panic!("{:?}", other.err()),
/// }
/// # }
/// ```
#[derive(Debug)]
pub enum StartError {
    /// The fixture has faults.
    Fixture(Vec<fixture::Diagnostic>),
    /// The state of the default world has faults.
    State(Vec<fixture::Diagnostic>),
    /// The address can't be listened on.
    Listen(io::Error),
    /// There is no TLS with what was given.
    Tls(TlsError),
}

impl fmt::Display for StartError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            StartError::Fixture(faults) | StartError::State(faults) => {
                let first = faults.first().map(ToString::to_string).unwrap_or_default();
                match faults.len() {
                    0 | 1 => f.write_str(&first),
                    2 => write!(f, "{first} (and 1 more fault)"),
                    more => write!(f, "{first} (and {} more faults)", more - 1),
                }
            }
            StartError::Listen(error) => error.fmt(f),
            StartError::Tls(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for StartError {}
