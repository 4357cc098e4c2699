//! Files that arrive piece by piece.

use super::id::UserId;
use bytes::{Bytes, BytesMut};
use imbl::Vector;

/// An upload that was begun, and perhaps finished.
#[derive(Clone, Debug, PartialEq)]
pub struct ResumableUpload {
    /// Who began it.
    pub owner: UserId,
    /// The address that the file will have.
    pub path_id: String,
    /// As it is shown.
    pub name: String,
    /// As the client said.
    pub content_type: Option<String>,
    /// Bytes that the file will have.
    pub length: u64,
    /// Bytes that have arrived.
    pub offset: u64,
    /// What has arrived; empty again once the file is there.
    pub pieces: Vector<Bytes>,
}

impl ResumableUpload {
    /// Whether all bytes have arrived, so that the file is there.
    pub fn is_finished(&self) -> bool {
        self.offset == self.length
    }

    /// All that has arrived, as one.
    pub fn whole(&self) -> Bytes {
        let mut whole = BytesMut::with_capacity(usize::try_from(self.offset).unwrap_or_default());
        for piece in &self.pieces {
            whole.extend_from_slice(piece);
        }
        whole.freeze()
    }
}
