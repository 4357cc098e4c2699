//! The error of a server that can't start.

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
///     Err(StartError::Fixture(diagnostics)) => assert_eq!(diagnostics[0].path, "$.users[0].role"),
///     other => panic!("{:?}", other.err()),
/// }
/// # }
/// ```
#[derive(Debug)]
pub enum StartError {
    /// The fixture has errors.
    Fixture(Vec<fixture::Diagnostic>),
    /// The saved state of the default world has errors.
    State(Vec<fixture::Diagnostic>),
    /// The address can't be bound.
    Listen(io::Error),
    /// The TLS certificate can't be read, used or created.
    Tls(TlsError),
}

impl fmt::Display for StartError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            StartError::Fixture(diagnostics) | StartError::State(diagnostics) => {
                let first = diagnostics.first().map(ToString::to_string).unwrap_or_default();
                match diagnostics.len() {
                    0 | 1 => f.write_str(&first),
                    2 => write!(f, "{first} (and 1 more error)"),
                    count => write!(f, "{first} (and {} more errors)", count - 1),
                }
            }
            StartError::Listen(error) => error.fmt(f),
            StartError::Tls(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for StartError {}
