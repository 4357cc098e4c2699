//! What is wrong in a file, and the line where it is.

use std::fmt;

/// What is wrong in a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mistake {
    /// `FILE`
    pub file: String,
    /// From 1.
    pub line: usize,
    /// A sentence.
    pub reason: String,
    /// In bytes from the start of the file.
    pub(super) at: usize,
}

impl Mistake {
    /// A mistake at a place of a file that is named later.
    pub fn at(at: usize, reason: impl Into<String>) -> Self {
        Self { file: String::new(), line: 0, reason: reason.into(), at }
    }

    /// The mistake in a file of this name and text.
    pub fn placed(self, name: &str, text: &str) -> Self {
        Self { file: name.to_owned(), line: line_of(text, self.at), ..self }
    }
}

impl fmt::Display for Mistake {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}: {}", self.file, self.line, self.reason)
    }
}

/// The line that a byte is in, from 1.
pub fn line_of(text: &str, at: usize) -> usize {
    1 + text.as_bytes()[..at.min(text.len())].iter().filter(|byte| **byte == b'\n').count()
}
