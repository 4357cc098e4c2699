//! Replies: the envelope's bytes with the headers that every API reply has.

use super::Response;
use super::draft::{self, Draft, DraftBody};

pub use super::draft::{HINT, json};
use crate::error::Error;
use bytes::Bytes;
use http::{HeaderName, HeaderValue, header};
use std::time::Duration;

/// Marks a reply that a fault made.
pub const FAULT: HeaderName = HeaderName::from_static("x-chatdouble-fault");

/// A successful reply.
pub fn success(body: Vec<u8>) -> Response {
    json(200, body.into())
}

/// A refused request, in the envelope.
pub fn failure(error: &Error, hint: Option<String>) -> Response {
    draft::failure(error, hint).map(DraftBody::written)
}

/// Lets a 401 name this realm.
pub fn name_realm<B>(response: &mut http::Response<B>, realm: &str) {
    let headers = response.headers_mut();
    let asked = headers.get(header::WWW_AUTHENTICATE).and_then(|asked| asked.to_str().ok());
    let named = asked.map(|asked| asked.replace("realm=\"chatdouble\"", &format!("realm=\"{realm}\"")));
    if let Some(named) = named.and_then(|named| HeaderValue::try_from(named).ok()) {
        headers.insert(header::WWW_AUTHENTICATE, named);
    }
}

/// Lets a 401 ask for a session rather than a key, and its hint say where one is opened.
pub fn ask_for_session<B>(response: &mut http::Response<B>) {
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
pub fn to_login(prefix: &str, path: &str) -> Draft {
    let next: String = form_urlencoded::Serializer::new(String::new()).append_pair("next", path).finish();
    let mut response = empty(302);
    if let Ok(value) = HeaderValue::from_str(&format!("{prefix}/login/?{next}")) {
        response.headers_mut().insert(header::LOCATION, value);
    }
    response
}

/// The answer to OPTIONS: which methods a path has.
pub fn allowed(methods: &[&str]) -> Draft {
    let mut response = empty(204);
    if let Ok(value) = HeaderValue::from_str(&methods.join(", ")) {
        response.headers_mut().insert(header::ALLOW, value);
    }
    response
}

/// A reply without a body.
pub fn empty<B: From<Bytes>>(status: u16) -> http::Response<B> {
    let mut response = http::Response::new(B::from(Bytes::new()));
    *response.status_mut() = http::StatusCode::from_u16(status).unwrap_or_default();
    response
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
