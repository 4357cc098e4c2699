//! How requests of resumable uploads are recognized before their bodies are read.

use http::{HeaderMap, header};

/// What paths of uploads begin with, from the world's address on.
pub const PATH_PREFIX: &str = "/api/v1/tus";
/// The content type of a chunk of an upload.
const CHUNK_TYPE: &str = "application/offset+octet-stream";

/// Whether a request with these headers has a chunk of an upload as its body.
pub fn is_chunk(headers: &HeaderMap) -> bool {
    headers.get(header::CONTENT_TYPE).is_some_and(|kind| kind == CHUNK_TYPE)
}
