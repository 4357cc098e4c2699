//! What the notification bot says.

use super::change::Tx;
use super::id::UserId;
use super::send::{Outgoing, Target};
use super::user::User;
use imbl::OrdSet;

impl User {
    /// The Markdown that mentions the user and does not notify.
    pub fn silent_mention(&self) -> String {
        format!("@_**{}|{}**", self.full_name, self.id)
    }
}

impl Tx {
    /// Has the notification bot say something; those who caused it may have read it from the beginning.
    ///
    /// What can't be sent, say since its channel takes no messages or since a name in it mentions a group that the bot
    /// may not, is dropped and leaves nothing behind: a notice must not undo what it tells of.
    pub fn notify(&mut self, to: Target, content: String, read_by: OrdSet<UserId>) {
        if let Some(bot) = self.notification_bot() {
            let _ = self.send_wholly(Outgoing { read_by, ..Outgoing::from_server(bot, to, content) });
        }
    }

    /// Has the notification bot say something to one person, in a direct message, as [`Tx::notify`] does.
    pub fn notify_person(&mut self, person: UserId, content: String) {
        self.notify(Target::Direct { users: vec![person] }, content, OrdSet::new());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::realm::group::SystemGroup;
    use crate::realm::permission::GroupSettingValue;
    use crate::time::Timestamp;

    #[test]
    fn a_notice_that_cannot_be_sent_leaves_nothing_behind() {
        let now = Timestamp::parse("2026-01-01T12:00:00Z").expect("well-formed");
        let text = crate::fixture::builtin("default").expect("it is built in");
        let mut tx = Tx::new(crate::fixture::read(text, now, 0).expect("it has no faults"));
        let nobody = GroupSettingValue::Group(tx.system_group(SystemGroup::Nobody));
        let group = tx.groups.values().find(|group| group.system.is_none()).cloned().expect("there are groups");
        tx.group_mut(group.id).permissions.insert("can_mention_group", nobody);
        let bot = tx.notification_bot().expect("there is one");
        let others = tx.active_users.iter().copied().filter(|user| *user != bot);
        let stranger = others.clone().find(|user| tx.conversation_of([*user, bot]).is_none());
        let stranger = stranger.expect("somebody never heard of the bot");

        let before = tx.conversations.len();
        tx.notify_person(stranger, format!("A name with @*{}* in it", group.name));
        assert_eq!(tx.conversations.len(), before);

        tx.notify_person(stranger, "Hello".into());
        assert_eq!(tx.conversations.len(), before + 1);
    }
}
