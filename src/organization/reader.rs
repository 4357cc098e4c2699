//! The state that all steps of reading share, and their errors.

use super::Wanted;
use super::partial::Partial;
use crate::upstream::{Fault, Reply, Upstream};
use serde::Deserialize;
use std::fmt;
use std::io;

/// Receives the progress of reading, for a display.
pub trait Progress {
    /// A step begins: what it reads, and the number of elements if it is known.
    fn begin(&self, what: &str, count: Option<u64>);
    /// The step has read `count` more elements.
    fn advance(&self, count: u64);
}

/// Why an organization was not read.
#[derive(Debug)]
pub enum ReadError {
    /// A request failed.
    Fault(Fault),
    /// The server is too old or of another API, or it has no channel of a given name.
    Unfit(String),
    /// The partial file can't be read or written.
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

/// The state that all steps of reading share.
pub struct Reader<'a> {
    /// The server, with the account that reads.
    pub upstream: &'a Upstream,
    /// The parts of the organization to read.
    pub wanted: &'a Wanted,
    /// The records that were read so far.
    pub partial: &'a mut Partial,
    /// Receives the progress.
    pub progress: &'a dyn Progress,
}

impl Reader<'_> {
    /// The JSON body of the reply to a GET request for a path.
    ///
    /// # Errors
    ///
    /// A body that is not JSON or of another shape.
    pub fn json<'a, T: Deserialize<'a>>(&self, reply: &'a Reply, path: &str) -> Result<T, ReadError> {
        reply.json_borrowed().map_err(|reason| {
            let request = format!("GET {}", self.upstream.base().operation(path));
            ReadError::Fault(Fault { request, reason })
        })
    }
}
