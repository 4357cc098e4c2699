//! Converts recorded traffic between clients and a server to a scenario.
//!
//! [`to_scenario`] writes the scenario of a [`Recording`]. IDs and times become placeholders, and the events of polls
//! become `event` blocks. API keys and passwords are left out or replaced. What a scenario can't express is listed.

mod event_batches;
mod exchange;
mod expectation;
pub mod kinds;
mod names;
mod request;
pub mod secrets;
mod text;
pub mod times;
mod writer;

pub use exchange::{Exchange, Recording, RequestBody, Upload, basic_credentials};
pub use writer::{RecordedScenario, to_scenario};
