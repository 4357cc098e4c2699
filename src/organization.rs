//! An organization of another server as a fixture: what an account can see there, read through the public API.
//!
//! Reading ([`read`]) sends one request after the other and appends the replies to a partial file ([`Partial`]), from which
//! an interrupted run resumes. Writing ([`write`]) makes the fixture from the partial file only, so that the same records
//! give the same bytes, and holds one message at a time. With [`Wanted::anonymous`] it replaces all words that people wrote.
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
pub use reader::{Progress, ReadError};
pub use reading::read;
pub use writing::write;

use serde::{Deserialize, Serialize};

/// The organization, and the parts of it that the fixture is to have.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Wanted {
    /// The base URL of the server.
    pub url: String,
    /// The address of the account.
    pub user: String,
    /// The number of messages, the newest; all if it is None.
    pub messages: Option<u64>,
    /// The names of the channels to read, with their messages; all if the list is empty.
    pub channels: Vec<String>,
    /// Whether uploaded files and pictures of users are read.
    pub with_uploads: bool,
    /// The seed of the words that replace all that people wrote; None to keep their words.
    #[serde(skip)]
    pub anonymous: Option<u64>,
}
