//! Channels, channel folders and subscriptions.

use super::channel_boolean_setting::ChannelBooleanSettings;
use super::id::{ChannelId, FolderId, MessageId, RecipientId, UserId};
use super::permission::Permissions;
use super::text::invalid_character_position;
use crate::error::Error;
use crate::time::Timestamp;
use imbl::OrdSet;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Channel {
    pub id: ChannelId,
    /// `recipient_id` of the channel's messages.
    pub recipient: RecipientId,
    /// Unique in the organization, ignoring case.
    pub name: String,
    /// In Markdown.
    pub description: String,
    /// In HTML.
    pub rendered_description: String,
    pub date_created: Timestamp,
    pub creator: Option<UserId>,
    pub privacy: Privacy,
    pub is_archived: bool,
    /// Whether the channel was web-public before it was archived below level 315, which made it private.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub was_web_public: bool,
    /// Whether new users are subscribed to it.
    pub is_default: bool,
    pub folder: Option<FolderId>,
    /// None for the organization's setting, -1 for no limit.
    pub message_retention_days: Option<i64>,
    pub topics_policy: TopicsPolicy,
    /// Called `switches` in state documents, which must stay so that they can still be read.
    #[serde(rename = "switches", default, skip_serializing_if = "ChannelBooleanSettings::are_off")]
    pub boolean_settings: ChannelBooleanSettings,
    #[serde(with = "super::state_serialization::permissions")]
    pub permissions: Permissions,
    /// Active users only; the inverse of each user's active `subscriptions`.
    #[serde(deserialize_with = "crate::realm::deserialize_unique::set")]
    pub subscribers: OrdSet<UserId>,
    /// The first message that the channel got, even if it was moved since. If it is deleted, the oldest message of the
    /// channel replaces it; below level 256, it stays.
    #[serde(default)]
    pub first_message: Option<MessageId>,
}

/// Who can find and read a channel.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Privacy {
    /// Anyone on the internet.
    WebPublic,
    /// All users; guests only if they are subscribed.
    Public,
    /// Invited users, who see the whole history.
    PrivateSharedHistory,
    /// Invited users, who see messages sent since they joined.
    PrivateProtectedHistory,
}

impl Privacy {
    /// `invite_only` on the wire.
    pub fn is_private(self) -> bool {
        matches!(self, Privacy::PrivateSharedHistory | Privacy::PrivateProtectedHistory)
    }

    /// `is_web_public` on the wire.
    pub fn is_web_public(self) -> bool {
        self == Privacy::WebPublic
    }

    /// `history_public_to_subscribers` on the wire.
    pub fn has_public_history(self) -> bool {
        self != Privacy::PrivateProtectedHistory
    }
}

/// Which topics may be used in a channel.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum TopicsPolicy {
    /// As the organization's policy.
    #[default]
    Inherit,
    /// The empty topic is allowed.
    AllowEmptyTopic,
    /// The empty topic is not allowed.
    DisableEmptyTopic,
    /// Only the empty topic is allowed.
    EmptyTopicOnly,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Folder {
    pub id: FolderId,
    pub name: String,
    /// In Markdown.
    pub description: String,
    /// In HTML.
    pub rendered_description: String,
    pub date_created: Timestamp,
    pub creator: Option<UserId>,
    pub is_archived: bool,
    /// The position among the folders.
    pub order: i64,
}

/// A user's subscription to a channel. It remains after unsubscribing, so that its settings apply again later.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Subscription {
    /// False after unsubscribing.
    pub is_active: bool,
    /// The newest message of the realm at the time of subscribing. When an older message becomes unread, it moves back
    /// to just before that message, because only later messages can be unread.
    pub since: MessageId,
    /// `#rgb` or `#rrggbb`, in hexadecimal.
    pub color: String,
    pub pin_to_top: bool,
    pub is_muted: bool,
    /// None if the user's setting applies. The same holds for the next four fields.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub desktop_notifications: Option<bool>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub audible_notifications: Option<bool>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub push_notifications: Option<bool>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub email_notifications: Option<bool>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub wildcard_mentions_notify: Option<bool>,
}

impl Subscription {
    /// An active subscription that inherits all notification settings.
    pub fn new(color: String, since: MessageId) -> Self {
        Self {
            is_active: true,
            since,
            color,
            pin_to_top: false,
            is_muted: false,
            desktop_notifications: None,
            audible_notifications: None,
            push_notifications: None,
            email_notifications: None,
            wildcard_mentions_notify: None,
        }
    }
}

/// The maximum length of a channel's name, in code points.
pub const MAX_CHANNEL_NAME_LENGTH: usize = 60;
/// The maximum length of the description of a channel or folder, in code points.
pub const MAX_CHANNEL_DESCRIPTION_LENGTH: usize = 1024;

/// Trims and validates a channel's name.
///
/// # Errors
///
/// In this order: `ChannelNameEmpty`, `ChannelNameTooLong`, `ChannelNameInvalidCharacter`.
pub fn validate_channel_name(name: &str) -> Result<String, Error> {
    let name = name.trim();
    if name.is_empty() {
        return Err(Error::ChannelNameEmpty);
    }
    if name.chars().count() > MAX_CHANNEL_NAME_LENGTH {
        return Err(Error::ChannelNameTooLong { limit: MAX_CHANNEL_NAME_LENGTH.into() });
    }
    match invalid_character_position(name) {
        Some(position) => Err(Error::ChannelNameInvalidCharacter { position: position.into() }),
        None => Ok(name.to_owned()),
    }
}
