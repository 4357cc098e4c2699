//! Events: their payloads, their audience, and the log that stores them.
//!
//! The realm has one log. The audience of an entry is fixed when the event is emitted. Events that are the same for
//! every reader are serialized once; the others are stored as data and serialized for each queue that reads them. The
//! JSON of a message is kept for each kind of reader.

mod audience;
pub mod data;
mod delivery_condition;
mod event_log;
mod list;
mod part;
mod pattern;
mod updated_message;
mod weight;

pub use audience::Audience;
pub use data::EventData;
pub(crate) use data::event_data;
pub use delivery_condition::DeliveryCondition;
pub use event_log::{Entry, EventLog, MAX_LOG_BYTES, MAX_LOG_ENTRIES};
pub use list::WholeList;
pub use part::{Part, Parts};
pub use pattern::EventPattern;
pub use updated_message::{MessageMove, UpdatedMessage};

pub use crate::realm::model::sent_message::SentMessage;
pub use crate::wire::EventKind;

use crate::realm::model::attachment::Attachment;
use crate::realm::model::channel::{Channel, Subscription};
use crate::realm::model::export::Export;
use crate::realm::model::id::{ChannelId, MessageId, UserId};
use crate::realm::model::message::MessagePlace;
use crate::realm::model::personal::Presence;
use crate::realm::model::scheduled::ScheduledMessage;
use crate::realm::model::user::User;
use crate::time::Timestamp;
use imbl::OrdSet;
use serde_json::{Map, Value};
use std::sync::Arc;

/// A change, as the log stores it.
#[derive(Clone, Debug, PartialEq)]
pub struct Event {
    /// The event's `type` and `op`.
    pub kind: EventKind,
    pub payload: Payload,
    /// The condition that a queue of the audience must fulfil to receive the event.
    pub condition: DeliveryCondition,
}

/// What an event carries besides `type` and `op`.
#[derive(Clone, Debug, PartialEq)]
pub enum Payload {
    /// Fields that are the same for every reader, except for the name of the empty topic.
    Fields {
        /// Serialized from an [`EventData`].
        fields: Arc<Map<String, Value>>,
        /// The names of fields that hold topic names: these depend on whether the client understands the empty topic.
        topic_fields: &'static [&'static str],
    },
    /// A message was sent.
    Message(Arc<SentMessage>),
    /// A message's text, topic or channel changed.
    UpdateMessage(Box<UpdatedMessage>),
    /// Messages were deleted, or moved to a channel that the reader can't access.
    DeleteMessages {
        /// Oldest first; deletions below level 393 have the newest first. Each has its sender, which older levels send.
        messages: Vec<(MessageId, UserId)>,
        /// The topic or conversation in which they were.
        place: MessagePlace,
    },
    /// The new state of a whole list.
    List(WholeList),
    /// A user was added or became visible.
    UserAdd(Arc<User>),
    /// Channels became visible.
    ChannelsCreated(Vec<Arc<Channel>>),
    /// The reader was subscribed to channels.
    Subscribed(Vec<(Arc<Channel>, Arc<Subscription>)>),
    /// Users were unsubscribed from channels. A reader who is one of them receives only the others.
    PeersUnsubscribed {
        /// Sorted.
        channels: Vec<ChannelId>,
        users: OrdSet<UserId>,
    },
    /// A user's presence changed.
    Presence {
        user: Arc<User>,
        presence: Presence,
        /// The time of the event, from which idle times are computed.
        now: Timestamp,
    },
    /// A scheduled message changed.
    ScheduledMessage(Arc<ScheduledMessage>),
    /// All exports, in their new state.
    Exports(Vec<Arc<Export>>),
    /// A file was uploaded or its use changed.
    Attachment {
        attachment: Arc<Attachment>,
        /// Total size of the organization's uploads, in bytes.
        upload_space_used: i64,
    },
}

impl Event {
    /// An event for all queues of its audience.
    pub fn new(kind: EventKind, payload: Payload) -> Self {
        Self { kind, payload, condition: DeliveryCondition::Always }
    }

    /// Restricts the event to queues that fulfil a condition.
    #[must_use]
    pub fn only_for(mut self, condition: DeliveryCondition) -> Self {
        self.condition = condition;
        self
    }
}
