//! The API's records of custom emoji, and the table of Unicode emoji.

use crate::realm::Realm;
use crate::realm::emoji::CustomEmoji;
use crate::realm::id::EmojiId;
use chat_markdown::emoji::EmojiNames;
use imbl::OrdMap;
use schemars::JsonSchema;
use serde::Serialize;
use std::collections::BTreeMap;
use std::sync::Arc;

/// A custom emoji of the organization.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(rename = "RealmEmoji")]
pub struct EmojiRecord {
    /// ID of the emoji as text, which is its `emoji_code` in reactions.
    pub id: String,
    /// Name without colons, unique among the active custom emoji.
    pub name: String,
    /// URL of the picture, relative to the organization's.
    pub source_url: String,
    /// URL of a still picture; null, because this server makes none.
    pub still_url: Option<String>,
    /// Whether it can't be chosen any more; messages still show it.
    pub deactivated: bool,
    /// ID of the user who uploaded it; null if none is recorded.
    pub author_id: Option<i64>,
}

impl EmojiRecord {
    pub fn new(realm: &Realm, emoji: &CustomEmoji) -> Self {
        Self {
            id: emoji.id.to_string(),
            name: emoji.name.clone(),
            source_url: realm.custom_emoji_url(emoji),
            still_url: None,
            deactivated: emoji.is_deactivated,
            author_id: emoji.author.map(|author| author.0),
        }
    }
}

/// The records by ID as text, including those of deactivated emoji.
pub fn records_by_id(realm: &Realm, emoji: &OrdMap<EmojiId, Arc<CustomEmoji>>) -> BTreeMap<String, EmojiRecord> {
    emoji.values().map(|emoji| (emoji.id.to_string(), EmojiRecord::new(realm, emoji))).collect()
}

/// The document at `server_emoji_data_url` for a feature level, an object with `code_to_names`.
pub fn emoji_table(level: i64) -> String {
    let code_to_names: BTreeMap<&str, &[&str]> = EmojiNames::at_level(level).all().collect();
    serde_json::json!({ "code_to_names": code_to_names }).to_string()
}
