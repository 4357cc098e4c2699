//! Cross-origin requests to control from web pages that the guard admits, such as test runners in a browser.

use super::Guard;
use crate::error::Error;
use crate::http::request::IncomingRequest;
use crate::http::{Response, reply};
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use http::{HeaderMap, HeaderValue, Method, header};
use std::borrow::Cow;

/// The prefix of a WebSocket subprotocol that contains the token. Pages can't set the `Authorization` header of a
/// WebSocket.
const BEARER_PREFIX: &str = "bearer.";
/// The prefix of a subprotocol with the token in base64url without padding, for tokens with characters that a
/// subprotocol may not have.
const BASE64_BEARER_PREFIX: &str = "bearer64.";

/// Whether the request is a CORS preflight.
pub fn is_preflight(request: &IncomingRequest) -> bool {
    request.method() == Method::OPTIONS && request.headers().contains_key(header::ACCESS_CONTROL_REQUEST_METHOD)
}

/// Answers a preflight. Browsers send no token with it, so a missing or wrong token is no reason to refuse it.
pub fn preflight_response(guard: &Guard, request: &IncomingRequest) -> Response {
    match guard.check(request.headers()) {
        Ok(()) | Err(Error::InvalidControlToken) => {
            let mut response = reply::empty(204);
            let headers = response.headers_mut();
            headers.insert(
                header::ACCESS_CONTROL_ALLOW_METHODS,
                HeaderValue::from_static("GET, POST, PUT, DELETE, OPTIONS"),
            );
            let requested_headers = request.headers().get(header::ACCESS_CONTROL_REQUEST_HEADERS).cloned();
            let allowed_headers =
                requested_headers.unwrap_or_else(|| HeaderValue::from_static("Authorization, Content-Type"));
            headers.insert(header::ACCESS_CONTROL_ALLOW_HEADERS, allowed_headers);
            headers.insert(header::ACCESS_CONTROL_MAX_AGE, HeaderValue::from_static("600"));
            response
        }
        Err(error) => reply::refusal(&error, None),
    }
}

/// Adds the CORS headers that let a page of an allowed origin read the response, including the refusal of its token.
pub fn add_cors_headers(guard: &Guard, request: &IncomingRequest, mut response: Response) -> Response {
    let Some(origin) = request.headers().get(header::ORIGIN) else { return response };
    if matches!(guard.check(request.headers()), Ok(()) | Err(Error::InvalidControlToken)) {
        let headers = response.headers_mut();
        headers.insert(header::ACCESS_CONTROL_ALLOW_ORIGIN, origin.clone());
        headers.append(header::VARY, HeaderValue::from_static("Origin"));
    }
    response
}

/// The first requested subprotocol of a WebSocket handshake that contains a token; None if none does.
pub fn token_subprotocol(headers: &HeaderMap) -> Option<&str> {
    let protocols = headers.get(header::SEC_WEBSOCKET_PROTOCOL)?.to_str().ok()?;
    protocols.split(',').map(str::trim).find(|protocol| token_from_subprotocol(protocol).is_some())
}

fn token_from_subprotocol(protocol: &str) -> Option<String> {
    if let Some(encoded) = protocol.strip_prefix(BASE64_BEARER_PREFIX) {
        return String::from_utf8(URL_SAFE_NO_PAD.decode(encoded).ok()?).ok();
    }
    protocol.strip_prefix(BEARER_PREFIX).map(str::to_owned)
}

/// The headers of a WebSocket handshake, with the token of the subprotocol as `Authorization` header, unless they have
/// that header already.
pub fn with_subprotocol_token(headers: &HeaderMap) -> Cow<'_, HeaderMap> {
    let token = token_subprotocol(headers).and_then(token_from_subprotocol);
    let value = token.and_then(|token| HeaderValue::from_str(&format!("Bearer {token}")).ok());
    match value {
        Some(value) if !headers.contains_key(header::AUTHORIZATION) => {
            let mut headers = headers.clone();
            headers.insert(header::AUTHORIZATION, value);
            Cow::Owned(headers)
        }
        _ => Cow::Borrowed(headers),
    }
}
