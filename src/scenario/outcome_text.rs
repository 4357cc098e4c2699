//! What came back, in words for people.

use super::block::Reply;
use super::client::Answer;

/// What an assertion of the scenario came to that does not hold. It is no reply that might be expected instead, unless the
/// scenario expects a reply of that status.
pub fn failed_assertion(answer: &Answer, reply: Option<&Reply>, is_updating: bool) -> Option<String> {
    let is_expected = reply.is_some_and(|reply| reply.status == Some(answer.status));
    if answer.body["code"] != "VERIFICATION_FAILED" || is_expected {
        return None;
    }
    let nearest = answer.body["nearest"].as_array().into_iter().flatten().filter_map(|near| near["diff"].as_str());
    let nearest: String = nearest.map(|diff| format!("\n{}", diff.trim_end())).collect();
    let left = if is_updating { "; --update leaves an assertion that fails as it is" } else { "" };
    Some(format!("{}{left}{nearest}", answer.body["msg"].as_str().unwrap_or_default()))
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
