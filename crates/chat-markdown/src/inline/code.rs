//! Code between backticks.

use super::{Inline, Rewriting};
use crate::html;
use crate::tree::{Node, Text};
use std::collections::HashMap;

/// Runs of backticks in a text.
struct Runs {
    /// Where each begins, and its length.
    all: Vec<(usize, usize)>,
    /// Where those of each length begin.
    by_length: HashMap<usize, Vec<usize>>,
}

impl Runs {
    fn of(text: &str) -> Self {
        let bytes = text.as_bytes();
        let mut runs = Self { all: Vec::new(), by_length: HashMap::new() };
        let mut at = 0;
        while let Some(offset) = memchr::memchr(b'`', &bytes[at..]) {
            let start = at + offset;
            let length = bytes[start..].iter().take_while(|&&byte| byte == b'`').count();
            runs.all.push((start, length));
            runs.by_length.entry(length).or_default().push(start);
            at = start + length;
        }
        runs
    }

    /// The first run of exactly this length behind a byte.
    fn next_of_length(&self, length: usize, behind: usize) -> Option<usize> {
        let starts = self.by_length.get(&length)?;
        starts.get(starts.partition_point(|&start| start <= behind)).copied()
    }
}

/// Code, and pairs of backslashes before backticks, each of which is one backslash.
///
/// As many backticks as possible open it, and exactly as many close it. A backslash protects the first one behind it.
pub(super) fn code(inline: &mut Inline<'_, '_>, text: &str) -> Option<String> {
    memchr::memchr(b'`', text.as_bytes())?;
    let runs = Runs::of(text);
    let mut out = Rewriting::new(text);
    for &(start, length) in &runs.all {
        if start < out.done() {
            continue;
        }
        let before = &text[out.done()..start];
        let backslashes = before.len() - before.trim_end_matches('\\').len();
        if backslashes > 0 && backslashes.is_multiple_of(2) {
            let mark = inline.text("\\".repeat(backslashes / 2));
            out.replace(start - backslashes..start, &mark);
        }
        let protected = backslashes % 2;
        let opening = start + protected;
        let closed = (1..=length - protected).rev().find_map(|count| {
            let closing = runs.next_of_length(count, start)?;
            Some((count, closing))
        });
        if let Some((count, closing)) = closed {
            let content = html::in_code(&text[opening + count..closing]);
            let mark = inline.element(Node { tag: "code", text: Text::literal(content), ..Node::default() });
            out.replace(opening..closing + count, &mark);
        }
    }
    out.finish()
}
