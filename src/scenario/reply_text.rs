//! Describes replies in the messages about differences.

use super::block::ExpectedReply;
use super::client::HttpReply;
use serde_json::Value;

/// The message of a failed assertion of control, with the nearest requests. None for other replies, and if the scenario
/// expects a reply with that status. If `is_updating`, the message says that the assertion stays as it is.
pub fn failed_assertion_text(reply: &HttpReply, expected: Option<&ExpectedReply>, is_updating: bool) -> Option<String> {
    let is_expected = expected.is_some_and(|expected| expected.status == Some(reply.status));
    if reply.body["code"] != "VERIFICATION_FAILED" || is_expected {
        return None;
    }
    let nearest = reply.body["nearest"].as_array().into_iter().flatten().filter_map(nearest_text);
    let nearest: String = nearest.map(|text| format!("\n{text}")).collect();
    let note = if is_updating { "; --update leaves an assertion that fails as it is" } else { "" };
    Some(format!("{}{note}{nearest}", reply.body["msg"].as_str().unwrap_or_default()))
}

/// The diff of a nearest request, or a description if it has no difference. None if the row has no diff.
fn nearest_text(row: &Value) -> Option<String> {
    let diff = row["diff"].as_str()?.trim_end();
    let entry = &row["entry"];
    let field_text = |name: &str| entry[name].as_str().unwrap_or_default().to_owned();
    let matching_text = || {
        format!(
            "it matches: {} {} {} by {}",
            entry["status"],
            field_text("method"),
            field_text("path"),
            entry["user"].as_str().unwrap_or("nobody")
        )
    };
    Some(if diff.is_empty() { matching_text() } else { diff.to_owned() })
}

/// The hint in the header of a reply, in parentheses after a space. It is empty if the reply has no hint.
pub fn hint_text(reply: &HttpReply) -> String {
    let hint = reply.headers.get("x-chatdouble-hint").and_then(|hint| hint.to_str().ok());
    hint.map(|hint| format!(" ({hint})")).unwrap_or_default()
}

/// The body of a reply for a terminal: at most 500 characters, with escaped control characters.
pub fn printable_body(reply: &HttpReply) -> String {
    const MAX_CHARACTERS: usize = 500;
    let text = String::from_utf8_lossy(&reply.bytes);
    let text = text.trim();
    let mut printable = String::new();
    for character in text.chars().take(MAX_CHARACTERS) {
        if character.is_control() {
            printable.extend(character.escape_default());
        } else {
            printable.push(character);
        }
    }
    if text.chars().nth(MAX_CHARACTERS).is_some() { format!("{printable}…") } else { printable }
}
