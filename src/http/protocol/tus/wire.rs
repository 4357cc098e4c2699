//! How a request for a resumable upload is known before it is read.

use http::{HeaderMap, header};

/// What paths of uploads begin with, from the world's address on.
pub const FOLDER: &str = "/api/v1/tus";
/// The type of a piece of an upload.
const PIECE_TYPE: &str = "application/offset+octet-stream";

/// Whether a request with these headers has a piece of an upload as its body.
pub fn is_piece(headers: &HeaderMap) -> bool {
    headers.get(header::CONTENT_TYPE).is_some_and(|kind| kind == PIECE_TYPE)
}
