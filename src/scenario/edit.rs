//! Changes to a file, and how they are shown.

use super::client::Answer;
use super::json_text::rendered;
use serde_json::Value;
use similar::TextDiff;
use std::ops::Range;

/// A piece of a file that is to read otherwise.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Edit {
    /// Bytes from the file's start.
    pub range: Range<usize>,
    /// What is to be there.
    pub text: String,
}

/// A text with all changes made. Of changes that touch each other the first in the list counts: a block that is played
/// for several scenarios may have come out differently.
pub fn rewritten(text: &str, edits: &[Edit]) -> String {
    let mut made: Vec<&Edit> = Vec::new();
    for edit in edits {
        let collides = |other: &&Edit| {
            edit.range == other.range || (edit.range.start < other.range.end && other.range.start < edit.range.end)
        };
        if !made.iter().any(collides) {
            made.push(edit);
        }
    }
    made.sort_by_key(|edit| (edit.range.start, edit.range.end));
    let (mut written, mut at) = (String::with_capacity(text.len()), 0);
    for edit in made {
        written.push_str(&text[at..edit.range.start]);
        written.push_str(&edit.text);
        at = edit.range.end;
    }
    written.push_str(&text[at..]);
    written
}

/// The changes as a diff of the file, with its line numbers.
pub fn shown(name: &str, text: &str, edits: &[Edit]) -> String {
    let after = rewritten(text, edits);
    let diff = TextDiff::from_lines(text, &after);
    diff.unified_diff().header(&format!("{name} (expected)"), &format!("{name} (played)")).to_string()
}

/// A block that expects this answer.
pub fn reply_block(answer: &Answer) -> String {
    let body = match &answer.body {
        Value::Null => String::new(),
        body => format!("{}\n", rendered(body, 0)),
    };
    format!("```reply {}\n{body}```\n", answer.status)
}

/// A block that expects this event, but for its id, which counts what the queue was sent.
pub fn event_block(label: &str, event: &Value) -> String {
    let mut event = event.clone();
    if let Some(event) = event.as_object_mut() {
        event.shift_remove("id");
    }
    format!("```event {label}\n{}\n```\n", rendered(&event, 0))
}
