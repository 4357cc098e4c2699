//! Access checks for messages and uploaded files, and the audiences of changes of messages.

use crate::error::Error;
use crate::realm::Realm;
use crate::realm::log::event::Audience;
use crate::realm::model::attachment::Attachment;
use crate::realm::model::channel::Privacy;
use crate::realm::model::id::{MessageId, RecipientId, UserId};
use crate::realm::model::message::{Message, MessagePlace};
use crate::realm::model::user::User;
use imbl::OrdSet;
use std::sync::Arc;

impl Realm {
    /// Whether the user has a user message: they received the message, or acted on it later, for example by starring
    /// it.
    pub fn has_user_message(&self, user: UserId, message: &Message) -> bool {
        message.recipients.contains(&user) || self.user_state(user).historical.contains(&message.id)
    }

    /// Returns None if the message does not exist or the user can't see it.
    pub fn visible_message(&self, user: &User, id: MessageId) -> Option<&Arc<Message>> {
        self.messages.get(&id).filter(|message| self.can_see_message(user, message))
    }

    /// Whether a user can see a message: received a direct message, or can read the channel of a channel message and,
    /// if the channel's history is protected, has a user message (reference behaviour).
    pub fn can_see_message(&self, user: &User, message: &Message) -> bool {
        match &message.place {
            MessagePlace::Direct { .. } => message.recipients.contains(&user.id),
            MessagePlace::Channel { channel, .. } => {
                let channel = &self.channels[channel];
                self.can_read(user, channel)
                    && (channel.privacy.has_public_history() || self.has_user_message(user.id, message))
            }
        }
    }

    /// Whether the user is a guest who is not subscribed to the message's channel.
    pub fn is_unsubscribed_guest(&self, user: &User, message: &Message) -> bool {
        let is_unsubscribed = |channel| !self.channels[&channel].subscribers.contains(&user.id);
        user.is_guest() && message.channel_and_topic().is_some_and(|(channel, _)| is_unsubscribed(channel))
    }

    pub fn is_participant(&self, user: UserId, conversation: RecipientId) -> bool {
        self.conversations.get(&conversation).is_some_and(|conversation| conversation.members.contains(&user))
    }

    pub fn is_visible_to_spectators(&self, message: &Message) -> bool {
        message.channel_and_topic().is_some_and(|(channel, _)| self.channels[&channel].privacy == Privacy::WebPublic)
    }

    /// Whether `viewer` may read a file: its owner may, and users who can see a message that links to it. `viewer` is
    /// None for a spectator, who may see only messages in web-public channels, if spectators have access at all.
    pub fn can_read_file(&self, viewer: Option<&User>, file: &Attachment) -> bool {
        if viewer.is_some_and(|viewer| viewer.id == file.owner) {
            return true;
        }
        let mut messages = file.messages.iter().filter_map(|id| self.messages.get(id));
        messages.any(|message| match viewer {
            Some(viewer) => self.can_see_message(viewer, message),
            None => self.allows_spectators() && self.is_visible_to_spectators(message),
        })
    }

    /// A message that the user can see and that is not in an archived channel.
    ///
    /// # Errors
    ///
    /// `InvalidMessage`, the same for all reasons.
    pub fn changeable_message(&self, user: &User, id: MessageId) -> Result<&Arc<Message>, Error> {
        self.visible_message(user, id)
            .filter(|message| !self.is_in_archived_channel(message))
            .ok_or(Error::InvalidMessage)
    }

    pub fn is_in_archived_channel(&self, message: &Message) -> bool {
        message.channel_and_topic().is_some_and(|(channel, _)| self.channels[&channel].is_archived)
    }

    /// The audience of changes of a message: users with a user message and, in channels with public history,
    /// subscribers. Users who can no longer see the message are excluded.
    pub fn message_audience(&self, message: &Message) -> Audience {
        use imbl::ordset::DiffItem;
        let recipient_audience = Audience::of_users(message.recipients.clone());
        let Some((channel, _)) = message.channel_and_topic() else { return recipient_audience };
        let channel = &self.channels[&channel];
        let late_holders = self.late_holders.get(&message.id).cloned().unwrap_or_default();
        // Most recipients are still subscribers, and the sets share memory, so the difference is cheap to compute.
        let unsubscribed_recipients =
            message.recipients.diff(&channel.subscribers).filter_map(|difference| match difference {
                DiffItem::Remove(user) => Some(*user),
                _ => None,
            });
        let cannot_see = |id: &UserId| !self.users.get(id).is_some_and(|user| self.can_see_message(user, message));
        let without_access: OrdSet<UserId> =
            unsubscribed_recipients.chain(late_holders.iter().copied()).filter(cannot_see).collect();
        let audience = recipient_audience.with_users(late_holders).except_all(&without_access);
        if channel.privacy.has_public_history() { audience.with_users(channel.subscribers.clone()) } else { audience }
    }

    /// The audience of reactions, submessages and deletions of messages of one topic or conversation. The users follow
    /// from the place of the messages, similarly to [`Self::can_see_message`]:
    ///
    /// - direct messages: users with a user message
    /// - private channels with protected history: subscribers with a user message
    /// - other private channels: subscribers
    /// - public and web-public channels: subscribers, and other users with a user message except guests
    pub fn action_audience(&self, messages: &[MessageId]) -> Audience {
        use imbl::ordset::DiffItem;
        let Some(first) = messages.first().and_then(|id| self.messages.get(id)) else { return Audience::default() };
        let mut holders = first.recipients.clone();
        for group in self.group_by_recipients(messages).into_iter().filter(|group| group.recipients != first.recipients)
        {
            holders = holders.union(group.recipients);
        }
        for late_holders in messages.iter().filter_map(|id| self.late_holders.get(id)) {
            holders = holders.union(late_holders.clone());
        }
        let Some((channel, _)) = first.channel_and_topic() else { return Audience::of_users(holders) };
        let channel = &self.channels[&channel];
        let subscribers = channel.subscribers.clone();
        if !channel.privacy.has_public_history() {
            // Most recipients are still subscribers, and the sets share memory, so the difference is cheap to compute.
            let unsubscribed_holders = holders.diff(&subscribers).filter_map(|difference| match difference {
                DiffItem::Remove(user) => Some(*user),
                _ => None,
            });
            let unsubscribed_holders: OrdSet<UserId> = unsubscribed_holders.collect();
            return Audience::of_users(holders).except_all(&unsubscribed_holders);
        }
        if channel.privacy.is_private() {
            return Audience::of_users(subscribers);
        }
        Audience::of_users(holders).except_all(&self.unsubscribed_guests(channel)).with_users(subscribers)
    }

    /// Users who have a user message and can see the message.
    pub fn message_holders(&self, id: MessageId) -> OrdSet<UserId> {
        let Some(message) = self.messages.get(&id) else { return OrdSet::new() };
        let late_holders = self.late_holders.get(&id).cloned().unwrap_or_default();
        let can_see = |user: &UserId| self.users.get(user).is_some_and(|user| self.can_see_message(user, message));
        message.recipients.clone().union(late_holders).into_iter().filter(can_see).collect()
    }

    /// The audience of an edit. `requested_message` is the message in the request, and `moved_messages` are the others
    /// that it moves. Without protected history, the audience of the former suffices, because it includes all
    /// subscribers.
    pub fn edit_audience(&self, requested_message: &Message, moved_messages: &[MessageId]) -> Audience {
        let has_public_history = requested_message
            .channel_and_topic()
            .is_none_or(|(channel, _)| self.channels[&channel].privacy.has_public_history());
        if has_public_history {
            return self.message_audience(requested_message);
        }
        self.joint_audience(&[&[requested_message.id], moved_messages].concat())
    }

    /// The audience of a change of several messages of one topic or conversation: the union of their audiences.
    pub fn joint_audience(&self, messages: &[MessageId]) -> Audience {
        let mut messages = messages.iter().filter_map(|id| self.messages.get(id));
        let Some(first) = messages.next() else { return Audience::default() };
        let mut other_holders: OrdSet<UserId> = OrdSet::new();
        let mut previous_recipients = &first.recipients;
        for message in messages {
            let late_holders = self.late_holders.get(&message.id);
            // Most messages of a topic have the same recipients as the previous message.
            if late_holders.is_none() && message.recipients == *previous_recipients {
                continue;
            }
            previous_recipients = &message.recipients;
            let holders = message.recipients.iter().chain(late_holders.into_iter().flatten());
            let can_see = |id: &&UserId| self.users.get(*id).is_some_and(|user| self.can_see_message(user, message));
            other_holders.extend(holders.filter(can_see).copied());
        }
        let audience = self.message_audience(first);
        if other_holders.is_empty() { audience } else { audience.including(other_holders) }
    }
}
