//! Rows: that a user has a message among their own, received or made later, with what they marked there.

use crate::realm::Realm;
use crate::realm::model::id::{ChannelId, MessageId, UserId};
use crate::realm::tx::Tx;
use imbl::OrdSet;
use std::sync::Arc;

impl Tx {
    /// Gives a user a row for a message that they did not receive; nothing happens when they have one.
    pub fn add_row(&mut self, user: UserId, message: MessageId) {
        let has_row = self.messages.get(&message).is_none_or(|message| self.has_row(user, message));
        if !has_row {
            self.user_state_mut(user).historical.insert(message);
            self.realm_mut().late_rows.entry(message).or_default().insert(user);
        }
    }

    /// Counts somebody with a row that was made later among those who received the message; the row stays what it is.
    pub fn receive_late(&mut self, user: UserId, message: MessageId) {
        self.message_mut(message).recipients.insert(user);
    }

    /// Takes away the rows that these users have for messages, which are sorted, with all that was marked there.
    pub fn drop_rows(&mut self, messages: &[MessageId], users: &OrdSet<UserId>) {
        for user in users {
            self.drop_marks(*user, messages);
        }
        for group in self.by_recipients(messages) {
            let remaining = group.recipients.clone().relative_complement(users.clone());
            if remaining.len() == group.recipients.len() {
                continue;
            }
            for id in group.messages {
                let names_losers = self.messages[&id].body.names_any_of(users);
                let late = self.late_rows.get(&id).cloned().unwrap_or_default();
                let stored = self.message_mut(id);
                if names_losers {
                    Arc::make_mut(&mut stored.body).keep_mentions_of(&remaining.clone().union(late));
                }
                stored.recipients = remaining.clone();
            }
        }
    }

    /// Takes away a user's late rows and marks for messages, which are sorted.
    fn drop_marks(&mut self, user: UserId, messages: &[MessageId]) {
        let own = self.user_state(user);
        let late = among(&own.historical, messages);
        let starred = among(&own.starred, messages);
        let collapsed = among(&own.collapsed, messages);
        let hidden = among(&own.hidden_previews, messages);
        if [&late, &starred, &collapsed, &hidden].into_iter().all(Vec::is_empty) {
            return;
        }
        let own = self.user_state_mut(user);
        for id in &late {
            own.historical.remove(id);
        }
        for id in &starred {
            own.starred.remove(id);
        }
        for id in &collapsed {
            own.collapsed.remove(id);
        }
        for id in &hidden {
            own.hidden_previews.remove(id);
        }
        for id in &late {
            if let Some(users) = self.realm_mut().late_rows.get_mut(id) {
                users.remove(&user);
            }
            let message = &self.messages[id];
            if !message.recipients.contains(&user) && message.body.names_any_of(&OrdSet::unit(user)) {
                let holders = message.recipients.clone().union(self.late_rows.get(id).cloned().unwrap_or_default());
                Arc::make_mut(&mut self.message_mut(*id).body).keep_mentions_of(&holders);
            }
        }
    }

    /// Gives these users read rows for messages, which are sorted, unless they have one.
    pub fn add_read_rows(&mut self, messages: &[MessageId], users: &OrdSet<UserId>) {
        for group in self.by_recipients(messages) {
            let gaining = users.clone().relative_complement(group.recipients.clone());
            if gaining.is_empty() {
                continue;
            }
            let everybody = group.recipients.union(gaining.clone());
            for user in &gaining {
                let own = self.user_state_mut(*user);
                let fresh = group.messages.iter().filter(|id| !own.historical.contains(*id));
                fresh.for_each(|id| _ = own.read.insert(*id));
            }
            for id in group.messages {
                let late = self.late_rows.get(&id).cloned().unwrap_or_default().intersection(gaining.clone());
                let recipients =
                    if late.is_empty() { everybody.clone() } else { everybody.clone().relative_complement(late) };
                self.message_mut(id).recipients = recipients;
            }
        }
    }

    /// Unread messages lie above the point from which on a subscription counts: one from before it moves the point.
    pub fn reach_back(&mut self, user: UserId, channel: ChannelId, message: MessageId) {
        let since = self.user_state(user).subscriptions.get(&channel).map(|subscription| subscription.since);
        if since.is_some_and(|since| since >= message)
            && let Some(subscription) = self.user_state_mut(user).subscriptions.get_mut(&channel)
        {
            Arc::make_mut(subscription).since = MessageId(message.0 - 1);
        }
    }

    /// The same for all who received any of these messages, which are sorted, and have not read them.
    pub fn reach_back_for_all(&mut self, channel: ChannelId, messages: &[MessageId]) {
        for group in self.by_recipients(messages) {
            for user in &group.recipients {
                if let Some(first) = self.user_state(*user).read.first_without(&group.messages) {
                    self.reach_back(*user, channel, first);
                }
            }
        }
    }
}

/// Messages that reached the same people.
pub struct SameRecipients {
    /// Users that they reached.
    pub recipients: OrdSet<UserId>,
    /// In the order in which they were given.
    pub messages: Vec<MessageId>,
}

/// How many groups a message is compared with: messages of one place mostly reached the same people as one shortly before.
const COMPARED: usize = 4;

impl Realm {
    /// Messages grouped by the users that they reached, so that what concerns very many people is decided once for very many
    /// messages. Groups may be alike.
    pub fn by_recipients(&self, messages: &[MessageId]) -> Vec<SameRecipients> {
        let mut groups: Vec<SameRecipients> = Vec::new();
        for id in messages {
            let Some(message) = self.messages.get(id) else { continue };
            let recent = groups.iter_mut().rev().take(COMPARED);
            match recent.into_iter().find(|group| group.recipients == message.recipients) {
                Some(group) => group.messages.push(*id),
                None => groups.push(SameRecipients { recipients: message.recipients.clone(), messages: vec![*id] }),
            }
        }
        groups
    }
}

/// Which of the messages, which are sorted, are in a set.
pub fn among(set: &OrdSet<MessageId>, messages: &[MessageId]) -> Vec<MessageId> {
    if set.len() < messages.len() {
        set.iter().filter(|id| messages.binary_search(id).is_ok()).copied().collect()
    } else {
        messages.iter().filter(|id| set.contains(*id)).copied().collect()
    }
}
