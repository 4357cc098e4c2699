//! Scenarios: requests and expected replies in Markdown files that are played over HTTP, against any server of the API.
//!
//! A [`Document`] is a parsed file with one or more [`Scenario`]s, one for each heading with blocks. Blocks under the
//! title are played before each scenario under `##`. A [`Stage`] is a server to play on. [`play`] plays one scenario on
//! a stage and returns its [`Outcome`]. `docs/scenarios.md` explains the format. This module does not depend on the
//! server, and uses it only over HTTP.
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
//! assert!(matches!(outcome, Outcome::Passed));
//! # Ok(())
//! # }
//! ```

mod account;
mod account_key;
mod block;
mod block_parser;
mod block_text;
pub(crate) mod client;
mod comparison;
mod directory;
mod document;
mod edit;
mod fenced_block;
mod json_text;
mod lost_refusal;
mod mistake;
mod mode;
mod outcome;
mod pattern;
mod play;
mod random_word;
pub mod recording;
mod reply_text;
mod request_encoding;
mod run;
mod scope;
pub mod server_comparison;
mod server_settings;
mod stage;
mod template;
mod world_names;
mod world_setup;

pub use account::{Account, Accounts};
pub use document::{Document, Scenario};
pub use edit::{Edit, apply_edits};
pub use mistake::Mistake;
pub use mode::Mode;
pub use outcome::{Difference, Outcome};
pub(crate) use random_word::random_word;
pub(crate) use run::level_in_world_blocks;
pub use run::run as play;
pub use stage::Stage;
