//! Constructs and adapts replies, with the extensions by which the server's sockets delay or break them.

use super::Response;
use super::pending_response::{self, PendingBody, PendingResponse};
use crate::error::Error;
use bytes::Bytes;
use http::{HeaderName, HeaderValue, header};
use std::time::Duration;

pub use super::pending_response::{HINT_HEADER, json};

/// The header with the ID of the fault that changed a reply.
pub const FAULT_ID: HeaderName = HeaderName::from_static("x-chatdouble-fault");

pub fn success(body: Vec<u8>) -> Response {
    json(200, body.into())
}

/// The refusal of a request, in the API's envelope.
pub fn refusal(error: &Error, hint: Option<String>) -> Response {
    pending_response::refusal(error, hint).map(PendingBody::into_bytes)
}

/// Replaces the neutral realm in the authentication challenge of a 401.
pub fn set_auth_realm<B>(response: &mut http::Response<B>, realm: &str) {
    let headers = response.headers_mut();
    let challenge = headers.get(header::WWW_AUTHENTICATE).and_then(|challenge| challenge.to_str().ok());
    let named_challenge =
        challenge.map(|challenge| challenge.replace("realm=\"chatdouble\"", &format!("realm=\"{realm}\"")));
    if let Some(challenge) = named_challenge.and_then(|challenge| HeaderValue::try_from(challenge).ok()) {
        headers.insert(header::WWW_AUTHENTICATE, challenge);
    }
}

/// Changes a 401 to ask for a session instead of a key, with a hint where to open one.
pub fn ask_for_session<B>(response: &mut http::Response<B>) {
    if response.status() == http::StatusCode::UNAUTHORIZED {
        let headers = response.headers_mut();
        headers.insert(header::WWW_AUTHENTICATE, HeaderValue::from_static("Session realm=\"chatdouble\""));
        headers.insert(
            HINT_HEADER,
            HeaderValue::from_static(
                "Open a session first: GET /accounts/login/ is a page for browsers, and POST /api/v1/dev_fetch_api_key sets the cookies too.",
            ),
        );
    }
}

/// Redirects a browser to the login page, which leads back to `path`.
pub fn redirect_to_login(prefix: &str, path: &str) -> PendingResponse {
    let next: String = form_urlencoded::Serializer::new(String::new()).append_pair("next", path).finish();
    let mut response = empty(302);
    if let Ok(value) = HeaderValue::from_str(&format!("{prefix}/login/?{next}")) {
        response.headers_mut().insert(header::LOCATION, value);
    }
    response
}

/// The reply to OPTIONS, with the methods of a path.
pub fn allowed_methods(methods: &[&str]) -> PendingResponse {
    let mut response = empty(204);
    if let Ok(value) = HeaderValue::from_str(&methods.join(", ")) {
        response.headers_mut().insert(header::ALLOW, value);
    }
    response
}

pub fn empty<B: From<Bytes>>(status: u16) -> http::Response<B> {
    let mut response = http::Response::new(B::from(Bytes::new()));
    // All callers pass a valid status.
    *response.status_mut() = http::StatusCode::from_u16(status).unwrap_or_default();
    response
}

/// How the server breaks the connection during a reply.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ConnectionFault {
    /// The connection closes without a reply.
    Dropped,
    /// The connection closes after this number of bytes of the body.
    TruncatedAt(usize),
}

/// Shorter latencies are left to the socket: clients do not give up during them.
const MIN_LONG_LATENCY: Duration = Duration::from_millis(20);

/// How the server's sockets delay a reply, to simulate a slow network.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Delivery {
    /// The delay before the reply, in real time.
    pub latency: Duration,
    /// The bandwidth for the body; None means unlimited.
    pub bytes_per_second: Option<u64>,
}

impl Delivery {
    /// Takes the latency, for a caller that waits for it. Leaves one below `MIN_LONG_LATENCY` to the socket, which
    /// waits more precisely, and returns zero.
    pub fn take_long_latency(&mut self) -> Duration {
        if self.latency < MIN_LONG_LATENCY { Duration::ZERO } else { std::mem::take(&mut self.latency) }
    }
}
