//! Flags of user messages. They are computed from the message and the user's state.

use crate::realm::Realm;
use crate::realm::model::id::UserId;
use crate::realm::model::message::Message;

impl Message {
    /// Whether the message has the flag `mentioned` for the user: by name or through a group.
    pub fn mentions(&self, user: UserId) -> bool {
        self.body.mentioned_users.contains(&user) || self.body.group_mentioned_users.contains(&user)
    }

    /// Whether the message mentions everyone in its channel, topic or conversation, and this includes the user.
    pub fn wildcard_mentions(&self, user: UserId) -> bool {
        self.includes_in_wildcards(user)
            && (self.body.mentions_everyone
                || self.body.topic_mentioned_users.as_ref().is_some_and(|mentioned| mentioned.contains(&user)))
    }

    /// Whether wildcard mentions include the user: a recipient, or a user who was mentioned later.
    fn includes_in_wildcards(&self, user: UserId) -> bool {
        self.recipients.contains(&user) || self.body.late_mentioned_users.contains(&user)
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
            if self.body.topic_mentioned_users.as_ref().is_some_and(|mentioned| mentioned.contains(&user)) {
                flags.push("topic_wildcard_mentioned");
            }
        }
        if self.body.alerted_users.contains(&user) {
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

    /// Whether an unread message counts as a mention of the user. Wildcard mentions don't count in muted topics and in
    /// direct messages from muted users.
    pub fn is_notable_mention(&self, user: UserId, message: &Message) -> bool {
        message.mentions(user) || (message.wildcard_mentions(user) && !self.is_muted_for(user, message))
    }
}
