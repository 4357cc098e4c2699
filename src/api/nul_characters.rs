//! Refuses NUL characters in the parameters of writes, because no stored text may contain them.

use super::parameter::{ParameterInfo, RawParameters};
use crate::error::Error;
use serde_json::Value;

/// A NUL character as JSON escapes it.
const ESCAPED_NUL: &str = "\\u0000";

/// Refuses a request with a NUL character in a parameter of the query or the body, under its main name. Some operations
/// have other errors for this, which take precedence, so this check comes last.
///
/// # Errors
///
/// `ParameterNullBytes` with the first such parameter.
pub fn refuse_nul_characters(parameters: &[ParameterInfo], raw: &RawParameters) -> Result<(), Error> {
    let is_affected = |info: &&ParameterInfo| raw.values.get(info.name).is_some_and(|text| has_nul(text));
    match parameters.iter().find(is_affected) {
        Some(info) => Err(Error::ParameterNullBytes { var_name: info.name.into() }),
        None => Ok(()),
    }
}

/// Whether a text contains a NUL character, as such or escaped in JSON. Raw texts that happen to be JSON are not
/// distinguished from parameters that are JSON.
fn has_nul(text: &str) -> bool {
    text.contains('\0')
        || text.contains(ESCAPED_NUL) && serde_json::from_str(text).is_ok_and(|value| value_has_nul(&value))
}

fn value_has_nul(value: &Value) -> bool {
    match value {
        Value::String(text) => text.contains('\0'),
        Value::Array(items) => items.iter().any(value_has_nul),
        Value::Object(members) => members.iter().any(|(key, value)| key.contains('\0') || value_has_nul(value)),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nul_characters_are_found_in_raw_text_and_in_json_with_or_without_escapes() {
        for text in ["a\0", r#"["a\u0000"]"#, r#"{"a": {"\u0000": 1}}"#, "[\"\0\"]"] {
            assert!(has_nul(text), "{text:?}");
        }
        for text in ["a", r"a\u0000", r#"["a\\u0000"]"#, "[0]", ""] {
            assert!(!has_nul(text), "{text:?}");
        }
    }
}
