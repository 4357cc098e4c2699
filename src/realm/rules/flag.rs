//! Flags of user messages, lists of unread messages, and whether a message is muted for a user. All are computed from
//! the message and the user's state.

use crate::realm::Realm;
use crate::realm::model::id::{ChannelId, MessageId, RecipientId, UserId};
use crate::realm::model::message::{Message, MessagePlace};
use crate::realm::model::message_ids::MessageIds;
use crate::realm::model::personal::{UserState, VisibilityPolicy};
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

impl Message {
    /// Whether the message has the flag `mentioned` for the user: by name or through a group.
    pub fn mentions(&self, user: UserId) -> bool {
        self.body.mentioned.contains(&user) || self.body.group_mentioned.contains(&user)
    }

    /// Whether the message mentions everyone in its channel, topic or conversation, and this includes the user.
    pub fn wildcard_mentions(&self, user: UserId) -> bool {
        self.includes_in_wildcards(user)
            && (self.body.mentions_everyone
                || self.body.topic_mentioned.as_ref().is_some_and(|mentioned| mentioned.contains(&user)))
    }

    /// Whether wildcard mentions include the user: a recipient, or a user who was mentioned later.
    fn includes_in_wildcards(&self, user: UserId) -> bool {
        self.recipients.contains(&user) || self.body.late_mentioned.contains(&user)
    }

    /// The user's flags that follow from the message alone, in the order in which real servers list them.
    pub fn message_flags(&self, user: UserId) -> Vec<&'static str> {
        let mut flags = Vec::new();
        if self.mentions(user) {
            flags.push("mentioned");
        }
        if self.includes_in_wildcards(user) {
            if self.body.mentions_everyone {
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
    /// The user's flags of a message. If the user is not a recipient, they include `read` and `historical`.
    pub fn flags(&self, user: UserId, message: &Message) -> Vec<&'static str> {
        let state = self.user_state(user);
        let is_received = message.recipients.contains(&user);
        let mut flags = Vec::new();
        if !is_received || state.read.contains(message.id) {
            flags.push("read");
        }
        if state.starred.contains(&message.id) {
            flags.push("starred");
        }
        if state.collapsed.contains(&message.id) {
            flags.push("collapsed");
        }
        if state.hidden_previews.contains(&message.id) {
            flags.push("hide_link_previews");
        }
        flags.extend(message.message_flags(user));
        if !is_received || state.historical.contains(&message.id) {
            flags.push("historical");
        }
        flags
    }

    /// Whether the user is a recipient and has not read the message.
    pub fn is_unread(&self, user: UserId, message: &Message) -> bool {
        message.recipients.contains(&user) && !self.user_state(user).read.contains(message.id)
    }

    /// Whether an unread message counts as a mention of the user. Wildcard mentions don't count in muted topics and in
    /// direct messages from muted users.
    pub fn is_notable_mention(&self, user: UserId, message: &Message) -> bool {
        message.mentions(user) || (message.wildcard_mentions(user) && !self.is_muted_for(user, message))
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

    /// Whether the message's topic is muted (see [`UserState::is_topic_muted`]), or the sender of a direct message.
    pub fn is_muted_for(&self, user: UserId, message: &Message) -> bool {
        match &message.place {
            MessagePlace::Channel { channel, topic } => self.user_state(user).is_topic_muted(*channel, topic),
            MessagePlace::Direct { .. } => self.user_state(user).muted_users.contains_key(&message.sender),
        }
    }

    /// Whether the user's combined feed leaves the message out: its topic is muted, or its channel is muted and the
    /// topic neither unmuted nor followed.
    pub fn is_excluded_from_home(&self, user: UserId, message: &Message) -> bool {
        let Some((channel, topic)) = message.channel_and_topic() else { return false };
        let state = self.user_state(user);
        match state.topic_policy(channel, topic) {
            VisibilityPolicy::Muted => true,
            VisibilityPolicy::Unmuted | VisibilityPolicy::Followed => false,
            VisibilityPolicy::None => state.subscription(channel).is_some_and(|subscription| subscription.is_muted),
        }
    }

    /// Whether the user has muted the message's topic or, if `with_channels`, its channel. Unlike
    /// [`Realm::is_excluded_from_home`], unmuted topics of muted channels count as muted.
    pub fn is_topic_or_channel_muted(&self, user: UserId, message: &Message, with_channels: bool) -> bool {
        let Some((channel, topic)) = message.channel_and_topic() else { return false };
        let state = self.user_state(user);
        let in_muted_channel = || state.subscription(channel).is_some_and(|subscription| subscription.is_muted);
        state.topic_policy(channel, topic) == VisibilityPolicy::Muted || (with_channels && in_muted_channel())
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
