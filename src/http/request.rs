//! HTTP requests as they arrive: the head, and the request with its body and the caller's credentials.

use super::authentication::RequestCredentials;
use super::body::{Body, MAX_BODY_MIB, MIB, body_too_large};
use super::session::Session;
use crate::error::Error;
use bytes::Bytes;
use http::{HeaderMap, HeaderName, Method, Uri, header};
use std::sync::Arc;

/// A header that takes precedence over `User-Agent`, which pages in browsers cannot set.
const CLIENT_HEADER: HeaderName = HeaderName::from_static("x-chatdouble-client");

/// A request without its body.
#[derive(Debug)]
pub struct RequestHead {
    pub method: Method,
    /// `http` or `https`, by the connection and not by headers of proxies.
    pub scheme: &'static str,
    pub uri: Uri,
    pub headers: HeaderMap,
    /// The number of the connection; 0 for a request that did not come over one.
    pub connection_number: u64,
    /// The credentials in the headers; None if there are none.
    pub credentials: RequestCredentials,
}

impl RequestHead {
    /// The path, still percent-encoded.
    pub fn path(&self) -> &str {
        // The URI of CONNECT has a host and no path.
        if self.uri.path().is_empty() { "/" } else { self.uri.path() }
    }

    /// The value of a header; None if it is absent or not visible ASCII.
    pub fn header(&self, name: impl header::AsHeaderName) -> Option<&str> {
        self.headers.get(name).and_then(|value| value.to_str().ok())
    }
}

/// A request with its body, and with the caller's credentials.
#[derive(Debug)]
pub struct IncomingRequest {
    head: Arc<RequestHead>,
    /// The credentials from the headers, the session or the key of an incoming webhook.
    pub credentials: RequestCredentials,
    /// The session of the cookies; None also if the path does not accept sessions.
    pub session: Option<Session>,
    /// Whether `credentials` are those of the session.
    pub has_session_credentials: bool,
    /// Empty if the body was not read.
    pub body: Bytes,
    /// Whether a body was not read because the caller may not send it; the request is then refused.
    pub lacks_body: bool,
}

impl IncomingRequest {
    /// A request without a session.
    pub fn from_parts(head: Arc<RequestHead>, body: Bytes) -> Self {
        Self {
            credentials: head.credentials.clone(),
            session: None,
            has_session_credentials: false,
            head,
            body,
            lacks_body: false,
        }
    }

    /// A request without a session, whose body may not have been read.
    pub fn from_body(head: Arc<RequestHead>, body: &Body) -> Self {
        Self { lacks_body: !body.is_read, ..Self::from_parts(head, body.bytes.clone()) }
    }

    pub fn method(&self) -> &Method {
        &self.head.method
    }

    /// `http` or `https`, by the connection and not by headers of proxies.
    pub fn scheme(&self) -> &'static str {
        self.head.scheme
    }

    pub fn uri(&self) -> &Uri {
        &self.head.uri
    }

    pub fn headers(&self) -> &HeaderMap {
        &self.head.headers
    }

    /// Method and headers, as [`super::session::check_csrf`] takes them.
    pub fn method_and_headers(&self) -> (&Method, &HeaderMap) {
        (self.method(), self.headers())
    }

    /// The path, still percent-encoded.
    pub fn path(&self) -> &str {
        self.head.path()
    }

    /// The query string without its question mark, still percent-encoded; "" if there is none.
    pub fn query(&self) -> &str {
        self.head.uri.query().unwrap_or_default()
    }

    /// Whether the request comes from a browser that expects a page.
    pub fn accepts_html(&self) -> bool {
        self.header(header::ACCEPT).is_some_and(|accepted| accepted.contains("text/html"))
    }

    /// The value of a header; None if it is absent or not visible ASCII.
    pub fn header(&self, name: impl header::AsHeaderName) -> Option<&str> {
        self.head.header(name)
    }

    /// The number of the connection; 0 for a request that did not come over one.
    pub fn connection_number(&self) -> u64 {
        self.head.connection_number
    }

    /// The client's description of itself, such as `ExampleApp/1.2 (Linux)`; "" if it sends none.
    fn client(&self) -> &str {
        self.header(CLIENT_HEADER).or_else(|| self.header(header::USER_AGENT)).unwrap_or_default()
    }

    /// Name and version of the client, such as `ExampleApp/1.2`: the first word of the description. `Unspecified`
    /// without a description.
    pub fn client_with_version(&self) -> &str {
        self.client().split(' ').find(|word| !word.is_empty()).unwrap_or("Unspecified")
    }

    /// The name of the client without its version, such as `ExampleApp`; `Unspecified` if the client sends no name. For
    /// operations, the parameter `client` overrides it.
    pub fn client_name(&self) -> &str {
        let name = self.client().split(['/', ' ', '(']).next().unwrap_or_default();
        if name.is_empty() { "Unspecified" } else { name }
    }
}

/// Checks the size of the body for an operation that takes no files.
///
/// # Errors
///
/// `BodyTooLarge`.
pub fn check_size_without_files(incoming: &IncomingRequest) -> Result<(), Error> {
    if incoming.body.len() > MAX_BODY_MIB * MIB { Err(body_too_large()) } else { Ok(()) }
}
