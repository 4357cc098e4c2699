//! Deleting all messages of a topic.
//!
//! A choice where the API is silent: A-114 in docs/assumptions.md.

use super::TopicName;
use crate::api::{Call, Write, operation};
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
        /// The channel.
        @path stream_id: ChannelId,
        /// The topic, regardless of case.
        topic_name: TopicName,
    }
    reply DeleteTopicReply;
    errors [BadValue, InvalidChannelId];
    events [DeleteMessage, StreamUpdate, MutedTopics, UserTopic];
}

/// Forgets what users said of a topic; where the history is protected, only what those said who have nothing left of it.
fn forget_policies(tx: &mut Tx, channel: ChannelId, topic: &str) {
    let key = (channel, TopicKey::new(topic));
    let left: Vec<Arc<Message>> = match tx.channels[&channel].privacy.has_public_history() {
        true => Vec::new(),
        false => tx
            .topics
            .get(&key)
            .iter()
            .flat_map(|topic| topic.messages.iter())
            .map(|id| tx.messages[&id].clone())
            .collect(),
    };
    let has_said = tx.personal.iter().filter(|(_, own)| own.topics.contains_key(&key)).map(|(user, _)| *user);
    let is_lost = |user: &UserId| !left.iter().any(|message| tx.has_row(*user, message));
    let users: Vec<UserId> = has_said.filter(is_lost).collect();
    for user in users {
        tx.set_topic_policy(user, channel, topic.into(), VisibilityPolicy::None);
    }
}

/// Whether everything is done.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct DeleteTopicReply {
    /// Always true: nothing is left for another request.
    pub complete: bool,
}

impl Write for DeleteTopic {
    fn run(tx: &mut Tx, call: &Call<'_>, params: Self::Params) -> Result<DeleteTopicReply, Error> {
        let caller = call.caller();
        let channel = tx.open_channel(caller, params.stream_id)?.id;
        let topic = tx.topics.get(&(channel, TopicKey::new(&params.topic_name.0)));
        let seen = |id: &MessageId| tx.message_seen_by(caller, *id).is_some();
        let messages: Vec<MessageId> =
            topic.map(|topic| topic.messages.iter().filter(seen).collect()).unwrap_or_default();

        delete_messages(tx, caller.id, &messages);
        if tx.has(Feature::TopicPoliciesEnd) {
            forget_policies(tx, channel, &params.topic_name.0);
        }
        Ok(DeleteTopicReply { complete: true })
    }
}
