//! Mistakes in scenario files, with their lines.

use std::fmt;

/// A mistake in a scenario file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mistake {
    /// Path of the file, as given to [`Document::parse`](super::Document::parse).
    pub file: String,
    /// Line in the file, from 1; 0 before [`Mistake::with_location`] sets it.
    pub line: usize,
    /// What is wrong, as the end of a message, such as `this block is not closed`.
    pub reason: String,
    /// Byte offset in the file.
    pub(super) offset: usize,
}

impl Mistake {
    /// A mistake at a byte offset of a file. [`Mistake::with_location`] adds the file and the line.
    pub fn at(offset: usize, reason: impl Into<String>) -> Self {
        Self { file: String::new(), line: 0, reason: reason.into(), offset }
    }

    /// Adds the path of the file, and the line from its text.
    pub fn with_location(self, path: &str, text: &str) -> Self {
        Self { file: path.to_owned(), line: line_of(text, self.offset), ..self }
    }
}

/// Converts a single mistake for functions that return several.
impl From<Mistake> for Vec<Mistake> {
    fn from(mistake: Mistake) -> Self {
        vec![mistake]
    }
}

/// Collects all values, or all mistakes if there are any.
pub fn collect_all<T>(results: impl Iterator<Item = Result<T, Mistake>>) -> Result<Vec<T>, Vec<Mistake>> {
    let (mut values, mut mistakes) = (Vec::new(), Vec::new());
    for result in results {
        match result {
            Ok(value) => values.push(value),
            Err(mistake) => mistakes.push(mistake),
        }
    }
    if mistakes.is_empty() { Ok(values) } else { Err(mistakes) }
}

/// Returns both values, or all mistakes of both.
pub fn combine<A, B>(first: Result<A, Vec<Mistake>>, second: Result<B, Vec<Mistake>>) -> Result<(A, B), Vec<Mistake>> {
    match (first, second) {
        (Ok(first), Ok(second)) => Ok((first, second)),
        (Err(mistakes), Ok(_)) | (Ok(_), Err(mistakes)) => Err(mistakes),
        (Err(mut first_mistakes), Err(second_mistakes)) => {
            first_mistakes.extend(second_mistakes);
            Err(first_mistakes)
        }
    }
}

impl fmt::Display for Mistake {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}:{}: {}", self.file, self.line, self.reason)
    }
}

/// The line of a byte offset, from 1.
pub fn line_of(text: &str, offset: usize) -> usize {
    1 + text.as_bytes()[..offset.min(text.len())].iter().filter(|byte| **byte == b'\n').count()
}
