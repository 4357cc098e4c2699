//! Channels, their folders and subscriptions.

use super::channel_switch::ChannelSwitches;
use super::id::{ChannelId, FolderId, MessageId, RecipientId, UserId};
use super::permission::Permissions;
use super::text::invalid_character;
use crate::error::Error;
use crate::time::Timestamp;
use imbl::OrdSet;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A channel.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Channel {
    pub id: ChannelId,
    /// The number of its audience as messages carry it.
    pub recipient: RecipientId,
    /// Unique in the organization, whatever the case.
    pub name: String,
    /// Markdown source.
    pub description: String,
    /// The description as HTML.
    pub rendered_description: String,
    /// When it was made.
    pub date_created: Timestamp,
    /// Who made it, when known.
    pub creator: Option<UserId>,
    /// Who can find and read it.
    pub privacy: Privacy,
    /// Archived channels can't be written to.
    pub is_archived: bool,
    /// Whether it was open to the web until it was archived, where that closed it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub was_web_public: bool,
    /// New users and invitations get it.
    pub is_default: bool,
    pub folder: Option<FolderId>,
    /// How long messages are kept, in days: None inherits, -1 is forever.
    pub message_retention_days: Option<i64>,
    /// Which topics may be used.
    pub topics_policy: TopicsPolicy,
    /// What is on or off.
    #[serde(default, skip_serializing_if = "ChannelSwitches::are_off")]
    pub switches: ChannelSwitches,
    /// Who may do what in it.
    #[serde(with = "super::stored::permissions")]
    pub permissions: Permissions,
    /// Active users that are subscribed.
    #[serde(deserialize_with = "crate::realm::distinct::members")]
    pub subscribers: OrdSet<UserId>,
    /// The first message. Below level 256 the first that was sent to it, whatever became of that one.
    #[serde(default)]
    pub first_message: Option<MessageId>,
}

/// Who can find and read a channel.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Privacy {
    /// Anyone on the internet.
    WebPublic,
    /// All except guests.
    Public,
    /// Invited users, who see the whole history.
    PrivateSharedHistory,
    /// Invited users, who see messages sent since then.
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

/// A channel folder.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Folder {
    pub id: FolderId,
    /// Not empty.
    pub name: String,
    /// Markdown source.
    pub description: String,
    /// The description as HTML.
    pub rendered_description: String,
    /// When it was made.
    pub date_created: Timestamp,
    pub creator: Option<UserId>,
    /// Whether it is archived.
    pub is_archived: bool,
    /// Its place among the folders.
    pub order: i64,
}

/// A user's subscription to a channel. It outlives unsubscribing, so that the settings are remembered.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Subscription {
    /// False once unsubscribed.
    pub is_active: bool,
    /// The newest message of the realm at the time of subscribing: unread ones lie above it.
    pub since: MessageId,
    /// `#rrggbb`
    pub color: String,
    /// Whether it is shown first.
    pub pin_to_top: bool,
    /// Whether it is muted: shown last, without notifications.
    pub is_muted: bool,
    /// None inherits the user's setting, as do the next four.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub desktop_notifications: Option<bool>,
    /// Sounds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub audible_notifications: Option<bool>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub push_notifications: Option<bool>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub email_notifications: Option<bool>,
    /// Whether wildcard mentions notify.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub wildcard_mentions_notify: Option<bool>,
}

impl Subscription {
    /// A new one with nothing changed.
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

/// Longest name of a channel, in code points.
pub const MAX_CHANNEL_NAME_LENGTH: usize = 60;
/// Longest description of a channel or folder, in code points.
pub const MAX_CHANNEL_DESCRIPTION_LENGTH: usize = 1024;

/// A channel's name as it is stored: without white space around it.
///
/// # Errors
///
/// In this order: `ChannelNameEmpty`, `ChannelNameTooLong`, `ChannelNameInvalidCharacter`.
pub fn checked_channel_name(name: &str) -> Result<String, Error> {
    let name = name.trim();
    if name.is_empty() {
        return Err(Error::ChannelNameEmpty);
    }
    if name.chars().count() > MAX_CHANNEL_NAME_LENGTH {
        return Err(Error::ChannelNameTooLong { limit: MAX_CHANNEL_NAME_LENGTH.into() });
    }
    match invalid_character(name) {
        Some(position) => Err(Error::ChannelNameInvalidCharacter { position: position.into() }),
        None => Ok(name.to_owned()),
    }
}
