//! JSON values as text in Python's notation, which messages contain because real servers are written in Python.

use serde_json::{Number, Value};
use std::fmt::Write;

/// Python's `str` of a value. Lists and objects are indented JSON.
pub fn python_str(value: &Value) -> String {
    match value {
        Value::Null => "None".to_owned(),
        Value::Bool(true) => "True".to_owned(),
        Value::Bool(false) => "False".to_owned(),
        Value::Number(number) => number_text(number),
        Value::String(text) => text.clone(),
        Value::Array(_) | Value::Object(_) => indented_json(value),
    }
}

/// A floating-point number has the fewest digits that identify it, and an exponent below 0.0001 and from 10¹⁶ on.
fn number_text(number: &Number) -> String {
    let Some(fraction) = number.as_f64().filter(|_| number.is_f64()) else { return number.to_string() };
    let scientific = format!("{fraction:e}");
    let Some((digits, exponent)) = scientific.split_once('e') else { return scientific };
    match exponent.parse::<i32>() {
        Ok(exponent) if !(-4..16).contains(&exponent) => {
            let sign = if exponent < 0 { '-' } else { '+' };
            format!("{digits}e{sign}{:02}", exponent.unsigned_abs())
        }
        _ => format!("{fraction:?}"),
    }
}

/// The length in bytes after which [`indented_json`] stops. Messages are shorter, and the indentation of deeply nested
/// values would be far longer.
pub const MAX_LENGTH: usize = 64 * 1024;

/// JSON in ASCII with line breaks and an indentation of two spaces. Incomplete if it is longer than [`MAX_LENGTH`].
pub fn indented_json(value: &Value) -> String {
    let mut text = String::new();
    write_value(&mut text, value, 0);
    text
}

fn write_value(out: &mut String, value: &Value, level: usize) {
    match value {
        Value::Array(items) if !items.is_empty() => {
            let mut separator = "[";
            for item in items {
                if out.len() > MAX_LENGTH {
                    return;
                }
                begin_line(out, separator, level + 1);
                write_value(out, item, level + 1);
                separator = ",";
            }
            begin_line(out, "", level);
            out.push(']');
        }
        Value::Object(members) if !members.is_empty() => {
            let mut separator = "{";
            for (name, member) in members {
                if out.len() > MAX_LENGTH {
                    return;
                }
                begin_line(out, separator, level + 1);
                write_string(out, name);
                out.push_str(": ");
                write_value(out, member, level + 1);
                separator = ",";
            }
            begin_line(out, "", level);
            out.push('}');
        }
        Value::Array(_) => out.push_str("[]"),
        Value::Object(_) => out.push_str("{}"),
        Value::String(text) => write_string(out, text),
        Value::Number(number) => out.push_str(&number_text(number)),
        Value::Null | Value::Bool(_) => _ = write!(out, "{value}"),
    }
}

fn begin_line(out: &mut String, separator: &str, level: usize) {
    out.push_str(separator);
    out.push('\n');
    out.extend(std::iter::repeat_n("  ", level));
}

fn write_string(out: &mut String, text: &str) {
    out.push('"');
    for character in text.chars() {
        match character {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            '\u{8}' => out.push_str("\\b"),
            '\u{c}' => out.push_str("\\f"),
            ' '..='~' => out.push(character),
            other => {
                for unit in other.encode_utf16(&mut [0; 2]) {
                    _ = write!(out, "\\u{unit:04x}");
                }
            }
        }
    }
    out.push('"');
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn numbers_have_their_shortest_digits() {
        for (number, text) in [
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
            assert_eq!(python_str(&number), text);
        }
    }

    #[test]
    fn deeply_nested_values_are_cut_off() {
        let mut value = Value::Array(vec![json!(1); 1_000_000]);
        for _ in 0..100 {
            value = json!([value]);
        }

        assert!(indented_json(&value).len() < 2 * MAX_LENGTH);
    }

    #[test]
    fn json_is_indented_and_in_ascii() {
        let value = json!({"a": [1, {"b": "ü😀\u{7f}\n"}], "c": [], "d": {}, "e": null});

        let text = "{\n  \"a\": [\n    1,\n    {\n      \"b\": \"\\u00fc\\ud83d\\ude00\\u007f\\n\"\n    }\n  ],\n  \"c\": [],\n  \"d\": {},\n  \"e\": null\n}";
        assert_eq!(indented_json(&value), text);
    }
}
