//! Muted users: their new messages are marked as read for the users who mute them (A-130 in docs/assumptions.md).

use crate::realm::model::id::UserId;
use crate::realm::model::message::Message;
use crate::realm::tx::Tx;
use crate::time::Timestamp;
use imbl::OrdSet;

impl Tx {
    pub fn mute(&mut self, user: UserId, muted: UserId, since: Timestamp) {
        self.user_state_mut(user).muted_users.insert(muted, since);
        self.realm_mut().muted_by.entry(muted).or_default().insert(user);
    }

    pub fn unmute(&mut self, user: UserId, muted: UserId) {
        self.user_state_mut(user).muted_users.remove(&muted);
        let Some(muters) = self.realm_mut().muted_by.get_mut(&muted) else { return };
        muters.remove(&user);
        if muters.is_empty() {
            self.realm_mut().muted_by.remove(&muted);
        }
    }

    /// Marks a new message as read for the recipients who mute its sender, and returns them.
    pub(super) fn read_where_muted(&mut self, message: &Message) -> OrdSet<UserId> {
        // This iterates over the users who mute the sender, who are few, and not over all recipients.
        let muters = self.muted_by.get(&message.sender).cloned().unwrap_or_default();
        let readers: OrdSet<UserId> = muters.into_iter().filter(|user| message.recipients.contains(user)).collect();
        for user in &readers {
            self.user_state_mut(*user).read.insert(message.id);
        }
        readers
    }
}
