//! Replies: the envelope's bytes with the headers that every API reply has.

use super::Response;
use crate::error::Error;
use bytes::Bytes;
use http::{HeaderMap, HeaderName, HeaderValue, header};
use std::sync::LazyLock;
use std::time::Duration;

/// The header that says in a sentence what would have worked.
pub const HINT: HeaderName = HeaderName::from_static("x-chatdouble-hint");

/// Marks a reply that a fault made.
pub const FAULT: HeaderName = HeaderName::from_static("x-chatdouble-fault");

/// A successful reply.
pub fn success(body: Vec<u8>) -> Response {
    json(200, body)
}

/// A refused request, in the envelope.
pub fn failure(error: &Error, hint: Option<String>) -> Response {
    refusal(error, error.status(), serde_json::to_vec(error).unwrap_or_default(), hint)
}

/// A refused request with the status, code and message that its error had at an older level, where they were others.
/// With another code BAD_REQUEST it had no further fields; an empty code is left out.
pub fn former_failure(
    error: &Error,
    code: Option<(u16, &str)>,
    message: Option<String>,
    hint: Option<String>,
) -> Response {
    if code.is_none() && message.is_none() {
        return failure(error, hint);
    }
    let mut body = error.body();
    if let Some(message) = message {
        body.insert("msg".into(), message.into());
    }
    let Some((status, code)) = code else {
        return refusal(error, error.status(), serde_json::to_vec(&body).unwrap_or_default(), hint);
    };
    body.insert("code".into(), code.into());
    match code {
        "" => _ = body.shift_remove("code"),
        "BAD_REQUEST" => body.retain(|name, _| matches!(name.as_str(), "result" | "msg" | "code")),
        _ => {}
    }
    refusal(error, status, serde_json::to_vec(&body).unwrap_or_default(), hint)
}

fn refusal(error: &Error, status: u16, mut body: Vec<u8>, hint: Option<String>) -> Response {
    body.push(b'\n');
    let mut response = json(status, body);
    let headers = response.headers_mut();
    if status == 401 {
        let asked = match error {
            Error::ControlToken => "Bearer realm=\"chatdouble control\"",
            _ => "Basic realm=\"chatdouble\"",
        };
        headers.insert(header::WWW_AUTHENTICATE, HeaderValue::from_static(asked));
    }
    if let Error::MethodNotAllowed { allowed_methods } = error {
        let methods: Vec<&str> =
            allowed_methods.as_array().into_iter().flatten().filter_map(|one| one.as_str()).collect();
        if let Ok(value) = HeaderValue::from_str(&methods.join(", ")) {
            headers.insert(header::ALLOW, value);
        }
    }
    if let Some(value) = hint.and_then(header_text) {
        headers.insert(HINT, value);
    }
    response
}

/// Lets a 401 name this realm.
pub fn name_realm(response: &mut Response, realm: &str) {
    let headers = response.headers_mut();
    let asked = headers.get(header::WWW_AUTHENTICATE).and_then(|asked| asked.to_str().ok());
    let named = asked.map(|asked| asked.replace("realm=\"chatdouble\"", &format!("realm=\"{realm}\"")));
    if let Some(named) = named.and_then(|named| HeaderValue::try_from(named).ok()) {
        headers.insert(header::WWW_AUTHENTICATE, named);
    }
}

/// Lets a 401 ask for a session rather than a key, and its hint say where one is opened.
pub fn ask_for_session(response: &mut Response) {
    if response.status() == http::StatusCode::UNAUTHORIZED {
        let headers = response.headers_mut();
        headers.insert(header::WWW_AUTHENTICATE, HeaderValue::from_static("Session realm=\"chatdouble\""));
        headers.insert(
            HINT,
            HeaderValue::from_static(
                "Open a session first: GET /accounts/login/ is a page for browsers, and POST /api/v1/dev_fetch_api_key sets the cookies too.",
            ),
        );
    }
}

/// Sends a browser to the page where one logs in; `path` is where to go on from there.
pub fn to_login(prefix: &str, path: &str) -> Response {
    let next: String = form_urlencoded::Serializer::new(String::new()).append_pair("next", path).finish();
    let mut response = empty(302);
    if let Ok(value) = HeaderValue::from_str(&format!("{prefix}/login/?{next}")) {
        response.headers_mut().insert(header::LOCATION, value);
    }
    response
}

/// The answer to OPTIONS: which methods a path has.
pub fn allowed(methods: &[&str]) -> Response {
    let mut response = empty(204);
    if let Ok(value) = HeaderValue::from_str(&methods.join(", ")) {
        response.headers_mut().insert(header::ALLOW, value);
    }
    response
}

/// A reply without a body.
pub fn empty(status: u16) -> Response {
    let mut response = Response::new(Bytes::new());
    *response.status_mut() = http::StatusCode::from_u16(status).unwrap_or_default();
    response
}

/// A reply of JSON with the headers that keep it out of caches.
pub fn json(status: u16, body: Vec<u8>) -> Response {
    let mut response = Response::new(Bytes::from(body));
    *response.status_mut() = http::StatusCode::from_u16(status).unwrap_or(http::StatusCode::INTERNAL_SERVER_ERROR);
    response.headers_mut().clone_from(&HEADERS);
    response
}

/// The headers of a reply of JSON; copying them is less work than putting each in its place.
static HEADERS: LazyLock<HeaderMap> = LazyLock::new(|| {
    let all = [
        (header::CONTENT_TYPE, "application/json"),
        (header::CACHE_CONTROL, "max-age=0, no-cache, no-store, must-revalidate, private"),
        (header::EXPIRES, "Thu, 01 Jan 1970 00:00:00 GMT"),
        (header::VARY, "Accept-Language"),
        (header::CONTENT_LANGUAGE, "en"),
    ];
    all.into_iter().map(|(name, value)| (name, HeaderValue::from_static(value))).collect()
});

/// A text as a header can hold it: other characters than printable ASCII are left out.
fn header_text(text: String) -> Option<HeaderValue> {
    if text.bytes().all(|byte| (b' '..=b'~').contains(&byte)) {
        return HeaderValue::try_from(text).ok();
    }
    let text: String = text.chars().filter(|character| (' '..='~').contains(character)).collect();
    HeaderValue::try_from(text).ok()
}

/// What the connection does to a reply, as the server's sockets see it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ConnectionFault {
    /// It closes without a reply.
    Dropped,
    /// The body breaks off after so many bytes.
    TruncatedAt(usize),
}

/// How the server's sockets send a reply, as over a slow network.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Delivery {
    /// How long it waits, in real time.
    pub latency: Duration,
    /// Bytes of its body that are sent in a second; None: as many as there are.
    pub bytes_per_second: Option<u64>,
}
