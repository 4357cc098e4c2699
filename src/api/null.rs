//! NUL characters in parameters, which no text that is kept may have.

use super::parameter::{ParameterInfo, RawParameters};
use crate::error::Error;
use serde_json::Value;

/// How JSON writes a NUL character.
const ESCAPED: &str = "\\u0000";

/// Refuses a request one of whose parameters has a NUL character. Operations have errors of their own for some texts,
/// which come first: this is asked when all else is well.
///
/// # Errors
///
/// `ParameterNullBytes` with the first such parameter.
pub fn refuse(known: &[ParameterInfo], raw: &RawParameters) -> Result<(), Error> {
    let sent = |info: &&ParameterInfo| raw.values.get(info.name).is_some_and(|text| has_null(text));
    match known.iter().find(sent) {
        Some(info) => Err(Error::ParameterNullBytes { var_name: info.name.into() }),
        None => Ok(()),
    }
}

fn has_null(text: &str) -> bool {
    text.contains('\0') || text.contains(ESCAPED) && serde_json::from_str(text).is_ok_and(|value| is_in(&value))
}

fn is_in(value: &Value) -> bool {
    match value {
        Value::String(text) => text.contains('\0'),
        Value::Array(items) => items.iter().any(is_in),
        Value::Object(members) => members.iter().any(|(key, value)| key.contains('\0') || is_in(value)),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_null_is_found_in_texts_and_in_json_however_it_is_written() {
        for text in ["a\0", r#"["a\u0000"]"#, r#"{"a": {"\u0000": 1}}"#, "[\"\0\"]"] {
            assert!(has_null(text), "{text:?}");
        }
        for text in ["a", r"a\u0000", r#"["a\\u0000"]"#, "[0]", ""] {
            assert!(!has_null(text), "{text:?}");
        }
    }
}
