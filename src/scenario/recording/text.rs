//! Writing texts into a scenario: placeholders, literal braces, lines, fences.

use serde_json::Value;

/// Replaces the braces of a placeholder until the text is complete, so that braces of the text differ from them.
const MARK: char = '\u{fdd0}';

/// A placeholder, within a text that [`finished`] completes.
pub fn placeholder(inner: &str) -> String {
    format!("{MARK}{inner}}}}}")
}

/// A text with its placeholders; its literal braces are escaped.
pub fn finished(text: &str) -> String {
    text.replace("{{", "\\{{").replace(MARK, "{{")
}

/// JSON with its placeholders.
pub fn finished_json(rendered: &str) -> String {
    rendered.replace(MARK, "{{")
}

/// JSON in a line, whose texts that are nothing but one placeholder for a number lose their quotes.
pub fn with_numbers(value: &Value, is_number: &impl Fn(&str) -> bool) -> String {
    match value {
        Value::String(text)
            if text.starts_with(MARK) && text.ends_with("}}") && is_number(&text[MARK.len_utf8()..text.len() - 2]) =>
        {
            text.clone()
        }
        Value::Array(items) => {
            let items: Vec<String> = items.iter().map(|item| with_numbers(item, is_number)).collect();
            format!("[{}]", items.join(", "))
        }
        Value::Object(object) => {
            let entry = |(name, value): (&String, &Value)| {
                format!("{}: {}", Value::from(name.as_str()), with_numbers(value, is_number))
            };
            format!("{{{}}}", object.iter().map(entry).collect::<Vec<_>>().join(", "))
        }
        other => other.to_string(),
    }
}

/// Whether a text can be written in the lines of a request, where white space around it is trimmed.
pub fn fits_lines(text: &str) -> bool {
    let is_clean = |line: &str| line.trim_end() == line;
    !text.contains(['\r', '\0', MARK])
        && !text.starts_with(char::is_whitespace)
        && !text.ends_with(char::is_whitespace)
        && text.split('\n').all(is_clean)
}

/// A line of a request; a text of several lines begins on the next one.
pub fn line(name: &str, text: &str) -> String {
    if !text.contains('\n') {
        return format!("{name}: {text}").trim_end().to_owned();
    }
    let lines: Vec<String> =
        text.split('\n').map(|line| if line.is_empty() { String::new() } else { format!("  {line}") }).collect();
    format!("{name}:\n{}", lines.join("\n"))
}

/// A block; its fence is longer than any in it.
pub fn block(head: &str, body: &str) -> String {
    let runs = body.split(|one| one != '`').map(str::len).max().unwrap_or_default();
    let fence = "`".repeat(runs.max(2) + 1);
    let end = if body.is_empty() || body.ends_with('\n') { "" } else { "\n" };
    format!("{fence}{head}\n{body}{end}{fence}\n")
}
