//! The events of recorded polls, without duplicates.

use super::exchange::Exchange;
use serde_json::Value;
use std::collections::BTreeMap;

/// The events of a poll that no earlier poll of the queue returned.
#[derive(Debug)]
pub struct EventBatch {
    /// When the reply to the poll was complete, in UNIX seconds.
    pub end_seconds: f64,
    /// ID of the queue, from the poll's parameter or else from its reply.
    pub queue_id: String,
    /// The new events in order, without heartbeats.
    pub events: Vec<Value>,
}

/// The batches of the successful polls that have new events, in the order of their replies.
pub fn event_batches(exchanges: &[Exchange]) -> Vec<EventBatch> {
    let mut polls: Vec<&Exchange> = exchanges.iter().filter(|exchange| exchange.is_successful_poll()).collect();
    polls.sort_by(|first, second| first.end_seconds.total_cmp(&second.end_seconds));
    let mut last_ids: BTreeMap<String, i64> = BTreeMap::new();
    let mut batches = Vec::new();
    for poll in polls {
        let queue_in_reply = poll.reply_body["queue_id"].as_str().map(str::to_owned);
        let Some(queue_id) = poll.parameter("queue_id").or(queue_in_reply) else { continue };
        let last_id = last_ids.entry(queue_id.clone()).or_insert(i64::MIN);
        let mut events = Vec::new();
        for event in poll.reply_body["events"].as_array().into_iter().flatten() {
            // Without an ID, nothing tells whether the event was received before.
            let Some(id) = event["id"].as_i64() else { continue };
            if id <= *last_id {
                continue;
            }
            *last_id = id;
            if event["type"] != "heartbeat" {
                events.push(event.clone());
            }
        }
        if !events.is_empty() {
            batches.push(EventBatch { end_seconds: poll.end_seconds, queue_id, events });
        }
    }
    batches
}
