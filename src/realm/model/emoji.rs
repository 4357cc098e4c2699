//! Emoji in reactions and statuses, and custom emoji.

use super::id::{EmojiId, UserId};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// An emoji, as reactions and statuses carry it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Emoji {
    /// Name under which the user chose the emoji, without colons.
    pub emoji_name: String,
    /// Code of the emoji in the namespace `reaction_type`.
    pub emoji_code: String,
    /// Namespace of `emoji_code`.
    pub reaction_type: ReactionType,
}

/// The namespaces of emoji codes (specification, "Emoji reaction types").
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
pub enum ReactionType {
    /// Hexadecimal code points, joined by dashes.
    #[serde(rename = "unicode_emoji")]
    Unicode,
    /// The ID of a custom emoji.
    #[serde(rename = "realm_emoji")]
    Realm,
    /// The name of one of the service's own emoji.
    #[serde(rename = "service_extra_emoji")]
    ServiceExtra,
}

impl ReactionType {
    /// The type with this name on the wire; None for any other name.
    pub fn parse(text: &str) -> Option<Self> {
        match text {
            "unicode_emoji" => Some(Self::Unicode),
            "realm_emoji" => Some(Self::Realm),
            "service_extra_emoji" => Some(Self::ServiceExtra),
            _ => None,
        }
    }
}

/// A custom emoji of the realm.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CustomEmoji {
    /// A string on the wire.
    pub id: EmojiId,
    /// Unique among the active custom emoji.
    pub name: String,
    /// The content hash of the picture.
    pub blob: String,
    /// The last part of the picture's URL.
    pub file_name: String,
    pub is_deactivated: bool,
    pub author: Option<UserId>,
}
