//! The payload of `update_message` events.

use crate::realm::model::id::{ChannelId, MessageId, UserId};
use crate::realm::model::message::Body;
use crate::time::Timestamp;
use chat_markdown::TopicLink;
use std::sync::Arc;

/// A change of the text, topic or channel of one or more messages.
#[derive(Clone, Debug, PartialEq)]
pub struct UpdatedMessage {
    /// The user who made the change; None for the server.
    pub user: Option<UserId>,
    pub at: Timestamp,
    /// The message that the request names, or the one whose link previews became ready.
    pub message: MessageId,
    /// All messages that changed, sorted.
    pub messages: Vec<MessageId>,
    /// The channel before the change, and its name; None for direct messages and if only the HTML changed.
    pub old_channel: Option<(ChannelId, String)>,
    /// The text, with its HTML, before and after; None if neither changed.
    pub content: Option<(Arc<Body>, Arc<Body>)>,
    /// None if the messages were not moved.
    pub message_move: Option<MessageMove>,
    /// Whether only the HTML changed, because link previews became ready.
    pub is_rendering_only: bool,
}

impl UpdatedMessage {
    /// A change of the HTML alone, because link previews became ready.
    pub fn new_rendering(message: MessageId, at: Timestamp, before: Arc<Body>, after: Arc<Body>) -> Self {
        Self {
            user: None,
            at,
            message,
            messages: vec![message],
            old_channel: None,
            content: Some((before, after)),
            message_move: None,
            is_rendering_only: true,
        }
    }
}

/// A move of messages within or between channels.
#[derive(Clone, Debug, PartialEq)]
pub struct MessageMove {
    /// `propagate_mode`: which messages of the topic were moved.
    pub propagate_mode: &'static str,
    /// The topic before the move.
    pub old_topic: Arc<str>,
    /// The topic after the move and its links; None if it is the same.
    pub new_topic: Option<(Arc<str>, Vec<TopicLink>)>,
    /// The channel that the request names as the destination; None if it names none.
    pub new_channel: Option<ChannelId>,
}
