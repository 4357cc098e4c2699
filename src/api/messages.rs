//! Messages: sending, reading and rendering single messages. Submodules have the other operations on messages:
//! fetching, editing, deleting, reporting and more.

pub mod delete;
pub mod edit;
pub mod fetch;
mod highlight;
pub mod history;
mod links;
pub mod narrow_flags;
pub mod read_receipts;
pub mod report;
pub mod submessage;
pub mod summary;

use links::MessageLinks;

use super::parameter::RequiredParameter;
use super::{OperationContext, Read, Write, operation};
use crate::api::parameter::types::recipients::{self, MessageType};
use crate::api::parameter::types::text::LimitedText;
use crate::error::Error;
use crate::feature::Feature;
use crate::realm::Realm;
use crate::realm::bot_owner_notices;
use crate::realm::client::is_for_people;
use crate::realm::id::MessageId;
use crate::realm::message::Message;
use crate::realm::send::{ContentAuthor, OutgoingMessage, Target};
use crate::realm::text::MAX_MESSAGE_LENGTH;
use crate::realm::tx::Tx;
use crate::record::message::{MessageRecord, MessageView};
use imbl::OrdSet;
use schemars::JsonSchema;
use serde::Serialize;

/// Maximum length of `local_id` and `queue_id`, in code points (A-450 in docs/assumptions.md).
const MAX_CLIENT_ID_LENGTH: usize = 1_000;

operation! {
    /// Sends a message to a topic of a channel, or to users.
    pub SendMessage = POST "/messages", for AnyAccount;
    params {
        /// `channel` (or `stream`), `direct` (or `private`).
        type_ as "type": MessageType,
        /// A channel's name or ID; users' IDs or addresses, one or a list. Bots with a default channel may leave it
        /// out to send there.
        to: RequiredParameter<recipients::Recipients>,
        /// Required for channels; cut at 60 code points. "" is the general topic.
        topic | "subject": Option<String>,
        /// Markdown; cut at 10,000 code points.
        content: RequiredParameter<String>,
        /// A form with choices, as JSON text of `widget_type` (`zform`) and `extra_data`. Real servers accept it
        /// from bots, undocumented.
        widget_content: Option<LimitedText<MAX_MESSAGE_LENGTH>>,
        /// The client's own name for the message, for the event that the queue `queue_id` gets.
        local_id: Option<LimitedText<MAX_CLIENT_ID_LENGTH>>,
        /// The sending client's queue: its copy of the event gets `local_message_id`.
        queue_id: Option<LimitedText<MAX_CLIENT_ID_LENGTH>>,
        /// Whether the message counts as read by its sender; by default true for clients for human users.
        read_by_sender since 236: Option<bool>,
    }
    reply SendMessageReply;
    errors [
        MessageEmpty, MessageNullBytes, OneChannelExpected, InvalidChannelType, MissingTopic, ChannelNameEmpty,
        ChannelNameTooLong, ChannelNameInvalidCharacter, UnknownChannel, UnknownChannelId, NoRecipients,
        InvalidRecipientsType, MixedRecipients, InvalidRecipientEmail, InvalidRecipientId, TopicInvalidCharacter,
        MayNotPost, NotAuthorizedToSend, MayNotCreateTopic, EmptyTopicNotAllowed, OnlyEmptyTopicAllowed,
        RecipientDeactivated, RecipientsInaccessible, DirectMessagesDisabled, NoAuthorizingParticipant,
        MayNotInitiateDirect, WidgetNotJson, InvalidWidgetContent, UnableToRender, ChannelWildcardNotAllowed,
        TopicWildcardNotAllowed, MayNotMentionGroup,
    ];
    events [RealmUserAdd, MutedTopics, UserTopic, Message, AttachmentUpdate];
    is fast;
}

/// The message that was sent.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct SendMessageReply {
    /// ID of the message that was sent.
    pub id: i64,
    /// 2 unmuted, 3 followed: the sender's new policy for the topic, if sending changed it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub automatic_new_visibility_policy: Option<i64>,
    /// Its absolute URL, with the host that the client used; without the channel's name if the sender may not see
    /// the channel.
    pub message_url: String,
    /// A Markdown link to it, labelled with channel and topic; the URL itself for direct messages and where the URL has
    /// no name.
    pub message_link: String,
}

impl Write for SendMessage {
    fn run(tx: &mut Tx, context: &OperationContext<'_>, params: Self::Params) -> Result<SendMessageReply, Error> {
        let caller = context.caller();
        // The order of these two lines decides which missing parameter the error names.
        let recipients = params.to.or_default_channel(caller, params.type_)?;
        let content = params.content.require("content")?;
        recipients::check_content(tx, caller, params.type_, &recipients, params.topic.as_deref(), &content)?;
        let target = recipients::resolve(tx, caller, params.type_, &recipients, params.topic)?;
        let outgoing_message = OutgoingMessage {
            sender: caller.id,
            to: target,
            content: context.origin.make_upload_links_relative(content),
            client: context.client.into(),
            is_read_by_sender: params.read_by_sender.unwrap_or_else(|| is_for_people(context.client)),
            read_by: OrdSet::new(),
            queue_and_local_id: params
                .queue_id
                .zip(params.local_id)
                .map(|(LimitedText(queue_id), LimitedText(local_id))| (queue_id, local_id)),
            render_context: Some(context.render_context()),
            widget_content: params.widget_content.map(|LimitedText(content)| content),
            content_author: ContentAuthor::Sender,
            is_bot_reply: false,
        };

        if let Target::Channel { channel, .. } = outgoing_message.to {
            bot_owner_notices::notify_of_missing_subscribers(tx, caller, channel);
        }
        let result = tx.send(outgoing_message);
        let sent_message = result.map_err(|error| recipients::name_channel_in_error(tx, &recipients, error))?;
        let MessageLinks { url, markdown } = MessageLinks::new(tx, context, sent_message.id);
        Ok(SendMessageReply {
            id: sent_message.id.0,
            automatic_new_visibility_policy: sent_message.new_policy.map(|policy| policy.number()),
            message_url: url,
            message_link: markdown,
        })
    }
}

operation! {
    /// Returns a message that the caller can access; spectators see messages of web-public channels.
    pub GetMessage = GET "/messages/{message_id}", for UserOrSpectator;
    params {
        /// ID of the message.
        @path message_id: MessageId,
        /// Whether the content is HTML rather than Markdown.
        apply_markdown since 120: bool = true,
        /// Whether the empty topic is "" in the reply, rather than `general chat`.
        allow_empty_topic_name since 334: bool = false,
    }
    reply GetMessageReply;
    errors [InvalidMessage, NotLoggedIn];
    is fast;
}

/// The message with the requested ID.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct GetMessageReply {
    /// The message with the caller's flags.
    pub message: MessageRecord,
    /// Content as Markdown; deprecated in favour of `apply_markdown`.
    pub raw_content: String,
}

impl Read for GetMessage {
    fn run(realm: &Realm, context: &OperationContext<'_>, params: Self::Params) -> Result<GetMessageReply, Error> {
        let message = match &context.caller {
            Some(_) => context.message(realm, params.message_id),
            // Spectators get the same error for messages that do not exist and for those that only users can read.
            None => {
                let message = realm.messages.get(&params.message_id);
                message.filter(|message| realm.is_visible_to_spectators(message)).ok_or(Error::NotLoggedIn)
            }
        };
        let message = message?;
        check_not_archived(realm, context, message)?;
        let view = MessageView {
            viewer: context.caller.as_deref(),
            apply_markdown: params.apply_markdown,
            client_gravatar: true,
            computes_system_bot_avatars: !context.has(Feature::SystemBotAvatarsFromServer),
            allow_empty_topic_name: params.allow_empty_topic_name,
        };
        Ok(GetMessageReply {
            message: MessageRecord::with_flags(realm, message, view),
            raw_content: message.body.content.clone(),
        })
    }
}

/// Checks that a message is not in an archived channel, at the older levels that make such messages inaccessible.
fn check_not_archived(realm: &Realm, context: &OperationContext<'_>, message: &Message) -> Result<(), Error> {
    match &context.caller {
        _ if !realm.is_in_archived_channel(message) || context.has(Feature::ArchivedMessagesReadable) => Ok(()),
        Some(_) => Err(Error::InvalidMessage),
        None => Err(Error::NotLoggedIn),
    }
}

operation! {
    /// Renders a text to HTML as if the caller sent it as a message; sends nothing.
    pub RenderMessage = POST "/messages/render", for User;
    params {
        /// Markdown, as in a message.
        content: String,
    }
    reply RenderMessageReply;
    errors [UnableToRender];
}

/// A rendered text.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct RenderMessageReply {
    /// The text as HTML.
    pub rendered: String,
}

impl Read for RenderMessage {
    fn run(realm: &Realm, context: &OperationContext<'_>, params: Self::Params) -> Result<RenderMessageReply, Error> {
        let render_context = context.render_context();
        let names = realm.view_of(context.caller().id, Some(&render_context));
        let rendered = chat_markdown::render(&context.origin.make_upload_links_relative(params.content), &names);
        Ok(RenderMessageReply { rendered: rendered.map_err(|_| Error::UnableToRender)?.html })
    }
}
