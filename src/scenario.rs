//! Scenarios: stories in Markdown that are played over HTTP, against this server or another of the same API.
//!
//! A [`Document`] is a file that was read; a [`Stage`] is a server to play on; [`play`] tells one [`Scenario`] to it and
//! says what differed. `docs/scenarios.md` explains the format. Nothing here names the server: what is known of it came
//! over HTTP.
//!
//! ```
//! use chatdouble::scenario::{Document, Mode, Outcome, Stage, play};
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let story = "# A greeting\n\n```request\nmel: POST /messages\ntype: direct\nto: [{{max.user_id}}]\ncontent: Hello!\n```\n";
//! let document = Document::parse("greeting.md", story).map_err(|mistakes| mistakes[0].to_string())?;
//!
//! let server = chatdouble::Server::start().await?;
//! let stage = Stage::open(server.url(), None, Default::default()).await?;
//! let outcome = play(&stage, &document, &document.scenarios[0], Mode::Check).await;
//! assert!(matches!(outcome, Outcome::Played));
//! # Ok(())
//! # }
//! ```

mod asking;
mod block;
pub(crate) mod client;
mod comparison;
mod directory;
mod document;
mod edit;
mod founding;
mod json_text;
mod mistake;
mod naming;
mod outcome_text;
mod pattern;
mod play;
mod reading;
pub mod recording;
mod run;
mod scope;
mod stage;
mod template;
pub mod twin;

pub use directory::{Account, Accounts};
pub use document::{Document, Scenario};
pub use edit::{Edit, rewritten};
pub use mistake::Mistake;
pub use play::{Difference, Mode, Outcome};
pub use run::play;
pub use stage::Stage;
