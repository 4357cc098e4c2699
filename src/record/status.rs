//! What users say of themselves, as others see it (specification, "User status").

use crate::realm::Realm;
use crate::realm::id::UserId;
use crate::realm::message::ReactionType;
use schemars::JsonSchema;
use serde::Serialize;

/// A user's status; each key is present only when set.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(rename = "UserStatus")]
pub struct StatusRecord {
    /// Only when true: the user has switched their presence off; deprecated.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub away: bool,
    /// Not empty.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub status_text: Option<String>,
    /// The emoji beside it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub emoji_name: Option<String>,
    /// Identifier in its namespace.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub emoji_code: Option<String>,
    /// The namespace.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reaction_type: Option<ReactionType>,
}

impl StatusRecord {
    /// A user's status; it looks the same to everybody.
    pub fn new(realm: &Realm, user: UserId) -> Self {
        let own = realm.own(user);
        let emoji = own.status.emoji.as_ref();
        Self {
            away: !own.is_on("presence_enabled"),
            status_text: own.status.text.clone(),
            emoji_name: emoji.map(|emoji| emoji.emoji_name.clone()),
            emoji_code: emoji.map(|emoji| emoji.emoji_code.clone()),
            reaction_type: emoji.map(|emoji| emoji.reaction_type),
        }
    }

    /// Whether nothing is set.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}
