//! Numbers of things in words.

use std::fmt::Display;

/// A number with its noun: `1 fault`, `2 faults`.
pub fn counted<Number: Display + PartialEq + From<u8>>(count: Number, noun: &str) -> String {
    let ending = if count == Number::from(1) { "" } else { "s" };
    format!("{count} {noun}{ending}")
}
