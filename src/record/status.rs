//! The API's record of a user's status.

use crate::realm::Realm;
use crate::realm::emoji::ReactionType;
use crate::realm::id::UserId;
use crate::realm::setting::UserSetting;
use schemars::JsonSchema;
use serde::Serialize;

/// A user's status (specification, "User status"); keys that are not set are absent.
#[derive(Clone, Debug, Default, PartialEq, Serialize, JsonSchema)]
#[schemars(rename = "UserStatus")]
pub struct StatusRecord {
    /// The opposite of `presence_enabled`, if true; deprecated.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub away: Option<bool>,
    /// Text of the status.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub status_text: Option<String>,
    /// Name of the status emoji; present only together with `emoji_code` and `reaction_type`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub emoji_name: Option<String>,
    /// Code of the emoji in the namespace `reaction_type`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub emoji_code: Option<String>,
    /// Namespace of `emoji_code`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reaction_type: Option<ReactionType>,
}

impl StatusRecord {
    /// The status of a user; empty for a user who never set one, even if the user is away.
    pub fn new(realm: &Realm, id: UserId) -> Self {
        let state = realm.user_state(id);
        let status = &state.status;
        if !status.was_set() {
            return Self::default();
        }
        let emoji = status.emoji.as_ref();
        Self {
            away: (!state.is_enabled(UserSetting::PresenceEnabled)).then_some(true),
            status_text: status.text.clone(),
            emoji_name: emoji.map(|emoji| emoji.emoji_name.clone()),
            emoji_code: emoji.map(|emoji| emoji.emoji_code.clone()),
            reaction_type: emoji.map(|emoji| emoji.reaction_type),
        }
    }

    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}
