//! Counts with their nouns for messages, in the singular or plural.

use std::fmt::Display;

/// Formats a count with its noun: `1 fault`, `2 faults`. The plural must be the noun with an `s`.
pub fn format_count<Count: Display + PartialEq + From<u8>>(count: Count, noun: &str) -> String {
    let ending = if count == Count::from(1) { "" } else { "s" };
    format!("{count} {noun}{ending}")
}
