//! Deleting messages, for every operation that does so.

use crate::realm::Realm;
use crate::realm::log::event::{Audience, DeliveryCondition, Event, EventKind, Payload};
use crate::realm::model::id::{MessageId, UserId};
use crate::realm::model::message::{Message, Place};
use crate::realm::rules::visibility::Sight;
use crate::realm::tx::Tx;
use imbl::OrdSet;
use std::collections::HashMap;
use std::collections::hash_map::Entry;

/// The first level at which everybody with access to a message is sent its end.
const SENT_TO_ALL_SINCE: i64 = 274;

/// Those who are informed of the end of messages that lie in one place. Below a level it is only a channel's subscribers.
fn audience(tx: &Tx, first: &Message, group: &[MessageId]) -> Audience {
    match first.channel() {
        Some((channel, _)) if tx.is_before(SENT_TO_ALL_SINCE) => {
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

/// Deletes messages, one event for each conversation; tells who sees the channel when its first message changed.
pub fn delete_messages(tx: &mut Tx, ids: &[MessageId]) {
    let mut groups: Vec<(std::sync::Arc<Message>, Vec<MessageId>)> = Vec::new();
    let mut places: HashMap<Place, usize> = HashMap::new();
    for id in ids {
        let Some(message) = tx.messages.get(id).cloned() else { continue };
        match places.entry(message.place.clone()) {
            Entry::Occupied(index) => groups[*index.get()].1.push(*id),
            Entry::Vacant(place) => {
                place.insert(groups.len());
                groups.push((message, vec![*id]));
            }
        }
    }
    let before = tx.mark();
    for (first, mut group) in groups {
        group.sort_unstable();
        let followers = audience(tx, &first, &group);
        let others = outsiders(tx, &first, &followers);
        let messages = group.iter().filter_map(|id| Some((*id, tx.messages.get(id)?.sender))).collect();
        for id in &group {
            tx.remove_message(*id);
        }
        let payload = Payload::DeleteMessages { messages, place: first.place.clone() };
        tx.emit(followers, Event::new(EventKind::DeleteMessage, payload.clone()));
        if let Some(others) = others {
            tx.emit(
                others,
                Event::new(EventKind::DeleteMessage, payload).only_for(DeliveryCondition::From(SENT_TO_ALL_SINCE)),
            );
        }
    }
    tx.recall_all_pushes();
    tx.emit_visibility(&before, &[Sight::FirstMessages]);
}
