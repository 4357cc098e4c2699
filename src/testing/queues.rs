//! The event queues of clients, and the pushes to their devices.

use super::calls::{Calls, Waiting, list_from};
use super::journal::{query_string, with_timeout};
use http::Method;
use serde::Deserialize;
use serde_json::{Value, json};
use std::time::Duration;

/// An event queue of a client.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[non_exhaustive]
pub struct Queue {
    /// ID from the register reply.
    pub queue_id: String,
    /// Email address of the queue's owner. None for a spectator.
    pub user: Option<String>,
    /// The client, from the first word of its User-Agent.
    pub client: String,
    /// Whether a poll waits on it.
    pub parked: bool,
    /// Number of events that were not acknowledged.
    pub pending: u64,
    /// ID of the newest event.
    pub last_event_id: i64,
    /// ID of the newest acknowledged event.
    pub acknowledged: i64,
}

/// The event queues of a world.
pub struct Queues {
    pub(super) calls: Calls,
}

impl Queues {
    /// All event queues.
    #[track_caller]
    pub fn list(&self) -> Vec<Queue> {
        list_from(self.calls.call(Method::GET, "/queues", None), "queues")
    }

    /// Removes a queue without the client's knowledge, as a restart of the server would.
    #[track_caller]
    pub fn lose(&self, id: &str) {
        self.calls.call(Method::DELETE, &format!("/queues/{id}"), None);
    }

    /// Waits until `count` queues of a user are parked; panics after `at_most` of real time.
    #[track_caller]
    pub fn wait_parked(&self, user: &str, count: usize, at_most: Duration) -> Waiting<Vec<Queue>> {
        let condition = json!({"user": user, "parked": true, "count": count});
        let reply = self.calls.call_and_wait("/queues/wait", with_timeout(condition, at_most));
        Box::pin(async { list_from(reply.await, "queues") })
    }
}

/// A push that the push relay received.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[non_exhaustive]
pub struct Push {
    /// Rises by one per push.
    pub id: u64,
    /// When it was sent, in Unix seconds of the world's clock.
    pub at: f64,
    /// Kind of push, such as `message`; docs/control.md lists all.
    pub kind: String,
    /// Email address of the device's owner.
    pub user: Option<String>,
    /// ID of the device. None for a push to all devices of the owner.
    pub device_id: Option<i64>,
    /// The payload, decrypted.
    pub payload: Value,
}

/// The pushes of a world.
pub struct Pushes {
    pub(super) calls: Calls,
}

impl Pushes {
    /// The pushes for a user, newest last.
    #[track_caller]
    pub fn list(&self, user: &str) -> Vec<Push> {
        let query = query_string(&json!({"user": user}));
        list_from(self.calls.call(Method::GET, &format!("/pushes?{query}"), None), "pushes")
    }

    /// Waits until there are `count` pushes for a user; panics after `at_most` of real time.
    #[track_caller]
    pub fn wait_for(&self, user: &str, count: usize, at_most: Duration) -> Waiting<Vec<Push>> {
        let reply =
            self.calls.call_and_wait("/pushes/wait", with_timeout(json!({"user": user, "at_least": count}), at_most));
        Box::pin(async { list_from(reply.await, "pushes") })
    }

    /// Removes all pushes.
    #[track_caller]
    pub fn clear(&self) {
        self.calls.call(Method::DELETE, "/pushes", None);
    }
}
