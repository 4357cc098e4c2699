//! Personal flags of messages: computed from the message and the user's exceptions.

use crate::realm::Realm;
use crate::realm::model::id::{ChannelId, MessageId, UserId};
use crate::realm::model::message::{Message, Place};
use crate::realm::model::message_ids::MessageIds;
use crate::realm::model::personal::{UserState, VisibilityPolicy};
use std::sync::Arc;

/// Those of a user's messages that are not read, from one on, oldest first. Runs of read ones are passed over at once.
fn not_read<'a>(
    own: &'a UserState,
    messages: &'a MessageIds,
    first: MessageId,
) -> impl Iterator<Item = MessageId> + use<'a> {
    let mut next = first;
    std::iter::from_fn(move || {
        loop {
            let id = messages.from(next).next()?;
            let read_to = own.read.end_of_run(id);
            next = MessageId(read_to.unwrap_or(id).0.saturating_add(1));
            if read_to.is_none() {
                return Some(id);
            }
        }
    })
}

impl Message {
    /// Whether the message mentions the user in any way that the flag `mentioned` covers.
    pub fn mentions(&self, user: UserId) -> bool {
        self.body.mentioned.contains(&user) || self.body.group_mentioned.contains(&user)
    }

    /// Whether a mention of everyone in the channel or topic means the user.
    pub fn wildcard_mentions(&self, user: UserId) -> bool {
        self.counts_for_wildcards(user)
            && (self.body.mentions_channel
                || self.body.topic_mentioned.as_ref().is_some_and(|mentioned| mentioned.contains(&user)))
    }

    /// Whether the user is one of those in the channel or topic, for its mentions.
    fn counts_for_wildcards(&self, user: UserId) -> bool {
        self.recipients.contains(&user) || self.body.late_mentioned.contains(&user)
    }

    /// The flags that follow from the message alone, in the order of the reference.
    pub fn sending_flags(&self, user: UserId) -> Vec<&'static str> {
        let mut flags = Vec::new();
        if self.mentions(user) {
            flags.push("mentioned");
        }
        if self.counts_for_wildcards(user) {
            if self.body.mentions_channel {
                flags.push("stream_wildcard_mentioned");
            }
            if self.body.topic_mentioned.as_ref().is_some_and(|mentioned| mentioned.contains(&user)) {
                flags.push("topic_wildcard_mentioned");
            }
        }
        if self.body.alerted.contains(&user) {
            flags.push("has_alert_word");
        }
        if self.wildcard_mentions(user) {
            flags.push("wildcard_mentioned");
        }
        flags
    }
}

impl Realm {
    /// A user's flags for a message; `read` and `historical` where there is no row.
    pub fn flags(&self, user: UserId, message: &Message) -> Vec<&'static str> {
        let own = self.user_state(user);
        let is_received = message.recipients.contains(&user);
        let mut flags = Vec::new();
        if !is_received || own.read.contains(message.id) {
            flags.push("read");
        }
        if own.starred.contains(&message.id) {
            flags.push("starred");
        }
        if own.collapsed.contains(&message.id) {
            flags.push("collapsed");
        }
        if own.hidden_previews.contains(&message.id) {
            flags.push("hide_link_previews");
        }
        flags.extend(message.sending_flags(user));
        if !is_received || own.historical.contains(&message.id) {
            flags.push("historical");
        }
        flags
    }

    /// Whether a message is unread for a user; without a row it is not.
    pub fn is_unread(&self, user: UserId, message: &Message) -> bool {
        message.recipients.contains(&user) && !self.user_state(user).read.contains(message.id)
    }

    /// Whether a message, while it is unread, is listed for a user as one that mentions them: a mention of everybody
    /// only where the topic is not muted.
    pub fn is_notable_mention(&self, user: UserId, message: &Message) -> bool {
        message.mentions(user) || (message.wildcard_mentions(user) && !self.is_muted_for(user, message))
    }

    /// A user's unread messages in a channel, oldest first. Only subscribed channels have any.
    pub fn unread_in_channel(&self, user: UserId, channel: ChannelId) -> Vec<MessageId> {
        let own = self.user_state(user);
        let Some(subscription) = own.subscription(channel) else { return Vec::new() };
        let since = MessageId(subscription.since.0.saturating_add(1));
        let is_received = |id: &MessageId| self.messages[id].recipients.contains(&user);
        not_read(own, self.messages_in(channel), since).filter(is_received).collect()
    }

    /// A user's unread messages in all direct message conversations, by conversation.
    pub fn unread_direct(&self, user: UserId) -> Vec<(crate::realm::model::id::RecipientId, Vec<MessageId>)> {
        let own = self.user_state(user);
        let mut unread = Vec::new();
        for conversation in &own.conversations {
            let messages = &self.conversations[conversation].messages;
            let found: Vec<_> = not_read(own, messages, MessageId(0)).collect();
            if !found.is_empty() {
                unread.push((*conversation, found));
            }
        }
        unread
    }

    /// All unread messages of a user, oldest first.
    pub fn unread(&self, user: UserId) -> Vec<MessageId> {
        let mut unread: Vec<MessageId> =
            self.unread_direct(user).into_iter().flat_map(|(_, messages)| messages).collect();
        for (channel, subscription) in &self.user_state(user).subscriptions {
            if subscription.is_active {
                unread.extend(self.unread_in_channel(user, *channel));
            }
        }
        unread.sort_unstable();
        unread
    }

    /// Whether the user has muted what a message is in: its topic, by itself or with its channel;
    /// of a direct message, its sender.
    pub fn is_muted_for(&self, user: UserId, message: &Message) -> bool {
        match &message.place {
            Place::Channel { channel, topic } => self.user_state(user).is_topic_muted(*channel, topic),
            Place::Direct { .. } => self.user_state(user).muted_users.contains_key(&message.sender),
        }
    }

    /// Whether a message is out of a user's home view: in a topic that they muted, or in a channel that they are subscribed
    /// to and muted, unless they unmuted or follow the topic.
    pub fn is_out_of_home(&self, user: UserId, message: &Message) -> bool {
        let Some((channel, topic)) = message.channel() else { return false };
        let own = self.user_state(user);
        match own.topic_policy(channel, topic) {
            VisibilityPolicy::Muted => true,
            VisibilityPolicy::Unmuted | VisibilityPolicy::Followed => false,
            VisibilityPolicy::None => own.subscription(channel).is_some_and(|subscription| subscription.is_muted),
        }
    }

    /// Whether a message is in a topic that the user has muted or, if that counts, in a channel: whatever they said of
    /// the topic then.
    pub fn is_in_muted(&self, user: UserId, message: &Message, with_channels: bool) -> bool {
        let Some((channel, topic)) = message.channel() else { return false };
        let own = self.user_state(user);
        let in_muted_channel = || own.subscription(channel).is_some_and(|subscription| subscription.is_muted);
        own.topic_policy(channel, topic) == VisibilityPolicy::Muted || (with_channels && in_muted_channel())
    }

    /// The newest message that a user has a row for.
    pub fn newest_message_of(&self, user: UserId) -> Option<MessageId> {
        // Not through subscriptions: who is mentioned receives messages of channels that they never subscribed to.
        let is_received = |message: &&Arc<Message>| message.recipients.contains(&user);
        // Mostly it is the newest of all, which is had for less than walking backwards.
        let newest = self.messages.get_max().map(|(_, message)| message).filter(is_received);
        newest.or_else(|| self.messages.values().rev().find(is_received)).map(|message| message.id)
    }
}
