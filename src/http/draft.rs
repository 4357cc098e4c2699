//! Responses that are not written yet: what is JSON stays a value, so that each stage can change it.

use crate::error::Error;
use bytes::Bytes;
use http::{HeaderMap, HeaderName, HeaderValue, header};
use serde_json::{Map, Value};
use std::sync::LazyLock;

/// The header that says in a sentence what would have worked.
pub const HINT: HeaderName = HeaderName::from_static("x-chatdouble-hint");

/// A response until it is written.
pub type Draft = http::Response<DraftBody>;

/// The response to a request that is not carried out: on the heap, since all others would reserve its room.
pub type EarlyDraft = Box<Draft>;

/// The body of a response until it is written.
#[derive(Debug)]
pub enum DraftBody {
    /// The bytes that are sent.
    Bytes(Bytes),
    /// JSON, and whether a line break follows it.
    Json { value: Value, is_line: bool },
}

impl From<Bytes> for DraftBody {
    fn from(bytes: Bytes) -> Self {
        DraftBody::Bytes(bytes)
    }
}

impl DraftBody {
    /// JSON and a line break.
    pub fn line(value: impl Into<Value>) -> Self {
        DraftBody::Json { value: value.into(), is_line: true }
    }

    /// JSON alone.
    pub fn json(value: Value) -> Self {
        DraftBody::Json { value, is_line: false }
    }

    /// The body with a change of its object, as a line. A body that is no JSON object stays as it is.
    pub fn changed(self, change: impl FnOnce(&mut Map<String, Value>)) -> Self {
        let value = match self {
            DraftBody::Json { value, .. } => value,
            DraftBody::Bytes(bytes) => match serde_json::from_slice(&bytes) {
                Ok(value @ Value::Object(_)) => value,
                Ok(_) | Err(_) => return DraftBody::Bytes(bytes),
            },
        };
        match value {
            Value::Object(mut object) => {
                change(&mut object);
                DraftBody::line(object)
            }
            other => DraftBody::json(other),
        }
    }

    /// The bytes that are sent.
    pub fn written(self) -> Bytes {
        match self {
            DraftBody::Bytes(bytes) => bytes,
            DraftBody::Json { value, is_line } => {
                let mut bytes = serde_json::to_vec(&value).unwrap_or_default();
                if is_line {
                    bytes.push(b'\n');
                }
                bytes.into()
            }
        }
    }
}

/// A response with a hint in its header.
pub fn with_hint(mut draft: Draft, hint: Option<String>) -> Draft {
    if let Some(value) = hint.and_then(header_text) {
        draft.headers_mut().insert(HINT, value);
    }
    draft
}

/// A reply of JSON with the headers that keep it out of caches.
pub fn json<B>(status: u16, body: B) -> http::Response<B> {
    let mut response = http::Response::new(body);
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

/// A refused request, in the envelope.
pub fn failure(error: &Error, hint: Option<String>) -> Draft {
    former_failure(error, None, None, hint)
}

/// A refused request with the status, code and message that its error had at an older level, where they were others.
/// With another code BAD_REQUEST it had no further fields; an empty code is left out.
pub fn former_failure(
    error: &Error,
    code: Option<(u16, &str)>,
    message: Option<String>,
    hint: Option<String>,
) -> Draft {
    let mut body = error.body();
    if let Some(message) = message {
        body.insert("msg".into(), message.into());
    }
    let Some((status, code)) = code else { return refusal(error, error.status(), body, hint) };
    body.insert("code".into(), code.into());
    match code {
        "" => _ = body.shift_remove("code"),
        "BAD_REQUEST" => body.retain(|name, _| matches!(name.as_str(), "result" | "msg" | "code")),
        _ => {}
    }
    refusal(error, status, body, hint)
}

fn refusal(error: &Error, status: u16, body: Map<String, Value>, hint: Option<String>) -> Draft {
    let mut draft = json(status, DraftBody::line(body));
    let headers = draft.headers_mut();
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
    draft
}

/// A text as a header can hold it: other characters than printable ASCII are left out.
fn header_text(text: String) -> Option<HeaderValue> {
    if text.bytes().all(|byte| (b' '..=b'~').contains(&byte)) {
        return HeaderValue::try_from(text).ok();
    }
    let text: String = text.chars().filter(|character| (' '..='~').contains(character)).collect();
    HeaderValue::try_from(text).ok()
}
