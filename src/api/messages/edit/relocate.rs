//! Moving messages, and what follows for those who had or have them.
//!
//! A choice where the API is silent: A-38 in docs/assumptions.md.

use super::MessageEdit;
use crate::feature::Feature;
use crate::realm::Realm;
use crate::realm::event::{Audience, Event, EventKind, Payload};
use crate::realm::id::{ChannelId, MessageId, UserId};
use crate::realm::message::{Edit, Message, Place};
use crate::realm::personal::{UserState, VisibilityPolicy};
use crate::realm::topic::TopicKey;
use crate::realm::tx::Tx;
use crate::realm::user::User;
use imbl::OrdSet;
use std::sync::Arc;

/// Puts the messages into their new place and notes it in their histories: for the one whose text the same request
/// changed, together with that. Where the request names no other topic, each keeps its own spelling of it; otherwise all histories
/// name the topic as the message of the request spelled it.
pub(super) fn relocate(tx: &mut Tx, by: UserId, wanted: &MessageEdit, place: &Place) {
    let now = tx.now;
    let Place::Channel { channel: new_channel, topic: new_topic } = place else { return };
    let edited = wanted.content.as_ref().map(|_| wanted.message.id);
    let former_topic = wanted.message.channel().map(|(_, topic)| topic.clone()).unwrap_or_default();
    let keeps_topic = former_topic == *new_topic;
    for id in &wanted.moved {
        let Some((channel, topic)) = tx.messages[id].channel().map(|(channel, topic)| (channel, topic.clone())) else {
            continue;
        };
        let new_topic = if keeps_topic { &topic.clone() } else { new_topic };
        tx.move_message(*id, Place::Channel { channel: *new_channel, topic: new_topic.clone() });
        let message = tx.message_mut(*id);
        if channel != *new_channel || wanted.marking.is_none() {
            message.last_moved = Some(now);
        }
        let new_edit = Edit { at: now, user: Some(by), previous_body: None, topic: None, channel: None };
        let of_text = if edited == Some(*id) { message.history.pop_back() } else { None };
        let mut edit = of_text.map_or(new_edit, Arc::unwrap_or_clone);
        edit.topic = (!keeps_topic).then(|| (former_topic.clone(), new_topic.clone()));
        edit.channel = wanted.names_channel.then_some((channel, *new_channel));
        message.history.push_back(Arc::new(edit));
    }
}

/// Who loses what by a move into another channel.
#[derive(Default)]
pub(super) struct Losses {
    /// Those who lose their rows for the messages: whoever was ever subscribed to the old channel and is not subscribed to
    /// the new one.
    pub(super) rows: OrdSet<UserId>,
    /// Those of them who get the deletion of the messages: where the new channel is public, guests alone.
    pub(super) sight: OrdSet<UserId>,
}

impl Losses {
    /// What a move that is about to be made takes away, if its request names a channel.
    pub(super) fn of(tx: &Tx, wanted: &MessageEdit, place: &Place) -> Self {
        let (Some((here, _)), Some(there)) = (wanted.message.channel(), place.channel()) else {
            return Self::default();
        };
        if !wanted.names_channel {
            return Self::default();
        }
        let (here, there) = (&tx.channels[&here], &tx.channels[&there]);
        let was_subscribed = tx.personal.iter().filter(|(_, own)| own.subscriptions.contains_key(&here.id));
        let rows: OrdSet<UserId> =
            was_subscribed.map(|(user, _)| *user).filter(|user| !there.subscribers.contains(user)).collect();
        let sight = match there.privacy.is_private() {
            true => rows.clone(),
            false => rows.clone().intersection(tx.guests().clone()),
        };
        Self { rows, sight }
    }

    /// Deletes the moved messages for those who can't see them any more.
    pub(super) fn emit(&self, tx: &mut Tx, moved: &[MessageId], before: &Place) {
        if !self.sight.is_empty() {
            let messages = moved.iter().filter_map(|id| Some((*id, tx.messages.get(id)?.sender))).collect();
            let payload = Payload::DeleteMessages { messages, place: before.clone() };
            tx.emit(Audience::of(self.sight.clone()), Event::new(EventKind::DeleteMessage, payload));
        }
    }
}

/// Subscribers of the channel to which messages move who get the move though they have no row, where the history of the
/// former channel is public: guests only if they are subscribed to that too.
pub(super) fn new_readers(tx: &Tx, before: &Message, place: &Place) -> OrdSet<UserId> {
    let (Some((here, _)), Some(there)) = (before.channel(), place.channel()) else { return OrdSet::new() };
    let here = &tx.channels[&here];
    if !tx.has(Feature::MovesSentToNewChannel) || !here.privacy.has_public_history() {
        return OrdSet::new();
    }
    tx.channels[&there].subscribers.clone().relative_complement(tx.guests_outside(here))
}

/// Settles the rows for messages that were moved into a channel: those who lose them have none any more, subscribers of a
/// channel whose history is protected get read ones, and what stays unread counts for the subscription to the channel.
pub(super) fn settle_rows(tx: &mut Tx, moved: &[MessageId], place: &Place, losing: &OrdSet<UserId>) {
    let Some(channel) = place.channel().map(|id| tx.channels[&id].clone()) else { return };
    tx.drop_rows(moved, losing);
    if !channel.privacy.has_public_history() {
        tx.add_read_rows(moved, &channel.subscribers);
    }
    tx.reach_back_for_all(channel.id, moved);
    for user in losing {
        tx.recall_pushes(*user);
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

/// What a user says of a topic with whose messages those of another one are now: what was said of both, or that it is not
/// muted if that was said of either.
fn merged(here: VisibilityPolicy, there: VisibilityPolicy) -> VisibilityPolicy {
    if here == there {
        here
    } else if [here, there].contains(&VisibilityPolicy::Unmuted) {
        VisibilityPolicy::Unmuted
    } else {
        VisibilityPolicy::None
    }
}

/// What users said of a topic that moved whole goes along, or is merged with what they said of the topic that was there.
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
    let said_of = |own: &UserState, key| own.topics.get(key).map_or(VisibilityPolicy::None, |said| said.policy);
    let said: Vec<(UserId, VisibilityPolicy, VisibilityPolicy)> = tx
        .personal
        .iter()
        .map(|(user, own)| (*user, said_of(own, &key), said_of(own, &new_key)))
        .filter(|(_, here, there)| (*here, *there) != (VisibilityPolicy::None, VisibilityPolicy::None))
        .collect();
    for (user, here, there) in said {
        // Whoever loses the messages must not learn where they went (A-168 in docs/assumptions.md).
        if channel != *new_channel && !tx.can_read(&tx.users[&user], &tx.channels[new_channel]) {
            tx.set_topic_policy(user, channel, topic.clone(), VisibilityPolicy::None);
            continue;
        }
        let policy = match was_there {
            false => here,
            true => merged(here, there),
        };
        // What is muted is sent once, with the new topic, or alone where nothing is sent of that.
        if policy == there && here == VisibilityPolicy::Muted {
            tx.set_topic_policy(user, channel, topic.clone(), VisibilityPolicy::None);
        } else {
            tx.forget_topic_policy(user, channel, topic.clone());
        }
        tx.set_topic_policy(user, *new_channel, new_topic.clone(), policy);
    }
}
