//! Other words for all that people wrote: drawn, of the same script, length and case, and the same ones for the same word.

mod link;
mod markdown;
mod pattern;
mod word;

pub use word::{Originals, Veil};
