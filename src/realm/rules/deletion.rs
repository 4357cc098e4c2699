//! Deleting messages, for every operation that does so.

use crate::feature::Feature;
use crate::realm::Realm;
use crate::realm::log::event::{Audience, DeliveryCondition, Event, EventKind, Payload};
use crate::realm::model::id::{ChannelId, MessageId, RecipientId, UserId};
use crate::realm::model::message::{Message, Place};
use crate::realm::model::topic::TopicKey;
use crate::realm::rules::visibility::Sight;
use crate::realm::tx::Tx;
use imbl::OrdSet;
use std::collections::HashMap;

/// The first level that lists the oldest message first; before, the newest.
const OLDEST_FIRST_SINCE: i64 = 248;

/// Those who are informed of the end of messages that lie in one place. Below a level it is only a channel's subscribers.
fn audience(tx: &Tx, first: &Message, group: &[MessageId]) -> Audience {
    match first.channel() {
        Some((channel, _)) if !tx.has(Feature::DeletionsSentToAll) => {
            Audience::of(tx.channels[&channel].subscribers.clone())
        }
        _ => tx.who_follows_any(group),
    }
}

/// Those who could read a message without following it.
fn outsiders(realm: &Realm, message: &Message, followers: &Audience) -> Option<Audience> {
    let (channel, _) = message.channel()?;
    let channel = &realm.channels[&channel];
    if !channel.privacy.has_public_history() {
        return None;
    }
    let everyone = realm.who_can_see(channel);
    let is_outside = |user: &UserId| {
        everyone.contains(*user)
            && !followers.contains(*user)
            && realm.users.get(user).is_some_and(|user| realm.can_see_message(user, message))
    };
    // Nobody without a queue hears of it: these few are looked at rather than everybody.
    let listening: OrdSet<UserId> = realm.listeners().into_iter().filter(is_outside).collect();
    (!listening.is_empty()).then(|| Audience::of(listening))
}

/// Where messages belong together: a topic whatever its case, or a direct conversation.
#[derive(PartialEq, Eq, Hash)]
enum FoldedPlace {
    Topic(ChannelId, TopicKey),
    Direct(RecipientId),
}

impl FoldedPlace {
    fn of(place: &Place) -> Self {
        match place {
            Place::Channel { channel, topic } => Self::Topic(*channel, TopicKey::new(topic)),
            Place::Direct { conversation } => Self::Direct(*conversation),
        }
    }
}

/// Deletes messages, one event for each conversation, with the topic as its newest message spells it. Before these events,
/// whoever sees a channel hears of its new first message, if that changed (A-414 in docs/assumptions.md).
pub fn delete_messages(tx: &mut Tx, ids: &[MessageId]) {
    let mut groups: Vec<Vec<MessageId>> = Vec::new();
    let mut places: HashMap<FoldedPlace, usize> = HashMap::new();
    for id in ids {
        let Some(message) = tx.messages.get(id) else { continue };
        let index = *places.entry(FoldedPlace::of(&message.place)).or_insert(groups.len());
        if index == groups.len() {
            groups.push(Vec::new());
        }
        groups[index].push(*id);
    }
    let before = tx.mark();
    let deletions: Vec<Deletion> = groups.into_iter().filter_map(|group| Deletion::of(tx, group)).collect();
    for deletion in &deletions {
        for (id, _) in &deletion.messages {
            tx.remove_message(*id);
        }
    }
    tx.emit_visibility(&before, &[Sight::FirstMessages]);
    for Deletion { messages, place, followers, outsiders } in deletions {
        let payload = Payload::DeleteMessages { messages, place };
        tx.emit(followers, Event::new(EventKind::DeleteMessage, payload.clone()));
        if let Some(outsiders) = outsiders {
            let event = Event::new(EventKind::DeleteMessage, payload);
            tx.emit(outsiders, event.only_for(DeliveryCondition::From(Feature::DeletionsSentToAll.since())));
        }
    }
    tx.recall_all_pushes();
}

/// What one event says of messages that end, and its readers.
struct Deletion {
    messages: Vec<(MessageId, UserId)>,
    place: Place,
    followers: Audience,
    outsiders: Option<Audience>,
}

impl Deletion {
    /// The end of messages of one conversation that are there still; None where none is.
    fn of(tx: &Tx, mut group: Vec<MessageId>) -> Option<Self> {
        group.sort_unstable();
        let newest = tx.messages.get(group.last()?)?;
        let followers = audience(tx, newest, &group);
        let outsiders = outsiders(tx, newest, &followers);
        let mut messages: Vec<(MessageId, UserId)> =
            group.iter().filter_map(|id| Some((*id, tx.messages.get(id)?.sender))).collect();
        if tx.is_before(OLDEST_FIRST_SINCE) {
            messages.reverse();
        }
        Some(Self { messages, place: newest.place.clone(), followers, outsiders })
    }
}
