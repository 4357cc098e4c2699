//! Moving messages, and what follows for those who had or have them.
//!
//! A choice where the API is silent: A-38 in docs/assumptions.md.

use super::Wanted;
use crate::realm::Realm;
use crate::realm::change::Tx;
use crate::realm::channel::TopicKey;
use crate::realm::event::{Audience, Event, Payload};
use crate::realm::id::{ChannelId, MessageId, UserId};
use crate::realm::message::{Edit, Message, Place};
use crate::realm::personal::{Personal, VisibilityPolicy};
use crate::realm::starred::StarredInSight;
use crate::realm::user::User;
use imbl::OrdSet;
use serde_json::json;
use std::collections::BTreeMap;
use std::sync::Arc;

/// Puts the messages into their new place and notes it in their histories: for the one whose text the same request
/// changed, together with that.
pub(super) fn relocate(tx: &mut Tx, by: UserId, wanted: &Wanted, place: &Place) {
    let now = tx.now;
    let Place::Channel { channel: new_channel, topic: new_topic } = place else { return };
    let edited = wanted.content.as_ref().map(|_| wanted.message.id);
    for id in &wanted.moved {
        let Some((channel, topic)) = tx.messages[id].channel().map(|(channel, topic)| (channel, topic.clone())) else {
            continue;
        };
        tx.move_message(*id, place.clone());
        let message = tx.message_mut(*id);
        if channel != *new_channel || wanted.marking.is_none() {
            message.last_moved = Some(now);
        }
        let new_edit = Edit { at: now, user: Some(by), previous_body: None, topic: None, channel: None };
        let of_text = if edited == Some(*id) { message.history.pop_back() } else { None };
        let mut edit = of_text.map_or(new_edit, Arc::unwrap_or_clone);
        edit.topic = (topic != *new_topic).then(|| (topic, new_topic.clone()));
        edit.channel = (channel != *new_channel).then_some((channel, *new_channel));
        message.history.push_back(Arc::new(edit));
    }
}

/// Those who come upon messages in a channel that they subscribe to, once these are moved there. Guests who did not
/// subscribe to the old channel don't know of the messages, and could make nothing of a change.
pub(super) fn newcomers(realm: &Realm, message: &Message, place: &Place) -> OrdSet<UserId> {
    let (Some((here, _)), Some(there)) = (message.channel(), place.channel()) else { return OrdSet::new() };
    let (here, there) = (&realm.channels[&here], &realm.channels[&there]);
    if here.id == there.id || !here.privacy.has_public_history() || !there.privacy.has_public_history() {
        return OrdSet::new();
    }
    there.subscribers.clone().relative_complement(realm.guests_outside(here))
}

/// What followers of messages can't see any more once these are moved: messages, and who loses them.
pub(super) type Losses = BTreeMap<Vec<MessageId>, OrdSet<UserId>>;

/// What a move that is about to be made takes away from those who follow the messages.
pub(super) fn losses(realm: &Realm, followers: &Audience, moved: &[MessageId], place: &Place) -> Losses {
    let mut losses = Losses::new();
    let here = moved.first().and_then(|id| realm.messages[id].channel()).map(|(channel, _)| channel);
    let (Some(here), Place::Channel { channel: there, .. }) = (here, place) else { return losses };
    let (here, there) = (&realm.channels[&here], &realm.channels[there]);
    // Nobody loses what everybody can read.
    if here.id == there.id || there.privacy.is_web_public() {
        return losses;
    }
    for user in realm.active_users.iter().filter(|user| followers.contains(**user)) {
        let reads = realm.can_read(&realm.users[user], there);
        let is_lost = |id: &&MessageId| {
            let has_row = realm.has_row(*user, &realm.messages[*id]);
            let sees_before = has_row || here.privacy.has_public_history();
            sees_before && !(reads && (has_row || there.privacy.has_public_history()))
        };
        let lost: Vec<MessageId> = moved.iter().filter(is_lost).copied().collect();
        if !lost.is_empty() {
            losses.entry(lost).or_default().insert(*user);
        }
    }
    losses
}

/// Keeps the invariants after a move: messages that can't be seen any more are deleted for those who saw them; unread
/// ones lie only in subscribed channels. `starred` is what it was before.
pub(super) fn settle(
    tx: &mut Tx,
    before: &Message,
    moved: &[MessageId],
    place: &Place,
    (losses, mut starred): (Losses, StarredInSight),
) {
    let (Some((channel, _)), Place::Channel { channel: new_channel, .. }) = (before.channel(), place) else { return };
    if channel != *new_channel {
        for (messages, users) in losses {
            starred.forget(&users, &messages);
            let messages = messages.iter().filter_map(|id| Some((*id, tx.messages.get(id)?.sender))).collect();
            let payload = Payload::DeleteMessages { messages, place: before.place.clone() };
            tx.emit(Audience::of(users), Event::new("delete_message", None, payload));
        }
        starred.tell_changes(tx);
        settle_unread(tx, moved, *new_channel);
    }
}

/// Whether a topic has messages besides those that were moved, which are sorted. One that is moved by case alone goes into
/// itself.
pub(super) fn has_others(realm: &Realm, (channel, topic): (ChannelId, &str), moved: &[MessageId]) -> bool {
    let topic = realm.topics.get(&(channel, TopicKey::new(topic)));
    topic.is_some_and(|topic| topic.messages.iter().any(|id| moved.binary_search(&id).is_err()))
}

/// Whether of a topic nothing is left, as far as whoever moved its messages can see.
pub(super) fn is_moved_whole(
    realm: &Realm,
    by: &User,
    (channel, topic): (ChannelId, &str),
    moved: &[MessageId],
) -> bool {
    let topic = realm.topics.get(&(channel, TopicKey::new(topic)));
    let stays = |id: &MessageId| moved.binary_search(id).is_err() && realm.can_see_message(by, &realm.messages[id]);
    topic.is_none_or(|topic| !topic.messages.iter().any(|id| stays(&id)))
}

/// What users said of a topic that moved whole goes along. Where the new topic was there already, the policy counts that
/// shows more of the two.
pub(super) fn settle_policies(tx: &mut Tx, by: &User, before: &Message, moved: &[MessageId], place: &Place) {
    let (Some((channel, topic)), Place::Channel { channel: new_channel, topic: new_topic }) = (before.channel(), place)
    else {
        return;
    };
    let (key, new_key) = ((channel, TopicKey::new(topic)), (*new_channel, TopicKey::new(new_topic)));
    if key == new_key || !is_moved_whole(tx, by, (channel, topic), moved) {
        return;
    }
    let was_there = has_others(tx, (*new_channel, new_topic), moved);
    let policy = |own: &Personal, key| own.topics.get(key).map_or(VisibilityPolicy::None, |said| said.policy);
    let said: Vec<(UserId, VisibilityPolicy, VisibilityPolicy)> = tx
        .personal
        .iter()
        .map(|(user, own)| (*user, policy(own, &key), policy(own, &new_key)))
        .filter(|(_, here, there)| (*here, *there) != (VisibilityPolicy::None, VisibilityPolicy::None))
        .collect();
    for (user, here, there) in said {
        tx.set_topic_policy(user, channel, topic.clone(), VisibilityPolicy::None);
        // Whoever loses the messages must not learn where they went (A-168 in docs/assumptions.md).
        if channel == *new_channel || tx.can_read(&tx.users[&user], &tx.channels[new_channel]) {
            let merged = if was_there { here.or_more_visible(there) } else { here };
            tx.set_topic_policy(user, *new_channel, new_topic.clone(), merged);
        }
    }
}

fn settle_unread(tx: &mut Tx, moved: &[MessageId], channel: ChannelId) {
    let mut read: BTreeMap<UserId, Vec<MessageId>> = BTreeMap::new();
    for id in moved {
        let message = tx.messages[id].clone();
        for user in &message.recipients {
            let own = tx.own(*user);
            let counts = own.subscription(channel).is_some_and(|subscription| subscription.since < *id);
            if !counts && !own.read.contains(*id) {
                read.entry(*user).or_default().push(*id);
            }
        }
    }
    for (user, messages) in read {
        for message in &messages {
            tx.own_mut(user).read.insert(*message);
        }
        tx.recall_pushes(user);
        let sees = |id: &MessageId| tx.users.get(&user).is_some_and(|user| tx.can_see_message(user, &tx.messages[id]));
        let messages: Vec<MessageId> = messages.into_iter().filter(sees).collect();
        if messages.is_empty() {
            continue;
        }
        let fields = json!({"operation": "add", "flag": "read", "messages": messages, "all": false});
        tx.emit(Audience::user(user), Event::shaped("update_message_flags", Some("add"), fields));
    }
}
