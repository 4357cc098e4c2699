//! Notices: messages that the notification bot posts. Finds the system bots, and makes the mentions for notices.

use super::send::{ContentAuthor, OutgoingMessage, Target};
use crate::realm::Realm;
use crate::realm::model::id::UserId;
use crate::realm::model::user::{SystemBotKind, User};
use crate::realm::tx::Tx;
use imbl::OrdSet;
use std::sync::Arc;

impl User {
    /// The Markdown of a mention that notifies the user.
    pub fn mention(&self) -> String {
        format!("@**{}|{}**", self.full_name, self.id)
    }

    /// The Markdown of a mention that does not notify the user.
    pub fn silent_mention(&self) -> String {
        format!("@_**{}|{}**", self.full_name, self.id)
    }
}

impl Realm {
    pub fn notification_bot(&self) -> Option<UserId> {
        // State documents of earlier versions lack the kinds of system bots.
        let first_system_bot = || self.users.values().find(|user| user.is_system_bot()).map(|user| user.id);
        self.system_bot(SystemBotKind::Notification).or_else(first_system_bot)
    }

    pub fn system_bot(&self, kind: SystemBotKind) -> Option<UserId> {
        let has_kind = |user: &&Arc<User>| user.bot.as_ref().and_then(|bot| bot.system_kind) == Some(kind);
        self.users.values().find(has_kind).map(|user| user.id)
    }
}

impl Tx {
    /// Posts a notice that may repeat text of `quoted_author`, and returns whether it was sent. It is marked as read
    /// for `read_by`.
    ///
    /// The notice is rendered from that author's view, and its mentions do not notify. If it can't be sent, it
    /// has no effect, so that the change that it reports is not undone.
    pub fn post_notice(
        &mut self,
        quoted_author: UserId,
        target: Target,
        content: String,
        read_by: OrdSet<UserId>,
    ) -> bool {
        let Some(bot) = self.notification_bot() else { return false };
        self.send_or_restore(OutgoingMessage {
            read_by,
            content_author: ContentAuthor::QuotedUser(quoted_author),
            ..OutgoingMessage::from_server(bot, target, content)
        })
        .is_ok()
    }

    /// Posts a notice without text of other users, and returns whether it was sent. Its mentions notify, and it is
    /// rendered from the bot's view.
    pub fn post_notice_with_mentions(&mut self, target: Target, content: String, read_by: OrdSet<UserId>) -> bool {
        let Some(bot) = self.notification_bot() else { return false };
        self.send_or_restore(OutgoingMessage { read_by, ..OutgoingMessage::from_server(bot, target, content) }).is_ok()
    }

    /// Does the same as [`Tx::post_notice`], in a direct message.
    pub fn post_notice_to_user(&mut self, quoted_author: UserId, recipient: UserId, content: String) -> bool {
        self.post_notice(quoted_author, Target::Direct { users: vec![recipient] }, content, OrdSet::new())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::time::Timestamp;

    #[test]
    fn a_notice_that_cannot_be_sent_has_no_effect() {
        let now = Timestamp::parse("2026-01-01T12:00:00Z").expect("well-formed");
        let text = crate::fixture::built_in("default").expect("it is built in");
        let mut tx = Tx::new(crate::fixture::read(text, now, 0).expect("it is valid"));
        let bot = tx.notification_bot().expect("there is one");
        let others = tx.active_users.iter().copied().filter(|user| *user != bot);
        let stranger = others.clone().find(|user| tx.conversation_of([*user, bot]).is_none());
        let stranger = stranger.expect("a user has no conversation with the bot");

        let before = tx.conversations.len();
        assert!(!tx.post_notice_to_user(stranger, stranger, "A text that no message has: \0".into()));
        assert_eq!(tx.conversations.len(), before);

        assert!(tx.post_notice_to_user(stranger, stranger, "Hello, @*role:members*".into()));
        assert_eq!(tx.conversations.len(), before + 1);
    }
}
