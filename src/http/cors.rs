//! Which web pages may call the API from a browser.

use super::Response;
use super::request::ApiRequest;
use http::{HeaderMap, HeaderValue, Method, header};

/// The origins that are let in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cors {
    /// `*`, or one origin.
    allowed: String,
}

/// What a browser asks on behalf of a page; nothing where no page asks.
#[derive(Default)]
pub(super) struct Asked {
    origin: Option<HeaderValue>,
    method: Option<HeaderValue>,
    headers: Option<HeaderValue>,
}

impl Asked {
    /// Whether it is asked what may be asked.
    pub(super) fn is_of_preflight(&self) -> bool {
        self.method.is_some()
    }
}

impl Cors {
    /// Lets in this origin, or all with `*`.
    pub fn new(allowed: String) -> Self {
        Self { allowed }
    }

    /// What a request asks.
    pub(super) fn asked(method: &Method, request: &HeaderMap) -> Asked {
        let origin = request.get(header::ORIGIN).cloned();
        if method != Method::OPTIONS {
            return Asked { origin, ..Asked::default() };
        }
        Asked {
            origin,
            method: request.get(header::ACCESS_CONTROL_REQUEST_METHOD).cloned(),
            headers: request.get(header::ACCESS_CONTROL_REQUEST_HEADERS).cloned(),
        }
    }

    /// Lets the pages that may call the API read a file whether or not they say who they are: browsers keep what they
    /// loaded for a picture, and read it from there for a page that asks to.
    pub(super) fn open_to_all<B>(&self, incoming: &ApiRequest, mut response: http::Response<B>) -> http::Response<B> {
        if incoming.headers().contains_key(header::ORIGIN) {
            return response;
        }
        if let Ok(allowed) = HeaderValue::from_str(&self.allowed) {
            response.headers_mut().insert(header::ACCESS_CONTROL_ALLOW_ORIGIN, allowed);
        }
        if self.allowed != "*" {
            response.headers_mut().append(header::VARY, HeaderValue::from_static("Origin"));
        }
        response
    }

    /// Adds the headers that tell a browser so; to a preflight's reply those of the methods and headers too. `lets_in` says
    /// whether a page of another origin may read the reply all the same.
    pub(super) fn decorate(
        &self,
        asked: &Asked,
        mut response: Response,
        lets_in: impl FnOnce(&str) -> bool,
    ) -> Response {
        let Some(origin) = &asked.origin else { return response };
        let is_any = self.allowed == "*";
        let is_allowed = is_any || origin.as_bytes() == self.allowed.as_bytes();
        if !is_allowed && !origin.to_str().is_ok_and(lets_in) {
            return response;
        }
        let headers = response.headers_mut();
        let allowed = if is_any { HeaderValue::from_static("*") } else { origin.clone() };
        headers.insert(header::ACCESS_CONTROL_ALLOW_ORIGIN, allowed);
        if !is_any {
            headers.append(header::VARY, HeaderValue::from_static("Origin"));
        }
        headers.insert(
            header::ACCESS_CONTROL_EXPOSE_HEADERS,
            HeaderValue::from_static(
                "X-Chatdouble-Hint, X-Chatdouble-Fault, Retry-After, X-RateLimit-Limit, X-RateLimit-Remaining, \
                 X-RateLimit-Reset, Location, Upload-Offset, Upload-Length, Tus-Resumable",
            ),
        );
        if asked.is_of_preflight() {
            headers.insert(
                header::ACCESS_CONTROL_ALLOW_METHODS,
                HeaderValue::from_static("GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS"),
            );
            let wanted = asked.headers.clone();
            let wanted = wanted.unwrap_or_else(|| HeaderValue::from_static("Authorization, Content-Type"));
            headers.insert(header::ACCESS_CONTROL_ALLOW_HEADERS, wanted);
            headers.insert(header::ACCESS_CONTROL_MAX_AGE, HeaderValue::from_static("86400"));
        }
        response
    }
}
