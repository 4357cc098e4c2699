//! What the steps of reading have in common.

use super::Wanted;
use super::partial::Partial;
use crate::upstream::{Fault, Reply, Upstream};
use serde::Deserialize;
use std::fmt;
use std::io;

/// Shows how far reading is.
pub trait Progress {
    /// Begins with something, of which there are so many if that is known.
    fn begin(&self, what: &str, count: Option<u64>);
    /// So many more were read.
    fn advance(&self, count: u64);
}

/// Why an organization was not read.
#[derive(Debug)]
pub enum ReadError {
    /// The server did not give what is needed.
    Fault(Fault),
    /// The server, or what is asked of it, does not do.
    Unfit(String),
    /// The partial file can't be written.
    Io(io::Error),
}

impl From<Fault> for ReadError {
    fn from(fault: Fault) -> Self {
        Self::Fault(fault)
    }
}

impl From<io::Error> for ReadError {
    fn from(error: io::Error) -> Self {
        Self::Io(error)
    }
}

impl fmt::Display for ReadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Fault(fault) => write!(f, "{fault}"),
            Self::Unfit(reason) => f.write_str(reason),
            Self::Io(error) => write!(f, "what was read cannot be written: {error}"),
        }
    }
}

/// What the steps have in common.
pub struct Reader<'a> {
    /// The server.
    pub upstream: &'a Upstream,
    /// What is asked of it.
    pub wanted: &'a Wanted,
    /// What was read so far.
    pub partial: &'a mut Partial,
    /// Shows how far it is.
    pub progress: &'a dyn Progress,
}

impl Reader<'_> {
    /// The body of a reply to a read of a path.
    ///
    /// # Errors
    ///
    /// A body of another shape.
    pub fn json<'a, T: Deserialize<'a>>(&self, reply: &'a Reply, path: &str) -> Result<T, ReadError> {
        reply.json_borrowed().map_err(|reason| {
            let request = format!("GET {}", self.upstream.base().operation(path));
            ReadError::Fault(Fault { request, reason })
        })
    }
}
