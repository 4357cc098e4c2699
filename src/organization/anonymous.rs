//! Replacing the words that people wrote by drawn ones of the same script, length and case; equal words stay equal.

mod link;
mod markdown;
mod pattern;
mod word;

pub use word::{Anonymizer, Originals};
