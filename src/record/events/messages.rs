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
    /// The new message, without flags.
    #[schemars(with = "MessageRecord")]
    pub message: &'a RawValue,
    /// The reader's initial flags of the message.
    pub flags: Vec<&'static str>,
    /// The `local_id` of the request that sent it; only in the queue that the request names.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    pub local_message_id: Option<&'a str>,
}

/// Messages were edited or moved.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct UpdateMessage {
    /// The user who changed them; null for the server.
    pub user_id: Option<UserId>,
    /// Time of the change, UNIX seconds.
    pub edit_timestamp: i64,
    /// ID of the message that the request names, or that got previews.
    pub message_id: MessageId,
    /// IDs of all messages that changed, sorted.
    pub message_ids: Vec<MessageId>,
    /// Whether only the HTML changed, for previews of links.
    pub rendering_only: bool,
    /// The reader's flags of the message in `message_id`.
    pub flags: Vec<&'static str>,
    /// ID of the channel before the change; absent for direct messages and if only the HTML changed.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "ChannelId")]
    pub stream_id: Option<ChannelId>,
    /// Name of the channel in `stream_id`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    pub stream_name: Option<String>,
    /// Fields about the text and its HTML; None if the messages were only moved.
    #[serde(flatten)]
    pub content: Option<ContentUpdate>,
    /// Fields about the topic and the channel; None if the messages were not moved.
    #[serde(flatten)]
    pub place: Option<PlaceUpdate>,
}

/// An edit of a message's text, or only of its HTML. In the latter case, all fields with a former text are absent.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct ContentUpdate {
    /// The former text in Markdown; absent if only the HTML changed.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    pub orig_content: Option<String>,
    /// The HTML of the former text; absent if only the HTML changed.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    pub orig_rendered_content: Option<String>,
    /// The present text in Markdown.
    pub content: String,
    /// The present HTML.
    pub rendered_content: String,
    /// Whether the present text starts with `/me`; absent if only the HTML changed.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "bool")]
    pub is_me_message: Option<bool>,
}

/// A move of messages to another topic or channel, or both.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct PlaceUpdate {
    /// Which messages of the topic were moved too.
    #[schemars(extend("enum" = ["change_one", "change_later", "change_all"]))]
    pub propagate_mode: &'static str,
    /// The topic before the move.
    pub orig_subject: String,
    /// The new topic, if it changed.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    pub subject: Option<String>,
    /// Links in the new topic, if it changed.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Vec<TopicLinkRecord>")]
    pub topic_links: Option<Vec<TopicLinkRecord>>,
    /// ID of the new channel, if it changed.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "ChannelId")]
    pub new_stream_id: Option<ChannelId>,
}

/// Messages were deleted, or can no longer be seen.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct DeleteMessage {
    /// `private` for direct messages, `stream` for channel messages.
    #[schemars(extend("enum" = ["private", "stream"]))]
    pub message_type: &'static str,
    /// ID of the channel that the messages were in; absent for direct messages.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "ChannelId")]
    pub stream_id: Option<ChannelId>,
    /// The topic that the messages were in; absent for direct messages.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    pub topic: Option<String>,
    /// The conversation and the sender of a direct message, below 77.
    #[serde(flatten)]
    #[schemars(skip)]
    pub conversation: Option<DeletedDirectMessage>,
    /// IDs of the messages, for clients with `bulk_message_deletion`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Vec<MessageId>")]
    pub message_ids: Option<Vec<MessageId>>,
    /// ID of the message, for other clients, which get an event for each message.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "MessageId")]
    pub message_id: Option<MessageId>,
    /// The sender's API address, below 13; null if the sender does not exist. None from 13 on.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(skip)]
    pub sender: Option<Option<String>>,
    /// ID of the sender of a channel message, below 13; that of a direct message is in `conversation`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(skip)]
    pub sender_id: Option<UserId>,
}

/// The fields of `delete_message` that only direct messages have, below 77.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct DeletedDirectMessage {
    /// ID of the conversation.
    pub recipient_id: RecipientId,
    /// ID of the sender of the only message, or of the first one; null if there is no message.
    pub sender_id: Option<UserId>,
}

/// A part was added to a message's widget.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Submessage {
    /// `widget`, or another text that a client sent.
    pub msg_type: String,
    /// JSON text, which clients interpret.
    pub content: String,
    /// ID of the message that has the widget.
    pub message_id: MessageId,
    /// ID of the user who added the part.
    pub sender_id: UserId,
    /// ID of the new part.
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
    /// ID of the user who reacted.
    pub user_id: UserId,
    /// ID of the message that the reaction is to.
    pub message_id: MessageId,
    /// The name by which the emoji was chosen.
    pub emoji_name: String,
    /// Code of the emoji in the namespace `reaction_type`.
    pub emoji_code: String,
    /// Namespace of `emoji_code`.
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

/// Who is typing, and where.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(inline)]
pub struct Typing {
    /// `direct` in a conversation, `stream` in a channel.
    #[schemars(extend("enum" = ["direct", "stream"]))]
    pub message_type: &'static str,
    /// The user who types, or stopped.
    pub sender: TypingPerson,
    /// Everyone in the conversation; absent for a channel.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Vec<TypingPerson>")]
    pub recipients: Option<Vec<TypingPerson>>,
    /// ID of the channel; absent for a conversation.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "ChannelId")]
    pub stream_id: Option<ChannelId>,
    /// The topic in the channel; absent for a conversation.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    pub topic: Option<String>,
}

/// A user who types, or who will receive the message.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(inline)]
pub struct TypingPerson {
    /// ID of the user.
    pub user_id: UserId,
    /// API address of the user.
    pub email: String,
}

/// A user is editing a message.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct TypingEditMessageStart(pub TypingEdit);

/// A user stopped editing a message.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct TypingEditMessageStop(pub TypingEdit);

/// Who is editing which message.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(inline)]
pub struct TypingEdit {
    /// ID of the user who edits, or stopped.
    pub sender_id: UserId,
    /// ID of the edited message.
    pub message_id: MessageId,
    /// The topic or conversation that the message is in.
    pub recipient: TypingRecipient,
}

/// The topic or conversation that an edited message is in.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(inline)]
pub struct TypingRecipient {
    /// `direct` for a conversation, `channel` for a topic.
    #[serde(rename = "type")]
    #[schemars(extend("enum" = ["direct", "channel"]))]
    pub kind: &'static str,
    /// ID of the channel; absent for a conversation.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "ChannelId")]
    pub channel_id: Option<ChannelId>,
    /// The topic in the channel; absent for a conversation.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    pub topic: Option<String>,
    /// IDs of everyone in the conversation; absent for a channel.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Vec<UserId>")]
    pub user_ids: Option<Vec<UserId>>,
}

/// A file was uploaded.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct AttachmentAdd(pub AttachmentChange);

/// The messages that link to a file changed.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct AttachmentUpdate(pub AttachmentChange);

/// A file as it is now.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(inline)]
pub struct AttachmentChange {
    /// The uploaded file, with the messages that link to it.
    pub attachment: AttachmentRecord,
    /// Total size of the organization's uploads, in bytes.
    pub upload_space_used: i64,
}

/// A file was removed.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct AttachmentRemove {
    /// The file that no longer exists.
    pub attachment: RemovedAttachment,
    /// Total size of the organization's uploads, in bytes.
    pub upload_space_used: i64,
}

/// A file that no longer exists.
#[derive(Clone, Copy, Debug, Serialize, JsonSchema)]
#[schemars(inline)]
pub struct RemovedAttachment {
    /// ID that the file had.
    pub id: AttachmentId,
}
