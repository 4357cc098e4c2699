//! Anonymization: replaces the words that people wrote with random ones of the same script, length and case. In
//! texts, equal words have the same replacement.

mod anonymizer;
mod link;
mod markdown;
mod pattern;
mod random;

pub use anonymizer::{Anonymizer, OriginalWords};
