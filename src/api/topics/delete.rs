//! Deleting all messages of a topic.
//!
//! Choices where the API is silent: A-114 in docs/assumptions.md.

use super::TopicName;
use crate::api::{Call, Write, operation};
use crate::error::Error;
use crate::realm::deletion::delete_messages;
use crate::realm::id::{ChannelId, MessageId, UserId};
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
        /// The topic, whatever the case.
        topic_name: TopicName,
    }
    reply DeleteTopicReply;
    errors [BadValue, InvalidChannelId];
    events [DeleteMessage, StreamUpdate, MutedTopics, UserTopic];
}

/// Whether all is done.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct DeleteTopicReply {
    /// Always true: nothing is left for a further request.
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

        delete_messages(tx, &messages);
        forget_policies(tx, channel, &params.topic_name.0);
        Ok(DeleteTopicReply { complete: true })
    }
}

/// Takes back what users said of a topic of which they see nothing any more.
fn forget_policies(tx: &mut Tx, channel: ChannelId, topic: &str) {
    let key = (channel, TopicKey::new(topic));
    let left = tx.topics.get(&key).cloned();
    let sees_none = |user: &UserId| {
        let user = &tx.users[user];
        !left.iter().flat_map(|topic| topic.messages.iter()).any(|id| tx.message_seen_by(user, id).is_some())
    };
    let said = tx.personal.iter().filter_map(|(user, own)| own.topics.get(&key).map(|said| (*user, said.name.clone())));
    let forgotten: Vec<(UserId, Arc<str>)> = said.filter(|(user, _)| sees_none(user)).collect();
    for (user, name) in forgotten {
        tx.set_topic_policy(user, channel, name, VisibilityPolicy::None);
    }
}
