//! Deletion of messages, with the events and with the update of a channel's first message.

use crate::feature::Feature;
use crate::realm::log::event::data::FirstMessageUpdate;
use crate::realm::log::event::{Audience, DeliveryCondition, Event, EventData, EventKind, Payload};
use crate::realm::model::id::{ChannelId, MessageId, RecipientId, UserId};
use crate::realm::model::message::MessagePlace;
use crate::realm::model::topic::TopicKey;
use crate::realm::tx::Tx;
use imbl::OrdSet;
use std::collections::HashMap;

/// The audience of the deletion of messages of one topic or conversation.
fn deletion_audience(tx: &Tx, deleter: UserId, ids: &[MessageId]) -> Audience {
    let channel = ids.first().and_then(|id| tx.messages.get(id)?.channel_and_topic()).map(|(channel, _)| channel);
    let audience = match channel {
        Some(channel) if !tx.has(Feature::MessageEventsShareAudience) => {
            Audience::of_users(tx.channels[&channel].subscribers.clone())
        }
        _ => tx.action_audience(ids),
    };
    if !tx.has(Feature::DeletionsSentToDeleter) { audience } else { audience.including(OrdSet::unit(deleter)) }
}

/// A topic, ignoring case, or a conversation.
#[derive(PartialEq, Eq, Hash)]
enum PlaceKey {
    Topic(ChannelId, TopicKey),
    Direct(RecipientId),
}

impl PlaceKey {
    fn new(place: &MessagePlace) -> Self {
        match place {
            MessagePlace::Channel { channel, topic } => Self::Topic(*channel, TopicKey::new(topic)),
            MessagePlace::Direct { conversation } => Self::Direct(*conversation),
        }
    }
}

/// Deletes messages and emits an event for each topic and conversation. The event spells the topic as the newest
/// deleted message does. From the level of [`Feature::DeletionUpdatesFirstMessage`] on, if the first message of a
/// channel is deleted, an event with the new first message precedes it (A-414 in docs/assumptions.md).
pub fn delete_messages(tx: &mut Tx, deleter: UserId, ids: &[MessageId]) {
    let mut ids_by_place: Vec<Vec<MessageId>> = Vec::new();
    let mut place_indexes: HashMap<PlaceKey, usize> = HashMap::new();
    for id in ids {
        let Some(message) = tx.messages.get(id) else { continue };
        let index = *place_indexes.entry(PlaceKey::new(&message.place)).or_insert(ids_by_place.len());
        if index == ids_by_place.len() {
            ids_by_place.push(Vec::new());
        }
        ids_by_place[index].push(*id);
    }
    let deletions: Vec<Deletion> =
        ids_by_place.into_iter().filter_map(|ids| Deletion::from_messages(tx, deleter, ids)).collect();
    for deletion in &deletions {
        for (id, _) in &deletion.messages {
            tx.remove_message(*id);
        }
    }
    for Deletion { messages, place, audience } in deletions {
        update_first_message(tx, &place, &messages, &audience);
        let payload = Payload::DeleteMessages { messages, place };
        tx.emit(audience, Event::new(EventKind::DeleteMessage, payload));
    }
    tx.recall_all_pushes();
}

/// Updates the channel's first message if it was deleted, and emits an event to the audience of the deletion.
fn update_first_message(tx: &mut Tx, place: &MessagePlace, deleted: &[(MessageId, UserId)], audience: &Audience) {
    let Some(channel) = place.channel().filter(|_| tx.has(Feature::DeletionUpdatesFirstMessage)) else { return };
    let previous_first_message = tx.channels[&channel].first_message;
    if !deleted.iter().any(|(id, _)| Some(*id) == previous_first_message) {
        return;
    }
    let first_message = tx.messages_in(channel).first();
    tx.channel_mut(channel).first_message = first_message;
    let event = FirstMessageUpdate {
        stream_id: channel,
        name: tx.channels[&channel].name.clone(),
        property: "first_message_id",
        value: first_message,
    };
    tx.emit(audience.clone(), event.only_for(DeliveryCondition::of_channel(tx.channels[&channel].is_archived)));
}

/// The content and the audience of one event.
struct Deletion {
    /// Each message with its sender.
    messages: Vec<(MessageId, UserId)>,
    place: MessagePlace,
    audience: Audience,
}

impl Deletion {
    /// The deletion of messages of one topic or conversation. None if `ids` is empty or the newest does not exist.
    fn from_messages(tx: &Tx, deleter: UserId, mut ids: Vec<MessageId>) -> Option<Self> {
        ids.sort_unstable();
        let newest = tx.messages.get(ids.last()?)?;
        let audience = deletion_audience(tx, deleter, &ids);
        let mut messages: Vec<(MessageId, UserId)> =
            ids.iter().filter_map(|id| Some((*id, tx.messages.get(id)?.sender))).collect();
        if !tx.has(Feature::DeletionsOldestFirst) {
            messages.reverse();
        }
        Some(Self { messages, place: newest.place.clone(), audience })
    }
}
