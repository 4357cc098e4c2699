//! Pages that steer: a test runner in a browser, of an origin that the guard lets in.

use super::Guard;
use crate::error::Error;
use crate::http::request::ApiRequest;
use crate::http::{Response, reply};
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use http::{HeaderMap, HeaderValue, Method, header};
use std::borrow::Cow;

/// What a subprotocol begins with that has a token in it: browsers send no other header with a WebSocket's handshake.
const BEARER: &str = "bearer.";
/// Likewise with the token in base64 for URLs, without padding: a name of a subprotocol has no `/` and no `=`.
const ENCODED_BEARER: &str = "bearer64.";

/// Whether a browser asks what a page may do.
pub fn is_preflight(incoming: &ApiRequest) -> bool {
    incoming.method() == Method::OPTIONS && incoming.headers().contains_key(header::ACCESS_CONTROL_REQUEST_METHOD)
}

/// The reply to a preflight: browsers send no token with it.
pub fn preflight(guard: &Guard, incoming: &ApiRequest) -> Response {
    match guard.check(incoming.headers()) {
        Ok(()) | Err(Error::ControlToken) => {
            let mut response = reply::empty(204);
            let headers = response.headers_mut();
            headers.insert(
                header::ACCESS_CONTROL_ALLOW_METHODS,
                HeaderValue::from_static("GET, POST, PUT, DELETE, OPTIONS"),
            );
            let asked = incoming.headers().get(header::ACCESS_CONTROL_REQUEST_HEADERS).cloned();
            let allowed = asked.unwrap_or_else(|| HeaderValue::from_static("Authorization, Content-Type"));
            headers.insert(header::ACCESS_CONTROL_ALLOW_HEADERS, allowed);
            headers.insert(header::ACCESS_CONTROL_MAX_AGE, HeaderValue::from_static("600"));
            response
        }
        Err(error) => reply::failure(&error, None),
    }
}

/// Lets a page read the reply if it may steer.
pub fn open(guard: &Guard, incoming: &ApiRequest, mut response: Response) -> Response {
    let Some(origin) = incoming.headers().get(header::ORIGIN) else { return response };
    if matches!(guard.check(incoming.headers()), Ok(()) | Err(Error::ControlToken)) {
        let headers = response.headers_mut();
        headers.insert(header::ACCESS_CONTROL_ALLOW_ORIGIN, origin.clone());
        headers.append(header::VARY, HeaderValue::from_static("Origin"));
    }
    response
}

/// The subprotocol of a handshake that has a token in it.
pub fn token_subprotocol(headers: &HeaderMap) -> Option<&str> {
    let asked = headers.get(header::SEC_WEBSOCKET_PROTOCOL)?.to_str().ok()?;
    asked.split(',').map(str::trim).find(|protocol| token_in(protocol).is_some())
}

/// The token in a subprotocol.
fn token_in(protocol: &str) -> Option<String> {
    if let Some(encoded) = protocol.strip_prefix(ENCODED_BEARER) {
        return String::from_utf8(URL_SAFE_NO_PAD.decode(encoded).ok()?).ok();
    }
    protocol.strip_prefix(BEARER).map(str::to_owned)
}

/// The headers of a handshake, with the token where other requests have it.
pub fn with_token_of_subprotocol(headers: &HeaderMap) -> Cow<'_, HeaderMap> {
    let token = token_subprotocol(headers).and_then(token_in);
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
