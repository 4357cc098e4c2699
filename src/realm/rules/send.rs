//! Sending messages: permission checks, rendering, mentions, recipients and events (reference behaviour, POST
//! /messages).

use super::visibility::VisibleKind;
use super::widget::{checked_widget, first_submessage};
use crate::error::Error;
use crate::feature::Feature;
use crate::realm::Realm;
use crate::realm::log::event::{Audience, Event, EventKind, Payload, SentMessage};
use crate::realm::model::channel::Channel;
use crate::realm::model::id::{ChannelId, GroupId, MessageId, RecipientId, UserId};
use crate::realm::model::message::{Body, Message, MessagePlace};
use crate::realm::model::permission::{GroupPermission, RealmPermission};
use crate::realm::model::personal::VisibilityPolicy;
use crate::realm::model::render_context::RenderContext;
use crate::realm::model::text::normalize_content;
use crate::realm::model::topic::TopicKey;
use crate::realm::model::topic::{normalize_topic, normalize_topic_to_send_to};
use crate::realm::model::user::User;
use crate::realm::tx::Tx;
use chat_markdown::Mentions;
use imbl::{OrdSet, Vector};
use std::borrow::Cow;
use std::collections::BTreeSet;
use std::sync::Arc;

/// Number of subscribers, or of participants of a topic, above which a wildcard mention requires a permission.
const WILDCARD_MENTION_THRESHOLD: usize = 15;

/// A message for [`Tx::send`], with what decides how it is checked, rendered and marked as read.
#[derive(Clone, Debug)]
pub struct OutgoingMessage {
    pub sender: UserId,
    pub to: Target,
    /// In Markdown.
    pub content: String,
    /// The name of the client that sends it.
    pub client: Arc<str>,
    /// Whether the message is marked as read for the sender.
    pub is_read_by_sender: bool,
    /// Other users. If they receive the message, it is marked as read for them.
    pub read_by: OrdSet<UserId>,
    /// `queue_id` and `local_id` from the request. None if it lacks one of them.
    pub queue_and_local_id: Option<(String, String)>,
    /// None if the message is not sent by a request.
    pub render_context: Option<RenderContext>,
    /// `widget_content` from the request: JSON.
    pub widget_content: Option<String>,
    pub content_author: ContentAuthor,
    /// Whether it is a bot's reply to a message, which does not require permission to send in the channel.
    pub is_bot_reply: bool,
}

/// The author of a message's text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ContentAuthor {
    /// The sender. The text is rendered from their view, and its mentions notify.
    Sender,
    /// Another user, whose text the sender repeats. It is rendered from this user's view, and its mentions do not
    /// notify.
    QuotedUser(UserId),
}

/// The channel and topic, or the users, that a message is sent to.
#[derive(Clone, Debug, PartialEq)]
pub enum Target {
    Channel {
        channel: ChannelId,
        /// Not normalized.
        topic: String,
    },
    Direct {
        /// With or without the sender.
        users: Vec<UserId>,
    },
}

/// What [`Tx::send`] returns about a message that was sent.
#[derive(Clone, Debug, PartialEq)]
pub struct SendResult {
    pub id: MessageId,
    /// The sender's topic policy, if sending changed it.
    pub new_policy: Option<VisibilityPolicy>,
}

impl Realm {
    /// Renders a text, checks its mentions, and finds the mentioned and alerted users. With `includes_subgroups`,
    /// mentions of groups include members of subgroups. Without it, they include only direct members, and system groups
    /// can't be mentioned.
    ///
    /// # Errors
    ///
    /// `UnableToRender`, `ChannelWildcardNotAllowed`, `TopicWildcardNotAllowed`, `MayNotMentionGroup`.
    pub fn render_body(
        &self,
        (sender, content_author): (UserId, ContentAuthor),
        place: &MessagePlace,
        content: String,
        render_context: Option<&RenderContext>,
        includes_subgroups: bool,
    ) -> Result<Body, Error> {
        let (author, names) = match content_author {
            ContentAuthor::Sender => (sender, self.view_of(sender, render_context)),
            ContentAuthor::QuotedUser(author) => (author, self.view_of(author, render_context).silenced()),
        };
        let (html, rendered) =
            chat_markdown::render_for_storage(&content, &names).map_err(|_| Error::UnableToRender)?;
        let mut mentions = rendered.mentions;
        let can_be_mentioned =
            |id| includes_subgroups || self.groups.get(&id).is_none_or(|group| group.system.is_none());
        mentions.groups.retain(|id| can_be_mentioned(GroupId(*id)));
        let groups = mentions.groups.iter().copied().map(GroupId);
        self.check_mentions(sender, place, &mentions)?;
        let group_mentioned_users = if includes_subgroups {
            self.active_members_of_any(groups)
        } else {
            let members = groups.filter_map(|id| self.groups.get(&id)).flat_map(|group| group.members.iter().copied());
            members.filter(|user| self.is_active(*user)).collect()
        };
        let (mentions_everyone, topic_mentioned_users) = match place {
            MessagePlace::Channel { channel, topic } => (
                mentions.channel_wildcard,
                mentions.topic_wildcard.then(|| self.topic_participants(sender, *channel, topic)),
            ),
            // In a conversation, a wildcard mentions all of its members.
            MessagePlace::Direct { .. } => (mentions.channel_wildcard, None),
        };
        Ok(Body {
            alerted_users: self.alerted_users(&content),
            content,
            html,
            is_me_message: rendered.is_me_message,
            has_link: rendered.has_link,
            has_image: rendered.has_image,
            uploads: self.readable_files(author, rendered.uploads),
            mentioned_users: mentions.users.into_iter().map(UserId).collect(),
            group_mentioned_users,
            mentions_everyone,
            topic_mentioned_users,
            late_mentioned_users: OrdSet::new(),
        })
    }

    /// Removes files that the user may not read, because a link to a file must not give access to it.
    fn readable_files(&self, user: UserId, mut path_ids: BTreeSet<String>) -> BTreeSet<String> {
        if let Some(user) = self.users.get(&user) {
            let is_readable = |path_id: &String| {
                self.attachments.get(path_id).is_some_and(|file| self.can_read_file(Some(user), file))
            };
            path_ids.retain(is_readable);
        }
        path_ids
    }

    fn check_mentions(&self, sender: UserId, place: &MessagePlace, mentions: &Mentions) -> Result<(), Error> {
        if let MessagePlace::Channel { channel, topic } = place {
            let lacks_permission = |count: usize| {
                count > WILDCARD_MENTION_THRESHOLD && !self.may(sender, RealmPermission::CanMentionManyUsers)
            };
            if mentions.channel_wildcard && lacks_permission(self.channels[channel].subscribers.len()) {
                return Err(Error::ChannelWildcardNotAllowed);
            }
            if mentions.topic_wildcard && lacks_permission(self.topic_participants(sender, *channel, topic).len()) {
                return Err(Error::TopicWildcardNotAllowed);
            }
        }
        for group in mentions.groups.iter().filter_map(|id| self.groups.get(&GroupId(*id))) {
            if !self.may_in_group(sender, group, GroupPermission::CanMention) {
                return Err(Error::MayNotMentionGroup { group: group.name.clone().into() });
            }
        }
        Ok(())
    }

    /// Users who sent or reacted to a message in the topic, and the sender of the new message.
    fn topic_participants(&self, sender: UserId, channel: ChannelId, topic: &str) -> BTreeSet<UserId> {
        let topic = self.topics.get(&(channel, TopicKey::new(topic)));
        let messages = topic.into_iter().flat_map(|topic| topic.messages.iter()).map(|id| &self.messages[&id]);
        messages
            .flat_map(|message| {
                std::iter::once(message.sender).chain(message.reactions.iter().map(|reaction| reaction.user))
            })
            .chain([sender])
            .collect()
    }
}

impl Tx {
    /// Sends a message: checks it, adds it, and emits its events.
    ///
    /// # Errors
    ///
    /// In this order: those of [`normalize_content`]; `NoSuchUser`; for a channel, those of
    /// [`Tx::normalize_topic_at_level`], `InvalidChannelId`, and those of [`Realm::check_may_post`] or, for a bot's
    /// reply, [`Realm::check_topic_policy`]; for a direct message, `NoRecipients` and those of
    /// [`Realm::check_may_send_direct`]; those of [`checked_widget`] and [`Realm::render_body`].
    pub fn send(&mut self, outgoing: OutgoingMessage) -> Result<SendResult, Error> {
        let content = match normalize_content(&outgoing.content)? {
            Cow::Borrowed(text) if text.len() == outgoing.content.len() => outgoing.content,
            normalized => normalized.into_owned(),
        };
        let sender = self.users.get(&outgoing.sender).cloned().ok_or(Error::NoSuchUser)?;
        let (place, mut recipients) = match outgoing.to {
            Target::Channel { channel, topic } => {
                let topic: Arc<str> =
                    self.normalize_topic_at_level(&topic, Feature::NoTopicConvertedInMessages)?.into();
                let channel = self.channels.get(&channel).cloned().ok_or(Error::InvalidChannelId)?;
                self.check_may_send(outgoing.is_bot_reply, &sender, &channel, &topic)?;
                (MessagePlace::Channel { channel: channel.id, topic }, channel.subscribers.clone())
            }
            Target::Direct { users } => {
                if users.is_empty() {
                    return Err(Error::NoRecipients);
                }
                self.check_may_send_direct(&sender, &users)?;
                let members: Vec<UserId> = users.into_iter().chain([sender.id]).collect();
                let conversation = self.find_or_create_conversation_with_events(members);
                let recipients = self.conversations[&conversation].members.iter().copied().collect();
                (MessagePlace::Direct { conversation }, recipients)
            }
        };
        let widget = outgoing.widget_content.as_deref().map(checked_widget).transpose()?;
        let mut body = self.render_body(
            (sender.id, outgoing.content_author),
            &place,
            content,
            Some(&outgoing.render_context.clone().unwrap_or_else(|| self.render_context())),
            self.has(Feature::MentionsIncludeSubgroups),
        )?;
        // Webhook bots are called for a mention even if they do not receive the message.
        let mentioned = body.mentioned_users.clone();
        self.add_mentioned_recipients(&place, &body, &mut recipients);
        body.retain_mentions_of(&recipients);

        let begins_topic = self.begins_topic(&sender, &place);
        self.realm_mut().counters.message += 1;
        let id = MessageId(self.counters.message);
        let submessage = first_submessage(&body.content, widget, sender.id, self.counters.submessage + 1);
        let submessages = submessage.map_or_else(Vector::new, Vector::unit);
        self.realm_mut().counters.submessage += submessages.len() as i64;
        let is_read_by_sender = outgoing.is_read_by_sender && recipients.contains(&sender.id);
        let sender_and_client = (sender.id, outgoing.client);
        let message = Message::new(id, sender_and_client, self.now, place, Arc::new(body), recipients);
        let message = self.add_message(Message { submessages, ..message });
        self.mark_as_read_for_outsiders(&message);
        let mut read_by = self.mark_as_read_for_muters(&message);
        let other_readers = outgoing.read_by.iter().filter(|user| message.recipients.contains(*user));
        for reader in other_readers.copied().chain(is_read_by_sender.then_some(sender.id)) {
            self.user_state_mut(reader).read.insert(id);
            read_by.insert(reader);
        }
        self.record_links(&message);
        let new_policy = self.apply_automatic_policies(&sender, &message, begins_topic);
        let push_receivers = self.push_receivers_of(&message);
        let sent_message = Arc::new(SentMessage {
            queue_and_local_id: outgoing.queue_and_local_id,
            read_by,
            held_back_from: push_receivers.online,
            ..SentMessage::new(self, &message, &sender)
        });
        self.emit_message(&sent_message);
        self.push_message(push_receivers.offline, &sent_message);
        self.call_webhooks(&sent_message, &mentioned, outgoing.render_context.as_ref());
        Ok(SendResult { id, new_policy })
    }

    /// Sends a message. On an error, the transaction is restored.
    ///
    /// # Errors
    ///
    /// Those of [`Tx::send`].
    pub fn send_or_restore(&mut self, outgoing: OutgoingMessage) -> Result<(), Error> {
        let before = self.realm_mut().clone();
        let result = self.send(outgoing);
        if result.is_err() {
            *self.realm_mut() = before;
        }
        result.map(|_| ())
    }

    /// Normalizes the topic of a message. At levels that have `feature` or lack [`Feature::EmptyTopics`],
    /// [`FORMER_EMPTY_TOPIC_NAME`](crate::realm::topic::FORMER_EMPTY_TOPIC_NAME) is the empty topic too.
    ///
    /// # Errors
    ///
    /// `TopicInvalidCharacter`.
    pub fn normalize_topic_at_level<'text>(
        &self,
        topic: &'text str,
        feature: Feature,
    ) -> Result<Cow<'text, str>, Error> {
        let is_ordinary_name = !self.has(feature) && self.has(Feature::EmptyTopics);
        if is_ordinary_name { normalize_topic(topic) } else { normalize_topic_to_send_to(topic) }
    }

    /// Checks that a message may be sent to a topic. For a bot's reply, only the channel's topic policy is checked.
    fn check_may_send(
        &self,
        is_bot_reply: bool,
        sender: &User,
        channel: &Channel,
        topic: &Arc<str>,
    ) -> Result<(), Error> {
        if is_bot_reply {
            return self.check_topic_policy(channel, topic);
        }
        let skips_access_check =
            channel.is_archived && channel.was_web_public && !self.has(Feature::ArchivedChannelsClosed);
        self.check_may_post_with(sender, channel, topic, skips_access_check)
    }

    /// Finds or creates a conversation. A new one gives limited guests access to its users, which emits events.
    fn find_or_create_conversation_with_events(&mut self, members: Vec<UserId>) -> RecipientId {
        if let Some(conversation) = self.conversation_of(members.iter().copied()) {
            return conversation.id;
        }
        let before = self.realm_copy();
        let conversation = self.find_or_create_conversation(members);
        self.emit_visibility(&before, &[VisibleKind::Users]);
        conversation
    }

    fn emit_message(&mut self, sent_message: &Arc<SentMessage>) {
        let audience = Audience::of_users(sent_message.message.recipients.clone());
        self.emit(audience, Event::new(EventKind::Message, Payload::Message(sent_message.clone())));
    }
}

impl OutgoingMessage {
    /// A message that no request sends: from the client `Internal`, and marked as read for nobody.
    pub fn from_server(sender: UserId, to: Target, content: String) -> Self {
        Self {
            sender,
            to,
            content,
            client: "Internal".into(),
            is_read_by_sender: false,
            read_by: OrdSet::new(),
            queue_and_local_id: None,
            render_context: None,
            widget_content: None,
            content_author: ContentAuthor::Sender,
            is_bot_reply: false,
        }
    }
}
