//! Event queues: the options that a client registered with, and its position in the event log.

use super::event::EventPattern;
use crate::error::Error;
use crate::feature::Feature;
use crate::realm::Realm;
use crate::realm::model::id::UserId;
use crate::realm::model::message::MessagePlace;
use crate::realm::model::sent_message::SentMessage;
use crate::realm::model::topic::{RESOLVED_PREFIX, is_empty_topic_name};
use crate::time::{Span, Timestamp};
use imbl::OrdSet;
use std::collections::BTreeSet;
use std::sync::Arc;

pub use crate::realm::model::id::QueueId;

/// Without a poll for this time, a queue expires, unless the client requests another timeout.
pub const DEFAULT_IDLE_TIMEOUT_SECONDS: i64 = 600;
pub const MAX_IDLE_TIMEOUT_SECONDS: i64 = 604_800;
/// The timeout that `"mobile"` means.
pub const MOBILE_IDLE_TIMEOUT_SECONDS: i64 = 43_200;
/// How long a poll is parked before a heartbeat answers it (specification, "Events").
pub const HEARTBEAT_INTERVAL: Span = Span::from_minutes(1);

#[derive(Clone, Debug, PartialEq)]
pub struct Queue {
    pub id: QueueId,
    pub owner: UserId,
    pub options: Arc<QueueOptions>,
    /// The ID of the newest event that the client has acknowledged; -1 before the first.
    pub acknowledged_event: i64,
    /// The position of the first event that is not acknowledged.
    pub cursor: Cursor,
    /// The time without a poll after which the queue expires.
    pub idle_timeout: Span,
    /// When the last poll began or, if it was parked, ended; before the first poll, when the queue was created.
    pub idle_since: Timestamp,
    /// When the poll that waits on the queue was parked; None if no poll waits.
    pub parked_since: Option<Timestamp>,
    /// Whether the log has a heartbeat for the parked poll, which is about to be answered.
    pub has_heartbeat: bool,
    /// The number of polls so far. A parked poll whose copy of the queue has a lower number has been replaced.
    pub poll_count: u64,
}

/// A position in the event log: an entry, and one of the events that it becomes for the queue.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Cursor {
    pub entry: u64,
    /// The number of the entry's events that were acknowledged.
    pub acknowledged_parts: usize,
}

/// The user and the options that an event is serialized for.
#[derive(Clone, Copy, Debug)]
pub struct Reader<'a> {
    pub user: UserId,
    pub options: &'a QueueOptions,
    /// None if the event is not read from a queue.
    pub queue: Option<&'a QueueId>,
}

/// What decides which events a queue receives, and in which format: parameters of `POST /register`, the client's name
/// and the world's level.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct QueueOptions {
    /// The client's name, from the parameter `client` or its `User-Agent`.
    pub client: String,
    /// None for events of all types.
    pub event_types: Option<BTreeSet<String>>,
    /// Whether message content is sent as HTML instead of Markdown.
    pub apply_markdown: bool,
    /// Whether avatar URLs that the client can compute are left out.
    pub client_gravatar: bool,
    /// Whether messages of public channels that the user is not subscribed to are included.
    pub all_public_streams: bool,
    /// All terms must match a message for it to be delivered.
    pub narrow: Vec<QueueTerm>,
    /// Whether presence is sent by user ID instead of by email address.
    pub slim_presence: bool,
    pub capabilities: Capabilities,
    pub level: QueueLevel,
}

/// A condition on the messages of a queue. Channels and topics are in lower case.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum QueueTerm {
    Channel(String),
    /// "" for the empty topic.
    Topic(String),
    /// The sender's address; matched without regard to the case of ASCII letters.
    Sender(String),
    Direct,
    Unread,
    Mentioned,
    /// The message contains one of the user's alert words.
    Alerted,
    Resolved,
    /// Matches nothing: a message that was just sent is not starred.
    Starred,
}

impl QueueTerm {
    /// The condition for a term of the parameter `narrow`.
    ///
    /// # Errors
    ///
    /// `OperatorNotSupported`; `OperandNotSupported` for an unknown operand of `is`.
    pub fn new(operator: &str, operand: &str) -> Result<Self, Error> {
        let text = operand.to_lowercase();
        match (operator, operand) {
            ("channel" | "stream", _) => Ok(QueueTerm::Channel(text)),
            ("topic", _) => Ok(QueueTerm::Topic(if is_empty_topic_name(operand) { String::new() } else { text })),
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

    /// Whether a message matches when `reader` receives it.
    pub fn matches(&self, sent: &SentMessage, reader: UserId) -> bool {
        let message = &sent.message;
        let topic = message.channel_and_topic().map(|(_, topic)| topic);
        match self {
            QueueTerm::Channel(name) => {
                sent.channel.as_ref().is_some_and(|channel| channel.name.to_lowercase() == *name)
            }
            QueueTerm::Topic(name) => topic.is_some_and(|topic| topic.to_lowercase() == *name),
            QueueTerm::Sender(email) => sent.sender_email().eq_ignore_ascii_case(email),
            QueueTerm::Direct => matches!(message.place, MessagePlace::Direct { .. }),
            QueueTerm::Unread => !sent.read_by.contains(&reader),
            QueueTerm::Mentioned => message.mentions(reader),
            QueueTerm::Alerted => message.body.alerted_users.contains(&reader),
            QueueTerm::Resolved => topic.is_some_and(|topic| topic.starts_with(RESOLVED_PREFIX)),
            QueueTerm::Starred => false,
        }
    }
}

/// How the feature level of a world affects its queues. The default is the newest level.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct QueueLevel {
    /// The feature level; None for the newest level and later ones.
    pub older_level: Option<i64>,
    /// Events that the world's level does not have; queues do not receive them.
    pub withheld_events: &'static [EventPattern],
    /// Whether an event of an unknown type follows each event, for levels above the newest.
    pub sends_unknown_events: bool,
}

/// `client_capabilities` (specification, POST /register; some only in the reference behaviour).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "each is a separate Boolean on the wire")]
pub struct Capabilities {
    /// The client accepts null in a subscription's notification settings.
    pub notification_settings_null: bool,
    /// The client accepts one event for several deleted messages.
    pub bulk_message_deletion: bool,
    /// The client accepts that avatar URLs are missing. Has no effect.
    pub user_avatar_url_field_optional: bool,
    /// The client receives typing notifications in channels.
    pub stream_typing_notifications: bool,
    /// The client takes user settings from `user_settings`. Has no effect at the newest level.
    pub user_settings_object: bool,
    /// The client receives linkifiers with URL templates. Otherwise, it receives only events, which have pairs of
    /// pattern and URL format.
    pub linkifier_url_template: bool,
    /// The client accepts that lists lack the users that its own user can't access.
    pub user_list_incomplete: bool,
    /// The client receives deactivated groups.
    pub include_deactivated_groups: bool,
    /// The client receives archived channels.
    pub archived_channels: bool,
    /// The client accepts "" as a topic. Otherwise it receives the name that is displayed for it.
    pub empty_topic_name: bool,
    /// The client receives presence events in the format that identifies users by ID.
    pub simplified_presence_events: bool,
    /// The client receives an event for each changed custom emoji instead of the whole list.
    pub individual_emoji_changes: bool,
}

impl Realm {
    /// The event queues, and the queues of watchers: those whose needs decide which events are emitted.
    pub fn event_readers(&self) -> impl Iterator<Item = &Queue> {
        self.queues.values().chain(self.watcher_queues.iter()).map(AsRef::as_ref)
    }

    /// Users with at least one event queue or watcher.
    pub fn event_reading_users(&self) -> OrdSet<UserId> {
        self.event_readers().map(|queue| queue.owner).collect()
    }

    /// Those of `users` with at least one event queue or watcher.
    pub fn event_reading_users_among(&self, users: &OrdSet<UserId>) -> OrdSet<UserId> {
        self.event_readers().map(|queue| queue.owner).filter(|owner| users.contains(owner)).collect()
    }
}

impl QueueLevel {
    pub fn has(self, feature: Feature) -> bool {
        self.older_level.is_none_or(|level| feature.is_at(level))
    }

    pub fn is_before(self, level: i64) -> bool {
        self.older_level.is_some_and(|older_level| older_level < level)
    }
}

impl Queue {
    pub fn reader(&self) -> Reader<'_> {
        Reader { user: self.owner, options: &self.options, queue: Some(&self.id) }
    }

    /// When the queue expires without another poll. None while a poll is parked.
    pub fn expires_at(&self) -> Option<Timestamp> {
        match self.parked_since {
            Some(_) => None,
            None => Some(self.idle_since.plus(self.idle_timeout)),
        }
    }

    /// When the parked poll gets its heartbeat. It gets only one, because that answers it.
    pub fn next_heartbeat(&self) -> Option<Timestamp> {
        self.parked_since.filter(|_| !self.has_heartbeat).map(|since| since.plus(HEARTBEAT_INTERVAL))
    }
}

impl QueueOptions {
    pub fn receives_messages(&self) -> bool {
        self.event_types.as_ref().is_none_or(|event_types| event_types.contains("message"))
    }

    /// Whether an event of an unknown type follows each event. Clients that name event types receive only those.
    pub fn receives_unknown_events(&self) -> bool {
        self.level.sends_unknown_events && self.event_types.is_none()
    }
}

impl Capabilities {
    /// Each capability with its name on the wire.
    pub fn by_name_mut(&mut self) -> [(&'static str, &mut bool); 12] {
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
