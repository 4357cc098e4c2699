//! What the notification bot says.

use super::send::{Outgoing, Target, Voice};
use crate::realm::Realm;
use crate::realm::model::id::UserId;
use crate::realm::model::user::{SystemBotKind, User};
use crate::realm::tx::Tx;
use imbl::OrdSet;
use std::sync::Arc;

impl User {
    /// The Markdown that mentions the user.
    pub fn mention(&self) -> String {
        format!("@**{}|{}**", self.full_name, self.id)
    }

    /// The Markdown that mentions the user and does not notify.
    pub fn silent_mention(&self) -> String {
        format!("@_**{}|{}**", self.full_name, self.id)
    }
}

impl Realm {
    /// The system's notification bot, when the realm has one.
    pub fn notification_bot(&self) -> Option<UserId> {
        // States of earlier versions don't say what the system's bots do.
        let first = || self.users.values().find(|user| user.is_system_bot()).map(|user| user.id);
        self.system_bot(SystemBotKind::Notification).or_else(first)
    }

    /// The system's bot of a kind, when the realm has one.
    pub fn system_bot(&self, kind: SystemBotKind) -> Option<UserId> {
        let is_it = |user: &&Arc<User>| user.bot.as_ref().and_then(|bot| bot.system_kind) == Some(kind);
        self.users.values().find(is_it).map(|user| user.id)
    }
}

impl Tx {
    /// Has the notification bot say something; those who caused it may have read it from the beginning.
    ///
    /// Notices repeat what people wrote, if only a name. So they are rendered as their author sees the organization,
    /// who is whoever wrote that or caused the notice, and mention nobody.
    ///
    /// What can't be sent all the same is dropped and leaves nothing behind: a notice must not undo what it tells of.
    /// Gives whether it was sent.
    pub fn notify(&mut self, author: UserId, to: Target, content: String, read_by: OrdSet<UserId>) -> bool {
        let Some(bot) = self.notification_bot() else { return false };
        let voice = Voice::Repeated(author);
        self.send_wholly(Outgoing { read_by, voice, ..Outgoing::from_server(bot, to, content) }).is_ok()
    }

    /// Has the notification bot say something in words of its own, which may mention others aloud, and names only what the
    /// bot can see.
    ///
    /// Gives whether it was sent.
    pub fn notify_aloud(&mut self, to: Target, content: String, read_by: OrdSet<UserId>) -> bool {
        let Some(bot) = self.notification_bot() else { return false };
        self.send_wholly(Outgoing { read_by, ..Outgoing::from_server(bot, to, content) }).is_ok()
    }

    /// Has the notification bot say something to one person, in a direct message, as [`Tx::notify`] does.
    pub fn notify_person(&mut self, author: UserId, person: UserId, content: String) -> bool {
        self.notify(author, Target::Direct { users: vec![person] }, content, OrdSet::new())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::time::Timestamp;

    #[test]
    fn a_notice_that_cannot_be_sent_leaves_nothing_behind() {
        let now = Timestamp::parse("2026-01-01T12:00:00Z").expect("well-formed");
        let text = crate::fixture::builtin("default").expect("it is built in");
        let mut tx = Tx::new(crate::fixture::read(text, now, 0).expect("it has no faults"));
        let bot = tx.notification_bot().expect("there is one");
        let others = tx.active_users.iter().copied().filter(|user| *user != bot);
        let stranger = others.clone().find(|user| tx.conversation_of([*user, bot]).is_none());
        let stranger = stranger.expect("somebody never heard of the bot");

        let before = tx.conversations.len();
        assert!(!tx.notify_person(stranger, stranger, "A text that no message has: \0".into()));
        assert_eq!(tx.conversations.len(), before);

        assert!(tx.notify_person(stranger, stranger, "Hello, @*role:members*".into()));
        assert_eq!(tx.conversations.len(), before + 1);
    }
}
