//! What a web server does with a file: validators, and parts of it.

use super::Response;
use super::request::ApiRequest;
use bytes::Bytes;
use http::{HeaderMap, HeaderValue, StatusCode, header};
use std::ops::Range;

/// The response with a file as it was asked for: without its bytes where the client has them, a part of them, or all. Several
/// ranges at once are answered with all.
pub fn as_asked(incoming: &ApiRequest, mut response: Response) -> Response {
    if response.status() != StatusCode::OK {
        return response;
    }
    let asked = incoming.headers();
    if is_known(asked, response.headers()) {
        *response.status_mut() = StatusCode::NOT_MODIFIED;
        response.headers_mut().remove(header::CONTENT_TYPE);
        *response.body_mut() = Bytes::new();
        return response;
    }
    response.headers_mut().insert(header::ACCEPT_RANGES, HeaderValue::from_static("bytes"));
    let length = response.body().len();
    match range(asked, response.headers(), length) {
        Asked::All => response,
        Asked::Part(part) => {
            let range = format!("bytes {}-{}/{length}", part.start, part.end - 1);
            *response.status_mut() = StatusCode::PARTIAL_CONTENT;
            *response.body_mut() = response.body().slice(part);
            with_range(response, &range)
        }
        Asked::Nothing => {
            *response.status_mut() = StatusCode::RANGE_NOT_SATISFIABLE;
            *response.body_mut() = Bytes::new();
            with_range(response, &format!("bytes */{length}"))
        }
    }
}

fn with_range(mut response: Response, range: &str) -> Response {
    if let Ok(range) = HeaderValue::from_str(range) {
        response.headers_mut().insert(header::CONTENT_RANGE, range);
    }
    response
}

/// Whether the client has the file as it is.
fn is_known(asked: &HeaderMap, file: &HeaderMap) -> bool {
    if let Some(tags) = asked.get(header::IF_NONE_MATCH).and_then(|tags| tags.to_str().ok()) {
        let own = file.get(header::ETAG).and_then(|tag| tag.to_str().ok());
        return tags
            .split(',')
            .map(|tag| tag.trim().trim_start_matches("W/"))
            .any(|tag| tag == "*" || Some(tag) == own);
    }
    // Times are whole seconds: the one that the client repeats is that of its copy.
    let since = asked.get(header::IF_MODIFIED_SINCE);
    since.is_some() && since == file.get(header::LAST_MODIFIED)
}

/// What a request wants of a file.
#[derive(Debug, PartialEq, Eq)]
enum Asked {
    All,
    Part(Range<usize>),
    /// A part that the file does not have.
    Nothing,
}

fn range(asked: &HeaderMap, file: &HeaderMap, length: usize) -> Asked {
    let Some(range) = asked.get(header::RANGE).and_then(|range| range.to_str().ok()) else { return Asked::All };
    // A part of another file would not fit to what the client has.
    if let Some(condition) = asked.get(header::IF_RANGE)
        && Some(condition) != file.get(header::ETAG)
        && Some(condition) != file.get(header::LAST_MODIFIED)
    {
        return Asked::All;
    }
    part(range, length)
}

fn part(range: &str, length: usize) -> Asked {
    let Some(spec) = range.strip_prefix("bytes=").filter(|spec| !spec.contains(',')) else { return Asked::All };
    let Some((first, last)) = spec.trim().split_once('-') else { return Asked::All };
    let number = |text: &str| -> Option<usize> {
        let is_number = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
        is_number.then(|| text.parse().unwrap_or(usize::MAX))
    };
    let part = match (first, number(first), last, number(last)) {
        ("", _, _, Some(count)) => length.saturating_sub(count)..if count == 0 { 0 } else { length },
        (_, Some(first), "", _) => first..length,
        (_, Some(first), _, Some(last)) if last < first => return Asked::All,
        (_, Some(first), _, Some(last)) => first..last.saturating_add(1).min(length),
        _ => return Asked::All,
    };
    if part.start < part.end { Asked::Part(part) } else { Asked::Nothing }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_are_within_the_file() {
        for (range, expected) in [
            ("bytes=0-3", Asked::Part(0..4)),
            ("bytes=4-", Asked::Part(4..10)),
            ("bytes=-3", Asked::Part(7..10)),
            ("bytes=-30", Asked::Part(0..10)),
            ("bytes=8-99999999999999999999999", Asked::Part(8..10)),
            ("bytes=10-", Asked::Nothing),
            ("bytes=99999999999999999999999-", Asked::Nothing),
            ("bytes=-0", Asked::Nothing),
            ("bytes=0-0", Asked::Part(0..1)),
            ("bytes=3-2", Asked::All),
            ("bytes=0-1,4-5", Asked::All),
            ("bytes=a-b", Asked::All),
            ("bytes=--1", Asked::All),
            ("lines=0-1", Asked::All),
            ("bytes", Asked::All),
        ] {
            assert_eq!(part(range, 10), expected, "{range}");
        }
        assert_eq!(part("bytes=0-", 0), Asked::Nothing);
    }
}
