//! The API's records of scheduled messages and reminders.

use crate::realm::scheduled::{Reminder, ScheduledMessage, ScheduledTarget};
use schemars::JsonSchema;
use serde::Serialize;

/// A message to be sent later.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(rename = "ScheduledMessage")]
pub struct ScheduledMessageRecord {
    /// ID of the scheduled message; the message that is sent has another.
    pub scheduled_message_id: i64,
    /// `stream` for a channel message, `private` for a direct message.
    #[serde(rename = "type")]
    #[schemars(extend("enum" = ["private", "stream"]))]
    pub kind: &'static str,
    /// ID of the channel, or the IDs of the users.
    pub to: ScheduledTo,
    /// The topic; absent for a direct message.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub topic: Option<String>,
    /// The text in Markdown.
    pub content: String,
    /// The text in HTML.
    pub rendered_content: String,
    /// When it is to be sent, UNIX seconds.
    pub scheduled_delivery_timestamp: i64,
    /// Whether sending it failed.
    pub failed: bool,
}

/// The recipients of a scheduled message.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(untagged)]
pub enum ScheduledTo {
    /// ID of a channel.
    Channel(i64),
    /// IDs of the users, without the sender unless they are the only recipient.
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
    /// ID of the reminder, never that of a scheduled message.
    pub reminder_id: i64,
    /// ID of the message; absent for a reminder that has only a note.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub message_id: Option<i64>,
    /// Always `private`: reminders are direct messages.
    #[serde(rename = "type")]
    #[schemars(extend("enum" = ["private"]))]
    pub kind: &'static str,
    /// A single element: the ID of the user who is reminded.
    pub to: Vec<i64>,
    /// The text that will be sent, Markdown.
    pub content: String,
    /// The text that will be sent, HTML.
    pub rendered_content: String,
    /// When it is to be sent, UNIX seconds.
    pub scheduled_delivery_timestamp: i64,
    /// Whether sending it failed.
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
