//! The fields of events about messages, widgets, reactions, typing and uploads.

use crate::realm::emoji::{Emoji, ReactionType};
use crate::realm::event::event_data;
use crate::realm::id::{AttachmentId, ChannelId, MessageId, RecipientId, UserId};
use crate::record::attachment::AttachmentRecord;
use crate::record::message::{MessageRecord, TopicLinkRecord};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::value::RawValue;

event_data! {
    Submessage;
    ReactionAdd;
    ReactionRemove;
    TypingStart with topics in &["topic"];
    TypingStop with topics in &["topic"];
    TypingEditMessageStart with topics in &["recipient"];
    TypingEditMessageStop with topics in &["recipient"];
    AttachmentRemove;
}

/// A message was sent.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Message<'a> {
    /// The message, without flags.
    #[schemars(with = "MessageRecord")]
    pub message: &'a RawValue,
    /// Its initial flags.
    pub flags: Vec<&'static str>,
    /// The client's own name for it, in the queue named by the request.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    pub local_message_id: Option<&'a str>,
}

/// Messages were edited or moved.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct UpdateMessage {
    /// The user who changed them; null for the server.
    pub user_id: Option<UserId>,
    /// UNIX seconds.
    pub edit_timestamp: i64,
    /// The message named by the request.
    pub message_id: MessageId,
    /// All messages that changed, sorted.
    pub message_ids: Vec<MessageId>,
    /// Only the HTML changed.
    pub rendering_only: bool,
    /// The flags of the message named by the request.
    pub flags: Vec<&'static str>,
    /// The channel, before a move.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "ChannelId")]
    pub stream_id: Option<ChannelId>,
    /// Its name.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    pub stream_name: Option<String>,
    /// The text.
    #[serde(flatten)]
    pub content: Option<ContentUpdate>,
    /// The topic and channel.
    #[serde(flatten)]
    pub place: Option<PlaceUpdate>,
}

/// An edit of a message's text. A new rendering of an unchanged text has no former text.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct ContentUpdate {
    /// The former text, Markdown.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    pub orig_content: Option<String>,
    /// The former text, HTML.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    pub orig_rendered_content: Option<String>,
    /// The text, Markdown.
    pub content: String,
    /// The text, HTML.
    pub rendered_content: String,
    /// Whether it starts with `/me`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "bool")]
    pub is_me_message: Option<bool>,
}

/// A move of messages.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct PlaceUpdate {
    /// Which messages of the topic were moved too.
    #[schemars(extend("enum" = ["change_one", "change_later", "change_all"]))]
    pub propagate_mode: &'static str,
    /// The former topic.
    pub orig_subject: String,
    /// The new topic, if it changed.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    pub subject: Option<String>,
    /// Links in the new topic, if it changed.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Vec<TopicLinkRecord>")]
    pub topic_links: Option<Vec<TopicLinkRecord>>,
    /// The new channel, if it changed.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "ChannelId")]
    pub new_stream_id: Option<ChannelId>,
}

/// Messages were deleted, or can no longer be seen.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct DeleteMessage {
    /// `private` or `stream`.
    #[schemars(extend("enum" = ["private", "stream"]))]
    pub message_type: &'static str,
    /// The channel.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "ChannelId")]
    pub stream_id: Option<ChannelId>,
    /// The topic.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    pub topic: Option<String>,
    /// The conversation and the sender of a direct message, below 77.
    #[serde(flatten)]
    #[schemars(skip)]
    pub conversation: Option<DeletedDirectMessage>,
    /// The messages, for clients with `bulk_message_deletion`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Vec<MessageId>")]
    pub message_ids: Option<Vec<MessageId>>,
    /// The message, for others.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "MessageId")]
    pub message_id: Option<MessageId>,
    /// The sender's address, below 13.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(skip)]
    pub sender: Option<Option<String>>,
    /// The sender, below 13.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(skip)]
    pub sender_id: Option<UserId>,
}

#[derive(Clone, Copy, Debug, Serialize)]
pub struct DeletedDirectMessage {
    /// The ID of the conversation.
    pub recipient_id: RecipientId,
    pub sender_id: Option<UserId>,
}

/// A part was added to a message's widget.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Submessage {
    /// `widget`, or another text that a client sent.
    pub msg_type: String,
    /// JSON.
    pub content: String,
    /// The message.
    pub message_id: MessageId,
    /// The user who added it.
    pub sender_id: UserId,
    /// Its ID.
    pub submessage_id: i64,
}

/// A reaction was added.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct ReactionAdd(pub ReactionChange);

/// A reaction was removed.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct ReactionRemove(pub ReactionChange);

/// Somebody's reaction to a message.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(inline)]
pub struct ReactionChange {
    /// The user.
    pub user_id: UserId,
    /// The message.
    pub message_id: MessageId,
    /// The name by which the emoji was chosen.
    pub emoji_name: String,
    /// Its identifier in its namespace.
    pub emoji_code: String,
    /// The namespace.
    pub reaction_type: ReactionType,
}

impl ReactionChange {
    pub fn new(user_id: UserId, message_id: MessageId, emoji: &Emoji) -> Self {
        let Emoji { emoji_name, emoji_code, reaction_type } = emoji.clone();
        Self { user_id, message_id, emoji_name, emoji_code, reaction_type }
    }
}

/// A user is typing a message.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct TypingStart(pub Typing);

/// A user stopped typing a message.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct TypingStop(pub Typing);

/// The user who is typing, and the recipients.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(inline)]
pub struct Typing {
    /// `direct` or `stream`.
    #[schemars(extend("enum" = ["direct", "stream"]))]
    pub message_type: &'static str,
    /// The user who is typing.
    pub sender: TypingPerson,
    /// Everyone in the conversation.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Vec<TypingPerson>")]
    pub recipients: Option<Vec<TypingPerson>>,
    /// The channel.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "ChannelId")]
    pub stream_id: Option<ChannelId>,
    /// The topic.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    pub topic: Option<String>,
}

/// A user in a conversation.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(inline)]
pub struct TypingPerson {
    /// The user's ID.
    pub user_id: UserId,
    /// API address.
    pub email: String,
}

/// A user is editing a message.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct TypingEditMessageStart(pub TypingEdit);

/// A user stopped editing a message.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct TypingEditMessageStop(pub TypingEdit);

/// The user who is editing, and the edited message.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(inline)]
pub struct TypingEdit {
    /// The user who is editing.
    pub sender_id: UserId,
    /// The message.
    pub message_id: MessageId,
    /// Where the message is.
    pub recipient: TypingRecipient,
}

/// Where an edited message is.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(inline)]
pub struct TypingRecipient {
    /// `direct` or `channel`.
    #[serde(rename = "type")]
    #[schemars(extend("enum" = ["direct", "channel"]))]
    pub kind: &'static str,
    /// The channel.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "ChannelId")]
    pub channel_id: Option<ChannelId>,
    /// The topic.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    pub topic: Option<String>,
    /// Everyone in the conversation.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Vec<UserId>")]
    pub user_ids: Option<Vec<UserId>>,
}

/// A file was uploaded.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct AttachmentAdd(pub AttachmentChange);

/// Other messages link a file.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct AttachmentUpdate(pub AttachmentChange);

/// The current state of a file.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(inline)]
pub struct AttachmentChange {
    /// The file.
    pub attachment: AttachmentRecord,
    /// Total size of the organization's uploads, in bytes.
    pub upload_space_used: i64,
}

/// A file was removed.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct AttachmentRemove {
    /// The removed file.
    pub attachment: RemovedAttachment,
    /// Total size of the organization's uploads, in bytes.
    pub upload_space_used: i64,
}

/// A removed file.
#[derive(Clone, Copy, Debug, Serialize, JsonSchema)]
#[schemars(inline)]
pub struct RemovedAttachment {
    /// Its ID.
    pub id: AttachmentId,
}
