//! Event queues of clients, and pushes to their devices.

use super::calls::{Calls, Waiting, list};
use super::journal::{query, within};
use http::Method;
use serde::Deserialize;
use serde_json::{Value, json};
use std::time::Duration;

/// An event queue.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[non_exhaustive]
pub struct Queue {
    /// As the client saw it.
    pub queue_id: String,
    /// Address of its owner.
    pub user: Option<String>,
    /// What the client calls itself.
    pub client: String,
    /// Whether a poll waits on it.
    pub parked: bool,
    /// Events that were not acknowledged.
    pub pending: u64,
    /// Id of the newest event.
    pub last_event_id: i64,
    /// Id of the newest event that was acknowledged.
    pub acknowledged: i64,
}

/// A world's event queues.
pub struct Queues {
    pub(super) calls: Calls,
}

impl Queues {
    /// All.
    #[track_caller]
    pub fn list(&self) -> Vec<Queue> {
        list(self.calls.answer(Method::GET, "/queues", None), "queues")
    }

    /// Has a queue be gone, as after a restart of the server.
    #[track_caller]
    pub fn lose(&self, id: &str) {
        self.calls.answer(Method::DELETE, &format!("/queues/{id}"), None);
    }

    /// Waits until so many queues of a user have a poll that waits, and panics when they have none in this time.
    #[track_caller]
    pub fn wait_parked(&self, user: &str, count: usize, at_most: Duration) -> Waiting<Vec<Queue>> {
        let wanted = json!({"user": user, "parked": true, "count": count});
        let reply = self.calls.awaited("/queues/wait", within(wanted, at_most));
        Box::pin(async { list(reply.await, "queues") })
    }
}

/// What the push relay was handed for a device.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[non_exhaustive]
pub struct Push {
    /// Rises by one per push.
    pub id: u64,
    /// When, Unix seconds.
    pub at: f64,
    /// Such as `message`; docs/control.md has all.
    pub kind: String,
    /// Address of the device's owner.
    pub user: Option<String>,
    /// The device; None where it goes to all of the owner's.
    pub device_id: Option<i64>,
    /// What it says, in the clear.
    pub payload: Value,
}

/// What a world's push relay was handed.
pub struct Pushes {
    pub(super) calls: Calls,
}

impl Pushes {
    /// Those for a user, newest last.
    #[track_caller]
    pub fn list(&self, user: &str) -> Vec<Push> {
        let which = query(&json!({"user": user}));
        list(self.calls.answer(Method::GET, &format!("/pushes?{which}"), None), "pushes")
    }

    /// Waits until there are so many for a user, and panics when they don't come in this time.
    #[track_caller]
    pub fn wait_for(&self, user: &str, count: usize, at_most: Duration) -> Waiting<Vec<Push>> {
        let reply = self.calls.awaited("/pushes/wait", within(json!({"user": user, "at_least": count}), at_most));
        Box::pin(async { list(reply.await, "pushes") })
    }

    /// Empties the list.
    #[track_caller]
    pub fn clear(&self) {
        self.calls.answer(Method::DELETE, "/pushes", None);
    }
}
