//! The address of a message, as the reply of sending gives it (A-485 in docs/assumptions.md).

use crate::api::Call;
use crate::realm::Realm;
use crate::realm::id::MessageId;
use crate::realm::schedule::address_in;
use crate::realm::topic::EMPTY_TOPIC_DISPLAY_NAME;
use chat_markdown::{Form, encode_link_label};

/// The ways to a message.
pub struct MessageAddress {
    /// Below the address that the client used.
    pub url: String,
    /// In Markdown, to be put into another message.
    pub link: String,
}

impl MessageAddress {
    /// The address of a message that the caller sent. Whoever may post to a channel without seeing it is not shown its name.
    pub fn new(realm: &Realm, call: &Call<'_>, id: MessageId) -> Self {
        let base = call.origin.base_url();
        let message = &realm.messages[&id];
        let Some((channel, topic)) = message.channel() else {
            return Self::without_label(format!("{base}/{}", realm.message_link(message, Form::default())));
        };
        let channel = &realm.channels[&channel];
        if !realm.can_see(call.caller(), channel) {
            return Self::without_label(format!(
                "{base}/{}",
                address_in(&format!("channel/{}", channel.id), topic, id)
            ));
        }
        let url = format!("{base}/{}", realm.message_link(message, Form::default()));
        let shown_topic = if topic.is_empty() { EMPTY_TOPIC_DISPLAY_NAME } else { topic };
        let [channel, topic] = [&channel.name, shown_topic].map(encode_link_label);
        Self { link: format!("[#{channel} > {topic} @ 💬]({url})"), url }
    }

    fn without_label(url: String) -> Self {
        Self { link: url.clone(), url }
    }
}
