//! Adds and removes user messages: messages as one user has them, with flags. A user has those that they received, and
//! those that they acted on later.

use crate::realm::Realm;
use crate::realm::model::id::{ChannelId, MessageId, UserId};
use crate::realm::tx::Tx;
use imbl::OrdSet;
use std::sync::Arc;

impl Tx {
    /// Adds a historical user message, unless the user already has a user message.
    pub fn add_historical_user_message(&mut self, user: UserId, message: MessageId) {
        let has_user_message = self.messages.get(&message).is_none_or(|message| self.has_user_message(user, message));
        if !has_user_message {
            self.user_state_mut(user).historical.insert(message);
            self.realm_mut().late_holders.entry(message).or_default().insert(user);
        }
    }

    /// Makes a user with a historical user message a recipient. The user message stays historical.
    pub fn add_late_recipient(&mut self, user: UserId, message: MessageId) {
        self.message_mut(message).recipients.insert(user);
    }

    /// Removes these users' user messages with their flags, except that the messages stay in the users' read sets.
    /// `messages` must be sorted.
    pub fn remove_user_messages(&mut self, messages: &[MessageId], users: &OrdSet<UserId>) {
        for user in users {
            self.remove_historical_messages_and_flags(*user, messages);
        }
        for group in self.group_by_recipients(messages) {
            let remaining = group.recipients.clone().relative_complement(users.clone());
            if remaining.len() == group.recipients.len() {
                continue;
            }
            for id in group.messages {
                let mentions_removed_users = self.messages[&id].body.mentions_or_alerts_any_of(users);
                let late_holders = self.late_holders.get(&id).cloned().unwrap_or_default();
                let message = self.message_mut(id);
                if mentions_removed_users {
                    Arc::make_mut(&mut message.body).retain_mentions_of(&remaining.clone().union(late_holders));
                }
                message.recipients = remaining.clone();
            }
        }
    }

    /// Removes a user's historical user messages, and the flags of all of the messages except `read`. `messages` must
    /// be sorted.
    fn remove_historical_messages_and_flags(&mut self, user: UserId, messages: &[MessageId]) {
        let state = self.user_state(user);
        let historical = ids_in_set(&state.historical, messages);
        let starred = ids_in_set(&state.starred, messages);
        let collapsed = ids_in_set(&state.collapsed, messages);
        let hidden_previews = ids_in_set(&state.hidden_previews, messages);
        if [&historical, &starred, &collapsed, &hidden_previews].into_iter().all(Vec::is_empty) {
            return;
        }
        let state = self.user_state_mut(user);
        for id in &historical {
            state.historical.remove(id);
        }
        for id in &starred {
            state.starred.remove(id);
        }
        for id in &collapsed {
            state.collapsed.remove(id);
        }
        for id in &hidden_previews {
            state.hidden_previews.remove(id);
        }
        for id in &historical {
            if let Some(users) = self.realm_mut().late_holders.get_mut(id) {
                users.remove(&user);
            }
            let message = &self.messages[id];
            if !message.recipients.contains(&user) && message.body.mentions_or_alerts_any_of(&OrdSet::unit(user)) {
                let holders = message.recipients.clone().union(self.late_holders.get(id).cloned().unwrap_or_default());
                Arc::make_mut(&mut self.message_mut(*id).body).retain_mentions_of(&holders);
            }
        }
    }

    /// Adds read user messages for users who have none. `messages` must be sorted.
    pub fn add_read_user_messages(&mut self, messages: &[MessageId], users: &OrdSet<UserId>) {
        for group in self.group_by_recipients(messages) {
            let new_recipients = users.clone().relative_complement(group.recipients.clone());
            if new_recipients.is_empty() {
                continue;
            }
            let all_recipients = group.recipients.union(new_recipients.clone());
            for user in &new_recipients {
                let state = self.user_state_mut(*user);
                let new_messages = group.messages.iter().filter(|id| !state.historical.contains(*id));
                new_messages.for_each(|id| _ = state.read.insert(*id));
            }
            for id in group.messages {
                let late_holders =
                    self.late_holders.get(&id).cloned().unwrap_or_default().intersection(new_recipients.clone());
                let recipients = if late_holders.is_empty() {
                    all_recipients.clone()
                } else {
                    all_recipients.clone().relative_complement(late_holders)
                };
                self.message_mut(id).recipients = recipients;
            }
        }
    }

    /// Moves the start of a subscription before a message, because unread messages must be newer than the subscription.
    pub fn move_subscription_start(&mut self, user: UserId, channel: ChannelId, message: MessageId) {
        let since = self.user_state(user).subscriptions.get(&channel).map(|subscription| subscription.since);
        if since.is_some_and(|since| since >= message)
            && let Some(subscription) = self.user_state_mut(user).subscriptions.get_mut(&channel)
        {
            Arc::make_mut(subscription).since = MessageId(message.0 - 1);
        }
    }

    /// Applies [`Tx::move_subscription_start`], with the first unread one of the messages, to all recipients who have
    /// not read all of them. `messages` must be sorted.
    pub fn move_subscription_starts(&mut self, channel: ChannelId, messages: &[MessageId]) {
        for group in self.group_by_recipients(messages) {
            for user in &group.recipients {
                if let Some(first) = self.user_state(*user).read.first_unread(&group.messages) {
                    self.move_subscription_start(*user, channel, first);
                }
            }
        }
    }
}

/// Messages with the same recipients.
pub struct RecipientGroup {
    pub recipients: OrdSet<UserId>,
    /// In the order in which they were passed to [`Realm::group_by_recipients`].
    pub messages: Vec<MessageId>,
}

/// Number of recent groups that a message is compared with. Most messages have the same recipients as a recent one.
const MAX_COMPARED_GROUPS: usize = 4;

impl Realm {
    /// Groups messages by their recipients, so that a long list of recipients is processed once for many messages.
    /// Several groups may have equal recipients.
    pub fn group_by_recipients(&self, messages: &[MessageId]) -> Vec<RecipientGroup> {
        let mut groups: Vec<RecipientGroup> = Vec::new();
        for id in messages {
            let Some(message) = self.messages.get(id) else { continue };
            let recent = groups.iter_mut().rev().take(MAX_COMPARED_GROUPS);
            match recent.into_iter().find(|group| group.recipients == message.recipients) {
                Some(group) => group.messages.push(*id),
                None => groups.push(RecipientGroup { recipients: message.recipients.clone(), messages: vec![*id] }),
            }
        }
        groups
    }
}

/// The messages that are in the set. `messages` must be sorted.
pub fn ids_in_set(set: &OrdSet<MessageId>, messages: &[MessageId]) -> Vec<MessageId> {
    if set.len() < messages.len() {
        set.iter().filter(|id| messages.binary_search(id).is_ok()).copied().collect()
    } else {
        messages.iter().filter(|id| set.contains(*id)).copied().collect()
    }
}
