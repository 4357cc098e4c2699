//! Moving messages to another topic or channel, with the changes of user messages and visibility policies that follow.
//!
//! A choice where the API is silent: A-38 in docs/assumptions.md.

use super::MessageEdit;
use crate::feature::Feature;
use crate::realm::Realm;
use crate::realm::event::{Audience, Event, EventKind, Payload};
use crate::realm::id::{ChannelId, MessageId, UserId};
use crate::realm::message::{Edit, Message, MessagePlace};
use crate::realm::personal::{UserState, VisibilityPolicy};
use crate::realm::topic::TopicKey;
use crate::realm::tx::Tx;
use crate::realm::user::User;
use imbl::OrdSet;
use std::sync::Arc;

/// Moves the messages and records the move in their histories. If the request also changed the content of a message,
/// both changes are one entry. If the request does not change the topic, each message keeps its spelling of the topic.
/// Otherwise, all histories have the old topic as the message of the request spells it.
pub(super) fn move_messages(tx: &mut Tx, editor: UserId, message_edit: &MessageEdit, place: &MessagePlace) {
    let now = tx.now;
    let MessagePlace::Channel { channel: new_channel, topic: new_topic } = place else { return };
    let edited_id = message_edit.content.as_ref().map(|_| message_edit.message.id);
    let old_topic = message_edit.message.channel_and_topic().map(|(_, topic)| topic.clone()).unwrap_or_default();
    let keeps_topic = old_topic == *new_topic;
    for id in &message_edit.moved_ids {
        let Some((channel, topic)) =
            tx.messages[id].channel_and_topic().map(|(channel, topic)| (channel, topic.clone()))
        else {
            continue;
        };
        let new_topic = if keeps_topic { &topic.clone() } else { new_topic };
        tx.move_message(*id, MessagePlace::Channel { channel: *new_channel, topic: new_topic.clone() });
        let message = tx.message_mut(*id);
        if channel != *new_channel || message_edit.resolution_change.is_none() {
            message.last_moved_at = Some(now);
        }
        let new_edit = Edit { at: now, user: Some(editor), previous_body: None, topic: None, channel: None };
        let content_edit = if edited_id == Some(*id) { message.history.pop_back() } else { None };
        let mut edit = content_edit.map_or(new_edit, Arc::unwrap_or_clone);
        edit.topic = (!keeps_topic).then(|| (old_topic.clone(), new_topic.clone()));
        edit.channel = message_edit.names_channel.then_some((channel, *new_channel));
        message.history.push_back(Arc::new(edit));
    }
}

/// The users who lose something by a move into another channel.
#[derive(Default)]
pub(super) struct MoveLosses {
    /// Users who lose their user messages: those who were ever subscribed to the old channel and are not subscribed to
    /// the new one.
    pub(super) users_losing_user_messages: OrdSet<UserId>,
    /// Those of them who also lose access and get `delete_message`. If the new channel is public, only guests.
    pub(super) users_losing_access: OrdSet<UserId>,
}

impl MoveLosses {
    /// Determines the losses of a move before it is made. Empty if the request has no channel.
    pub(super) fn before_move(tx: &Tx, message_edit: &MessageEdit, place: &MessagePlace) -> Self {
        let (Some((old_channel, _)), Some(new_channel)) = (message_edit.message.channel_and_topic(), place.channel())
        else {
            return Self::default();
        };
        if !message_edit.names_channel {
            return Self::default();
        }
        let (old_channel, new_channel) = (&tx.channels[&old_channel], &tx.channels[&new_channel]);
        let ever_subscribed =
            tx.user_states.iter().filter(|(_, state)| state.subscriptions.contains_key(&old_channel.id));
        let users_losing_user_messages: OrdSet<UserId> =
            ever_subscribed.map(|(user, _)| *user).filter(|user| !new_channel.subscribers.contains(user)).collect();
        let users_losing_access = match new_channel.privacy.is_private() {
            true => users_losing_user_messages.clone(),
            false => users_losing_user_messages.clone().intersection(tx.guests().clone()),
        };
        Self { users_losing_user_messages, users_losing_access }
    }

    /// Event: `delete_message` to the users who lose access.
    pub(super) fn emit(&self, tx: &mut Tx, moved_ids: &[MessageId], old_place: &MessagePlace) {
        if !self.users_losing_access.is_empty() {
            let messages = moved_ids.iter().filter_map(|id| Some((*id, tx.messages.get(id)?.sender))).collect();
            let payload = Payload::DeleteMessages { messages, place: old_place.clone() };
            tx.emit(
                Audience::of_users(self.users_losing_access.clone()),
                Event::new(EventKind::DeleteMessage, payload),
            );
        }
    }
}

/// Subscribers of the new channel who get the event of a move even without a user message. Empty below 340, or if the
/// history of the old channel is protected. Guests are among them only if they are subscribed to the old channel too.
pub(super) fn new_readers(tx: &Tx, message: &Message, place: &MessagePlace) -> OrdSet<UserId> {
    let (Some((old_channel, _)), Some(new_channel)) = (message.channel_and_topic(), place.channel()) else {
        return OrdSet::new();
    };
    let old_channel = &tx.channels[&old_channel];
    if !tx.has(Feature::MovesSentToNewChannel) || !old_channel.privacy.has_public_history() {
        return OrdSet::new();
    }
    tx.channels[&new_channel].subscribers.clone().relative_complement(tx.unsubscribed_guests(old_channel))
}

/// Updates the user messages of messages that were moved into a channel: removes those of
/// `users_losing_user_messages` and recalls their pushes, and adds read ones for the subscribers of a channel with
/// protected history. Where one of the messages is unread for a subscriber and older than the start of the
/// subscription, the start is moved before it, because unread messages have to be newer than that.
pub(super) fn update_user_messages(
    tx: &mut Tx,
    moved_ids: &[MessageId],
    place: &MessagePlace,
    users_losing_user_messages: &OrdSet<UserId>,
) {
    let Some(channel) = place.channel().map(|id| tx.channels[&id].clone()) else { return };
    tx.remove_user_messages(moved_ids, users_losing_user_messages);
    if !channel.privacy.has_public_history() {
        tx.add_read_user_messages(moved_ids, &channel.subscribers);
    }
    tx.move_subscription_starts(channel.id, moved_ids);
    for user in users_losing_user_messages {
        tx.recall_pushes(*user);
    }
}

/// Whether a topic has other messages than the moved ones. `moved_ids` is sorted. Topics whose names differ only in
/// case are the same topic.
pub(super) fn has_other_messages(realm: &Realm, (channel, topic): (ChannelId, &str), moved_ids: &[MessageId]) -> bool {
    let topic_data = realm.topics.get(&(channel, TopicKey::new(topic)));
    topic_data.is_some_and(|topic_data| topic_data.messages.iter().any(|id| moved_ids.binary_search(&id).is_err()))
}

/// Whether no message of a topic remains that the editor can access.
pub(super) fn is_whole_topic_moved(
    realm: &Realm,
    editor: &User,
    (channel, topic): (ChannelId, &str),
    moved_ids: &[MessageId],
) -> bool {
    let topic_data = realm.topics.get(&(channel, TopicKey::new(topic)));
    let is_remaining =
        |id: &MessageId| moved_ids.binary_search(id).is_err() && realm.can_see_message(editor, &realm.messages[id]);
    topic_data.is_none_or(|topic_data| !topic_data.messages.iter().any(|id| is_remaining(&id)))
}

/// Returns the policy for a topic that was merged with another one: the policy of both if they are equal, otherwise
/// unmuted if one is, otherwise none.
fn merge_policies(old_policy: VisibilityPolicy, new_policy: VisibilityPolicy) -> VisibilityPolicy {
    if old_policy == new_policy {
        old_policy
    } else if [old_policy, new_policy].contains(&VisibilityPolicy::Unmuted) {
        VisibilityPolicy::Unmuted
    } else {
        VisibilityPolicy::None
    }
}

/// Moves the users' visibility policies along with a topic of which no message remains that the editor can access. If
/// the new topic existed before, the policies for both are merged.
pub(super) fn move_policies(
    tx: &mut Tx,
    editor: &User,
    message: &Message,
    moved_ids: &[MessageId],
    place: &MessagePlace,
) {
    let (Some((channel, topic)), MessagePlace::Channel { channel: new_channel, topic: new_topic }) =
        (message.channel_and_topic(), place)
    else {
        return;
    };
    let (key, new_key) = ((channel, TopicKey::new(topic)), (*new_channel, TopicKey::new(new_topic)));
    if key == new_key || !is_whole_topic_moved(tx, editor, (channel, topic), moved_ids) {
        return;
    }
    let existed_before = has_other_messages(tx, (*new_channel, new_topic), moved_ids);
    let policy_for =
        |state: &UserState, key| state.topics.get(key).map_or(VisibilityPolicy::None, |topic| topic.policy);
    let policies: Vec<(UserId, VisibilityPolicy, VisibilityPolicy)> = tx
        .user_states
        .iter()
        .map(|(user, state)| (*user, policy_for(state, &key), policy_for(state, &new_key)))
        .filter(|(_, old, new)| (*old, *new) != (VisibilityPolicy::None, VisibilityPolicy::None))
        .collect();
    for (user, old_policy, new_policy) in policies {
        // Users who lose access must not learn the new place (A-168 in docs/assumptions.md).
        if channel != *new_channel && !tx.can_read(&tx.users[&user], &tx.channels[new_channel]) {
            tx.set_topic_policy(user, channel, topic.clone(), VisibilityPolicy::None);
            continue;
        }
        let policy = match existed_before {
            false => old_policy,
            true => merge_policies(old_policy, new_policy),
        };
        // The end of a muted policy for the old topic is sent only if no event reports the new topic.
        if policy == new_policy && old_policy == VisibilityPolicy::Muted {
            tx.set_topic_policy(user, channel, topic.clone(), VisibilityPolicy::None);
        } else {
            tx.clear_topic_policy(user, channel, topic.clone());
        }
        tx.set_topic_policy(user, *new_channel, new_topic.clone(), policy);
    }
}
