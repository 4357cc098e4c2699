//! The URL of a sent message and a Markdown link to it, for the reply (A-485 in docs/assumptions.md).

use crate::api::OperationContext;
use crate::realm::Realm;
use crate::realm::id::MessageId;
use crate::realm::message_link::channel_message_link;
use crate::realm::topic::EMPTY_TOPIC_DISPLAY_NAME;
use chat_markdown::{OutputFormat, encode_link_label};

/// Links to a message that the caller sent.
pub struct MessageLinks {
    /// Absolute, with the host that the client used.
    pub url: String,
    /// A Markdown link labelled with channel and topic; the bare URL for direct messages and for a channel that the
    /// caller can't see.
    pub markdown: String,
}

impl MessageLinks {
    /// Returns the links, without the channel's name if the caller can post to the channel but not see it.
    pub fn new(realm: &Realm, context: &OperationContext<'_>, id: MessageId) -> Self {
        let base_url = context.origin.base_url();
        let message = &realm.messages[&id];
        let Some((channel, topic)) = message.channel_and_topic() else {
            return Self::from_url(format!("{base_url}/{}", realm.message_link(message, OutputFormat::default())));
        };
        let channel = &realm.channels[&channel];
        if !realm.can_see(context.caller(), channel) {
            return Self::from_url(format!(
                "{base_url}/{}",
                channel_message_link(&format!("channel/{}", channel.id), topic, id)
            ));
        }
        let url = [&base_url, "/", &realm.message_link(message, OutputFormat::default())].concat();
        let displayed_topic = if topic.is_empty() { EMPTY_TOPIC_DISPLAY_NAME } else { topic };
        let [channel, topic] = [&channel.name, displayed_topic].map(encode_link_label);
        Self { markdown: ["[#", &channel, " > ", &topic, " @ 💬](", &url, ")"].concat(), url }
    }

    fn from_url(url: String) -> Self {
        Self { markdown: url.clone(), url }
    }
}
