//! Weights of events: estimates of their memory, whose sum [`MAX_LOG_BYTES`](super::MAX_LOG_BYTES) limits.

use super::{Event, Payload};
use serde_json::{Map, Value};
use std::mem::size_of;

/// The memory that every entry takes besides its payload, in bytes.
const ENTRY_BYTES: usize = 400;

impl Event {
    /// An estimate, in bytes, of the memory that would be freed with the event.
    pub fn weight(&self) -> usize {
        let payload = match &self.payload {
            Payload::Fields { fields, .. } => object_weight(fields),
            // The JSON of the message is cached for each kind of reader; two kinds are assumed.
            Payload::Message(sent) => {
                2 * sent.message.body.content.len() + size_of::<i64>() * sent.held_back_from.len()
            }
            // The message itself holds its present text. The previous body has its text and about as much HTML.
            Payload::UpdateMessage(updated) => {
                let previous_text = updated.content.as_ref().map_or(0, |(before, _)| 2 * before.content.len());
                previous_text + size_of::<i64>() * updated.messages.len()
            }
            Payload::DeleteMessages { messages, .. } => 2 * size_of::<i64>() * messages.len(),
            Payload::ChannelsCreated(channels) => size_of::<usize>() * channels.len(),
            Payload::Subscribed(subscriptions) => 2 * size_of::<usize>() * subscriptions.len(),
            Payload::PeersUnsubscribed { channels, .. } => size_of::<i64>() * channels.len(),
            Payload::Exports(exports) => size_of::<usize>() * exports.len(),
            Payload::List(_)
            | Payload::UserAdd(_)
            | Payload::Presence { .. }
            | Payload::ScheduledMessage(_)
            | Payload::Attachment { .. } => 0,
        };
        ENTRY_BYTES + payload
    }
}

fn object_weight(object: &Map<String, Value>) -> usize {
    object.iter().map(|(key, value)| 2 * size_of::<usize>() + key.len() + value_weight(value)).sum()
}

fn value_weight(value: &Value) -> usize {
    let contents = match value {
        Value::Null | Value::Bool(_) | Value::Number(_) => 0,
        Value::String(text) => text.len(),
        Value::Array(items) => items.iter().map(value_weight).sum(),
        Value::Object(object) => object_weight(object),
    };
    size_of::<Value>() + contents
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::realm::log::event::data::MutedTopics;

    #[test]
    fn an_event_weighs_at_least_the_texts_and_numbers_that_it_holds() {
        let muted_topics = vec![("x".repeat(1_000), String::new(), 7); 9];

        let weight = Event::from(MutedTopics { muted_topics }).weight();

        assert!((9_000..200_000).contains(&weight), "{weight}");
    }
}
