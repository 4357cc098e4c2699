//! Deleting all messages of a topic.
//!
//! A choice where the API is silent: A-114 in docs/assumptions.md.

use super::TopicName;
use crate::api::{Call, Write, operation};
use crate::error::Error;
use crate::realm::deletion::delete_messages;
use crate::realm::id::{ChannelId, MessageId};
use crate::realm::topic::TopicKey;
use crate::realm::tx::Tx;
use schemars::JsonSchema;
use serde::Serialize;

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
    events [DeleteMessage, StreamUpdate];
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

        delete_messages(tx, &messages);
        Ok(DeleteTopicReply { complete: true })
    }
}
