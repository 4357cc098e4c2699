//! Reads JSON bodies. A form, which many tools send by default, is refused with the equivalent JSON.

use super::refusal;
use crate::error::Error;
use crate::http::request::IncomingRequest;
use crate::json_diagnostic;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

/// Longer forms are not shown as JSON.
const MAX_FORM_BYTES: usize = 200;

/// The text of a JSON body. An empty body counts as an empty object.
///
/// # Errors
///
/// `ControlRefused` for a body that is not UTF-8.
pub fn body_text(request: &IncomingRequest) -> Result<&str, Error> {
    let text = std::str::from_utf8(&request.body).map_err(|error| refusal(format!("$: {error}")))?;
    match text.trim_ascii() {
        "" => Ok("{}"),
        text => Ok(text),
    }
}

/// Reads a JSON body.
///
/// # Errors
///
/// `ControlRefused` for a body that is not UTF-8; for one of another shape, with the JSON path of the mistake; for a
/// form, with its JSON unless it is long.
pub fn parse_json_body<T: DeserializeOwned>(request: &IncomingRequest) -> Result<T, Error> {
    let text = body_text(request)?;
    json_diagnostic::read(text)
        .map_err(|diagnostic| refusal(form_message(text).unwrap_or_else(|| diagnostic.to_string())))
}

/// Checks that the body of a call without parameters is empty, or an empty object.
///
/// # Errors
///
/// Those of [`parse_json_body`].
pub fn check_empty_body(request: &IncomingRequest) -> Result<(), Error> {
    #[derive(serde::Deserialize)]
    #[serde(deny_unknown_fields)]
    struct NoParameters {}
    parse_json_body::<NoParameters>(request).map(|NoParameters {}| ())
}

/// The message for a body that is a form; None for other bodies.
fn form_message(text: &str) -> Option<String> {
    let is_name = |name: &str| !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'_');
    if !text.split('&').all(|pair| pair.split_once('=').is_some_and(|(name, _)| is_name(name))) {
        return None;
    }
    if text.len() > MAX_FORM_BYTES {
        return Some("Control takes JSON, not a form".to_owned());
    }
    let pairs = form_urlencoded::parse(text.as_bytes());
    let json_or_text = |text: &str| serde_json::from_str(text).unwrap_or_else(|_| Value::from(text));
    let object: Map<String, Value> = pairs.map(|(name, text)| (name.into_owned(), json_or_text(&text))).collect();
    Some(format!("Control takes JSON, such as {}", Value::Object(object)))
}

#[cfg(test)]
mod tests {
    use super::form_message;

    #[test]
    fn forms_are_shown_as_json_and_nothing_else_is() {
        let message = |text: &str| form_message(text).unwrap_or_default();
        assert_eq!(message("advance_seconds=5"), r#"Control takes JSON, such as {"advance_seconds":5}"#);
        assert_eq!(message("user=mel&profile=3g"), r#"Control takes JSON, such as {"user":"mel","profile":"3g"}"#);
        assert_eq!(message(&format!("user={}", "x".repeat(500))), "Control takes JSON, not a form");
        for text in ["{", "advance_seconds", "[1=2]", "=", "\"a=b\""] {
            assert_eq!(form_message(text), None, "{text}");
        }
    }
}
