//! What polls brought, each event once.

use super::exchange::Exchange;
use serde_json::Value;
use std::collections::BTreeMap;

/// The events of a poll that no earlier poll of the queue brought.
#[derive(Debug)]
pub struct Batch {
    /// When they came, in UNIX seconds.
    pub at: f64,
    /// The queue's id.
    pub queue_id: String,
    /// In order, without heartbeats.
    pub events: Vec<Value>,
}

/// The batches of all polls, in the order of their replies.
pub fn batches(exchanges: &[Exchange]) -> Vec<Batch> {
    let mut polls: Vec<&Exchange> = exchanges.iter().filter(|exchange| exchange.is_poll()).collect();
    polls.sort_by(|one, other| one.ended.total_cmp(&other.ended));
    let mut last: BTreeMap<String, i64> = BTreeMap::new();
    let mut made = Vec::new();
    for poll in polls {
        let registered = poll.reply["queue_id"].as_str().map(str::to_owned);
        let Some(queue_id) = poll.parameter("queue_id").or(registered) else { continue };
        let seen = last.entry(queue_id.clone()).or_insert(i64::MIN);
        let mut events = Vec::new();
        for event in poll.reply["events"].as_array().into_iter().flatten() {
            let id = event["id"].as_i64().unwrap_or(i64::MAX);
            if id <= *seen {
                continue;
            }
            *seen = id;
            if event["type"] != "heartbeat" {
                events.push(event.clone());
            }
        }
        if !events.is_empty() {
            made.push(Batch { at: poll.ended, queue_id, events });
        }
    }
    made
}
