//! JSON as people write it in a file.

use serde_json::Value;

/// How wide an object or array may be that is written in one line.
const WIDTH: usize = 100;

/// Keys of control's replies whose numbers are of real time: each playing has others.
const OF_REAL_TIME: [&str; 4] = ["duration_ms", "waited_ms", "created_at", "last_request_at"];

/// The placeholder for any number, as it is written in JSON.
const ANY_NUMBER: &str = r#""{{number}}""#;

fn is_volatile(name: &str, value: &Value) -> bool {
    value.is_number() && OF_REAL_TIME.contains(&name)
}

/// The value of a key as people write it; what changes from one playing to the next is any number.
pub fn rendered_under(name: &str, value: &Value, indentation: usize) -> String {
    if is_volatile(name, value) { ANY_NUMBER.to_owned() } else { rendered(value, indentation) }
}

/// A value as people write it: in a line when it is short, else a key or an item in each.
pub fn rendered(value: &Value, indentation: usize) -> String {
    let line = in_a_line(value);
    if line.len() + indentation <= WIDTH {
        return line;
    }
    let (inner, outer) = (" ".repeat(indentation + 2), " ".repeat(indentation));
    match value {
        Value::Object(object) => {
            let written: Vec<String> = object
                .iter()
                .map(|(name, value)| {
                    let written = rendered_under(name, value, indentation + 2);
                    format!("{inner}{}: {written}", Value::from(name.as_str()))
                })
                .collect();
            format!("{{\n{}\n{outer}}}", written.join(",\n"))
        }
        Value::Array(items) => {
            let written: Vec<String> =
                items.iter().map(|item| format!("{inner}{}", rendered(item, indentation + 2))).collect();
            format!("[\n{}\n{outer}]", written.join(",\n"))
        }
        _ => line,
    }
}

fn in_a_line(value: &Value) -> String {
    match value {
        Value::Object(object) => {
            let written: Vec<String> = object
                .iter()
                .map(|(name, value)| {
                    let written = if is_volatile(name, value) { ANY_NUMBER.to_owned() } else { in_a_line(value) };
                    format!("{}: {written}", Value::from(name.as_str()))
                })
                .collect();
            format!("{{{}}}", written.join(", "))
        }
        Value::Array(items) => {
            let written: Vec<String> = items.iter().map(in_a_line).collect();
            format!("[{}]", written.join(", "))
        }
        // A text that has two braces in it would be read as a placeholder.
        Value::String(_) => value.to_string().replace("{{", r"\\{{"),
        other => other.to_string(),
    }
}

/// The placeholder for all values of a value's type, as it is written in JSON.
pub fn placeholder(value: &Value) -> &'static str {
    match value {
        Value::Null => r#""{{any}}""#,
        Value::Bool(_) => r#""{{bool}}""#,
        Value::Number(_) => r#""{{number}}""#,
        Value::String(_) => r#""{{string}}""#,
        Value::Array(_) => r#""{{array}}""#,
        Value::Object(_) => r#""{{object}}""#,
    }
}
