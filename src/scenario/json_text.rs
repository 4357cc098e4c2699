//! Formats JSON for scenario files.

use serde_json::Value;

/// The maximum length of an object or array in one line with its indentation, in bytes.
const MAX_LINE_WIDTH: usize = 100;

/// Keys in replies of control whose values are measured in real time, and differ each time that a scenario is played.
const REAL_TIME_KEYS: [&str; 4] = ["duration_ms", "waited_ms", "created_at", "last_request_at"];

/// The placeholder for any number, as JSON.
const ANY_NUMBER: &str = r#""{{number}}""#;

fn is_real_time(key: &str, value: &Value) -> bool {
    value.is_number() && REAL_TIME_KEYS.contains(&key)
}

/// Formats the value of a key. Real times become a placeholder for any number.
pub fn format_value_of_key(key: &str, value: &Value, indentation: usize) -> String {
    if is_real_time(key, value) { ANY_NUMBER.to_owned() } else { format_json(value, indentation) }
}

/// Formats a value in one line if it is short, and otherwise with one key or item per line. Real times in objects
/// become a placeholder for any number.
pub fn format_json(value: &Value, indentation: usize) -> String {
    let line = format_in_one_line(value);
    if line.len() + indentation <= MAX_LINE_WIDTH {
        return line;
    }
    let (inner_indentation, outer_indentation) = (" ".repeat(indentation + 2), " ".repeat(indentation));
    match value {
        Value::Object(object) => {
            let members: Vec<String> = object
                .iter()
                .map(|(key, value)| {
                    let text = format_value_of_key(key, value, indentation + 2);
                    format!("{inner_indentation}{}: {text}", Value::from(key.as_str()))
                })
                .collect();
            format!("{{\n{}\n{outer_indentation}}}", members.join(",\n"))
        }
        Value::Array(items) => {
            let item_texts: Vec<String> =
                items.iter().map(|item| format!("{inner_indentation}{}", format_json(item, indentation + 2))).collect();
            format!("[\n{}\n{outer_indentation}]", item_texts.join(",\n"))
        }
        _ => line,
    }
}

fn format_in_one_line(value: &Value) -> String {
    match value {
        Value::Object(object) => {
            let members: Vec<String> = object
                .iter()
                .map(|(key, value)| {
                    let text = if is_real_time(key, value) { ANY_NUMBER.to_owned() } else { format_in_one_line(value) };
                    format!("{}: {text}", Value::from(key.as_str()))
                })
                .collect();
            format!("{{{}}}", members.join(", "))
        }
        Value::Array(items) => {
            let item_texts: Vec<String> = items.iter().map(format_in_one_line).collect();
            format!("[{}]", item_texts.join(", "))
        }
        // Two braces are escaped, because they would begin a placeholder.
        Value::String(_) => value.to_string().replace("{{", r"\\{{"),
        other => other.to_string(),
    }
}

/// The placeholder for all values of the same type, as JSON. For null, it is the one for any value.
pub fn placeholder_for_type(value: &Value) -> &'static str {
    match value {
        Value::Null => r#""{{any}}""#,
        Value::Bool(_) => r#""{{bool}}""#,
        Value::Number(_) => r#""{{number}}""#,
        Value::String(_) => r#""{{string}}""#,
        Value::Array(_) => r#""{{array}}""#,
        Value::Object(_) => r#""{{object}}""#,
    }
}
