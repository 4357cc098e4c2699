//! Events: one log for the realm, each entry with its audience frozen when it was made.
//!
//! What looks the same to everybody is shaped once; what depends on who looks is kept as data and
//! shaped when a queue is read.

mod audience;
pub mod data;
mod delivery;
mod entry;
mod list;
mod part;
mod pattern;
mod updated_message;
mod weight;

pub use audience::Audience;
pub use data::EventData;
pub(crate) use data::event_data;
pub use delivery::DeliveryCondition;
pub use entry::{Entry, EventLog, MAX_LOG_BYTES, MAX_LOG_ENTRIES};
pub use list::List;
pub use part::{Part, Parts};
pub use pattern::EventPattern;
pub use updated_message::{Move, UpdatedMessage};

pub use crate::realm::model::sent_message::SentMessage;
pub use crate::wire::EventKind;

use crate::realm::model::channel::{Channel, Subscription};
use crate::realm::model::export::Export;
use crate::realm::model::id::{ChannelId, MessageId, UserId};
use crate::realm::model::message::{Attachment, Place};
use crate::realm::model::organization::ScheduledMessage;
use crate::realm::model::personal::Presence;
use crate::realm::model::user::User;
use crate::time::Timestamp;
use imbl::OrdSet;
use serde_json::{Map, Value};
use std::sync::Arc;

/// Something that happened.
#[derive(Clone, Debug, PartialEq)]
pub struct Event {
    /// Its type and `op`.
    pub kind: EventKind,
    /// The rest.
    pub payload: Payload,
    /// Which queues get it.
    pub needs: DeliveryCondition,
}

/// What an event carries besides `type` and `op`.
#[derive(Clone, Debug, PartialEq)]
pub enum Payload {
    /// The same to everybody, but for the empty topic.
    Shaped {
        /// All fields; see [`EventData`].
        fields: Arc<Map<String, Value>>,
        /// Those with names of topics, which depend on whether the queue knows the empty one.
        topics: &'static [&'static str],
    },
    /// A message was sent.
    Message(Arc<SentMessage>),
    /// A message's text, topic or channel changed.
    UpdateMessage(Box<UpdatedMessage>),
    /// Messages are gone.
    DeleteMessages {
        /// Sorted, each with its sender, which older levels send.
        messages: Vec<(MessageId, UserId)>,
        /// Where they lay.
        place: Place,
    },
    /// A whole list as it was.
    List(List),
    /// A user was added or became visible.
    UserAdd(Arc<User>),
    /// Channels came into sight.
    ChannelsCreated(Vec<Arc<Channel>>),
    /// The user was subscribed to channels.
    Subscribed(Vec<(Arc<Channel>, Arc<Subscription>)>),
    /// Users left channels; each of them hears of the others.
    PeersLeft {
        /// Sorted.
        channels: Vec<ChannelId>,
        /// Who.
        users: OrdSet<UserId>,
    },
    /// A user's presence changed.
    Presence {
        /// Who.
        user: Arc<User>,
        /// When.
        presence: Presence,
        /// As of when.
        now: Timestamp,
    },
    /// A scheduled message changed.
    Scheduled(Arc<ScheduledMessage>),
    /// All exports as they are.
    Exports(Vec<Arc<Export>>),
    /// A file was uploaded or its use changed.
    Attachment {
        /// The file.
        attachment: Arc<Attachment>,
        /// Total size of the organization's uploads, in bytes.
        upload_space_used: i64,
    },
}

impl Event {
    /// An event with a payload.
    pub fn new(kind: EventKind, payload: Payload) -> Self {
        Self { kind, payload, needs: DeliveryCondition::Nothing }
    }

    /// Only for queues that fulfil a condition.
    #[must_use]
    pub fn only_for(mut self, needs: DeliveryCondition) -> Self {
        self.needs = needs;
        self
    }
}
