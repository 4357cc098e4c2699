//! The API's records of scheduled messages and reminders.

use crate::realm::scheduled::{Reminder, ScheduledMessage, ScheduledTarget};
use schemars::JsonSchema;
use serde::Serialize;

/// A message to be sent later.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(rename = "ScheduledMessage")]
pub struct ScheduledMessageRecord {
    /// Its ID.
    pub scheduled_message_id: i64,
    /// `stream` or `private`.
    #[serde(rename = "type")]
    pub kind: &'static str,
    /// A channel's ID, or users' IDs.
    pub to: ScheduledTo,
    /// Channel messages only.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub topic: Option<String>,
    /// Markdown.
    pub content: String,
    /// HTML.
    pub rendered_content: String,
    /// UNIX seconds.
    pub scheduled_delivery_timestamp: i64,
    /// Whether it could not be sent.
    pub failed: bool,
}

/// The recipients of a scheduled message.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(untagged)]
pub enum ScheduledTo {
    /// A channel.
    Channel(i64),
    /// Users.
    Users(Vec<i64>),
}

impl ScheduledMessageRecord {
    pub fn new(scheduled: &ScheduledMessage) -> Self {
        let (kind, to, topic) = match &scheduled.to {
            ScheduledTarget::Channel { channel, topic } => {
                ("stream", ScheduledTo::Channel(channel.0), Some(topic.clone()))
            }
            ScheduledTarget::Direct { users } => {
                ("private", ScheduledTo::Users(users.iter().map(|user| user.0).collect()), None)
            }
        };
        Self {
            scheduled_message_id: scheduled.id.0,
            kind,
            to,
            topic,
            content: scheduled.content.clone(),
            rendered_content: scheduled.rendered.clone(),
            scheduled_delivery_timestamp: scheduled.deliver_at.seconds(),
            failed: scheduled.has_failed,
        }
    }
}

/// A reminder: the specification's fields and the public record's, since clients look for both (A-6 in
/// docs/assumptions.md).
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(rename = "Reminder")]
pub struct ReminderRecord {
    /// Its ID.
    pub reminder_id: i64,
    /// The message; absent for a reminder that has only a note.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub message_id: Option<i64>,
    /// Always `private`.
    #[serde(rename = "type")]
    pub kind: &'static str,
    /// The user.
    pub to: Vec<i64>,
    /// The text that will be sent, Markdown.
    pub content: String,
    /// The text that will be sent, HTML.
    pub rendered_content: String,
    /// UNIX seconds.
    pub scheduled_delivery_timestamp: i64,
    /// Whether it could not be sent.
    pub failed: bool,
    /// The same as `message_id`, under the name in the public record; absent for a reminder that has only a note.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reminder_target_message_id: Option<i64>,
    /// The user's note; "" if there is none.
    pub note: String,
}

impl ReminderRecord {
    pub fn new(reminder: &Reminder) -> Self {
        Self {
            reminder_id: reminder.id.0,
            message_id: reminder.message.map(|id| id.0),
            kind: "private",
            to: vec![reminder.user.0],
            content: reminder.content.clone(),
            rendered_content: reminder.rendered.clone(),
            scheduled_delivery_timestamp: reminder.deliver_at.seconds(),
            failed: reminder.has_failed,
            reminder_target_message_id: reminder.message.map(|id| id.0),
            note: reminder.note.clone(),
        }
    }
}
