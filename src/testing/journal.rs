//! The journal of a test's world: reading it, and waiting for or asserting requests.

use super::control_client::{
    ControlClient, Refusal, Waiting, parse_json, parse_list, query_string, to_json, with_timeout,
};
use super::entry::JournalEntry;
use http::Method;
use serde::Serialize;
use serde_json::Value;
use std::time::Duration;

/// The journal of a world.
pub struct Journal {
    pub(super) control: ControlClient,
}

impl Journal {
    /// The entries that match [`RequestPattern`](super::RequestPattern), newest last. Filters by parameters and
    /// expected numbers are not supported here.
    #[track_caller]
    pub fn entries(&self, requests: impl Serialize) -> Vec<JournalEntry> {
        match self.find(&to_json(requests)) {
            Ok(entries) => entries,
            Err(refusal) => panic!("{refusal}"),
        }
    }

    /// Asserts that there were these requests and returns their number; panics with the nearest ones otherwise.
    #[track_caller]
    pub fn verify(&self, requests: impl Serialize) -> usize {
        parse_json(self.control.call(Method::POST, "/journal/verify", Some(to_json(requests)))["count"].take())
    }

    /// Waits until there were these requests and returns their number; panics with the nearest ones after `at_most` of
    /// real time.
    #[track_caller]
    pub fn wait_for(&self, requests: impl Serialize, at_most: Duration) -> Waiting<usize> {
        let reply = self.control.call_and_wait("/journal/wait", with_timeout(to_json(requests), at_most));
        Box::pin(async { parse_json(reply.await["count"].take()) })
    }

    /// Removes all entries.
    #[track_caller]
    pub fn clear(&self) {
        self.control.call(Method::DELETE, "/journal", None);
    }

    pub(super) fn find(&self, filter: &Value) -> Result<Vec<JournalEntry>, Refusal> {
        let query = query_string(filter);
        self.control.try_call(Method::GET, &format!("/journal?{query}"), None).map(|reply| parse_list(reply, "entries"))
    }
}
