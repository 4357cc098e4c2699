//! Responses before they are serialized: JSON stays a value, so that each stage can change it.

use crate::error::Error;
use bytes::Bytes;
use http::{HeaderMap, HeaderName, HeaderValue, header};
use serde_json::{Map, Value};
use std::sync::LazyLock;

/// The header with a hint: a sentence that helps a client to correct its request.
pub const HINT_HEADER: HeaderName = HeaderName::from_static("x-chatdouble-hint");

pub type PendingResponse = http::Response<PendingBody>;

/// The response to a request that is not carried out. It is boxed so that the `Result` stays small.
pub type EarlyResponse = Box<PendingResponse>;

#[derive(Debug)]
pub enum PendingBody {
    Bytes(Bytes),
    Json {
        value: Value,
        /// Whether a line break follows the JSON.
        ends_with_newline: bool,
    },
}

impl From<Bytes> for PendingBody {
    fn from(bytes: Bytes) -> Self {
        PendingBody::Bytes(bytes)
    }
}

impl PendingBody {
    /// JSON followed by a line break.
    pub fn json_line(value: impl Into<Value>) -> Self {
        PendingBody::Json { value: value.into(), ends_with_newline: true }
    }

    pub fn json(value: Value) -> Self {
        PendingBody::Json { value, ends_with_newline: false }
    }

    /// Changes the JSON object of the body, also if it is in bytes; the result ends with a line break. A body that is
    /// not a JSON object keeps its value.
    pub fn map_object(self, change: impl FnOnce(&mut Map<String, Value>)) -> Self {
        let value = match self {
            PendingBody::Json { value, .. } => value,
            PendingBody::Bytes(bytes) => match serde_json::from_slice(&bytes) {
                Ok(value @ Value::Object(_)) => value,
                Ok(_) | Err(_) => return PendingBody::Bytes(bytes),
            },
        };
        match value {
            Value::Object(mut object) => {
                change(&mut object);
                PendingBody::json_line(object)
            }
            other => PendingBody::json(other),
        }
    }

    pub fn into_bytes(self) -> Bytes {
        match self {
            PendingBody::Bytes(bytes) => bytes,
            PendingBody::Json { value, ends_with_newline } => {
                let mut bytes = serde_json::to_vec(&value).unwrap_or_default();
                if ends_with_newline {
                    bytes.push(b'\n');
                }
                bytes.into()
            }
        }
    }
}

/// Adds the header with a hint, without characters other than printable ASCII. None adds no header.
pub fn with_hint(mut response: PendingResponse, hint: Option<String>) -> PendingResponse {
    if let Some(value) = hint.and_then(to_header_value) {
        response.headers_mut().insert(HINT_HEADER, value);
    }
    response
}

/// A JSON reply with the headers that all API replies have.
pub fn json<B>(status: u16, body: B) -> http::Response<B> {
    let mut response = http::Response::new(body);
    *response.status_mut() = http::StatusCode::from_u16(status).unwrap_or(http::StatusCode::INTERNAL_SERVER_ERROR);
    response.headers_mut().clone_from(&API_HEADERS);
    response
}

/// Cloned into each reply, which is faster than inserting each header.
static API_HEADERS: LazyLock<HeaderMap> = LazyLock::new(|| {
    let headers = [
        (header::CONTENT_TYPE, "application/json"),
        (header::CACHE_CONTROL, "max-age=0, no-cache, no-store, must-revalidate, private"),
        (header::EXPIRES, "Thu, 01 Jan 1970 00:00:00 GMT"),
        (header::VARY, "Accept-Language"),
        (header::CONTENT_LANGUAGE, "en"),
    ];
    headers.into_iter().map(|(name, value)| (name, HeaderValue::from_static(value))).collect()
});

/// The refusal of a request, in the API's envelope.
pub fn refusal(error: &Error, hint: Option<String>) -> PendingResponse {
    former_refusal(error, None, None, hint)
}

/// The refusal of a request with the status, code and message that the error has at an older level; None where they are
/// the same as at the newest level. An empty code removes the field `code`; with the code `BAD_REQUEST`, only `result`,
/// `msg` and `code` remain.
pub fn former_refusal(
    error: &Error,
    status_and_code: Option<(u16, &str)>,
    message: Option<String>,
    hint: Option<String>,
) -> PendingResponse {
    let mut body = error.body();
    if let Some(message) = message {
        body.insert("msg".into(), message.into());
    }
    let Some((status, code)) = status_and_code else { return build_refusal(error, error.status(), body, hint) };
    body.insert("code".into(), code.into());
    match code {
        "" => _ = body.shift_remove("code"),
        "BAD_REQUEST" => body.retain(|name, _| matches!(name.as_str(), "result" | "msg" | "code")),
        _ => {}
    }
    build_refusal(error, status, body, hint)
}

fn build_refusal(error: &Error, status: u16, body: Map<String, Value>, hint: Option<String>) -> PendingResponse {
    let mut response = json(status, PendingBody::json_line(body));
    let headers = response.headers_mut();
    if status == 401 {
        let challenge = match error {
            Error::InvalidControlToken => "Bearer realm=\"chatdouble control\"",
            _ => "Basic realm=\"chatdouble\"",
        };
        headers.insert(header::WWW_AUTHENTICATE, HeaderValue::from_static(challenge));
    }
    if let Error::MethodNotAllowed { allowed_methods } = error {
        let methods: Vec<&str> =
            allowed_methods.as_array().into_iter().flatten().filter_map(|method| method.as_str()).collect();
        if let Ok(value) = HeaderValue::from_str(&methods.join(", ")) {
            headers.insert(header::ALLOW, value);
        }
    }
    with_hint(response, hint)
}

/// A header's value with the printable ASCII characters of a text; None if it can't be one.
fn to_header_value(text: String) -> Option<HeaderValue> {
    if text.bytes().all(|byte| (b' '..=b'~').contains(&byte)) {
        return HeaderValue::try_from(text).ok();
    }
    let text: String = text.chars().filter(|character| (' '..='~').contains(character)).collect();
    HeaderValue::try_from(text).ok()
}
