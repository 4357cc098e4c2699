//! The state and the errors that all steps of reading share.

use super::ImportOptions;
use super::partial_file::PartialFile;
use crate::upstream::{Reply, RequestError, Upstream};
use http::Method;
use serde::Deserialize;
use std::fmt;
use std::io;

/// Displays the progress of reading.
pub trait Progress {
    /// Called when a step begins, with what it reads and the number of elements, if known.
    fn begin(&self, what: &str, count: Option<u64>);
    /// Called when a step has read further elements.
    fn advance(&self, count: u64);
}

/// The reason why an organization cannot be read.
#[derive(Debug)]
pub enum ReadError {
    /// A request failed, or its reply has an unexpected structure.
    Request(RequestError),
    /// The server is too old or has another API, or a requested channel does not exist.
    Unsuitable(String),
    /// The partial file cannot be read or written.
    Io(io::Error),
}

impl From<RequestError> for ReadError {
    fn from(error: RequestError) -> Self {
        Self::Request(error)
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
            Self::Request(error) => write!(f, "{error}"),
            Self::Unsuitable(reason) => f.write_str(reason),
            Self::Io(error) => write!(f, "the partial file cannot be read or written: {error}"),
        }
    }
}

/// What the steps of reading use: the server, the options, and the partial file that they fill.
pub struct Reader<'a> {
    pub upstream: &'a Upstream,
    pub options: &'a ImportOptions,
    pub partial: &'a mut PartialFile,
    pub progress: &'a dyn Progress,
}

impl Reader<'_> {
    /// Parses the reply to a request with this method and path, which an error names.
    ///
    /// # Errors
    ///
    /// [`ReadError::Request`] if the body is not JSON or has an unexpected structure.
    pub fn parse_reply<'a, T: Deserialize<'a>>(
        &self,
        reply: &'a Reply,
        method: &Method,
        path: &str,
    ) -> Result<T, ReadError> {
        reply.json_borrowed().map_err(|reason| {
            let request = format!("{method} {}", self.upstream.base_url().operation_url(path));
            ReadError::Request(RequestError { request, reason })
        })
    }
}
