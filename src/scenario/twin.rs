//! One scenario on two servers at once: both get the same requests, and their replies and events are compared.
//!
//! Expectations of the scenario only give names to values; they are not checked.

mod cleanup;
mod likeness;
mod probe;
mod queues;
mod side;

use super::document::Document;
use super::naming;
use std::collections::BTreeSet;

pub use likeness::{Difference, Likeness};
pub use probe::{Conditions, Played, Step, play};
pub use side::{Exchange, Side, curl};

/// The handles of the users who send requests in a document, or are named in requests.
pub fn handles(document: &Document) -> BTreeSet<String> {
    let blocks = document.background.iter().chain(document.scenarios.iter().flat_map(|scenario| &scenario.blocks));
    blocks.flat_map(naming::users).collect()
}
