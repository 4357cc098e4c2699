//! Messages with their reactions and edits, and direct message conversations.

use super::emoji::Emoji;
use super::id::{ChannelId, MessageId, RecipientId, UserId};
use super::message_ids::MessageIds;
use crate::time::Timestamp;
use chat_markdown::Html;
use imbl::{OrdSet, Vector};
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::collections::BTreeSet;
use std::sync::Arc;

/// A message. In state documents, `Recipients` is a type that may refer to the recipients of an earlier message.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Message<Recipients = OrdSet<UserId>> {
    pub id: MessageId,
    pub sender: UserId,
    /// The name of the client that sent it.
    pub client: Arc<str>,
    pub sent_at: Timestamp,
    pub place: MessagePlace,
    /// Shared by all copies of the message.
    pub body: Arc<Body>,
    /// Users who received it: subscribers or participants, and mentioned users. Users become recipients after sending
    /// too, for example by an edit that mentions them, or by marking it as unread.
    pub recipients: Recipients,
    /// In the order in which they were added.
    pub reactions: Vector<Reaction>,
    /// Parts of a widget (a poll, to-do list or form), oldest first. Empty for other messages.
    #[serde(default)]
    pub submessages: Vector<Submessage>,
    /// Edits and moves, oldest first.
    pub history: Vector<Arc<Edit>>,
    #[serde(rename = "last_edit")]
    pub last_edited_at: Option<Timestamp>,
    #[serde(rename = "last_moved")]
    pub last_moved_at: Option<Timestamp>,
}

impl<Recipients> Message<Recipients> {
    /// A message without reactions, submessages and edits.
    pub fn new(
        id: MessageId,
        (sender, client): (UserId, Arc<str>),
        sent_at: Timestamp,
        place: MessagePlace,
        body: Arc<Body>,
        recipients: Recipients,
    ) -> Self {
        Self {
            id,
            sender,
            client,
            sent_at,
            place,
            body,
            recipients,
            reactions: Vector::new(),
            submessages: Vector::new(),
            history: Vector::new(),
            last_edited_at: None,
            last_moved_at: None,
        }
    }

    pub fn with_recipients<Other>(self, recipients: Other) -> Message<Other> {
        Message {
            id: self.id,
            sender: self.sender,
            client: self.client,
            sent_at: self.sent_at,
            place: self.place,
            body: self.body,
            recipients,
            reactions: self.reactions,
            submessages: self.submessages,
            history: self.history,
            last_edited_at: self.last_edited_at,
            last_moved_at: self.last_moved_at,
        }
    }
}

/// A message's text, and what is computed from it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Body {
    /// In Markdown.
    pub content: String,
    /// The HTML, or the data from which it is rendered.
    #[serde(rename = "rendered")]
    pub html: Html,
    /// Whether it is a status message such as `/me waves`: it begins with `/me `, and its HTML begins and ends with a
    /// paragraph.
    pub is_me_message: bool,
    pub has_link: bool,
    pub has_image: bool,
    /// The path IDs of the uploads that it links to and that its author may read.
    #[serde(deserialize_with = "crate::realm::deserialize_unique::set")]
    pub uploads: BTreeSet<String>,
    /// Users mentioned by name.
    #[serde(rename = "mentioned", deserialize_with = "crate::realm::deserialize_unique::set")]
    pub mentioned_users: BTreeSet<UserId>,
    /// Active members of the mentioned groups.
    #[serde(rename = "group_mentioned", deserialize_with = "crate::realm::deserialize_unique::set")]
    pub group_mentioned_users: OrdSet<UserId>,
    /// Whether it mentions everyone in the channel or conversation.
    #[serde(rename = "mentions_channel")]
    pub mentions_everyone: bool,
    /// The topic's participants at the time, if it mentions everyone in the topic.
    #[serde(rename = "topic_mentioned", deserialize_with = "crate::realm::deserialize_unique::optional_set")]
    pub topic_mentioned_users: Option<BTreeSet<UserId>>,
    /// Recipients with an alert word in the text.
    #[serde(rename = "alerted", deserialize_with = "crate::realm::deserialize_unique::set")]
    pub alerted_users: BTreeSet<UserId>,
    /// Users with a user message who are not recipients, but were included in a wildcard mention that an edit added.
    #[serde(default, skip_serializing_if = "OrdSet::is_empty")]
    #[serde(rename = "late_mentioned", deserialize_with = "crate::realm::deserialize_unique::set")]
    pub late_mentioned_users: OrdSet<UserId>,
}

impl Body {
    /// In HTML.
    pub fn rendered_html(&self) -> Cow<'_, str> {
        self.html.for_text(&self.content)
    }

    /// Whether any of the users is in [`Body::mentioned_or_alerted`].
    pub fn mentions_or_alerts_any_of(&self, users: &OrdSet<UserId>) -> bool {
        self.mentioned_or_alerted().any(|user| users.contains(user))
    }

    /// Users in `mentioned_users`, `alerted_users`, `group_mentioned_users` or `late_mentioned_users`, possibly more
    /// than once.
    pub fn mentioned_or_alerted(&self) -> impl Iterator<Item = &UserId> {
        let mentioned = self.mentioned_users.iter().chain(&self.alerted_users).chain(&self.group_mentioned_users);
        mentioned.chain(&self.late_mentioned_users)
    }

    /// Removes mentions and alerts of all users except these. `mentions_everyone` and `topic_mentioned_users`
    /// remain.
    pub fn retain_mentions_of(&mut self, users: &OrdSet<UserId>) {
        self.mentioned_users.retain(|user| users.contains(user));
        self.alerted_users.retain(|user| users.contains(user));
        if !self.group_mentioned_users.is_empty() {
            self.group_mentioned_users = self.group_mentioned_users.clone().intersection(users.clone());
        }
        if !self.late_mentioned_users.is_empty() {
            self.late_mentioned_users = self.late_mentioned_users.clone().intersection(users.clone());
        }
    }

    /// Copies the wildcard mentions of the previous text: an edit can add them, but does not remove them.
    /// `late_holders` are the users whose user messages were created after sending; wildcard mentions in the new text
    /// include them (A-412 in docs/assumptions.md).
    pub fn copy_wildcards_from(&mut self, previous: &Body, late_holders: OrdSet<UserId>) {
        self.late_mentioned_users.clone_from(&previous.late_mentioned_users);
        if self.mentions_everyone || self.topic_mentioned_users.is_some() {
            self.late_mentioned_users = self.late_mentioned_users.clone().union(late_holders);
        }
        // A mention of the whole channel includes the topic's participants, so those of the former text remain.
        if self.mentions_everyone || self.topic_mentioned_users.is_none() {
            self.topic_mentioned_users.clone_from(&previous.topic_mentioned_users);
        }
        self.mentions_everyone |= previous.mentions_everyone;
    }

    /// The text without Markdown syntax and without the targets of links.
    pub fn visible_text(&self) -> Cow<'_, str> {
        self.html.visible_text(&self.content)
    }
}

/// The topic or conversation of a message.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub enum MessagePlace {
    Channel {
        channel: ChannelId,
        /// As spelled; "" for the empty topic.
        topic: Arc<str>,
    },
    Direct {
        conversation: RecipientId,
    },
}

impl MessagePlace {
    /// None for a direct message.
    pub fn channel(&self) -> Option<ChannelId> {
        match self {
            MessagePlace::Channel { channel, .. } => Some(*channel),
            MessagePlace::Direct { .. } => None,
        }
    }
}

impl Message {
    /// The channel and topic; None for a direct message.
    pub fn channel_and_topic(&self) -> Option<(ChannelId, &Arc<str>)> {
        match &self.place {
            MessagePlace::Channel { channel, topic } => Some((*channel, topic)),
            MessagePlace::Direct { .. } => None,
        }
    }

    /// None for a channel message.
    pub fn conversation(&self) -> Option<RecipientId> {
        match self.place {
            MessagePlace::Channel { .. } => None,
            MessagePlace::Direct { conversation } => Some(conversation),
        }
    }
}

/// A direct message conversation.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Conversation {
    pub id: RecipientId,
    /// All participants, sorted.
    pub members: Arc<[UserId]>,
    pub messages: MessageIds,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Reaction {
    pub user: UserId,
    /// Shared by reactions to the same message with the same emoji, except after reading a state document.
    pub emoji: Arc<Emoji>,
}

/// A part of a widget.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Submessage {
    pub id: i64,
    pub sender: UserId,
    /// `widget`, or any other `msg_type` that a client sent.
    pub kind: String,
    /// As JSON text.
    pub content: String,
}

/// An entry of a message's edit history.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Edit {
    pub at: Timestamp,
    /// The user who made the change; None if the server made it.
    pub user: Option<UserId>,
    /// None if the text did not change.
    pub previous_body: Option<Arc<Body>>,
    /// Before and after; None if the topic did not change.
    pub topic: Option<(Arc<str>, Arc<str>)>,
    /// Before and after; None if the channel did not change.
    pub channel: Option<(ChannelId, ChannelId)>,
}
