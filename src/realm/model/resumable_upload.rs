//! Resumable uploads: files that arrive in several requests.

use super::id::UserId;
use bytes::{Bytes, BytesMut};
use imbl::Vector;

/// A resumable upload, finished or not.
#[derive(Clone, Debug, PartialEq)]
pub struct ResumableUpload {
    pub owner: UserId,
    /// The path ID of the file.
    pub path_id: String,
    /// The file name from the client.
    pub name: String,
    /// The MIME type from the client; None if the client gave none.
    pub content_type: Option<String>,
    /// The size of the whole file, in bytes.
    pub length: u64,
    /// The number of bytes received.
    pub offset: u64,
    /// The received bytes; empty after the upload is finished.
    pub chunks: Vector<Bytes>,
}

impl ResumableUpload {
    pub fn is_finished(&self) -> bool {
        self.offset == self.length
    }

    pub fn concatenate(&self) -> Bytes {
        let mut bytes = BytesMut::with_capacity(usize::try_from(self.offset).unwrap_or_default());
        for chunk in &self.chunks {
            bytes.extend_from_slice(chunk);
        }
        bytes.freeze()
    }
}
