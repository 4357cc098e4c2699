//! Recognizes requests of resumable uploads by path and headers, before their bodies are read.

use http::{HeaderMap, header};

/// The prefix of the paths of resumable uploads, below the prefix of a world.
pub const PATH_PREFIX: &str = "/api/v1/tus";
const CHUNK_CONTENT_TYPE: &str = "application/offset+octet-stream";

/// Whether a request with these headers has a chunk of an upload as its body.
pub fn is_upload_chunk(headers: &HeaderMap) -> bool {
    headers.get(header::CONTENT_TYPE).is_some_and(|content_type| content_type == CHUNK_CONTENT_TYPE)
}
