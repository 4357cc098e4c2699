//! An organization of another server as a fixture: what an account can see there, read through the public API.
//!
//! Reading ([`read`]) asks for one thing after the other and writes what comes, as it comes, to a partial file
//! ([`Partial`]). That can be interrupted and goes on where it ended. Writing ([`write`]) makes the fixture of the partial
//! file alone, so that the same records give the same bytes, and holds no more than one message at a time. With
//! [`Wanted::anonymous`] it draws other words for all that people wrote.
//!
//! A choice where the API is silent: A-544 in docs/assumptions.md.

mod anonymous;
mod channels;
mod directory;
mod feed;
mod groups;
mod json;
mod lists;
mod messages;
mod own;
mod pages;
mod partial;
mod people;
mod pictures;
mod reader;
mod reading;
mod server;
mod settings;
mod uploads;
mod writing;

pub use partial::Partial;
pub use reader::Progress;
pub use reading::read;
pub use writing::write;

use serde::{Deserialize, Serialize};

/// What is asked of an organization.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Wanted {
    /// The base URL of the server.
    pub url: String,
    /// The address of the account.
    pub user: String,
    /// Only so many messages, the newest.
    pub messages: Option<u64>,
    /// Only these channels and their messages; all when empty.
    pub channels: Vec<String>,
    /// Uploaded files and pictures too.
    pub with_uploads: bool,
    /// Other words for all that people wrote, drawn from this seed.
    #[serde(skip)]
    pub anonymous: Option<u64>,
}
