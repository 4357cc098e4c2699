//! Compression of replies with Brotli or gzip, as `Accept-Encoding` asks (A-577).

use crate::http::{ConnectionFault, Response, reply};
use crate::world::blocking::in_place;
use bytes::Bytes;
use flate2::Compression;
use flate2::write::GzEncoder;
use http::{HeaderMap, HeaderValue, StatusCode, header};
use std::io::Write;

/// Bodies of fewer bytes are sent as they are.
const LEAST_BYTES: usize = 256;
/// Bodies of more bytes are compressed where they hold up no other task.
const LARGE: usize = 64 * 1024;
/// Content types that are compressed; pictures and the like are already.
const TYPES: [&str; 4] = ["application/json", "text/html", "text/css", "text/javascript"];
/// Low levels, since each reply is compressed for one request.
const GZIP_LEVEL: u32 = 4;
const BROTLI_QUALITY: u32 = 4;
const BROTLI_WINDOW: u32 = 20;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Encoding {
    Brotli,
    Gzip,
}

/// The response, compressed if the client asks for it. What a fault makes or breaks off is not: `truncate_at` counts
/// the bytes of the document.
pub fn encoded(asked: &HeaderMap, response: Response) -> Response {
    let Some(wanted) = asked.get(header::ACCEPT_ENCODING).and_then(|wanted| wanted.to_str().ok()) else {
        return response;
    };
    match preferred(wanted) {
        Some(encoding) if may_be_encoded(&response) => encode(encoding, response),
        _ => response,
    }
}

/// The encoding that the client prefers of the two; None where it accepts neither.
fn preferred(wanted: &str) -> Option<Encoding> {
    let quality = |name: &str| {
        let of = |part: &str| -> Option<f32> {
            let (one, parameters) = part.split_once(';').unwrap_or((part, ""));
            let quality = parameters.trim().strip_prefix("q=").map_or(Some(1.0), |quality| quality.trim().parse().ok());
            one.trim().eq_ignore_ascii_case(name).then_some(quality.unwrap_or(0.0))
        };
        wanted.split(',').find_map(of)
    };
    let any = quality("*").unwrap_or(0.0);
    let brotli = quality("br").unwrap_or(any);
    let gzip = quality("gzip").or_else(|| quality("x-gzip")).unwrap_or(any);
    match (brotli, gzip) {
        (brotli, gzip) if brotli > 0.0 && brotli >= gzip => Some(Encoding::Brotli),
        (_, gzip) if gzip > 0.0 => Some(Encoding::Gzip),
        _ => None,
    }
}

fn may_be_encoded(response: &Response) -> bool {
    let headers = response.headers();
    let kind = headers.get(header::CONTENT_TYPE).and_then(|kind| kind.to_str().ok()).unwrap_or_default();
    let is_text = TYPES.contains(&kind.split(';').next().unwrap_or_default().trim());
    let is_whole = !headers.contains_key(header::ACCEPT_RANGES) && !headers.contains_key(header::CONTENT_ENCODING);
    let is_sound = response.extensions().get::<ConnectionFault>().is_none() && !headers.contains_key(reply::FAULT);
    let has_body = response.status() != StatusCode::NOT_MODIFIED && response.body().len() >= LEAST_BYTES;
    is_text && is_whole && is_sound && has_body
}

fn encode(encoding: Encoding, response: Response) -> Response {
    let body = response.body();
    let encoded = if body.len() > LARGE { in_place(|| bytes_of(encoding, body)) } else { bytes_of(encoding, body) };
    let Some(encoded) = encoded.filter(|encoded| encoded.len() < body.len()) else { return response };
    let mut response = response.map(|_| Bytes::from(encoded));
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

fn bytes_of(encoding: Encoding, body: &[u8]) -> Option<Vec<u8>> {
    let mut out = Vec::with_capacity(body.len() / 4);
    match encoding {
        Encoding::Brotli => {
            let mut encoder = brotli::CompressorWriter::new(&mut out, 4096, BROTLI_QUALITY, BROTLI_WINDOW);
            encoder.write_all(body).and_then(|()| encoder.flush()).ok()?;
            drop(encoder);
        }
        Encoding::Gzip => {
            let mut encoder = GzEncoder::new(&mut out, Compression::new(GZIP_LEVEL));
            encoder.write_all(body).ok()?;
            encoder.finish().ok()?;
        }
    }
    Some(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clients_get_what_they_like_most() {
        for (wanted, encoding) in [
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
            assert_eq!(preferred(wanted), encoding, "{wanted}");
        }
    }
}
