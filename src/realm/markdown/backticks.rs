//! Inline code: which backticks belong together.

use std::collections::HashMap;
use std::ops::Range;

/// The runs of backticks in a text. A run is closed by the next of the same length.
#[derive(Debug)]
pub(super) struct Backticks {
    /// Where runs start, by length, in order.
    runs: HashMap<usize, Vec<usize>>,
}

impl Backticks {
    pub fn new(source: &str) -> Self {
        let mut runs: HashMap<usize, Vec<usize>> = HashMap::new();
        let mut at = 0;
        while let Some(offset) = source[at..].find('`') {
            let start = at + offset;
            let length = run_length(source, start);
            runs.entry(length).or_default().push(start);
            at = start + length;
        }
        Self { runs }
    }

    /// What is inside the code that the run at a byte opens, and where it ends.
    pub fn span(&self, source: &str, at: usize) -> Option<(Range<usize>, usize)> {
        let length = run_length(source, at);
        let runs = self.runs.get(&length)?;
        let close = *runs.get(runs.partition_point(|&start| start <= at))?;
        Some((at + length..close, close + length))
    }
}

/// How many backticks there are from a byte on.
pub(super) fn run_length(source: &str, at: usize) -> usize {
    source[at..].bytes().take_while(|&byte| byte == b'`').count()
}
