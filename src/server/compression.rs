//! Compression of replies with Brotli or gzip, as `Accept-Encoding` asks (A-577).

use crate::http::{ConnectionFault, Response, reply};
use crate::world::blocking::run_blocking;
use bytes::Bytes;
use flate2::Compression;
use flate2::write::GzEncoder;
use http::{HeaderMap, HeaderValue, StatusCode, header};
use std::io::Write;

/// The minimum size of a body to compress.
const MIN_BYTES: usize = 256;
/// Bodies above this size are compressed where they don't block other tasks.
const LARGE_BYTES: usize = 64 * 1024;
/// The types of bodies to compress. Most other types, such as pictures, are compressed already.
const COMPRESSIBLE_TYPES: [&str; 4] = ["application/json", "text/html", "text/css", "text/javascript"];
/// This level and that of Brotli are low, because each reply is compressed for one request only.
const GZIP_LEVEL: u32 = 4;
const BROTLI_QUALITY: u32 = 4;
/// The binary logarithm of the size of the window in bytes.
const BROTLI_WINDOW_BITS: u32 = 20;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Encoding {
    Brotli,
    Gzip,
}

/// Compresses a response if the client accepts it, the type can be compressed, and the body becomes smaller. Replies
/// that a fault changed or cuts off are not compressed, because `truncate_at` counts bytes of the uncompressed body.
pub fn compress_if_accepted(request_headers: &HeaderMap, response: Response) -> Response {
    let Some(accept_encoding) =
        request_headers.get(header::ACCEPT_ENCODING).and_then(|accept_encoding| accept_encoding.to_str().ok())
    else {
        return response;
    };
    // Most replies are too small to compress, and some libraries always ask for no encoding.
    if response.body().len() < MIN_BYTES || accept_encoding == "identity" {
        return response;
    }
    match preferred_encoding(accept_encoding) {
        Some(encoding) if may_be_compressed(&response) => compress(encoding, response),
        _ => response,
    }
}

/// The supported encoding that the client prefers. None if it accepts neither.
fn preferred_encoding(accept_encoding: &str) -> Option<Encoding> {
    let quality = |name: &str| {
        let quality_of_part = |part: &str| -> Option<f32> {
            let (encoding, parameters) = part.split_once(';').unwrap_or((part, ""));
            let quality_text = parameters.trim().strip_prefix("q=");
            let part_quality = quality_text.map_or(Some(1.0), |quality_text| quality_text.trim().parse().ok());
            encoding.trim().eq_ignore_ascii_case(name).then_some(part_quality.unwrap_or(0.0))
        };
        accept_encoding.split(',').find_map(quality_of_part)
    };
    let wildcard = quality("*").unwrap_or(0.0);
    let brotli = quality("br").unwrap_or(wildcard);
    let gzip = quality("gzip").or_else(|| quality("x-gzip")).unwrap_or(wildcard);
    match (brotli, gzip) {
        (brotli, gzip) if brotli > 0.0 && brotli >= gzip => Some(Encoding::Brotli),
        (_, gzip) if gzip > 0.0 => Some(Encoding::Gzip),
        _ => None,
    }
}

fn may_be_compressed(response: &Response) -> bool {
    let headers = response.headers();
    let content_type =
        headers.get(header::CONTENT_TYPE).and_then(|content_type| content_type.to_str().ok()).unwrap_or_default();
    let is_compressible_type = COMPRESSIBLE_TYPES.contains(&content_type.split(';').next().unwrap_or_default().trim());
    // Ranges count bytes of the uncompressed body.
    let allows_ranges = headers.contains_key(header::ACCEPT_RANGES);
    let is_encoded = headers.contains_key(header::CONTENT_ENCODING);
    let has_fault = response.extensions().get::<ConnectionFault>().is_some() || headers.contains_key(reply::FAULT_ID);
    let has_body = response.status() != StatusCode::NOT_MODIFIED;
    is_compressible_type && has_body && !allows_ranges && !is_encoded && !has_fault
}

fn compress(encoding: Encoding, response: Response) -> Response {
    let body = response.body();
    let compressed_body = if body.len() > LARGE_BYTES {
        run_blocking(|| compress_bytes(encoding, body))
    } else {
        compress_bytes(encoding, body)
    };
    let Some(compressed_body) = compressed_body.filter(|compressed_body| compressed_body.len() < body.len()) else {
        return response;
    };
    let mut response = response.map(|_| Bytes::from(compressed_body));
    let name = match encoding {
        Encoding::Brotli => "br",
        Encoding::Gzip => "gzip",
    };
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_ENCODING, HeaderValue::from_static(name));
    headers.append(header::VARY, HeaderValue::from_static("Accept-Encoding"));
    headers.remove(header::CONTENT_LENGTH);
    response
}

fn compress_bytes(encoding: Encoding, body: &[u8]) -> Option<Vec<u8>> {
    let mut output = Vec::with_capacity(body.len() / 4);
    match encoding {
        Encoding::Brotli => {
            let mut encoder = brotli::CompressorWriter::new(&mut output, 4096, BROTLI_QUALITY, BROTLI_WINDOW_BITS);
            encoder.write_all(body).and_then(|()| encoder.flush()).ok()?;
            drop(encoder);
        }
        Encoding::Gzip => {
            let mut encoder = GzEncoder::new(&mut output, Compression::new(GZIP_LEVEL));
            encoder.write_all(body).ok()?;
            encoder.finish().ok()?;
        }
    }
    Some(output)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_encoding_with_the_highest_quality_is_preferred() {
        for (accept_encoding, encoding) in [
            ("gzip", Some(Encoding::Gzip)),
            ("gzip, deflate, br", Some(Encoding::Brotli)),
            ("gzip, br;q=0.5", Some(Encoding::Gzip)),
            ("GZIP;q=0.2, *;q=0", Some(Encoding::Gzip)),
            ("br;q=0, gzip;q=0", None),
            ("*", Some(Encoding::Brotli)),
            ("identity", None),
            ("deflate, zstd", None),
            ("", None),
            ("gzip;q=x", None),
        ] {
            assert_eq!(preferred_encoding(accept_encoding), encoding, "{accept_encoding}");
        }
    }
}
