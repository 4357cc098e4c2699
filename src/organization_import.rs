//! Reads an organization from another server through the public API and writes what an account can see there as a
//! fixture.
//!
//! [`read`] sends one request after the other and appends the replies to a partial file ([`PartialFile`]), from which
//! an interrupted run resumes. [`write`] creates the fixture from the partial file only, so that the same records give
//! the same bytes. It has only one message in memory at a time. With [`ImportOptions::anonymization_seed`] it replaces
//! the words that people wrote.
//!
//! in docs/assumptions.md are decisions on points that the specification leaves open.

mod anonymization;
mod channel_folders;
mod channels;
mod custom_emoji;
mod directory;
mod edit_histories;
mod exports;
mod feed;
mod files;
mod groups;
mod json;
mod linkifiers;
mod message_pages;
mod messages;
mod partial_file;
mod pending;
mod people;
mod personal_data;
mod pictures;
mod profile_fields;
mod read_steps;
mod reader;
mod server;
mod settings;
mod uploads;
mod writing;

pub use partial_file::PartialFile;
pub use read_steps::read;
pub use reader::{Progress, ReadError};
pub use writing::write;

use serde::{Deserialize, Serialize};

/// What to read and with which account, and what the fixture should have of it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ImportOptions {
    /// The base URL of the server.
    pub url: String,
    /// The email address of the account.
    #[serde(rename = "user")]
    pub user_email: String,
    /// The maximum number of messages in the fixture, which are the newest ones; None for all.
    #[serde(rename = "messages")]
    pub max_messages: Option<u64>,
    /// The names of the channels to read, with their messages; all if the list is empty.
    pub channels: Vec<String>,
    /// Whether uploaded files and pictures of users are read.
    pub with_uploads: bool,
    /// The seed for the words of an anonymous fixture; None for the original words.
    #[serde(skip)]
    pub anonymization_seed: Option<u64>,
}
