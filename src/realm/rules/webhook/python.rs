//! Formats and tests values as Python does, because real servers repeat bots' answers in its format.

use serde_json::Value;

/// Formats a value as `str()` does.
pub fn str_of(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        other => repr(other),
    }
}

/// Formats a value as `repr()` does.
fn repr(value: &Value) -> String {
    let join = |parts: Vec<String>| parts.join(", ");
    match value {
        Value::Null => "None".to_owned(),
        Value::Bool(true) => "True".to_owned(),
        Value::Bool(false) => "False".to_owned(),
        Value::Number(number) => number.to_string(),
        Value::String(text) => repr_of_text(text),
        Value::Array(items) => format!("[{}]", join(items.iter().map(repr).collect())),
        Value::Object(object) => {
            let pair = |(key, value): (&String, &Value)| format!("{}: {}", repr_of_text(key), repr(value));
            format!("{{{}}}", join(object.iter().map(pair).collect()))
        }
    }
}

/// Whether `bool()` makes True of a value.
pub fn is_truthy(value: &Value) -> bool {
    match value {
        Value::Null => false,
        Value::Bool(boolean) => *boolean,
        Value::Number(number) => number.as_f64() != Some(0.0),
        Value::String(text) => !text.is_empty(),
        Value::Array(items) => !items.is_empty(),
        Value::Object(object) => !object.is_empty(),
    }
}

/// Formats a text as `repr()` of a `str` does.
pub fn repr_of_text(text: &str) -> String {
    let quote = choose_quote(text.contains('\''), text.contains('"'));
    let mut result = String::from(quote);
    for character in text.chars() {
        match escape(character, quote) {
            Some(escape_sequence) => result.push_str(&escape_sequence),
            None if !character.is_control() => result.push(character),
            None => result.push_str(&format!("\\x{:02x}", u32::from(character))),
        }
    }
    result.push(quote);
    result
}

/// Formats bytes as `repr()` of `bytes` does.
pub fn repr_of_bytes(bytes: &[u8]) -> String {
    let quote = choose_quote(bytes.contains(&b'\''), bytes.contains(&b'"'));
    let mut result = format!("b{quote}");
    for byte in bytes {
        match escape(char::from(*byte), quote) {
            Some(escape_sequence) => result.push_str(&escape_sequence),
            None if (b' '..=b'~').contains(byte) => result.push(char::from(*byte)),
            None => result.push_str(&format!("\\x{byte:02x}")),
        }
    }
    result.push(quote);
    result
}

fn choose_quote(has_single: bool, has_double: bool) -> char {
    if has_single && !has_double { '"' } else { '\'' }
}

fn escape(character: char, quote: char) -> Option<String> {
    match character {
        '\n' => Some("\\n".to_owned()),
        '\r' => Some("\\r".to_owned()),
        '\t' => Some("\\t".to_owned()),
        '\\' => Some("\\\\".to_owned()),
        other if other == quote => Some(format!("\\{other}")),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn values_are_formatted_as_in_python() {
        assert_eq!(str_of(&json!("it's")), "it's");
        assert_eq!(str_of(&json!({"a": [1, 2.5, null, true, "it's"]})), r#"{'a': [1, 2.5, None, True, "it's"]}"#);
        assert_eq!(repr_of_text("a'b\"c\n\\\u{7}é"), r#"'a\'b"c\n\\\x07é'"#);
        assert_eq!(repr_of_bytes("é 'x'\r\n".as_bytes()), r#"b"\xc3\xa9 'x'\r\n""#);
        for (value, expected) in [(json!(null), false), (json!(0), false), (json!([0]), true), (json!(""), false)] {
            assert_eq!(is_truthy(&value), expected, "{value}");
        }
    }
}
