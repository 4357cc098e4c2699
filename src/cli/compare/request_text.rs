//! The text of a request whose replies or events differ.

use super::level_changes::level_changes;
use super::record::RequestRecord;
use crate::scenario::recording::is_secret_name;
use crate::scenario::server_comparison::Step;
use serde_json::Value;
use std::fmt::Write;

/// The maximum number of differences in the text of a request. Further ones are only counted.
const MAX_DIFFERENCES: usize = 12;
/// Limits of the line-by-line diff of two replies: its lines, and the characters of a line.
const MAX_DIFF_LINES: usize = 60;
const MAX_DIFF_LINE_LENGTH: usize = 200;
/// `has_baseline` means that a difference is either known or new.
pub fn request_text(
    record: &RequestRecord,
    step: &Step,
    has_baseline: bool,
    urls: &[String; 2],
    levels: [i64; 2],
) -> String {
    let known_text = match record.is_known {
        true => ", in the baseline",
        false if has_baseline => ", new",
        false => "",
    };
    let RequestRecord { probe, place, who, request, .. } = record;
    let mut text = format!("  {who}: {request} ({place}, {probe}{known_text})\n");
    for (curl, name) in step.curl.iter().zip(["first ", "second"]) {
        let _ = writeln!(text, "    {name}: {curl}");
    }
    for difference in step.differences.iter().take(MAX_DIFFERENCES) {
        let _ = writeln!(text, "    {}\n    - {}\n    + {}", difference.at, difference.first, difference.second);
    }
    if step.differences.len() > MAX_DIFFERENCES {
        let _ = writeln!(text, "    and {} more", step.differences.len() - MAX_DIFFERENCES);
    }
    if step.differences.iter().any(|difference| difference.at == "status" || difference.at.starts_with("reply")) {
        let format_reply = |(status, body): &(u16, Value)| {
            format!("{status}\n{}", serde_json::to_string_pretty(&redact_secrets(body)).unwrap_or_default())
        };
        let [first, second] = [format_reply(&step.replies[0]), format_reply(&step.replies[1])];
        let diff = similar::TextDiff::from_lines(&first, &second);
        let diff = diff.unified_diff().header(&urls[0], &urls[1]).to_string();
        for line in diff.lines().take(MAX_DIFF_LINES) {
            let _ = writeln!(text, "      {}", line.chars().take(MAX_DIFF_LINE_LENGTH).collect::<String>());
        }
    }
    for change in level_changes(levels, step) {
        let _ = writeln!(text, "    {change}");
    }
    text
}

/// Replaces keys and passwords in a reply with a placeholder.
fn redact_secrets(value: &Value) -> Value {
    match value {
        Value::Object(object) => object
            .iter()
            .map(|(name, inner)| match inner {
                Value::String(text) if is_secret_name(name) && !text.is_empty() => (name.clone(), "left-out".into()),
                other => (name.clone(), redact_secrets(other)),
            })
            .collect::<serde_json::Map<_, _>>()
            .into(),
        Value::Array(items) => items.iter().map(redact_secrets).collect::<Vec<_>>().into(),
        other => other.clone(),
    }
}
