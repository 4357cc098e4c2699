//! Scheduled messages and reminders.

use super::id::{ChannelId, MessageId, ReminderId, ScheduledMessageId, UserId};
use crate::time::Timestamp;
use serde::{Deserialize, Serialize};

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ScheduledMessage {
    /// From the same counter as the IDs of reminders.
    pub id: ScheduledMessageId,
    pub sender: UserId,
    pub to: ScheduledTarget,
    /// In Markdown.
    pub content: String,
    /// `content` in HTML.
    pub rendered: String,
    pub deliver_at: Timestamp,
    /// Whether the sender's own user message is marked as read.
    // The name in state documents, which must stay so that they can still be read.
    #[serde(rename = "read_by_sender")]
    pub is_read_by_sender: bool,
    /// Whether sending failed.
    pub has_failed: bool,
}

/// The recipients of a scheduled message.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub enum ScheduledTarget {
    Channel {
        channel: ChannelId,
        /// As spelled.
        topic: String,
    },
    Direct {
        /// Without the sender, unless the sender is the only recipient.
        users: Vec<UserId>,
    },
}

/// A reminder, usually of a message (specification, "Message reminder").
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Reminder {
    /// From the same counter as the IDs of scheduled messages.
    pub id: ReminderId,
    pub user: UserId,
    /// None if the reminder has only a note.
    pub message: Option<MessageId>,
    /// The user's note, which `content` quotes.
    pub note: String,
    /// The message that the notification bot will send, in Markdown.
    pub content: String,
    /// `content` in HTML.
    pub rendered: String,
    pub deliver_at: Timestamp,
    /// Whether sending failed.
    pub has_failed: bool,
}
