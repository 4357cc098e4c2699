//! How much memory an event keeps, by estimate: the log is bounded by it.

use super::{Event, Payload};
use serde_json::{Map, Value};
use std::mem::size_of;

/// What an entry takes that holds nothing of its own.
const ENTRY: usize = 400;

impl Event {
    /// About how many bytes the event keeps that nothing else does.
    pub fn weight(&self) -> usize {
        let own = match &self.payload {
            Payload::Shaped { fields, .. } => of_object(fields),
            // Its text is kept for each kind of reader.
            Payload::Message(sent) => 2 * sent.message.body.content.len(),
            // The text that a message has now is kept with it.
            Payload::UpdateMessage(updated) => {
                let former = updated.content.as_ref().map_or(0, |(before, _)| 2 * before.content.len());
                former + size_of::<i64>() * updated.messages.len()
            }
            Payload::DeleteMessages { messages, .. } => 2 * size_of::<i64>() * messages.len(),
            Payload::ChannelsCreated(channels) => size_of::<usize>() * channels.len(),
            Payload::Subscribed(subscriptions) => 2 * size_of::<usize>() * subscriptions.len(),
            Payload::PeersLeft { channels, .. } => size_of::<i64>() * channels.len(),
            Payload::Exports(exports) => size_of::<usize>() * exports.len(),
            Payload::List(_)
            | Payload::UserAdd(_)
            | Payload::Presence { .. }
            | Payload::Scheduled(_)
            | Payload::Attachment { .. } => 0,
        };
        ENTRY + own
    }
}

fn of_object(object: &Map<String, Value>) -> usize {
    object.iter().map(|(key, value)| 2 * size_of::<usize>() + key.len() + of_value(value)).sum()
}

fn of_value(value: &Value) -> usize {
    let inside = match value {
        Value::Null | Value::Bool(_) | Value::Number(_) => 0,
        Value::String(text) => text.len(),
        Value::Array(items) => items.iter().map(of_value).sum(),
        Value::Object(object) => of_object(object),
    };
    size_of::<Value>() + inside
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
