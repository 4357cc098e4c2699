//! The shared objects of the API as clients see them: built from the realm for somebody who looks.

pub mod attachment;
pub mod bot;
pub mod channel;
pub mod emoji;
pub mod event;
pub mod events;
pub mod export;
pub mod group;
pub mod list;
pub mod message;
pub mod organization;
pub mod own_lists;
pub mod personal;
pub mod picture;
pub mod presence;
pub mod push;
pub mod scheduled;
pub mod user;

use chat_markdown::emoji::EmojiNames;
use std::collections::BTreeMap;

/// The emoji table that `server_emoji_data_url` leads to at a feature level: `code_to_names`.
pub fn emoji_table(level: i64) -> String {
    let code_to_names: BTreeMap<&str, &[&str]> = EmojiNames::at(level).all().collect();
    serde_json::json!({ "code_to_names": code_to_names }).to_string()
}
