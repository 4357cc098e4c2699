//! What came back, in words for people.

use super::block::Reply;
use super::client::Answer;
use serde_json::Value;

/// What an assertion of the scenario came to that does not hold. It is no reply that might be expected instead, unless the
/// scenario expects a reply of that status.
pub fn failed_assertion(answer: &Answer, reply: Option<&Reply>, is_updating: bool) -> Option<String> {
    let is_expected = reply.is_some_and(|reply| reply.status == Some(answer.status));
    if answer.body["code"] != "VERIFICATION_FAILED" || is_expected {
        return None;
    }
    let nearest = answer.body["nearest"].as_array().into_iter().flatten().filter_map(difference);
    let nearest: String = nearest.map(|text| format!("\n{text}")).collect();
    let left = if is_updating { "; --update leaves an assertion that fails as it is" } else { "" };
    Some(format!("{}{left}{nearest}", answer.body["msg"].as_str().unwrap_or_default()))
}

/// How a request differs from those that were wanted; one that does not is named.
fn difference(near: &Value) -> Option<String> {
    let diff = near["diff"].as_str()?.trim_end();
    let entry = &near["entry"];
    let part = |name: &str| entry[name].as_str().unwrap_or("nobody").to_owned();
    let named = || format!("it matches: {} {} {} by {}", entry["status"], part("method"), part("path"), part("user"));
    Some(if diff.is_empty() { named() } else { diff.to_owned() })
}

/// What a server of this program says would have worked.
pub fn hint_of(answer: &Answer) -> String {
    let hint = answer.headers.get("x-chatdouble-hint").and_then(|hint| hint.to_str().ok());
    hint.map(|hint| format!(" ({hint})")).unwrap_or_default()
}

/// A reply's body for people, cut where it is long, without what a terminal would obey.
pub fn readable(answer: &Answer) -> String {
    const LENGTH: usize = 500;
    let text = String::from_utf8_lossy(&answer.bytes);
    let text = text.trim();
    let mut shown = String::new();
    for character in text.chars().take(LENGTH) {
        if character.is_control() {
            shown.extend(character.escape_default());
        } else {
            shown.push(character);
        }
    }
    if text.chars().nth(LENGTH).is_some() { format!("{shown}…") } else { shown }
}
