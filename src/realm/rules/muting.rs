//! Muted users: their new messages are marked as read for the users who mute them (A-130 in docs/assumptions.md).

use crate::realm::model::id::UserId;
use crate::realm::model::message::Message;
use crate::realm::tx::Tx;
use crate::time::Timestamp;
use imbl::OrdSet;

impl Tx {
    pub fn mute(&mut self, user: UserId, muted_user: UserId, muted_at: Timestamp) {
        self.user_state_mut(user).muted_users.insert(muted_user, muted_at);
        self.realm_mut().users_by_muted_user.entry(muted_user).or_default().insert(user);
    }

    pub fn unmute(&mut self, user: UserId, muted_user: UserId) {
        self.user_state_mut(user).muted_users.remove(&muted_user);
        let Some(muters) = self.realm_mut().users_by_muted_user.get_mut(&muted_user) else { return };
        muters.remove(&user);
        if muters.is_empty() {
            self.realm_mut().users_by_muted_user.remove(&muted_user);
        }
    }

    /// Marks a new message as read for the recipients who mute its sender, and returns them.
    pub(super) fn mark_as_read_for_muters(&mut self, message: &Message) -> OrdSet<UserId> {
        // This iterates over the users who mute the sender, who are few, and not over all recipients.
        let muters = self.users_by_muted_user.get(&message.sender).cloned().unwrap_or_default();
        let muting_recipients: OrdSet<UserId> =
            muters.into_iter().filter(|user| message.recipients.contains(user)).collect();
        for user in &muting_recipients {
            self.user_state_mut(*user).read.insert(message.id);
        }
        muting_recipients
    }
}
