//! Expands code between backticks.

use super::InlineExpander;
use super::text_rewriter::TextRewriter;
use crate::html;
use crate::tree::{Node, Text};
use std::collections::HashMap;

/// The runs of backticks in a text, by length too, so that a closing run is found without reading the text.
struct BacktickRuns {
    /// Start and length of each run.
    all: Vec<(usize, usize)>,
    /// Starts of the runs of each length.
    by_length: HashMap<usize, Vec<usize>>,
}

impl BacktickRuns {
    fn find(text: &str) -> Self {
        let bytes = text.as_bytes();
        let mut runs = Self { all: Vec::new(), by_length: HashMap::new() };
        let mut position = 0;
        while let Some(offset) = memchr::memchr(b'`', &bytes[position..]) {
            let start = position + offset;
            let length = bytes[start..].iter().take_while(|&&byte| byte == b'`').count();
            runs.all.push((start, length));
            runs.by_length.entry(length).or_default().push(start);
            position = start + length;
        }
        runs
    }

    /// The first run of exactly this length after a position.
    fn next_of_length(&self, length: usize, position: usize) -> Option<usize> {
        let starts = self.by_length.get(&length)?;
        starts.get(starts.partition_point(|&start| start <= position)).copied()
    }
}

/// Expands code, and replaces an even number of backslashes before backticks by half as many.
///
/// As many backticks as possible open the code, and the same number closes it. A backslash escapes the backtick after
/// it.
pub(super) fn expand_code(inline: &mut InlineExpander<'_, '_>, text: &str) -> Option<String> {
    memchr::memchr(b'`', text.as_bytes())?;
    let runs = BacktickRuns::find(text);
    let mut rewriter = TextRewriter::new(text);
    for &(start, length) in &runs.all {
        if start < rewriter.position() {
            continue;
        }
        let before = &text[rewriter.position()..start];
        let backslash_count = before.len() - before.trim_end_matches('\\').len();
        if backslash_count > 0 && backslash_count.is_multiple_of(2) {
            let placeholder = inline.stash_text("\\".repeat(backslash_count / 2));
            rewriter.replace(start - backslash_count..start, &placeholder);
        }
        let escaped_count = backslash_count % 2;
        let opening = start + escaped_count;
        let delimiters = (1..=length - escaped_count).rev().find_map(|count| {
            let closing = runs.next_of_length(count, start)?;
            Some((count, closing))
        });
        if let Some((count, closing)) = delimiters {
            let content = html::escape_code(&text[opening + count..closing]);
            let placeholder =
                inline.stash_element(Node { tag: "code", text: Text::literal(content), ..Node::default() });
            rewriter.replace(opening..closing + count, &placeholder);
        }
    }
    rewriter.finish()
}
