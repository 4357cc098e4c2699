//! A block of a scenario file and its lines.

use super::mistake::Mistake;
use std::ops::Range;

/// A block as it is in the file: the text of the file, and where the block is.
pub struct FencedBlock<'a> {
    /// Text of the file.
    pub text: &'a str,
    /// Byte offset of the opening fence.
    pub offset: usize,
    /// Byte range between the fences.
    pub content: Range<usize>,
}

/// A line together with its continuation lines, and their byte range.
pub struct LogicalLine {
    pub text: String,
    pub offset: usize,
    pub end: usize,
}

impl FencedBlock<'_> {
    /// The byte offset after the line of the closing fence.
    pub fn end(&self) -> usize {
        let remaining = &self.text[self.content.end..];
        self.content.end + remaining.find('\n').map_or(remaining.len(), |newline| newline + 1)
    }

    /// The lines of the block with their byte offsets, without empty lines at the end.
    pub fn lines(&self) -> Vec<(&str, usize)> {
        let mut offset = self.content.start;
        let mut lines = Vec::new();
        for line in self.text[self.content.clone()].split('\n') {
            lines.push((line, offset));
            offset += line.len() + 1;
        }
        while lines.last().is_some_and(|(line, _)| line.trim().is_empty()) {
            lines.pop();
        }
        lines
    }

    /// Joins the lines with their continuation lines, for which `is_continuation` returns true.
    ///
    /// # Errors
    ///
    /// A mistake if the first line is a continuation line.
    pub fn logical_lines(&self, is_continuation: impl Fn(&str) -> bool) -> Result<Vec<LogicalLine>, Mistake> {
        let mut logical_lines: Vec<LogicalLine> = Vec::new();
        let mut blank_line_count = 0;
        for (line, offset) in self.lines() {
            if line.trim().is_empty() {
                blank_line_count += 1;
                continue;
            }
            if !is_continuation(line) {
                logical_lines.push(LogicalLine { text: line.trim_end().to_owned(), offset, end: offset + line.len() });
            } else if let Some(logical_line) = logical_lines.last_mut() {
                logical_line.text.push_str(&"\n".repeat(blank_line_count + 1));
                // Two spaces are the indentation of continuation lines, and no part of the value.
                logical_line.text.push_str(line.strip_prefix("  ").unwrap_or(line).trim_end());
                logical_line.end = offset + line.len();
            } else {
                return Err(Mistake::at(offset, "an indented line continues the one above, and there is none"));
            }
            blank_line_count = 0;
        }
        Ok(logical_lines)
    }
}
