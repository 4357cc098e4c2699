//! Event queues: what a client asked for, and how far it has read the realm's event log.

use super::event::EventPattern;
use crate::error::Error;
use crate::feature::Feature;
use crate::realm::Realm;
use crate::realm::model::id::UserId;
use crate::realm::model::message::Place;
use crate::realm::model::sent_message::SentMessage;
use crate::realm::model::topic::{RESOLVED_PREFIX, names_empty_topic};
use crate::time::{Span, Timestamp};
use imbl::OrdSet;
use std::collections::BTreeSet;
use std::sync::Arc;

pub use crate::realm::model::id::QueueId;

/// Seconds after which a queue that nobody polls is collected, unless the client asked otherwise.
pub const DEFAULT_IDLE_TIMEOUT_SECONDS: i64 = 600;
/// The longest that a client can ask for.
pub const MAX_IDLE_TIMEOUT_SECONDS: i64 = 604_800;
/// What `"mobile"` means.
pub const MOBILE_IDLE_TIMEOUT_SECONDS: i64 = 43_200;
/// A parked poll gets a heartbeat each minute (specification, "Events").
pub const HEARTBEAT: Span = Span::minutes(1);

/// A client's event queue.
#[derive(Clone, Debug, PartialEq)]
pub struct Queue {
    pub id: QueueId,
    pub owner: UserId,
    /// What was asked for.
    pub options: Arc<QueueOptions>,
    /// The newest event that the client has acknowledged; -1 before the first.
    pub acknowledged: i64,
    /// Where the first event that was not acknowledged is.
    pub cursor: Cursor,
    /// How long it lives without a poll.
    pub idle_timeout: Span,
    /// When its last poll ended.
    pub idle_since: Timestamp,
    /// The poll that hangs on it.
    pub parked_since: Option<Timestamp>,
    /// The hanging poll has had its heartbeat and is about to be answered.
    pub has_heartbeat: bool,
    /// Grows with each poll: a hanging one that sees it grow has been replaced.
    pub poll: u64,
}

/// A place in the event log: an entry, and which of the events that it makes for the queue.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Cursor {
    /// Position in the log.
    pub entry: u64,
    /// Events of that entry that were acknowledged.
    pub part: usize,
}

/// The reader that an event is shaped for.
#[derive(Clone, Copy, Debug)]
pub struct Reader<'a> {
    /// Who reads it.
    pub user: UserId,
    /// How.
    pub options: &'a QueueOptions,
    /// From which queue, if from one.
    pub queue: Option<&'a QueueId>,
}

/// What a client asked for when it registered.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct QueueOptions {
    /// What the client calls itself.
    pub client: String,
    /// Only these types of events; None: all.
    pub event_types: Option<BTreeSet<String>>,
    /// Content as HTML.
    pub apply_markdown: bool,
    /// Leave out the addresses of pictures that the client can compute.
    pub client_gravatar: bool,
    /// Messages of all public channels.
    pub all_public_streams: bool,
    /// Only messages that fit.
    pub narrow: Vec<QueueTerm>,
    /// Presence by user id in the modern form.
    pub slim_presence: bool,
    /// What the client understands.
    pub capabilities: Capabilities,
    /// What the world's feature level means for the queue.
    pub level: QueueLevel,
}

/// What a queue's messages are to have in common. Names are in lower case.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum QueueTerm {
    /// They lie in the channel of this name.
    Channel(String),
    /// They have this topic; "" for the general one.
    Topic(String),
    /// This address sent them, whatever its case.
    Sender(String),
    /// They are direct ones.
    Direct,
    /// They are unread.
    Unread,
    /// They mention the user.
    Mentioned,
    /// They have one of the user's alert words.
    Alerted,
    /// Their topic is resolved.
    Resolved,
    /// They are starred, which a message that has just been sent never is.
    Starred,
}

impl QueueTerm {
    /// The term of an operator and its operand.
    ///
    /// # Errors
    ///
    /// `OperatorNotSupported`, `OperandNotSupported`.
    pub fn new(operator: &str, operand: &str) -> Result<Self, Error> {
        let text = operand.to_lowercase();
        match (operator, operand) {
            ("channel" | "stream", _) => Ok(QueueTerm::Channel(text)),
            ("topic", _) => Ok(QueueTerm::Topic(if names_empty_topic(operand) { String::new() } else { text })),
            ("sender", _) => Ok(QueueTerm::Sender(operand.to_owned())),
            ("is", "dm" | "private") => Ok(QueueTerm::Direct),
            ("is", "unread") => Ok(QueueTerm::Unread),
            ("is", "mentioned") => Ok(QueueTerm::Mentioned),
            ("is", "alerted") => Ok(QueueTerm::Alerted),
            ("is", "resolved") => Ok(QueueTerm::Resolved),
            ("is", "starred") => Ok(QueueTerm::Starred),
            ("is", _) => Err(Error::OperandNotSupported { operand: operand.into() }),
            _ => Err(Error::OperatorNotSupported { operator: operator.into() }),
        }
    }

    /// Whether a message that was sent fits, as this user sees it.
    pub fn admits(&self, sent: &SentMessage, viewer: UserId) -> bool {
        let message = &sent.message;
        let topic = message.channel().map(|(_, topic)| topic);
        match self {
            QueueTerm::Channel(name) => {
                sent.channel.as_ref().is_some_and(|channel| channel.name.to_lowercase() == *name)
            }
            QueueTerm::Topic(name) => topic.is_some_and(|topic| topic.to_lowercase() == *name),
            QueueTerm::Sender(email) => sent.sender_email().eq_ignore_ascii_case(email),
            QueueTerm::Direct => matches!(message.place, Place::Direct { .. }),
            QueueTerm::Unread => !sent.read_by.contains(&viewer),
            QueueTerm::Mentioned => message.mentions(viewer),
            QueueTerm::Alerted => message.body.alerted.contains(&viewer),
            QueueTerm::Resolved => topic.is_some_and(|topic| topic.starts_with(RESOLVED_PREFIX)),
            QueueTerm::Starred => false,
        }
    }
}

/// What a feature level means for queues; nothing at the newest. All queues of a world are of its level.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct QueueLevel {
    /// The level, where it is older than the newest.
    pub older: Option<i64>,
    /// Events that the level does not have.
    pub withheld: &'static [EventPattern],
    /// The level is above the newest: an event that no client knows comes with each other one.
    pub sends_unknown_events: bool,
}

/// `client_capabilities` (specification, POST /register, and the further ones of the reference).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "each is a switch of its own on the wire")]
pub struct Capabilities {
    /// Null in a subscription's notification settings is understood.
    pub notification_settings_null: bool,
    /// One event for several deleted messages.
    pub bulk_message_deletion: bool,
    /// Pictures' addresses may be missing.
    pub user_avatar_url_field_optional: bool,
    /// Typing in channels.
    pub stream_typing_notifications: bool,
    /// No effect at the newest level.
    pub user_settings_object: bool,
    pub linkifier_url_template: bool,
    /// Users that can't be accessed may be missing.
    pub user_list_incomplete: bool,
    /// Deactivated groups are understood.
    pub include_deactivated_groups: bool,
    /// Archived channels are understood.
    pub archived_channels: bool,
    /// The empty topic is understood.
    pub empty_topic_name: bool,
    /// Presence events in the modern form.
    pub simplified_presence_events: bool,
    /// Changes of custom emoji one by one.
    pub individual_emoji_changes: bool,
}

impl Realm {
    /// Those who have an event queue.
    pub fn listeners(&self) -> OrdSet<UserId> {
        self.queues.values().map(|queue| queue.owner).collect()
    }

    /// Those of some users who have an event queue.
    pub fn listeners_among(&self, users: &OrdSet<UserId>) -> OrdSet<UserId> {
        self.queues.values().map(|queue| queue.owner).filter(|owner| users.contains(owner)).collect()
    }
}

impl QueueLevel {
    /// Whether the world's level has a rule.
    pub fn has(self, feature: Feature) -> bool {
        self.older.is_none_or(|own| feature.is_at(own))
    }

    /// Whether the world is older than a level.
    pub fn is_before(self, level: i64) -> bool {
        self.older.is_some_and(|own| own < level)
    }
}

impl Queue {
    /// The reader that its events are shaped for.
    pub fn reader(&self) -> Reader<'_> {
        Reader { user: self.owner, options: &self.options, queue: Some(&self.id) }
    }

    /// When it is collected if no poll comes; None while one hangs on it.
    pub fn expires_at(&self) -> Option<Timestamp> {
        match self.parked_since {
            Some(_) => None,
            None => Some(self.idle_since.plus(self.idle_timeout)),
        }
    }

    /// When the hanging poll is due its heartbeat. It gets one, which answers it, however far a jump of the clock goes.
    pub fn next_heartbeat(&self) -> Option<Timestamp> {
        self.parked_since.filter(|_| !self.has_heartbeat).map(|since| since.plus(HEARTBEAT))
    }
}

impl QueueOptions {
    /// Whether events that no client knows are in the queue: those who name types get these alone.
    pub fn gets_unknown_events(&self) -> bool {
        self.level.sends_unknown_events && self.event_types.is_none()
    }
}

impl Capabilities {
    /// The switches by their names on the wire.
    pub fn by_name(&mut self) -> [(&'static str, &mut bool); 12] {
        [
            ("notification_settings_null", &mut self.notification_settings_null),
            ("bulk_message_deletion", &mut self.bulk_message_deletion),
            ("user_avatar_url_field_optional", &mut self.user_avatar_url_field_optional),
            ("stream_typing_notifications", &mut self.stream_typing_notifications),
            ("user_settings_object", &mut self.user_settings_object),
            ("linkifier_url_template", &mut self.linkifier_url_template),
            ("user_list_incomplete", &mut self.user_list_incomplete),
            ("include_deactivated_groups", &mut self.include_deactivated_groups),
            ("archived_channels", &mut self.archived_channels),
            ("empty_topic_name", &mut self.empty_topic_name),
            ("simplified_presence_events", &mut self.simplified_presence_events),
            ("individual_emoji_changes", &mut self.individual_emoji_changes),
        ]
    }
}
