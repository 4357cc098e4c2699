//! The text of JSON values in messages: simple values in Python's notation, because real servers are written in Python,
//! lists and objects as indented JSON.

use serde_json::{Number, Value};
use std::fmt::Write;

/// Python's `str` of a value. Lists and objects are indented JSON.
pub fn python_str(value: &Value) -> String {
    match value {
        Value::Null => "None".to_owned(),
        Value::Bool(true) => "True".to_owned(),
        Value::Bool(false) => "False".to_owned(),
        Value::Number(number) => format_number(number),
        Value::String(text) => text.clone(),
        Value::Array(_) | Value::Object(_) => indented_json(value),
    }
}

/// Formats a number as Python does: floating-point numbers with the fewest digits that identify them, and with an
/// exponent below 0.0001 and from 10¹⁶ on.
fn format_number(number: &Number) -> String {
    let Some(float) = number.as_f64().filter(|_| number.is_f64()) else { return number.to_string() };
    let scientific = format!("{float:e}");
    let Some((digits, exponent)) = scientific.split_once('e') else { return scientific };
    match exponent.parse::<i32>() {
        Ok(exponent) if !(-4..16).contains(&exponent) => {
            let sign = if exponent < 0 { '-' } else { '+' };
            format!("{digits}e{sign}{:02}", exponent.unsigned_abs())
        }
        _ => format!("{float:?}"),
    }
}

/// The length in bytes after which [`indented_json`] stops. Messages are cut off at a smaller length; without this
/// limit, the indentation of deeply nested values could take far more space.
pub const MAX_JSON_LENGTH: usize = 64 * 1024;

/// JSON in ASCII with line breaks and an indentation of two spaces. Incomplete if it is longer than
/// [`MAX_JSON_LENGTH`].
pub fn indented_json(value: &Value) -> String {
    let mut text = String::new();
    write_value(&mut text, value, 0);
    text
}

fn write_value(output: &mut String, value: &Value, depth: usize) {
    match value {
        Value::Array(items) if !items.is_empty() => {
            let mut separator = "[";
            for item in items {
                if output.len() > MAX_JSON_LENGTH {
                    return;
                }
                begin_line(output, separator, depth + 1);
                write_value(output, item, depth + 1);
                separator = ",";
            }
            begin_line(output, "", depth);
            output.push(']');
        }
        Value::Object(members) if !members.is_empty() => {
            let mut separator = "{";
            for (name, member) in members {
                if output.len() > MAX_JSON_LENGTH {
                    return;
                }
                begin_line(output, separator, depth + 1);
                write_string(output, name);
                output.push_str(": ");
                write_value(output, member, depth + 1);
                separator = ",";
            }
            begin_line(output, "", depth);
            output.push('}');
        }
        Value::Array(_) => output.push_str("[]"),
        Value::Object(_) => output.push_str("{}"),
        Value::String(text) => write_string(output, text),
        Value::Number(number) => output.push_str(&format_number(number)),
        Value::Null | Value::Bool(_) => _ = write!(output, "{value}"),
    }
}

fn begin_line(output: &mut String, separator: &str, depth: usize) {
    output.push_str(separator);
    output.push('\n');
    output.extend(std::iter::repeat_n("  ", depth));
}

fn write_string(output: &mut String, text: &str) {
    output.push('"');
    for character in text.chars() {
        match character {
            '"' => output.push_str("\\\""),
            '\\' => output.push_str("\\\\"),
            '\n' => output.push_str("\\n"),
            '\r' => output.push_str("\\r"),
            '\t' => output.push_str("\\t"),
            '\u{8}' => output.push_str("\\b"),
            '\u{c}' => output.push_str("\\f"),
            ' '..='~' => output.push(character),
            other => {
                for unit in other.encode_utf16(&mut [0; 2]) {
                    _ = write!(output, "\\u{unit:04x}");
                }
            }
        }
    }
    output.push('"');
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn simple_values_are_written_as_in_python() {
        for (value, text) in [
            (json!(100), "100"),
            (json!(21.573108436586445), "21.573108436586445"),
            (json!(100.0), "100.0"),
            (json!(1e16), "1e+16"),
            (json!(123456789012345.0), "123456789012345.0"),
            (json!(0.00001), "1e-05"),
            (json!(0.0001), "0.0001"),
            (json!(null), "None"),
            (json!(true), "True"),
        ] {
            assert_eq!(python_str(&value), text);
        }
    }

    #[test]
    fn deeply_nested_values_are_cut_off() {
        let mut value = Value::Array(vec![json!(1); 1_000_000]);
        for _ in 0..100 {
            value = json!([value]);
        }

        assert!(indented_json(&value).len() < 2 * MAX_JSON_LENGTH);
    }

    #[test]
    fn json_is_indented_and_in_ascii() {
        let value = json!({"a": [1, {"b": "ü😀\u{7f}\n"}], "c": [], "d": {}, "e": null});

        let text = r#"{
  "a": [
    1,
    {
      "b": "\u00fc\ud83d\ude00\u007f\n"
    }
  ],
  "c": [],
  "d": {},
  "e": null
}"#;
        assert_eq!(indented_json(&value), text);
    }
}
