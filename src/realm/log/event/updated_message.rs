//! Messages as they were changed.

use crate::realm::model::id::{ChannelId, MessageId, UserId};
use crate::realm::model::message::Body;
use crate::time::Timestamp;
use chat_markdown::TopicLink;
use std::sync::Arc;

/// A change of one or more messages.
#[derive(Clone, Debug, PartialEq)]
pub struct UpdatedMessage {
    /// Who changed it; none for the server.
    pub user: Option<UserId>,
    pub at: Timestamp,
    /// The message named by the request.
    pub message: MessageId,
    /// All that changed, sorted.
    pub messages: Vec<MessageId>,
    /// The channel before the change, and its name.
    pub channel: Option<(ChannelId, String)>,
    /// The text before and after, if it changed.
    pub content: Option<(Arc<Body>, Arc<Body>)>,
    /// Where the messages went, if they were moved.
    pub moved: Option<Move>,
    /// Whether only the HTML is another, for the same text.
    pub is_rendering: bool,
}

/// A move of messages within or between channels.
#[derive(Clone, Debug, PartialEq)]
pub struct Move {
    /// `propagate_mode`: which messages of the topic went along.
    pub mode: &'static str,
    /// The former topic.
    pub from: Arc<str>,
    /// The topic and its links, if it is another one.
    pub topic: Option<(Arc<str>, Vec<TopicLink>)>,
    /// The channel that the request named.
    pub channel: Option<ChannelId>,
}
