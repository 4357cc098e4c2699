//! Converts recorded traffic between clients and a server to a scenario.
//!
//! [`to_scenario`] writes the scenario of a [`Session`]. IDs and times become placeholders, and the events of polls
//! become `event` blocks. API keys and passwords are omitted. What a scenario can't express is listed.

mod event_batches;
mod exchange;
mod expectation;
pub mod kinds;
mod names;
mod request;
pub mod secrets;
mod text;
mod writer;

pub use exchange::{Exchange, RequestBody, Session, Upload, basic_credentials};
pub use secrets::is_secret;
pub use writer::{RecordedScenario, to_scenario};
