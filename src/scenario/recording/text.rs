//! Formats texts for a scenario: placeholders, escaped braces, lines and blocks.

use serde_json::Value;

/// Marks the start of a placeholder until the braces of literal text are escaped. Texts do not contain this noncharacter
/// of Unicode.
const PLACEHOLDER_START: char = '\u{fdd0}';

/// A placeholder with a marked start, which [`escape_braces`] and [`restore_placeholders`] replace with braces.
pub fn placeholder(inner: &str) -> String {
    format!("{PLACEHOLDER_START}{inner}}}}}")
}

/// Escapes literal braces, and then replaces the marks of placeholders with braces.
pub fn escape_braces(text: &str) -> String {
    text.replace("{{", "\\{{").replace(PLACEHOLDER_START, "{{")
}

/// Replaces the marks of placeholders in JSON with braces.
pub fn restore_placeholders(json: &str) -> String {
    json.replace(PLACEHOLDER_START, "{{")
}

/// Formats JSON in one line. Placeholders for numbers have no quotes. `is_number` decides by the text between the
/// braces.
pub fn format_json_in_line(value: &Value, is_number: &impl Fn(&str) -> bool) -> String {
    match value {
        Value::String(text)
            if text.starts_with(PLACEHOLDER_START)
                && text.ends_with("}}")
                && is_number(&text[PLACEHOLDER_START.len_utf8()..text.len() - 2]) =>
        {
            text.clone()
        }
        Value::Array(items) => {
            let items: Vec<String> = items.iter().map(|item| format_json_in_line(item, is_number)).collect();
            format!("[{}]", items.join(", "))
        }
        Value::Object(object) => {
            let format_entry = |(name, value): (&String, &Value)| {
                format!("{}: {}", Value::from(name.as_str()), format_json_in_line(value, is_number))
            };
            format!("{{{}}}", object.iter().map(format_entry).collect::<Vec<_>>().join(", "))
        }
        other => other.to_string(),
    }
}

/// Whether a text keeps its meaning in the lines of a request, from whose ends white space is trimmed.
pub fn can_be_written_in_lines(text: &str) -> bool {
    let has_no_trailing_space = |line: &str| line.trim_end() == line;
    !text.contains(['\r', '\0', PLACEHOLDER_START])
        && !text.starts_with(char::is_whitespace)
        && !text.ends_with(char::is_whitespace)
        && text.split('\n').all(has_no_trailing_space)
}

/// The lines of a parameter or a file in a `request` block. A text of several lines begins on the next line.
pub fn parameter_lines(name: &str, text: &str) -> String {
    if !text.contains('\n') {
        return format!("{name}: {text}").trim_end().to_owned();
    }
    let lines: Vec<String> =
        text.split('\n').map(|line| if line.is_empty() { String::new() } else { format!("  {line}") }).collect();
    format!("{name}:\n{}", lines.join("\n"))
}

/// A block, whose fence is longer than any run of backticks in it.
pub fn fenced_block(info_string: &str, body: &str) -> String {
    let longest_run = body.split(|character| character != '`').map(str::len).max().unwrap_or_default();
    let fence = "`".repeat(longest_run.max(2) + 1);
    let end = if body.is_empty() || body.ends_with('\n') { "" } else { "\n" };
    format!("{fence}{info_string}\n{body}{end}{fence}\n")
}
