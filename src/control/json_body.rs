//! Bodies of JSON. A form, as tools send it by habit, is refused with the JSON in its place.

use super::refused;
use crate::error::Error;
use crate::http::request::ApiRequest;
use crate::json_diagnostic;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

/// The longest form that is shown as JSON, in bytes.
const MAX_BYTES: usize = 200;

/// The text of a JSON body; an empty one is an empty object.
pub fn text(incoming: &ApiRequest) -> Result<&str, Error> {
    let text = std::str::from_utf8(&incoming.body).map_err(|error| refused(format!("$: {error}")))?;
    match text.trim_ascii() {
        "" => Ok("{}"),
        text => Ok(text),
    }
}

/// Reads a JSON body.
pub fn body<T: DeserializeOwned>(incoming: &ApiRequest) -> Result<T, Error> {
    let text = text(incoming)?;
    json_diagnostic::read(text).map_err(|fault| refused(advice(text).unwrap_or_else(|| fault.to_string())))
}

/// Asserts that a call that takes nothing was given nothing.
pub fn nothing(incoming: &ApiRequest) -> Result<(), Error> {
    #[derive(serde::Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Nothing {}
    body::<Nothing>(incoming).map(|Nothing {}| ())
}

/// What control takes in place of a form; None for a text that is none.
fn advice(text: &str) -> Option<String> {
    let is_name = |name: &str| !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'_');
    if !text.split('&').all(|pair| pair.split_once('=').is_some_and(|(name, _)| is_name(name))) {
        return None;
    }
    if text.len() > MAX_BYTES {
        return Some("Control takes JSON, not a form".to_owned());
    }
    let pairs = form_urlencoded::parse(text.as_bytes());
    let value = |text: &str| serde_json::from_str(text).unwrap_or_else(|_| Value::from(text));
    let object: Map<String, Value> = pairs.map(|(name, text)| (name.into_owned(), value(&text))).collect();
    Some(format!("Control takes JSON, such as {}", Value::Object(object)))
}

#[cfg(test)]
mod tests {
    use super::advice;

    #[test]
    fn forms_are_shown_as_json_and_nothing_else_is() {
        let shown = |text: &str| advice(text).unwrap_or_default();
        assert_eq!(shown("advance_seconds=5"), r#"Control takes JSON, such as {"advance_seconds":5}"#);
        assert_eq!(shown("user=mel&profile=3g"), r#"Control takes JSON, such as {"user":"mel","profile":"3g"}"#);
        assert_eq!(shown(&format!("user={}", "x".repeat(500))), "Control takes JSON, not a form");
        for text in ["{", "advance_seconds", "[1=2]", "=", "\"a=b\""] {
            assert_eq!(advice(text), None, "{text}");
        }
    }
}
