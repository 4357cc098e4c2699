//! JSON as people write it in a file.

use serde_json::Value;

/// How wide an object or array may be that is written in one line.
const WIDTH: usize = 100;

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
                    format!("{inner}{}: {}", Value::from(name.as_str()), rendered(value, indentation + 2))
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
                .map(|(name, value)| format!("{}: {}", Value::from(name.as_str()), in_a_line(value)))
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
