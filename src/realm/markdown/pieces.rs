//! Inline text that is partly finished: text in which placeholders stand for pieces of HTML.

use super::mask::PLACEHOLDER;
use std::collections::VecDeque;
use std::ops::Range;

/// Text with one finished piece of HTML for each [`PLACEHOLDER`] in it, in the same order.
#[derive(Debug, Default)]
pub(super) struct Pieces {
    text: String,
    finished: VecDeque<String>,
}

impl Pieces {
    /// The text with its placeholders.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Adds text at the end. It must not contain placeholders.
    pub fn push_text(&mut self, text: &str) {
        self.text.push_str(text);
    }

    /// Adds a finished piece at the end.
    pub fn push_html(&mut self, html: String) {
        self.text.push(PLACEHOLDER);
        self.finished.push_back(html);
    }

    /// Replaces parts of the text by finished pieces. The ranges must be in order and must not overlap; `finish` gets
    /// the part itself, with the pieces inside it.
    pub fn replace(self, ranges: Vec<Range<usize>>, mut finish: impl FnMut(usize, Self) -> String) -> Self {
        if ranges.is_empty() {
            return self;
        }
        let Self { text, mut finished } = self;
        let mut out = Self::default();
        let mut done = 0;
        for (index, range) in ranges.into_iter().enumerate() {
            out.append(&text[done..range.start], &mut finished);
            let mut part = Self::default();
            part.append(&text[range.start..range.end], &mut finished);
            out.push_html(finish(index, part));
            done = range.end;
        }
        out.append(&text[done..], &mut finished);
        out
    }

    /// Removes text from both ends.
    pub fn strip(mut self, start: usize, end: usize) -> Self {
        self.text.truncate(self.text.len().saturating_sub(end));
        self.text.drain(..start.min(self.text.len()));
        self
    }

    /// Takes everything apart: runs of text and finished pieces in order.
    pub fn finish(mut self, mut text: impl FnMut(&mut String, &str)) -> String {
        let mut out = String::with_capacity(self.text.len());
        for (index, run) in self.text.split(PLACEHOLDER).enumerate() {
            if index > 0 {
                out.push_str(&self.finished.pop_front().unwrap_or_default());
            }
            text(&mut out, run);
        }
        out
    }

    /// The parts of the text between placeholders.
    pub fn runs(&self) -> impl Iterator<Item = Range<usize>> {
        let mut start = 0;
        self.text.split(PLACEHOLDER).map(move |run| {
            let range = start..start + run.len();
            start = range.end + PLACEHOLDER.len_utf8();
            range
        })
    }

    fn append(&mut self, text: &str, finished: &mut VecDeque<String>) {
        let count = text.matches(PLACEHOLDER).count();
        self.finished.extend(finished.drain(..count.min(finished.len())));
        self.text.push_str(text);
    }
}
