//! Quotations of texts in messages, and what they need: normal line ends, and fences that are long enough.

use crate::realm::model::text::{MAX_MESSAGE_LENGTH, truncate};

/// Appends a quotation of `content` to `introduction`. The quotation is truncated if the result would be too long to be
/// sent.
pub fn append_quotation(introduction: &str, content: &str) -> String {
    let fence = "`".repeat(longest_run(content, '`').max(2) + 1);
    let with_quotation = |quoted: &str| format!("{introduction}\n{fence}quote\n{quoted}\n{fence}");
    let max_length = MAX_MESSAGE_LENGTH.saturating_sub(with_quotation("").chars().count());
    with_quotation(&truncate(content, max_length, "\n[message truncated]"))
}

/// Replaces all kinds of line ends by line feeds.
pub fn normalize_line_ends(text: &str) -> String {
    text.replace("\r\n", "\n").replace('\r', "\n")
}

/// The length of the longest run of a character, in bytes.
pub fn longest_run(text: &str, character: char) -> usize {
    text.split(|separator| separator != character).map(str::len).max().unwrap_or_default()
}
