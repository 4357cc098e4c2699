//! Lists of a user's unread messages, and the newest message that a user received.

use crate::realm::Realm;
use crate::realm::model::id::{ChannelId, MessageId, RecipientId, UserId};
use crate::realm::model::message::Message;
use crate::realm::model::message_ids::MessageIds;
use crate::realm::model::personal::UserState;
use std::sync::Arc;

/// The messages from `first` on that are not in the user's read set, oldest first. It skips runs of read messages.
fn unread_ids<'a>(
    state: &'a UserState,
    messages: &'a MessageIds,
    first: MessageId,
) -> impl Iterator<Item = MessageId> + use<'a> {
    let mut next = first;
    std::iter::from_fn(move || {
        loop {
            let id = messages.starting_at(next).next()?;
            let end_of_run = state.read.end_of_run(id);
            next = MessageId(end_of_run.unwrap_or(id).0.saturating_add(1));
            if end_of_run.is_none() {
                return Some(id);
            }
        }
    })
}

impl Realm {
    /// Whether the user is a recipient and has not read the message.
    pub fn is_unread(&self, user: UserId, message: &Message) -> bool {
        message.recipients.contains(&user) && !self.user_state(user).read.contains(message.id)
    }

    /// Oldest first. Only channels that the user is subscribed to have unread messages.
    pub fn unread_in_channel(&self, user: UserId, channel: ChannelId) -> Vec<MessageId> {
        let state = self.user_state(user);
        let Some(subscription) = state.subscription(channel) else { return Vec::new() };
        let since = MessageId(subscription.since.0.saturating_add(1));
        let is_received = |id: &MessageId| self.messages[id].recipients.contains(&user);
        unread_ids(state, self.messages_in(channel), since).filter(is_received).collect()
    }

    /// Unread messages of each conversation; conversations without unread messages are left out.
    pub fn unread_direct_messages(&self, user: UserId) -> Vec<(RecipientId, Vec<MessageId>)> {
        let state = self.user_state(user);
        let mut unread = Vec::new();
        for conversation in &state.conversations {
            let messages = &self.conversations[conversation].messages;
            let ids: Vec<_> = unread_ids(state, messages, MessageId(0)).collect();
            if !ids.is_empty() {
                unread.push((*conversation, ids));
            }
        }
        unread
    }

    /// Oldest first.
    pub fn unread_messages(&self, user: UserId) -> Vec<MessageId> {
        let mut unread: Vec<MessageId> =
            self.unread_direct_messages(user).into_iter().flat_map(|(_, messages)| messages).collect();
        for (channel, subscription) in &self.user_state(user).subscriptions {
            if subscription.is_active {
                unread.extend(self.unread_in_channel(user, *channel));
            }
        }
        unread.sort_unstable();
        unread
    }

    /// The newest message that the user received.
    pub fn newest_received_message(&self, user: UserId) -> Option<MessageId> {
        // Subscriptions don't suffice: mentions reach users in channels that they are not subscribed to.
        let is_received = |message: &&Arc<Message>| message.recipients.contains(&user);
        // Usually it is the newest message of the realm, which is found without iterating.
        let newest = self.messages.get_max().map(|(_, message)| message).filter(is_received);
        newest.or_else(|| self.messages.values().rev().find(is_received)).map(|message| message.id)
    }
}
