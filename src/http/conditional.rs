//! Conditional requests and byte ranges for files (RFC 9110, sections 13 and 14).

use super::Response;
use super::request::IncomingRequest;
use bytes::Bytes;
use http::{HeaderMap, HeaderValue, StatusCode, header};
use std::ops::Range;

/// Turns the response with a whole file into the one that the request asks for: 304 if the client has the file, a part
/// of the file for a range, 416 for a range outside of the file, or the whole file. A request for several ranges gets
/// the whole file. A response without a file, such as a redirection, is returned unchanged.
pub fn apply_conditions(incoming: &IncomingRequest, mut response: Response) -> Response {
    if response.status() != StatusCode::OK {
        return response;
    }
    let request_headers = incoming.headers();
    if client_has_file(request_headers, response.headers()) {
        *response.status_mut() = StatusCode::NOT_MODIFIED;
        response.headers_mut().remove(header::CONTENT_TYPE);
        *response.body_mut() = Bytes::new();
        return response;
    }
    response.headers_mut().insert(header::ACCEPT_RANGES, HeaderValue::from_static("bytes"));
    let length = response.body().len();
    match requested_range(request_headers, response.headers(), length) {
        RequestedRange::WholeFile => response,
        RequestedRange::Part(part) => {
            let content_range = format!("bytes {}-{}/{length}", part.start, part.end - 1);
            *response.status_mut() = StatusCode::PARTIAL_CONTENT;
            *response.body_mut() = response.body().slice(part);
            with_content_range(response, &content_range)
        }
        RequestedRange::Unsatisfiable => {
            *response.status_mut() = StatusCode::RANGE_NOT_SATISFIABLE;
            *response.body_mut() = Bytes::new();
            with_content_range(response, &format!("bytes */{length}"))
        }
    }
}

fn with_content_range(mut response: Response, content_range: &str) -> Response {
    if let Ok(content_range) = HeaderValue::from_str(content_range) {
        response.headers_mut().insert(header::CONTENT_RANGE, content_range);
    }
    response
}

fn client_has_file(request_headers: &HeaderMap, file_headers: &HeaderMap) -> bool {
    if let Some(tags) = request_headers.get(header::IF_NONE_MATCH).and_then(|tags| tags.to_str().ok()) {
        let file_tag = file_headers.get(header::ETAG).and_then(|tag| tag.to_str().ok());
        // Weak tags compare like strong ones here (RFC 9110, 13.1.2).
        return tags
            .split(',')
            .map(|tag| tag.trim().trim_start_matches("W/"))
            .any(|tag| tag == "*" || Some(tag) == file_tag);
    }
    // A client sends back the time that it got with its copy, so comparing for equality is enough.
    let since = request_headers.get(header::IF_MODIFIED_SINCE);
    since.is_some() && since == file_headers.get(header::LAST_MODIFIED)
}

#[derive(Debug, PartialEq, Eq)]
enum RequestedRange {
    WholeFile,
    Part(Range<usize>),
    /// The range contains no byte of the file.
    Unsatisfiable,
}

fn requested_range(request_headers: &HeaderMap, file_headers: &HeaderMap, length: usize) -> RequestedRange {
    let Some(range) = request_headers.get(header::RANGE).and_then(|range| range.to_str().ok()) else {
        return RequestedRange::WholeFile;
    };
    // If the file has changed, the client cannot combine the part that it has with one of the new file.
    if let Some(condition) = request_headers.get(header::IF_RANGE)
        && Some(condition) != file_headers.get(header::ETAG)
        && Some(condition) != file_headers.get(header::LAST_MODIFIED)
    {
        return RequestedRange::WholeFile;
    }
    parse_range(range, length)
}

fn parse_range(range: &str, length: usize) -> RequestedRange {
    let Some(range_text) = range.strip_prefix("bytes=").filter(|range_text| !range_text.contains(',')) else {
        return RequestedRange::WholeFile;
    };
    let Some((first_text, last_text)) = range_text.trim().split_once('-') else { return RequestedRange::WholeFile };
    let parse_number = |text: &str| -> Option<usize> {
        let is_number = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
        is_number.then(|| text.parse().unwrap_or(usize::MAX))
    };
    let part = match (first_text, parse_number(first_text), last_text, parse_number(last_text)) {
        // The last `count` bytes; for 0, a range without a byte.
        ("", _, _, Some(count)) => length.saturating_sub(count)..if count == 0 { 0 } else { length },
        (_, Some(first), "", _) => first..length,
        // Not a range, so it is ignored.
        (_, Some(first), _, Some(last)) if last < first => return RequestedRange::WholeFile,
        (_, Some(first), _, Some(last)) => first..last.saturating_add(1).min(length),
        _ => return RequestedRange::WholeFile,
    };
    if part.start < part.end { RequestedRange::Part(part) } else { RequestedRange::Unsatisfiable }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_are_limited_to_the_file() {
        for (range, expected) in [
            ("bytes=0-3", RequestedRange::Part(0..4)),
            ("bytes=4-", RequestedRange::Part(4..10)),
            ("bytes=-3", RequestedRange::Part(7..10)),
            ("bytes=-30", RequestedRange::Part(0..10)),
            ("bytes=8-99999999999999999999999", RequestedRange::Part(8..10)),
            ("bytes=10-", RequestedRange::Unsatisfiable),
            ("bytes=99999999999999999999999-", RequestedRange::Unsatisfiable),
            ("bytes=-0", RequestedRange::Unsatisfiable),
            ("bytes=0-0", RequestedRange::Part(0..1)),
            ("bytes=3-2", RequestedRange::WholeFile),
            ("bytes=0-1,4-5", RequestedRange::WholeFile),
            ("bytes=a-b", RequestedRange::WholeFile),
            ("bytes=--1", RequestedRange::WholeFile),
            ("lines=0-1", RequestedRange::WholeFile),
            ("bytes", RequestedRange::WholeFile),
        ] {
            assert_eq!(parse_range(range, 10), expected, "{range}");
        }
        assert_eq!(parse_range("bytes=0-", 0), RequestedRange::Unsatisfiable);
    }
}
