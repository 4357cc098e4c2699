//! CORS: the headers that let web pages of other origins call the API from a browser.

use super::Response;
use super::request::IncomingRequest;
use http::{HeaderMap, HeaderValue, Method, header};

/// Which origin may call the API from a browser.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cors {
    /// One origin, or `*` for all.
    allowed_origin: String,
}

/// The headers with which a browser says which page sends a request, and what a preflight asks for.
#[derive(Default)]
pub(super) struct CorsRequest {
    origin: Option<HeaderValue>,
    /// The method that a preflight asks for; None for other requests.
    requested_method: Option<HeaderValue>,
    /// The names of the headers that a preflight asks for.
    requested_headers: Option<HeaderValue>,
}

impl CorsRequest {
    pub(super) fn from_headers(method: &Method, headers: &HeaderMap) -> Self {
        let origin = headers.get(header::ORIGIN).cloned();
        if method != Method::OPTIONS {
            return Self { origin, ..Self::default() };
        }
        Self {
            origin,
            requested_method: headers.get(header::ACCESS_CONTROL_REQUEST_METHOD).cloned(),
            requested_headers: headers.get(header::ACCESS_CONTROL_REQUEST_HEADERS).cloned(),
        }
    }

    /// Whether the request only asks which requests are allowed.
    pub(super) fn is_preflight(&self) -> bool {
        self.requested_method.is_some()
    }
}

impl Cors {
    pub fn new(allowed_origin: String) -> Self {
        Self { allowed_origin }
    }

    /// The origin of the page that sent the request, if the page can't read the reply. None if no page sent it, the
    /// page comes from `host` itself, or the reply allows its origin.
    pub(super) fn refused_origin<'a>(
        &self,
        request: &'a CorsRequest,
        response: &Response,
        host: Option<&HeaderValue>,
    ) -> Option<&'a str> {
        let origin = request.origin.as_ref()?.to_str().ok()?;
        let (_, origin_host) = origin.split_once("://")?;
        let is_of_host = host.is_some_and(|host| host.as_bytes() == origin_host.as_bytes());
        let is_allowed = response.headers().contains_key(header::ACCESS_CONTROL_ALLOW_ORIGIN);
        (!is_allowed && !is_of_host).then_some(origin)
    }

    /// The origin that may call the API; `*` for all.
    pub(super) fn allowed_origin(&self) -> &str {
        &self.allowed_origin
    }

    /// Adds the headers to a file's reply if the request has no `Origin` header; if it has one, [`Cors::add_headers`]
    /// adds them. A browser caches a picture that a page shows, and a script that reads the same picture later gets the
    /// cached reply with its headers.
    pub(super) fn add_file_headers<B>(
        &self,
        incoming: &IncomingRequest,
        mut response: http::Response<B>,
    ) -> http::Response<B> {
        if incoming.headers().contains_key(header::ORIGIN) {
            return response;
        }
        if let Ok(allowed_origin) = HeaderValue::from_str(&self.allowed_origin) {
            response.headers_mut().insert(header::ACCESS_CONTROL_ALLOW_ORIGIN, allowed_origin);
        }
        if self.allowed_origin != "*" {
            response.headers_mut().append(header::VARY, HeaderValue::from_static("Origin"));
        }
        response
    }

    /// Adds the headers with which a browser lets a page read the reply; a preflight also gets the allowed methods and
    /// headers. `is_trusted` decides about pages of other origins than the allowed one.
    pub(super) fn add_headers(
        &self,
        request: &CorsRequest,
        mut response: Response,
        is_trusted: impl FnOnce(&str) -> bool,
    ) -> Response {
        let Some(origin) = &request.origin else { return response };
        let allows_all = self.allowed_origin == "*";
        let is_allowed = allows_all || origin.as_bytes() == self.allowed_origin.as_bytes();
        if !is_allowed && !origin.to_str().is_ok_and(is_trusted) {
            return response;
        }
        let headers = response.headers_mut();
        let allowed_origin = if allows_all { HeaderValue::from_static("*") } else { origin.clone() };
        headers.insert(header::ACCESS_CONTROL_ALLOW_ORIGIN, allowed_origin);
        if !allows_all {
            headers.append(header::VARY, HeaderValue::from_static("Origin"));
        }
        headers.insert(
            header::ACCESS_CONTROL_EXPOSE_HEADERS,
            HeaderValue::from_static(
                "X-Chatdouble-Hint, X-Chatdouble-Fault, Retry-After, X-RateLimit-Limit, X-RateLimit-Remaining, \
                 X-RateLimit-Reset, Location, Upload-Offset, Upload-Length, Tus-Resumable",
            ),
        );
        if request.is_preflight() {
            headers.insert(
                header::ACCESS_CONTROL_ALLOW_METHODS,
                HeaderValue::from_static("GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS"),
            );
            let requested_headers = request.requested_headers.clone();
            let allowed_headers =
                requested_headers.unwrap_or_else(|| HeaderValue::from_static("Authorization, Content-Type"));
            headers.insert(header::ACCESS_CONTROL_ALLOW_HEADERS, allowed_headers);
            headers.insert(header::ACCESS_CONTROL_MAX_AGE, HeaderValue::from_static("86400"));
        }
        response
    }
}
