//! Messages: one value each, with its recipients shared and only the exceptions kept per person.

use super::id::{ChannelId, EmojiId, MessageId, RecipientId, UserId};
use super::message_ids::MessageIds;
use crate::time::Timestamp;
use chat_markdown::Html;
use imbl::{OrdSet, Vector};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::collections::BTreeSet;
use std::sync::Arc;

/// A message as it is, and as it is written in documents, where `Recipients` may refer to those of an earlier message.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Message<Recipients = OrdSet<UserId>> {
    pub id: MessageId,
    pub sender: UserId,
    /// The client that sent it, as clients name themselves.
    pub client: Arc<str>,
    /// When it was sent.
    pub sent_at: Timestamp,
    /// Where it is.
    pub place: Place,
    /// The text and what follows from it; shared by every copy of the message.
    pub body: Arc<Body>,
    /// Who has a personal row: the subscribers or participants of that time and those mentioned.
    pub recipients: Recipients,
    /// In the order in which they were added.
    pub reactions: Vector<Reaction>,
    /// What a poll or to-do list is made of, oldest first; empty for other messages.
    #[serde(default)]
    pub submessages: Vector<Submessage>,
    /// Edits and moves, oldest first.
    pub history: Vector<Arc<Edit>>,
    /// When the text was last changed.
    pub last_edit: Option<Timestamp>,
    /// When it was last moved.
    pub last_moved: Option<Timestamp>,
}

impl<Recipients> Message<Recipients> {
    /// A message as it is sent: without reactions, submessages and changes.
    pub fn new(
        id: MessageId,
        (sender, client): (UserId, Arc<str>),
        sent_at: Timestamp,
        place: Place,
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
            last_edit: None,
            last_moved: None,
        }
    }

    /// The same message with its recipients in another form.
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
            last_edit: self.last_edit,
            last_moved: self.last_moved,
        }
    }
}

/// A message's text and what follows from it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Body {
    /// Markdown source.
    pub content: String,
    /// The text as HTML, or how it is made.
    #[serde(rename = "rendered")]
    pub html: Html,
    /// Begins with `/me `.
    pub is_me_message: bool,
    pub has_link: bool,
    pub has_image: bool,
    /// Uploads that it names (their path ids).
    #[serde(deserialize_with = "crate::realm::distinct::members")]
    pub uploads: BTreeSet<String>,
    /// Users mentioned by name.
    #[serde(deserialize_with = "crate::realm::distinct::members")]
    pub mentioned: BTreeSet<UserId>,
    /// Users mentioned through a group.
    #[serde(deserialize_with = "crate::realm::distinct::members")]
    pub group_mentioned: OrdSet<UserId>,
    /// Mentions everyone in the channel.
    pub mentions_channel: bool,
    /// Mentions everyone in the topic: those who took part in it then.
    #[serde(deserialize_with = "crate::realm::distinct::members_if_any")]
    pub topic_mentioned: Option<BTreeSet<UserId>>,
    /// Recipients of whose alert words it has one.
    #[serde(deserialize_with = "crate::realm::distinct::members")]
    pub alerted: BTreeSet<UserId>,
    /// Those that a mention of everyone means too though they did not receive the message: they had a row when an edit
    /// brought it.
    #[serde(default, skip_serializing_if = "OrdSet::is_empty")]
    #[serde(deserialize_with = "crate::realm::distinct::members")]
    pub late_mentioned: OrdSet<UserId>,
}

impl Body {
    /// The text as HTML.
    pub fn rendered(&self) -> Cow<'_, str> {
        self.html.of(&self.content)
    }

    /// Whether it mentions any of these users, or has words that alert them.
    pub fn names_any_of(&self, users: &OrdSet<UserId>) -> bool {
        self.named().any(|user| users.contains(user))
    }

    /// The users that the text means by name, by a group or by a word that alerts them, and those that it means late.
    pub fn named(&self) -> impl Iterator<Item = &UserId> {
        let said = self.mentioned.iter().chain(&self.alerted).chain(&self.group_mentioned);
        said.chain(&self.late_mentioned)
    }

    /// Drops the mentions and alert words of users who have no row for the message.
    pub fn keep_mentions_of(&mut self, holders: &OrdSet<UserId>) {
        self.mentioned.retain(|user| holders.contains(user));
        self.alerted.retain(|user| holders.contains(user));
        if !self.group_mentioned.is_empty() {
            self.group_mentioned = self.group_mentioned.clone().intersection(holders.clone());
        }
        if !self.late_mentioned.is_empty() {
            self.late_mentioned = self.late_mentioned.clone().intersection(holders.clone());
        }
    }

    /// Keeps what a former text said of everybody in the channel or topic: an edit marks a message as one that mentions
    /// everybody, and does not take the mark away. `late` are those whose rows were made later (A-412 in
    /// docs/assumptions.md).
    pub fn keep_wildcards_of(&mut self, former: &Body, late: OrdSet<UserId>) {
        self.late_mentioned.clone_from(&former.late_mentioned);
        if self.mentions_channel || self.topic_mentioned.is_some() {
            self.late_mentioned = self.late_mentioned.clone().union(late);
        }
        if self.mentions_channel || self.topic_mentioned.is_none() {
            self.topic_mentioned.clone_from(&former.topic_mentioned);
        }
        self.mentions_channel |= former.mentions_channel;
    }

    /// What is read of it: no marks of emphasis, no addresses behind the text of links.
    pub fn visible_text(&self) -> Cow<'_, str> {
        self.html.visible_text(&self.content)
    }
}

/// Where a message is.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub enum Place {
    /// In a topic of a channel.
    Channel {
        /// The channel.
        channel: ChannelId,
        /// The topic as spelt; "" is the general one.
        topic: Arc<str>,
    },
    /// In a direct message conversation.
    Direct {
        /// The conversation.
        conversation: RecipientId,
    },
}

impl Place {
    /// The channel.
    pub fn channel(&self) -> Option<ChannelId> {
        match self {
            Place::Channel { channel, .. } => Some(*channel),
            Place::Direct { .. } => None,
        }
    }
}

impl Message {
    /// The channel and topic of a channel message.
    pub fn channel(&self) -> Option<(ChannelId, &Arc<str>)> {
        match &self.place {
            Place::Channel { channel, topic } => Some((*channel, topic)),
            Place::Direct { .. } => None,
        }
    }

    /// The conversation of a direct message.
    pub fn conversation(&self) -> Option<RecipientId> {
        match self.place {
            Place::Channel { .. } => None,
            Place::Direct { conversation } => Some(conversation),
        }
    }
}

/// A direct message conversation.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Conversation {
    pub id: RecipientId,
    /// Everyone in it, the sender included, sorted.
    pub members: Arc<[UserId]>,
    pub messages: MessageIds,
}

/// Somebody's reaction to a message.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Reaction {
    pub user: UserId,
    /// Which; shared by all who reacted alike.
    pub emoji: Arc<Emoji>,
}

/// A part of a poll or to-do list.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Submessage {
    pub id: i64,
    /// The user who added it.
    pub sender: UserId,
    /// Always `widget`.
    pub kind: String,
    /// JSON text.
    pub content: String,
}

/// An emoji, as reactions and statuses carry it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Emoji {
    /// The name by which it was chosen.
    pub emoji_name: String,
    /// Identifier inside its namespace.
    pub emoji_code: String,
    /// The namespace.
    pub reaction_type: ReactionType,
}

/// The namespaces of emoji codes (specification, "Emoji reaction types").
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
pub enum ReactionType {
    /// Hexadecimal code points, joined by dashes.
    #[serde(rename = "unicode_emoji")]
    Unicode,
    /// The id of a custom emoji.
    #[serde(rename = "realm_emoji")]
    Realm,
    /// The name of one of the service's own emoji.
    #[serde(rename = "service_extra_emoji")]
    ServiceExtra,
}

impl ReactionType {
    /// The type with this name on the wire.
    pub fn parse(text: &str) -> Option<Self> {
        match text {
            "unicode_emoji" => Some(Self::Unicode),
            "realm_emoji" => Some(Self::Realm),
            "service_extra_emoji" => Some(Self::ServiceExtra),
            _ => None,
        }
    }
}

/// A custom emoji of the realm.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CustomEmoji {
    /// Its number; text on the wire.
    pub id: EmojiId,
    /// Unique among the active ones.
    pub name: String,
    /// Content hash of the picture.
    pub blob: String,
    /// File name in its address.
    pub file_name: String,
    /// Whether it is deactivated.
    pub is_deactivated: bool,
    /// The user who uploaded it.
    pub author: Option<UserId>,
}

/// One change of a message, with what was before.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Edit {
    pub at: Timestamp,
    /// Who; none for the server itself.
    pub user: Option<UserId>,
    /// The content before, if it changed.
    pub previous_body: Option<Arc<Body>>,
    /// Topic before and after, when it changed.
    pub topic: Option<(Arc<str>, Arc<str>)>,
    /// Channel before and after, when it changed.
    pub channel: Option<(ChannelId, ChannelId)>,
}

/// An uploaded file.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Attachment {
    pub id: super::id::AttachmentId,
    /// Its address without `/user_uploads/`: organization, two hex digits, random part, name.
    pub path_id: String,
    /// The name with which it was uploaded.
    pub name: String,
    /// Bytes.
    pub size: i64,
    /// As given or guessed.
    pub content_type: String,
    /// Width and height of an image, when they could be known.
    pub dimensions: Option<(u32, u32)>,
    /// Whether it is a picture that moves.
    #[serde(default)]
    pub is_animated: bool,
    /// When its thumbnails are made, of a picture that has none yet.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub thumbnails_at: Option<Timestamp>,
    /// The user who uploaded it.
    pub owner: UserId,
    pub created_at: Timestamp,
    /// Content hash of its bytes.
    pub blob: String,
    /// Messages that link it.
    #[serde(deserialize_with = "crate::realm::distinct::members")]
    pub messages: BTreeSet<MessageId>,
}
