//! Edits of a scenario file: their application, and their display as a diff.

use similar::TextDiff;
use std::ops::Range;

/// A replacement of a part of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Edit {
    /// Byte range in the file.
    pub range: Range<usize>,
    /// The text that replaces the range.
    pub text: String,
}

/// Applies edits to a text. Of overlapping edits, only the first in the list is applied: a block of the background is
/// played for each scenario, and may get different edits from each.
pub fn apply_edits(text: &str, edits: &[Edit]) -> String {
    let mut applied: Vec<&Edit> = Vec::new();
    for edit in edits {
        let overlaps = |other: &&Edit| {
            edit.range == other.range || (edit.range.start < other.range.end && other.range.start < edit.range.end)
        };
        if !applied.iter().any(overlaps) {
            applied.push(edit);
        }
    }
    applied.sort_by_key(|edit| (edit.range.start, edit.range.end));
    let (mut result, mut position) = (String::with_capacity(text.len()), 0);
    for edit in applied {
        result.push_str(&text[position..edit.range.start]);
        result.push_str(&edit.text);
        position = edit.range.end;
    }
    result.push_str(&text[position..]);
    result
}

/// The edits as a unified diff of the file. `name` is the path of the file, for the head of the diff.
pub fn edit_diff(name: &str, text: &str, edits: &[Edit]) -> String {
    let new_text = apply_edits(text, edits);
    let diff = TextDiff::from_lines(text, &new_text);
    diff.unified_diff().header(&format!("{name} (expected)"), &format!("{name} (played)")).to_string()
}
