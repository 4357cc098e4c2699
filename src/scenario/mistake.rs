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

/// The only mistake, where there may be several.
impl From<Mistake> for Vec<Mistake> {
    fn from(mistake: Mistake) -> Self {
        vec![mistake]
    }
}

/// All values, or all mistakes.
pub fn all<T>(read: impl Iterator<Item = Result<T, Mistake>>) -> Result<Vec<T>, Vec<Mistake>> {
    let (mut values, mut mistakes) = (Vec::new(), Vec::new());
    for one in read {
        match one {
            Ok(value) => values.push(value),
            Err(mistake) => mistakes.push(mistake),
        }
    }
    if mistakes.is_empty() { Ok(values) } else { Err(mistakes) }
}

/// Both values, or the mistakes of both.
pub fn both<A, B>(one: Result<A, Vec<Mistake>>, other: Result<B, Vec<Mistake>>) -> Result<(A, B), Vec<Mistake>> {
    match (one, other) {
        (Ok(one), Ok(other)) => Ok((one, other)),
        (Err(mistakes), Ok(_)) | (Ok(_), Err(mistakes)) => Err(mistakes),
        (Err(mut mistakes), Err(more)) => {
            mistakes.extend(more);
            Err(mistakes)
        }
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
