//! Scheduled messages: listing, scheduling and removing messages that are sent later. A submodule changes them.

mod edit;

pub use edit::EditScheduledMessage;

use super::parameter::{FromJson, Parameter, WholeNumber, json_parameter};
use super::{OperationContext, Read, Success, Write, operation};
use crate::api::parameter::types::recipients;
use crate::api::parameter::types::recipients::{MessageType, Recipients};
use crate::error::{Error, ErrorKind};
use crate::realm::Realm;
use crate::realm::agenda::AgendaItem;
use crate::realm::client::is_for_people;
use crate::realm::event::Audience;
use crate::realm::id::{ScheduledMessageId, UserId};
use crate::realm::schedule::{DryRunResult, checked_delivery_time};
use crate::realm::scheduled::ScheduledMessage;
use crate::realm::send::OutgoingMessage;
use crate::realm::tx::Tx;
use crate::record::events::{ScheduledMessagesAdd, ScheduledMessagesRemove};
use crate::record::scheduled::ScheduledMessageRecord;
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::Serialize;
use serde_json::{Value, json};

/// `to`: the ID of a channel, or a list of user IDs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ToParameter {
    Channel(i64),
    Users(Vec<i64>),
}

impl Parameter for ToParameter {
    fn from_text(text: &str, name: &str) -> Result<Self, Error> {
        let value: Value = json_parameter(text, name)?;
        // The error for a value of another type says that an integer was expected.
        let path = format!("{name}[\"int\"]");
        match value {
            Value::Array(_) => {
                Vec::from_json(&value, name).map(Self::Users).map_err(|_| Error::bad_value(path, "is not an integer"))
            }
            other => i64::from_json(&other, &path).map(Self::Channel),
        }
    }

    fn schema(_generator: &mut SchemaGenerator) -> Schema {
        schemars::json_schema!({"anyOf": [{"type": "integer"}, {"type": "array", "items": {"type": "integer"}}]})
    }
}

impl ToParameter {
    /// Converts the parameter to the recipients of a message of this type.
    ///
    /// # Errors
    ///
    /// `InvalidChannelIdType`, `InvalidRecipientsType`.
    fn recipients(&self, kind: MessageType) -> Result<Recipients, Error> {
        match (kind, self) {
            (MessageType::Channel, ToParameter::Channel(id)) => Ok(Recipients(json!(id))),
            (MessageType::Channel, ToParameter::Users(_)) => Err(Error::InvalidChannelIdType),
            (MessageType::Direct, ToParameter::Users(ids)) => Ok(Recipients(json!(ids))),
            (MessageType::Direct, ToParameter::Channel(_)) => Err(Error::InvalidRecipientsType),
        }
    }
}

/// The scheduled messages of a user in the order of their times.
pub fn scheduled_message_records(realm: &Realm, user: UserId) -> Vec<ScheduledMessageRecord> {
    let mut messages: Vec<&ScheduledMessage> =
        realm.scheduled_messages.values().filter(|message| message.sender == user).map(AsRef::as_ref).collect();
    messages.sort_by_key(|message| (message.deliver_at, message.id));
    messages.into_iter().map(ScheduledMessageRecord::new).collect()
}

operation! {
    /// Lists the caller's scheduled messages, including those that could not be sent.
    pub GetScheduledMessages = GET "/scheduled_messages", for User, since 173;
    reply ScheduledMessagesReply;
}

/// The caller's scheduled messages.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct ScheduledMessagesReply {
    /// In order of time.
    pub scheduled_messages: Vec<ScheduledMessageRecord>,
}

impl Read for GetScheduledMessages {
    fn run(
        realm: &Realm,
        context: &OperationContext<'_>,
        _params: Self::Params,
    ) -> Result<ScheduledMessagesReply, Error> {
        Ok(ScheduledMessagesReply { scheduled_messages: scheduled_message_records(realm, context.caller().id) })
    }
}

operation! {
    /// Schedules a message to be sent later; all checks of sending apply immediately.
    pub ScheduleMessage = POST "/scheduled_messages", for User, since 179;
    params {
        /// `channel` (or `stream`), `direct` (or `private`).
        type_ as "type": MessageType,
        /// A channel's ID, or a list of users' IDs.
        to: ToParameter,
        /// Required for a channel; ignored for direct messages.
        topic: Option<String>,
        /// Markdown; cut at 10,000 code points.
        content: String,
        /// UNIX seconds, later than now.
        scheduled_delivery_timestamp: WholeNumber,
        /// Whether the sent message counts as read by its sender; when absent, true for clients for human users.
        read_by_sender since 236: Option<bool>,
    }
    reply ScheduledMessageIdReply;
    errors in SCHEDULING_ERRORS;
    events [ScheduledMessagesAdd];
}

/// The message that was scheduled.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct ScheduledMessageIdReply {
    /// ID of the scheduled message; the message that is sent gets another.
    pub scheduled_message_id: ScheduledMessageId,
}

/// The errors of scheduling a message, in the order in which they are checked: those of the time, those of the type of
/// `to`, then those of sending to recipients that are given by ID.
pub const SCHEDULING_ERRORS: &[ErrorKind] = &[
    ErrorKind::TimestampTooLarge,
    ErrorKind::DeliveryNotInFuture,
    ErrorKind::InvalidChannelIdType,
    ErrorKind::InvalidRecipientsType,
    ErrorKind::MessageEmpty,
    ErrorKind::MessageNullBytes,
    ErrorKind::MissingTopic,
    ErrorKind::UnknownChannelId,
    ErrorKind::NoRecipients,
    ErrorKind::InvalidRecipientId,
    ErrorKind::TopicInvalidCharacter,
    ErrorKind::MayNotPost,
    ErrorKind::NotAuthorizedToSend,
    ErrorKind::MayNotCreateTopic,
    ErrorKind::EmptyTopicNotAllowed,
    ErrorKind::OnlyEmptyTopicAllowed,
    ErrorKind::RecipientDeactivated,
    ErrorKind::RecipientsInaccessible,
    ErrorKind::DirectMessagesDisabled,
    ErrorKind::NoAuthorizingParticipant,
    ErrorKind::MayNotInitiateDirect,
    ErrorKind::UnableToRender,
    ErrorKind::ChannelWildcardNotAllowed,
    ErrorKind::TopicWildcardNotAllowed,
    ErrorKind::MayNotMentionGroup,
];

impl Write for ScheduleMessage {
    fn run(
        tx: &mut Tx,
        context: &OperationContext<'_>,
        params: Self::Params,
    ) -> Result<ScheduledMessageIdReply, Error> {
        if let Some(id) = context.legacy_values.get("scheduled_message_id") {
            return edit_scheduled_message(tx, context, json_parameter(id, "scheduled_message_id")?, params);
        }
        let sender = context.caller().id;
        let deliver_at = checked_delivery_time(tx, params.scheduled_delivery_timestamp.0)?;
        let to = params.to.recipients(params.type_)?;
        let DryRunResult { to, content, rendered } =
            check_and_render(tx, context, params.type_, &to, params.topic, &params.content)?;

        let id = ScheduledMessageId(tx.next_scheduled_id());
        let is_read_by_sender = params.read_by_sender.unwrap_or_else(|| is_for_people(context.client));
        let message =
            ScheduledMessage { id, sender, to, content, rendered, deliver_at, is_read_by_sender, has_failed: false };
        let message = tx.put_scheduled_message(message);
        let event = ScheduledMessagesAdd { scheduled_messages: vec![ScheduledMessageRecord::new(&message)] };
        tx.emit(Audience::of_user(sender), event);
        Ok(ScheduledMessageIdReply { scheduled_message_id: id })
    }
}

/// Changes a scheduled message with the parameters of a new one, as requests do at levels 179 to 183.
fn edit_scheduled_message(
    tx: &mut Tx,
    context: &OperationContext<'_>,
    id: ScheduledMessageId,
    params: ScheduleMessage,
) -> Result<ScheduledMessageIdReply, Error> {
    let ScheduleMessage { type_, to, content, topic, scheduled_delivery_timestamp, read_by_sender: _ } = params;
    let params = EditScheduledMessage {
        scheduled_message_id: id,
        type_: Some(type_),
        to: Some(to),
        content: Some(content),
        topic,
        scheduled_delivery_timestamp: Some(scheduled_delivery_timestamp),
    };
    EditScheduledMessage::run(tx, context, params)?;
    Ok(ScheduledMessageIdReply { scheduled_message_id: id })
}

/// Runs the checks that sending the message now would run, and renders it.
///
/// # Errors
///
/// [`SCHEDULING_ERRORS`] except the first four, which the operations check themselves.
fn check_and_render(
    realm: &Realm,
    context: &OperationContext<'_>,
    kind: MessageType,
    to: &Recipients,
    topic: Option<String>,
    content: &str,
) -> Result<DryRunResult, Error> {
    let caller = context.caller();
    recipients::check_content(realm, caller, kind, to, topic.as_deref(), content)?;
    let target = recipients::resolve(realm, caller, kind, to, topic)?;
    let outgoing_message =
        OutgoingMessage::from_server(caller.id, target, context.origin.make_upload_links_relative(content.to_owned()));
    realm.dry_run_send(
        OutgoingMessage { render_context: Some(context.render_context()), ..outgoing_message },
        context.feature_level,
    )
}

operation! {
    /// Removes one of the caller's scheduled messages, even one that was sent.
    pub RemoveScheduledMessage = DELETE "/scheduled_messages/{scheduled_message_id}", for User, since 173;
    params {
        /// ID of one of the caller's scheduled messages.
        @path scheduled_message_id: ScheduledMessageId,
    }
    errors [NoSuchScheduledMessage];
    events [ScheduledMessagesRemove];
}

impl Write for RemoveScheduledMessage {
    fn run(tx: &mut Tx, context: &OperationContext<'_>, params: Self::Params) -> Result<Success, Error> {
        let user = context.caller().id;
        let id = params.scheduled_message_id;
        let is_sent = tx.user_state(user).sent_scheduled.contains(&id);
        if !is_sent {
            find_own_scheduled_message(tx, user, id)?;
        }

        tx.user_state_mut(user).sent_scheduled.remove(&id);
        tx.realm_mut().scheduled_messages.remove(&id);
        tx.schedule(AgendaItem::ScheduledMessage(id), None);
        tx.emit(Audience::of_user(user), ScheduledMessagesRemove { scheduled_message_id: id });
        Ok(Success {})
    }
}

fn find_own_scheduled_message(realm: &Realm, user: UserId, id: ScheduledMessageId) -> Result<&ScheduledMessage, Error> {
    let message = realm.scheduled_messages.get(&id).filter(|message| message.sender == user);
    message.map(AsRef::as_ref).ok_or(Error::NoSuchScheduledMessage)
}
