//! The parts of an entry of the log: the events that it makes for one reader, who may get several where others get one.

use super::{Entry, Event, EventPattern, Payload};
use crate::feature::Feature;
use crate::realm::log::queue::{Queue, QueueOptions};
use crate::realm::model::id::{ChannelId, MessageId, UserId};
use serde_json::Value;
use smallvec::{SmallVec, smallvec};

/// One of the events that an entry makes for a reader.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// All that the entry tells.
    Whole,
    /// One of the messages that are gone, and its sender.
    Message(MessageId, UserId),
    /// One subscription of another user.
    Peer(ChannelId, UserId),
    /// What no client knows.
    Unknown,
}

/// The events that an entry makes for a reader, in their order.
pub type Parts = SmallVec<[Part; 1]>;

impl Queue {
    /// The events that an entry of the log makes for this queue: none when it is not for it.
    ///
    /// They follow from nothing but the entry and the queue's options, so that ids stay what they were.
    pub fn parts(&self, entry: &Entry) -> Parts {
        match &entry.queue {
            Some(only) if *only == self.id => smallvec![Part::Whole],
            Some(_) => Parts::new(),
            None if !self.is_delivered(entry) => Parts::new(),
            None => self.options.parts(&entry.event, self.owner),
        }
    }

    /// Whether an entry makes any event for this queue.
    pub fn gets(&self, entry: &Entry) -> bool {
        !self.parts(entry).is_empty()
    }

    fn is_delivered(&self, entry: &Entry) -> bool {
        let event = &entry.event;
        if self.options.level.withheld.iter().any(|pattern| pattern.fits(event)) {
            return false;
        }
        if self.options.event_types.as_ref().is_some_and(|types| !types.contains(event.kind.type_name())) {
            return false;
        }
        if !event.needs.admits(&self.options) {
            return false;
        }
        let is_addressed = entry.audience.contains(self.owner);
        let Payload::Message(sent) = &event.payload else { return is_addressed };
        let overheard = self.options.all_public_streams
            && !sent.guests.contains(&self.owner)
            && sent.channel.as_ref().is_some_and(|channel| !channel.privacy.is_private());
        (is_addressed || overheard) && self.options.narrow.iter().all(|term| term.admits(sent, self.owner))
    }
}

impl QueueOptions {
    /// Whether others' subscriptions are sent one by one.
    pub fn hears_of_peers_singly(&self, event: &Event) -> bool {
        !self.level.has(Feature::PeersTogether) && event.kind.type_name() == "subscription"
    }

    /// The events that an event of the log makes for a reader in its audience.
    pub fn parts(&self, event: &Event, reader: UserId) -> Parts {
        let mut parts = match &event.payload {
            Payload::DeleteMessages { messages, .. } if !self.capabilities.bulk_message_deletion => {
                messages.iter().map(|(message, sender)| Part::Message(*message, *sender)).collect()
            }
            _ if self.hears_of_peers_singly(event) => match event.peers(reader) {
                Some((channels, users)) => {
                    let of = |channel| users.iter().map(move |user| Part::Peer(channel, *user));
                    channels.into_iter().flat_map(of).collect()
                }
                None => smallvec![Part::Whole],
            },
            _ => smallvec![Part::Whole],
        };
        if self.gets_unknown_events() && !parts.is_empty() {
            parts.push(Part::Unknown);
        }
        parts
    }
}

impl Event {
    /// The channels and users of an event that tells somebody of others' subscriptions; None: of something else.
    fn peers(&self, viewer: UserId) -> Option<(Vec<ChannelId>, Vec<UserId>)> {
        let numbers = |value: &Value| -> Option<Vec<i64>> {
            value.as_array().map(|all| all.iter().filter_map(Value::as_i64).collect())
        };
        match &self.payload {
            Payload::PeersLeft { channels, users } => {
                Some((channels.clone(), users.iter().copied().filter(|user| *user != viewer).collect()))
            }
            Payload::Shaped { fields, .. } => {
                let channels = numbers(fields.get("stream_ids")?)?.into_iter().map(ChannelId).collect();
                Some((channels, numbers(fields.get("user_ids")?)?.into_iter().map(UserId).collect()))
            }
            _ => None,
        }
    }
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
