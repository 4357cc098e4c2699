//! Deleting the messages of a topic that the caller can see.
//!
//! A choice where the API is silent: A-114 in docs/assumptions.md.

use super::TopicName;
use crate::api::{OperationContext, Write, operation};
use crate::error::Error;
use crate::feature::Feature;
use crate::realm::deletion::delete_messages;
use crate::realm::id::{ChannelId, MessageId, UserId};
use crate::realm::message::Message;
use crate::realm::personal::VisibilityPolicy;
use crate::realm::topic::TopicKey;
use crate::realm::tx::Tx;
use schemars::JsonSchema;
use serde::Serialize;
use std::sync::Arc;

operation! {
    /// Deletes the messages of a topic that the caller can see.
    pub DeleteTopic = POST "/streams/{stream_id}/delete_topic", for Administrator;
    params {
        /// ID of a channel that the caller can read and that is not archived.
        @path stream_id: ChannelId,
        /// Name of the topic, regardless of case; an unknown one has no messages to delete.
        topic_name: TopicName,
    }
    reply DeleteTopicReply;
    errors [BadValue, InvalidChannelId];
    events [DeleteMessage, StreamUpdate, MutedTopics, UserTopic];
}

/// How far the deletion got.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct DeleteTopicReply {
    /// Always true: nothing is left for another request.
    pub complete: bool,
}

impl Write for DeleteTopic {
    fn run(tx: &mut Tx, context: &OperationContext<'_>, params: Self::Params) -> Result<DeleteTopicReply, Error> {
        let caller = context.caller();
        let channel = tx.readable_active_channel(caller, params.stream_id)?.id;
        let topic = tx.topics.get(&(channel, TopicKey::new(&params.topic_name.0)));
        let is_visible = |id: &MessageId| tx.visible_message(caller, *id).is_some();
        let messages: Vec<MessageId> =
            topic.map(|topic| topic.messages.iter().filter(is_visible).collect()).unwrap_or_default();

        delete_messages(tx, caller.id, &messages);
        if tx.has(Feature::DeletedTopicsLosePolicies) {
            remove_policies(tx, channel, &params.topic_name.0);
        }
        Ok(DeleteTopicReply { complete: true })
    }
}

/// Removes the visibility policies of users for a topic. If the channel's history is protected, users who still have a
/// user message in the topic keep their policies.
fn remove_policies(tx: &mut Tx, channel: ChannelId, topic: &str) {
    let key = (channel, TopicKey::new(topic));
    let remaining_messages: Vec<Arc<Message>> = match tx.channels[&channel].privacy.has_public_history() {
        true => Vec::new(),
        false => tx
            .topics
            .get(&key)
            .iter()
            .flat_map(|topic| topic.messages.iter())
            .map(|id| tx.messages[&id].clone())
            .collect(),
    };
    let users_with_policy =
        tx.user_states.iter().filter(|(_, state)| state.topics.contains_key(&key)).map(|(user, _)| *user);
    let has_no_remaining_message =
        |user: &UserId| !remaining_messages.iter().any(|message| tx.has_user_message(*user, message));
    let users: Vec<UserId> = users_with_policy.filter(has_no_remaining_message).collect();
    for user in users {
        tx.set_topic_policy(user, channel, topic.into(), VisibilityPolicy::None);
    }
}
