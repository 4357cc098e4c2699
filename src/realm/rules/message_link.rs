//! Links to messages in the web client.

use crate::realm::Realm;
use crate::realm::model::id::MessageId;
use crate::realm::model::message::Message;
use chat_markdown::{OutputFormat, encode_channel_name, encode_hash_component};

impl Realm {
    /// The link to a message in the web client, beginning with `#`, relative to the organization's URL.
    pub fn message_link(&self, message: &Message, output_format: OutputFormat) -> String {
        match message.channel_and_topic() {
            Some((channel, topic)) => {
                let channel = &self.channels[&channel];
                let name = encode_channel_name(&channel.name);
                let channel_part = [output_format.channel_path, "/", &channel.id.to_string(), "-", &name].concat();
                channel_message_link(&channel_part, topic, message.id)
            }
            None => {
                let ids: Vec<String> = message.recipients.iter().map(ToString::to_string).collect();
                format!("#narrow/dm/{}/near/{}", ids.join(","), message.id)
            }
        }
    }
}

/// The link to a message in a topic. `channel_part` is the part of the link that identifies the channel.
pub fn channel_message_link(channel_part: &str, topic: &str, id: MessageId) -> String {
    ["#narrow/", channel_part, "/topic/", &encode_hash_component(topic), "/near/", &id.to_string()].concat()
}
