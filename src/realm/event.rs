//! Events: one log for the realm, each entry with its audience frozen when it was made.
//!
//! What looks the same to everybody is shaped once; what depends on who looks is kept as data and
//! shaped when a queue is read.

pub mod data;
mod delivery;
mod kind;
mod list;
mod part;
mod weight;

pub use data::EventData;
pub(crate) use data::event_data;
pub use delivery::{DeliveryCondition, NEWER_SETTINGS_ALONE_SINCE};
pub use kind::EventKind;
pub use list::List;
pub use part::{Part, Parts};

use super::Realm;
use super::channel::{Channel, Subscription};
use super::id::{ChannelId, MessageId, UserId};
use super::kept::RenderedVariants;
use super::markdown::TopicLink;
use super::message::{Attachment, Body, Message, Place};
use super::personal::Presence;
use super::queue::QueueId;
use super::user::User;
use crate::time::Timestamp;
use imbl::{OrdSet, Vector};
use serde_json::{Map, Value};
use smallvec::{SmallVec, smallvec};
use std::sync::Arc;

/// Entries that the log keeps at most for queues that don't acknowledge; see `docs/limits.md`.
pub const MAX_LOG_ENTRIES: usize = 100_000;
/// Bytes that the entries take at most, by estimate; see `docs/limits.md`.
pub const MAX_LOG_BYTES: usize = 64 * 1024 * 1024;

/// The realm's event log.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct EventLog {
    /// Position of the first entry that is kept.
    pub first: u64,
    /// The entries from there on.
    pub entries: Vector<Arc<Entry>>,
    /// What the entries weigh together.
    bytes: usize,
}

impl EventLog {
    /// The position that the next entry will have.
    pub fn end(&self) -> u64 {
        self.first + self.entries.len() as u64
    }

    /// The entries from a position on, each with its position.
    pub fn from(&self, position: u64) -> impl Iterator<Item = (u64, &Arc<Entry>)> {
        let skipped = position.saturating_sub(self.first);
        let start = usize::try_from(skipped).unwrap_or(usize::MAX).min(self.entries.len());
        let first = self.first + start as u64;
        self.entries
            .focus()
            .narrow(start..)
            .into_iter()
            .enumerate()
            .map(move |(index, entry)| (first + index as u64, entry))
    }

    /// A log without entries that goes on at a position.
    pub fn starting_at(first: u64) -> Self {
        Self { first, ..Self::default() }
    }

    /// Adds an entry.
    pub fn push(&mut self, entry: Entry) {
        self.bytes += entry.event.weight();
        self.entries.push_back(Arc::new(entry));
    }

    /// Whether there are more entries, or larger ones, than are kept.
    pub fn is_too_large(&self) -> bool {
        self.entries.len() > MAX_LOG_ENTRIES || self.bytes > MAX_LOG_BYTES
    }

    /// The position from which on as much is left as is kept.
    pub fn kept_from(&self) -> u64 {
        let mut bytes = self.bytes;
        let surplus = self.entries.len().saturating_sub(MAX_LOG_ENTRIES);
        let is_surplus = |(index, entry): &(usize, &Arc<Entry>)| {
            let goes = *index < surplus || bytes > MAX_LOG_BYTES;
            bytes = bytes.saturating_sub(entry.event.weight());
            goes
        };
        self.first + self.entries.iter().enumerate().take_while(is_surplus).count() as u64
    }

    /// Forgets the entries below a position.
    pub fn trim(&mut self, position: u64) {
        let count = usize::try_from(position.saturating_sub(self.first)).unwrap_or(usize::MAX).min(self.entries.len());
        if count > 0 {
            let forgotten = self.entries.iter().take(count).map(|entry| entry.event.weight()).sum();
            self.bytes = self.bytes.saturating_sub(forgotten);
            self.entries = self.entries.skip(count);
            self.first += count as u64;
        }
    }
}

/// An event and whom it is for.
#[derive(Clone, Debug, PartialEq)]
pub struct Entry {
    /// When it happened.
    pub at: Timestamp,
    /// Whom it is for.
    pub audience: Audience,
    /// Only for this queue: heartbeats.
    pub queue: Option<QueueId>,
    /// What happened.
    pub event: Event,
}

/// Whom an event is for: a union of shared sets as they were, less some.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Audience {
    sets: SmallVec<[OrdSet<UserId>; 1]>,
    except: OrdSet<UserId>,
}

impl Audience {
    /// One user.
    pub fn user(user: UserId) -> Self {
        Self::of(OrdSet::unit(user))
    }

    /// A set of users.
    pub fn of(users: OrdSet<UserId>) -> Self {
        Self { sets: smallvec![users], except: OrdSet::new() }
    }

    /// These users too.
    #[must_use]
    pub fn and(mut self, users: OrdSet<UserId>) -> Self {
        self.sets.push(users);
        self
    }

    /// Not this user.
    #[must_use]
    pub fn except(mut self, user: UserId) -> Self {
        self.except.insert(user);
        self
    }

    /// Not these users.
    #[must_use]
    pub fn except_all(mut self, users: &OrdSet<UserId>) -> Self {
        self.except = self.except.union(users.clone());
        self
    }

    /// These users too, even where they are left out so far.
    #[must_use]
    pub fn including(mut self, users: OrdSet<UserId>) -> Self {
        self.except = self.except.relative_complement(users.clone());
        self.and(users)
    }

    /// Whether the event is for this user.
    pub fn contains(&self, user: UserId) -> bool {
        self.sets.iter().any(|set| set.contains(&user)) && !self.except.contains(&user)
    }
}

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

/// Which events a queue never gets, because its world's level does not have them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EventPattern {
    /// Of this type.
    pub kind: &'static str,
    /// Of this op; None: any.
    pub op: Option<&'static str>,
    /// With a name under a key, as its value or as a key of the object there.
    pub carries: Option<(&'static str, &'static str)>,
}

impl EventPattern {
    /// Whether an event is one of these.
    pub fn fits(&self, event: &Event) -> bool {
        if event.kind.type_name() != self.kind || self.op.is_some_and(|op| event.kind.op() != Some(op)) {
            return false;
        }
        let Some((key, name)) = self.carries else { return true };
        match &event.payload {
            Payload::Shaped { fields, .. } => match fields.get(key) {
                Some(Value::String(text)) => text == name,
                Some(Value::Object(object)) => object.contains_key(name),
                _ => false,
            },
            _ => false,
        }
    }
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
        /// Sorted, each with its sender, whom older levels tell.
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
        channels: Vec<super::id::ChannelId>,
        /// Who.
        users: OrdSet<UserId>,
    },
    /// Somebody was seen.
    Presence {
        /// Who.
        user: Arc<User>,
        /// When.
        presence: Presence,
        /// As of when.
        now: Timestamp,
    },
    /// A scheduled message changed.
    Scheduled(Arc<super::organization::ScheduledMessage>),
    /// All exports as they are.
    Exports(Vec<Arc<super::export::Export>>),
    /// A file was uploaded or its use changed.
    Attachment {
        /// The file.
        attachment: Arc<Attachment>,
        /// All of the organization's uploads, bytes.
        upload_space_used: i64,
    },
}

/// A message as it was sent, with what its readers need to know of others.
#[derive(Clone, Debug, PartialEq)]
pub struct SentMessage {
    /// The message.
    pub message: Arc<Message>,
    /// Its sender.
    pub sender: Arc<User>,
    /// The sender's dummy address, where others see that one.
    pub dummy_email: Option<String>,
    /// Its channel.
    pub channel: Option<Arc<Channel>>,
    /// The queue that sent it and the client's own name for it.
    pub local: Option<(String, String)>,
    /// Guests, who hear of no channel but those that they are in.
    pub guests: OrdSet<UserId>,
    /// Those for whom it is read from the beginning.
    pub read_by: OrdSet<UserId>,
    /// Its text for each kind of reader, as it was when one of them first saw it.
    pub shown: RenderedVariants,
}

/// A change of one or more messages.
#[derive(Clone, Debug, PartialEq)]
pub struct UpdatedMessage {
    /// Who changed it; none for the server.
    pub user: Option<UserId>,
    /// When.
    pub at: Timestamp,
    /// The message that the request named.
    pub message: MessageId,
    /// All that changed, sorted.
    pub messages: Vec<MessageId>,
    /// The channel before the change, and its name.
    pub channel: Option<(ChannelId, String)>,
    /// The text before and after, if it changed.
    pub content: Option<(Arc<Body>, Arc<Body>)>,
    /// Where the messages went, if they were moved.
    pub moved: Option<Move>,
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

impl SentMessage {
    /// A message with what its readers need to know of others now.
    pub fn of(realm: &Realm, message: &Arc<Message>, sender: &Arc<User>) -> Self {
        Self {
            message: message.clone(),
            sender: sender.clone(),
            dummy_email: realm.shown_dummy_email(sender),
            channel: message.channel().map(|(channel, _)| realm.channels[&channel].clone()),
            local: None,
            guests: realm.guests().clone(),
            read_by: OrdSet::new(),
            shown: RenderedVariants::default(),
        }
    }

    /// The sender's address as others see it.
    pub fn sender_email(&self) -> &str {
        self.dummy_email.as_deref().unwrap_or(&self.sender.email)
    }
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
