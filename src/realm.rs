//! The data of one organization and the rules over it: no HTTP, no async, no wall clock.

pub mod emoji;
pub mod id;
pub mod linkifier;
pub mod markdown;
