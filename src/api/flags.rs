//! The operations that change personal message flags (specification, "Personal message flags"). The change itself is in
//! `api/changes/flags.rs`.
//!
//! A choice where the API is silent: A-30 in docs/assumptions.md.

use super::{OperationContext, Success, Write, operation};
use crate::api::changes::flags::{
    Flag, FlagChange, FlagOp, change_flag, change_flag_without_event, emit_flag_update, messages_with_flag_value,
};
use crate::error::Error;
use crate::feature::Feature;
use crate::realm::id::{ChannelId, MessageId};
use crate::realm::topic::{TopicKey, replace_empty_topic_name};
use crate::realm::tx::Tx;
use crate::realm::user::User;
use schemars::JsonSchema;
use serde::Serialize;
use std::collections::BTreeSet;

operation! {
    /// Adds or removes a personal flag of messages.
    pub UpdateFlags = POST "/messages/flags", for User;
    params {
        /// IDs of the messages; when adding `read`, those that the caller can't see are skipped.
        messages: Vec<MessageId>,
        /// `add` or `remove`.
        op: String,
        /// `read`, `starred`, `collapsed` or `hide_link_previews`.
        flag: String,
    }
    reply UpdateFlagsReply;
    errors [InvalidFlag, FlagNotEditable, InvalidFlagOperation, InvalidMessage];
    events [UpdateMessageFlagsAdd, UpdateMessageFlagsRemove];
    is fast;
}

/// The messages of the request, and the channels whose messages were left out.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct UpdateFlagsReply {
    /// IDs as in the request, whether or not the flag changed.
    pub messages: Vec<MessageId>,
    /// Channels whose messages did not become unread; only for flag `read` with op `remove`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ignored_because_not_subscribed_channels: Option<BTreeSet<ChannelId>>,
}

impl Write for UpdateFlags {
    fn run(tx: &mut Tx, context: &OperationContext<'_>, params: Self::Params) -> Result<UpdateFlagsReply, Error> {
        let change = FlagChange::parse(context, &params.flag, &params.op)?;
        let result = change_flag_without_event(tx, context.caller(), &params.messages, change)?;
        let user = context.caller().id;
        let event_messages = if context.has(Feature::OnlyChangedFlags) {
            result.messages
        } else {
            messages_with_flag_value(tx, user, &params.messages, change)
        };
        emit_flag_update(tx, user, change, &event_messages, false);
        let ignored_channels = change.makes_unread().then_some(result.ignored_channels);
        Ok(UpdateFlagsReply { messages: params.messages, ignored_because_not_subscribed_channels: ignored_channels })
    }
}

operation! {
    /// Marks all of the caller's messages as read; deprecated.
    pub MarkAllAsRead = POST "/mark_all_as_read", for User, deprecated 155 => "POST /messages/flags/narrow";
    reply CompleteReply;
    events [UpdateMessageFlagsAdd];
}

/// Whether everything was processed.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct CompleteReply {
    /// Always true: the operation never runs out of time.
    pub complete: bool,
}

const MARK_AS_READ: FlagChange = FlagChange { flag: Flag::Read, op: FlagOp::Add };

impl Write for MarkAllAsRead {
    fn run(tx: &mut Tx, context: &OperationContext<'_>, _params: Self::Params) -> Result<CompleteReply, Error> {
        let newest_id = MessageId(tx.counters.message);
        tx.user_state_mut(context.caller().id).read.insert_up_to(newest_id);
        tx.recall_pushes(context.caller().id);
        emit_flag_update(tx, context.caller().id, MARK_AS_READ, &[], true);
        Ok(CompleteReply { complete: true })
    }
}

operation! {
    /// Marks all of a channel's messages as read; deprecated.
    pub MarkChannelAsRead = POST "/mark_stream_as_read", for User, deprecated 155 => "POST /messages/flags/narrow";
    params {
        /// ID of a channel that is not archived and whose messages the caller can read.
        stream_id: ChannelId,
    }
    errors [InvalidChannelId];
    events [UpdateMessageFlagsAdd];
}

impl Write for MarkChannelAsRead {
    fn run(tx: &mut Tx, context: &OperationContext<'_>, params: Self::Params) -> Result<Success, Error> {
        let caller = context.caller();
        let channel = tx.readable_active_channel(caller, params.stream_id)?.id;

        let unread_ids = tx.unread_in_channel(caller.id, channel);
        mark_as_read(tx, caller, &unread_ids)
    }
}

/// Marks messages as read. Emits no event if there are none.
fn mark_as_read(tx: &mut Tx, caller: &User, unread_ids: &[MessageId]) -> Result<Success, Error> {
    if !unread_ids.is_empty() {
        change_flag(tx, caller, unread_ids, MARK_AS_READ)?;
    }
    Ok(Success {})
}

operation! {
    /// Marks all of a topic's messages as read; deprecated.
    pub MarkTopicAsRead = POST "/mark_topic_as_read", for User, deprecated 155 => "POST /messages/flags/narrow";
    params {
        /// ID of a channel that is not archived and whose messages the caller can read.
        stream_id: ChannelId,
        /// The topic, regardless of case; the empty topic may be given by its display name.
        topic_name: String,
    }
    errors [InvalidChannelId, NoSuchTopic];
    events [UpdateMessageFlagsAdd];
}

impl Write for MarkTopicAsRead {
    fn run(tx: &mut Tx, context: &OperationContext<'_>, params: Self::Params) -> Result<Success, Error> {
        let caller = context.caller();
        let channel = tx.readable_active_channel(caller, params.stream_id)?.id;
        if params.topic_name.is_empty() && !context.has(Feature::EmptyNameMarksEmptyTopic) {
            // At older levels, an empty name meant the whole channel.
            let unread_ids = tx.unread_in_channel(caller.id, channel);
            return mark_as_read(tx, caller, &unread_ids);
        }
        let topic = tx.topics.get(&(channel, TopicKey::new(replace_empty_topic_name(&params.topic_name)))).cloned();
        let is_received = |id: MessageId| tx.has_user_message(caller.id, &tx.messages[&id]);
        let topic = topic.filter(|topic| topic.messages.iter().any(is_received));
        let Some(topic) = topic else {
            // An empty name is accepted in every channel, even if the caller received no message in the empty topic.
            let is_empty = params.topic_name.is_empty();
            return if is_empty {
                Ok(Success {})
            } else {
                Err(Error::NoSuchTopic { topic: params.topic_name.as_str().into() })
            };
        };

        let mut unread_ids = tx.unread_in_channel(caller.id, channel);
        unread_ids.retain(|id| topic.messages.contains(*id));
        mark_as_read(tx, caller, &unread_ids)
    }
}
