//! The JSON objects of the API, such as messages, channels and users, built from the realm for a particular viewer.

pub mod attachment;
pub mod bot;
pub mod channel;
pub mod emoji;
pub mod event;
pub mod events;
pub mod export;
pub mod group;
pub mod linkifier;
pub mod message;
pub mod organization;
pub mod own_lists;
pub mod personal;
pub mod picture;
pub mod presence;
pub mod profile_field;
pub mod push;
pub mod scheduled;
pub mod user;

use chat_markdown::emoji::EmojiNames;
use std::collections::BTreeMap;

/// The document at `server_emoji_data_url` for a feature level, an object with `code_to_names`.
pub fn emoji_table(level: i64) -> String {
    let code_to_names: BTreeMap<&str, &[&str]> = EmojiNames::at_level(level).all().collect();
    serde_json::json!({ "code_to_names": code_to_names }).to_string()
}
