//! The event queues of the clients of a test's world.

use super::control_client::{ControlClient, Waiting, parse_list, with_timeout};
use http::Method;
use serde::Deserialize;
use serde_json::json;
use std::time::Duration;

/// An event queue of a client.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[non_exhaustive]
pub struct Queue {
    /// ID from the register reply.
    pub queue_id: String,
    /// Email address of the queue's owner. None for a spectator.
    pub user: Option<String>,
    /// Name of the client: from the parameter `client`, or from its `X-Chatdouble-Client` or `User-Agent` header.
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
    pub(super) control: ControlClient,
}

impl Queues {
    /// All event queues.
    #[track_caller]
    pub fn list(&self) -> Vec<Queue> {
        parse_list(self.control.call(Method::GET, "/queues", None), "queues")
    }

    /// Removes a queue without the client's knowledge, as a restart of the server would.
    #[track_caller]
    pub fn lose(&self, id: &str) {
        self.control.call(Method::DELETE, &format!("/queues/{id}"), None);
    }

    /// Waits until at least `count` queues of a user are parked; panics after `at_most` of real time.
    #[track_caller]
    pub fn wait_parked(&self, user: &str, count: usize, at_most: Duration) -> Waiting<Vec<Queue>> {
        let condition = json!({"user": user, "parked": true, "count": count});
        let call = self.control.start_call("/queues/wait", with_timeout(condition, at_most));
        Box::pin(async { parse_list(call.await, "queues") })
    }
}
