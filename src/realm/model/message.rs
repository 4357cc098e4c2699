//! Messages, conversations, reactions, edits and uploaded files.

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
    /// Users with a user message: subscribers or participants at the time of sending, and mentioned users.
    pub recipients: Recipients,
    /// In the order in which they were added.
    pub reactions: Vector<Reaction>,
    /// Parts of a poll or to-do list, oldest first. Empty for other messages.
    #[serde(default)]
    pub submessages: Vector<Submessage>,
    /// Edits and moves, oldest first.
    pub history: Vector<Arc<Edit>>,
    pub last_edit: Option<Timestamp>,
    pub last_moved: Option<Timestamp>,
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
            last_edit: None,
            last_moved: None,
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
            last_edit: self.last_edit,
            last_moved: self.last_moved,
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
    /// Whether the text begins with `/me `.
    pub is_me_message: bool,
    pub has_link: bool,
    pub has_image: bool,
    /// The path IDs of the uploads that it links.
    #[serde(deserialize_with = "crate::realm::deserialize_unique::members")]
    pub uploads: BTreeSet<String>,
    #[serde(deserialize_with = "crate::realm::deserialize_unique::members")]
    pub mentioned: BTreeSet<UserId>,
    #[serde(deserialize_with = "crate::realm::deserialize_unique::members")]
    pub group_mentioned: OrdSet<UserId>,
    /// Whether it mentions everyone in the channel.
    pub mentions_channel: bool,
    /// The topic's participants at the time, if it mentions everyone in the topic.
    #[serde(deserialize_with = "crate::realm::deserialize_unique::members_if_any")]
    pub topic_mentioned: Option<BTreeSet<UserId>>,
    /// Recipients with an alert word in the text.
    #[serde(deserialize_with = "crate::realm::deserialize_unique::members")]
    pub alerted: BTreeSet<UserId>,
    /// Users with a user message who are not recipients, but were included in a wildcard mention that an edit added.
    #[serde(default, skip_serializing_if = "OrdSet::is_empty")]
    #[serde(deserialize_with = "crate::realm::deserialize_unique::members")]
    pub late_mentioned: OrdSet<UserId>,
}

impl Body {
    /// In HTML.
    pub fn rendered_html(&self) -> Cow<'_, str> {
        self.html.of(&self.content)
    }

    /// Whether any of the users is in [`Body::named`].
    pub fn mentions_or_alerts_any_of(&self, users: &OrdSet<UserId>) -> bool {
        self.named().any(|user| users.contains(user))
    }

    /// Users that the text mentions by name or through a group, alerts, or mentions late. May have duplicates.
    pub fn named(&self) -> impl Iterator<Item = &UserId> {
        let mentioned = self.mentioned.iter().chain(&self.alerted).chain(&self.group_mentioned);
        mentioned.chain(&self.late_mentioned)
    }

    /// Removes mentions and alerts of users without a user message.
    pub fn retain_mentions_of(&mut self, users: &OrdSet<UserId>) {
        self.mentioned.retain(|user| users.contains(user));
        self.alerted.retain(|user| users.contains(user));
        if !self.group_mentioned.is_empty() {
            self.group_mentioned = self.group_mentioned.clone().intersection(users.clone());
        }
        if !self.late_mentioned.is_empty() {
            self.late_mentioned = self.late_mentioned.clone().intersection(users.clone());
        }
    }

    /// Copies the wildcard mentions of the previous text: an edit can add them, but does not remove them. `late` are the
    /// users whose user messages were created after sending (A-412 in docs/assumptions.md).
    pub fn copy_wildcards_from(&mut self, previous: &Body, late: OrdSet<UserId>) {
        self.late_mentioned.clone_from(&previous.late_mentioned);
        if self.mentions_channel || self.topic_mentioned.is_some() {
            self.late_mentioned = self.late_mentioned.clone().union(late);
        }
        if self.mentions_channel || self.topic_mentioned.is_none() {
            self.topic_mentioned.clone_from(&previous.topic_mentioned);
        }
        self.mentions_channel |= previous.mentions_channel;
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
    pub fn channel(&self) -> Option<(ChannelId, &Arc<str>)> {
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
    /// Shared by all reactions with the same emoji.
    pub emoji: Arc<Emoji>,
}

/// A part of a poll or to-do list.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Submessage {
    pub id: i64,
    pub sender: UserId,
    /// Always `widget`.
    pub kind: String,
    /// As JSON text.
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
    /// A string on the wire.
    pub id: EmojiId,
    /// Unique among the active custom emoji.
    pub name: String,
    /// The content hash of the picture.
    pub blob: String,
    /// The last part of its URL.
    pub file_name: String,
    pub is_deactivated: bool,
    pub author: Option<UserId>,
}

/// An entry of a message's edit history.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Edit {
    pub at: Timestamp,
    /// None for the server.
    pub user: Option<UserId>,
    /// None if the text did not change.
    pub previous_body: Option<Arc<Body>>,
    /// Before and after; None if the topic did not change.
    pub topic: Option<(Arc<str>, Arc<str>)>,
    /// Before and after; None if the channel did not change.
    pub channel: Option<(ChannelId, ChannelId)>,
}

/// An uploaded file.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Attachment {
    pub id: super::id::AttachmentId,
    /// Its URL path without `/user_uploads/`: organization ID, directory, token and file name.
    pub path_id: String,
    /// The file name in the upload.
    pub name: String,
    /// In bytes.
    pub size: i64,
    /// MIME type: from the upload, or guessed.
    pub content_type: String,
    /// Width and height in pixels; None unless it is a picture of a known format.
    pub dimensions: Option<(u32, u32)>,
    #[serde(default)]
    pub is_animated: bool,
    /// When its thumbnails will be made; None if it has them or is no picture.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub thumbnails_at: Option<Timestamp>,
    pub owner: UserId,
    pub created_at: Timestamp,
    /// The content hash of the file.
    pub blob: String,
    /// Messages that link the file.
    #[serde(deserialize_with = "crate::realm::deserialize_unique::members")]
    pub messages: BTreeSet<MessageId>,
}
