//! Scenarios made of what passed between clients and a server.
//!
//! [`written`] makes the text of a scenario of a [`Session`]: users, ids and times become names, the events that polls
//! brought become `event` blocks, and keys and passwords are left out. What can't be expressed is listed.

mod batch;
mod exchange;
pub mod kinds;
mod names;
mod pattern;
mod request;
pub mod secrets;
mod story;
mod text;

pub use exchange::{Exchange, Sent, Session, Upload, basic};
pub use secrets::is_secret;
pub use story::{Written, written};
