//! Who can see messages and the files that they link, and who follows a change of a message.

use crate::error::Error;
use crate::realm::Realm;
use crate::realm::log::event::Audience;
use crate::realm::model::channel::Privacy;
use crate::realm::model::id::{MessageId, RecipientId, UserId};
use crate::realm::model::message::{Attachment, Message, Place};
use crate::realm::model::user::User;
use imbl::OrdSet;
use std::sync::Arc;

impl Realm {
    /// Whether the user has a row for a message: received it, or made one by starring.
    pub fn has_row(&self, user: UserId, message: &Message) -> bool {
        message.recipients.contains(&user) || self.user_state(user).historical.contains(&message.id)
    }

    /// A message that the user can see; None where it can't or there is none.
    pub fn message_seen_by(&self, user: &User, id: MessageId) -> Option<&Arc<Message>> {
        self.messages.get(&id).filter(|message| self.can_see_message(user, message))
    }

    /// Whether a user can see a message (reference behaviour: own row, or content access to a
    /// channel with public history).
    pub fn can_see_message(&self, user: &User, message: &Message) -> bool {
        match &message.place {
            Place::Direct { .. } => message.recipients.contains(&user.id),
            Place::Channel { channel, .. } => {
                let channel = &self.channels[channel];
                self.can_read(user, channel) && (channel.privacy.has_public_history() || self.has_row(user.id, message))
            }
        }
    }

    /// Whether a user is a guest and a message is in a channel that they are not subscribed to.
    pub fn is_guest_outside(&self, user: &User, message: &Message) -> bool {
        let is_outside = |channel| !self.channels[&channel].subscribers.contains(&user.id);
        user.is_guest() && message.channel().is_some_and(|(channel, _)| is_outside(channel))
    }

    /// Whether a user is one of those who talk in a conversation.
    pub fn takes_part(&self, user: UserId, conversation: RecipientId) -> bool {
        self.conversations.get(&conversation).is_some_and(|conversation| conversation.members.contains(&user))
    }

    /// Whether anonymous visitors may see a message.
    pub fn is_for_visitors(&self, message: &Message) -> bool {
        message.channel().is_some_and(|(channel, _)| self.channels[&channel].privacy == Privacy::WebPublic)
    }

    /// Whether somebody may read a file: its owner, and whoever can see a message that links it; anonymous visitors (None)
    /// only through messages in web-public channels.
    pub fn can_read_file(&self, viewer: Option<&User>, file: &Attachment) -> bool {
        if viewer.is_some_and(|viewer| viewer.id == file.owner) {
            return true;
        }
        let mut messages = file.messages.iter().filter_map(|id| self.messages.get(id));
        messages.any(|message| match viewer {
            Some(viewer) => self.can_see_message(viewer, message),
            None => self.has_public_access() && self.is_for_visitors(message),
        })
    }

    /// A message that the user can see and that does not lie in an archived channel.
    ///
    /// # Errors
    ///
    /// `InvalidMessage`, the same for all reasons.
    pub fn message_to_change(&self, user: &User, id: MessageId) -> Result<&Arc<Message>, Error> {
        self.message_seen_by(user, id).filter(|message| !self.is_in_archive(message)).ok_or(Error::InvalidMessage)
    }

    /// Whether a message is in an archived channel.
    pub fn is_in_archive(&self, message: &Message) -> bool {
        message.channel().is_some_and(|(channel, _)| self.channels[&channel].is_archived)
    }

    /// Who receives a change of a message: those with a row for it and, where the history is public, the channel's
    /// subscribers; never those who can't see it any more.
    pub fn who_follows(&self, message: &Message) -> Audience {
        use imbl::ordset::DiffItem;
        let received = Audience::of(message.recipients.clone());
        let Some((channel, _)) = message.channel() else { return received };
        let channel = &self.channels[&channel];
        let late = self.late_rows.get(&message.id).cloned().unwrap_or_default();
        // Most recipients are subscribers still, and the sets share their parts: only the others need a look.
        let outside = message.recipients.diff(&channel.subscribers).filter_map(|difference| match difference {
            DiffItem::Remove(user) => Some(*user),
            _ => None,
        });
        let cannot_see = |id: &UserId| !self.users.get(id).is_some_and(|user| self.can_see_message(user, message));
        let blind: OrdSet<UserId> = outside.chain(late.iter().copied()).filter(cannot_see).collect();
        let audience = received.and(late).except_all(&blind);
        if channel.privacy.has_public_history() { audience.and(channel.subscribers.clone()) } else { audience }
    }

    /// Who is sent what is done to messages of one place, which follows [`Self::can_see_message`]: those with a row for one
    /// of them in a direct conversation, and of a private channel with protected history those of them who are subscribed;
    /// of other channels the subscribers, and of public ones those with a row who are not guests too.
    pub fn audience_of_action(&self, messages: &[MessageId]) -> Audience {
        use imbl::ordset::DiffItem;
        let Some(first) = messages.first().and_then(|id| self.messages.get(id)) else { return Audience::default() };
        let mut holders = first.recipients.clone();
        for group in self.by_recipients(messages).into_iter().filter(|group| group.recipients != first.recipients) {
            holders = holders.union(group.recipients);
        }
        for late in messages.iter().filter_map(|id| self.late_rows.get(id)) {
            holders = holders.union(late.clone());
        }
        let Some((channel, _)) = first.channel() else { return Audience::of(holders) };
        let channel = &self.channels[&channel];
        let subscribers = channel.subscribers.clone();
        if !channel.privacy.has_public_history() {
            // Most recipients are subscribers still, and the sets share their parts: only the others need a look.
            let outside = holders.diff(&subscribers).filter_map(|difference| match difference {
                DiffItem::Remove(user) => Some(*user),
                _ => None,
            });
            let outside: OrdSet<UserId> = outside.collect();
            return Audience::of(holders).except_all(&outside);
        }
        if channel.privacy.is_private() {
            return Audience::of(subscribers);
        }
        Audience::of(holders).except_all(&self.guests_outside(channel)).and(subscribers)
    }

    /// Those who have a row for a message and can see it.
    pub fn who_holds(&self, id: MessageId) -> OrdSet<UserId> {
        let Some(message) = self.messages.get(&id) else { return OrdSet::new() };
        let late = self.late_rows.get(&id).cloned().unwrap_or_default();
        let sees = |user: &UserId| self.users.get(user).is_some_and(|user| self.can_see_message(user, message));
        message.recipients.clone().union(late).into_iter().filter(sees).collect()
    }

    /// Who receives a move of messages, of which the request named one. Where the history is public, whoever follows that
    /// one: all subscribers do. Else who follows any of them.
    pub fn who_follows_move(&self, named: &Message, moved: &[MessageId]) -> Audience {
        let has_public_history =
            named.channel().is_none_or(|(channel, _)| self.channels[&channel].privacy.has_public_history());
        if has_public_history {
            return self.who_follows(named);
        }
        self.who_follows_any(&[&[named.id], moved].concat())
    }

    /// Who receives a change of several messages of one place: whoever follows any of them.
    pub fn who_follows_any(&self, messages: &[MessageId]) -> Audience {
        let mut messages = messages.iter().filter_map(|id| self.messages.get(id));
        let Some(first) = messages.next() else { return Audience::default() };
        let mut more: OrdSet<UserId> = OrdSet::new();
        let mut known = &first.recipients;
        for message in messages {
            let late = self.late_rows.get(&message.id);
            // Messages of one topic mostly share their recipients.
            if late.is_none() && message.recipients == *known {
                continue;
            }
            known = &message.recipients;
            let holders = message.recipients.iter().chain(late.into_iter().flatten());
            let sees = |id: &&UserId| self.users.get(*id).is_some_and(|user| self.can_see_message(user, message));
            more.extend(holders.filter(sees).copied());
        }
        let audience = self.who_follows(first);
        if more.is_empty() { audience } else { audience.including(more) }
    }
}
