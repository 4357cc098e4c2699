//! One scenario on two servers at once: the same requests to both, and what differs in replies and events.
//!
//! What a scenario expects is of no account here, but for what it captures.

mod likeness;
mod probe;
mod side;
mod tidying;

pub use likeness::{Difference, Likeness};
pub use probe::{Played, Step, play};
pub use side::{Exchange, Side, curl};
