//! Parts of a log entry: the events that one entry becomes for a queue. Depending on its capabilities and level, a
//! queue may receive several events for one entry.

use super::{Entry, Event, Payload};
use crate::feature::Feature;
use crate::realm::log::queue::{Queue, QueueOptions};
use crate::realm::model::id::{ChannelId, MessageId, UserId};
use serde_json::Value;
use smallvec::{SmallVec, smallvec};

/// One of the events that an entry becomes for a reader.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// The event as it is.
    Whole,
    /// The deletion of one of several messages, with its sender.
    Message(MessageId, UserId),
    /// One of several changes of other users' subscriptions.
    Peer(ChannelId, UserId),
    /// An event of a type that no client knows.
    Unknown,
}

/// The events that an entry becomes, in the order of delivery.
pub type Parts = SmallVec<[Part; 1]>;

impl Queue {
    /// The events that a log entry becomes for this queue; none when the queue does not receive it.
    ///
    /// They depend only on the entry and on the queue's ID, owner and options, which never change. So event IDs are
    /// stable.
    pub fn parts(&self, entry: &Entry) -> Parts {
        match &entry.queue {
            Some(queue) if *queue == self.id => smallvec![Part::Whole],
            Some(_) => Parts::new(),
            None if !self.passes_filters(entry) => Parts::new(),
            None => self.options.parts_if_received(&entry.event, self.owner),
        }
    }

    pub fn receives(&self, entry: &Entry) -> bool {
        !self.parts(entry).is_empty()
    }

    /// Whether the level, event types, condition, audience and narrow let an entry for several queues through.
    fn passes_filters(&self, entry: &Entry) -> bool {
        let event = &entry.event;
        if self.options.level.withheld_events.iter().any(|pattern| pattern.matches(event)) {
            return false;
        }
        if self.options.event_types.as_ref().is_some_and(|types| !types.contains(event.kind.type_name())) {
            return false;
        }
        if !event.condition.is_fulfilled_by(&self.options) {
            return false;
        }
        let is_addressed = entry.audience.contains(self.owner);
        let Payload::Message(sent) = &event.payload else { return is_addressed };
        let is_public = self.options.all_public_streams
            && !sent.guests.contains(&self.owner)
            && sent.channel.as_ref().is_some_and(|channel| !channel.privacy.is_private());
        (is_addressed || is_public) && self.options.narrow.iter().all(|term| term.matches(sent, self.owner))
    }
}

impl QueueOptions {
    /// Whether an event, if it is about other users' subscriptions, becomes one event for each channel and user.
    fn splits_peer_subscriptions(&self, event: &Event) -> bool {
        !self.level.has(Feature::PeerEventsWithLists) && event.kind.type_name() == "subscription"
    }

    /// The events that a log event becomes for a reader, provided that the reader receives it.
    fn parts_if_received(&self, event: &Event, reader: UserId) -> Parts {
        let mut parts = match &event.payload {
            Payload::DeleteMessages { messages, .. } if !self.capabilities.bulk_message_deletion => {
                messages.iter().map(|(message, sender)| Part::Message(*message, *sender)).collect()
            }
            _ if self.splits_peer_subscriptions(event) => match event.peers(reader) {
                Some((channels, users)) => {
                    let channel_parts = |channel| users.iter().map(move |user| Part::Peer(channel, *user));
                    channels.into_iter().flat_map(channel_parts).collect()
                }
                None => smallvec![Part::Whole],
            },
            _ => smallvec![Part::Whole],
        };
        if self.receives_unknown_events() && !parts.is_empty() {
            parts.push(Part::Unknown);
        }
        parts
    }
}

impl Event {
    /// The channels and users of an event about other users' subscriptions; None for another kind of event. The reader
    /// is not among users who were unsubscribed.
    fn peers(&self, reader: UserId) -> Option<(Vec<ChannelId>, Vec<UserId>)> {
        let to_numbers = |value: &Value| -> Option<Vec<i64>> {
            value.as_array().map(|values| values.iter().filter_map(Value::as_i64).collect())
        };
        match &self.payload {
            Payload::PeersUnsubscribed { channels, users } => {
                Some((channels.clone(), users.iter().copied().filter(|user| *user != reader).collect()))
            }
            Payload::Fields { fields, .. } => {
                let channels = to_numbers(fields.get("stream_ids")?)?.into_iter().map(ChannelId).collect();
                Some((channels, to_numbers(fields.get("user_ids")?)?.into_iter().map(UserId).collect()))
            }
            _ => None,
        }
    }
}
