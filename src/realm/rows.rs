//! Rows: that a user has a message among their own, received or made later, with what they marked there.

use super::change::Tx;
use super::id::{ChannelId, MessageId, UserId};
use imbl::OrdSet;
use std::sync::Arc;

impl Tx {
    /// Gives a user a row for a message that they did not receive; nothing happens when they have one.
    pub fn add_row(&mut self, user: UserId, message: MessageId) {
        let has_row = self.messages.get(&message).is_none_or(|message| self.has_row(user, message));
        if !has_row {
            self.own_mut(user).historical.insert(message);
            self.realm_mut().late_rows.entry(message).or_default().insert(user);
        }
    }

    /// Counts somebody with a row that was made later among those who received the message; the row stays what it is.
    pub fn receive_late(&mut self, user: UserId, message: MessageId) {
        self.message_mut(message).recipients.insert(user);
    }

    /// Takes away the rows that these users have for a message, with all that was marked there.
    pub fn drop_rows(&mut self, message: MessageId, users: &OrdSet<UserId>) {
        let Some(stored) = self.messages.get(&message) else { return };
        let late = self.late_rows.get(&message).cloned().unwrap_or_default();
        let losing = stored.recipients.clone().union(late).intersection(users.clone());
        if losing.is_empty() {
            return;
        }
        for user in &losing {
            let own = self.own_mut(*user);
            own.historical.remove(&message);
            own.starred.remove(&message);
            own.collapsed.remove(&message);
            if let Some(late) = self.realm_mut().late_rows.get_mut(&message) {
                late.remove(user);
            }
        }
        let stored = self.message_mut(message);
        let recipients = stored.recipients.clone().relative_complement(losing);
        Arc::make_mut(&mut stored.body).keep_mentions_of(&recipients);
        stored.recipients = recipients;
    }

    /// Unread messages lie above the point from which on a subscription counts: one from before it moves the point.
    pub fn reach_back(&mut self, user: UserId, channel: ChannelId, message: MessageId) {
        if let Some(subscription) = self.own_mut(user).subscriptions.get_mut(&channel)
            && subscription.since >= message
        {
            Arc::make_mut(subscription).since = MessageId(message.0 - 1);
        }
    }
}
