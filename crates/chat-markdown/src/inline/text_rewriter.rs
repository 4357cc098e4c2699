//! Replaces parts of a text.

use std::ops::Range;

/// Builds a text from a source in which parts are replaced from left to right.
pub(super) struct TextRewriter<'t> {
    source: &'t str,
    output: String,
    /// End of the part of the source that was copied or replaced.
    position: usize,
}

impl<'t> TextRewriter<'t> {
    pub fn new(source: &'t str) -> Self {
        Self { source, output: String::new(), position: 0 }
    }

    /// End of the last replaced part.
    pub fn position(&self) -> usize {
        self.position
    }

    /// Replaces a part after all earlier ones.
    pub fn replace(&mut self, range: Range<usize>, replacement: &str) {
        self.output.push_str(&self.source[self.position..range.start]);
        self.output.push_str(replacement);
        self.position = range.end;
    }

    /// Returns the text with the replacements. None: nothing was replaced.
    pub fn finish(mut self) -> Option<String> {
        if self.position == 0 && self.output.is_empty() {
            return None;
        }
        self.output.push_str(&self.source[self.position..]);
        Some(self.output)
    }
}
