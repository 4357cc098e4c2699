//! What was asked of a world's API, and what it answered.

use super::calls::{Calls, Refusal, Waiting, body, list, read};
use super::entry::Entry;
use http::Method;
use serde::Serialize;
use serde_json::Value;
use std::time::Duration;

/// A world's journal.
pub struct Journal {
    pub(super) calls: Calls,
}

impl Journal {
    /// Entries, newest last; [`Requests`](super::Requests) says which. Without parameters: control filters by none.
    #[track_caller]
    pub fn entries(&self, which: impl Serialize) -> Vec<Entry> {
        match self.find(&body(which)) {
            Ok(entries) => entries,
            Err(refusal) => panic!("{refusal}"),
        }
    }

    /// Asserts that there were such requests, and panics with the nearest ones otherwise. How many there were.
    #[track_caller]
    pub fn verify(&self, wanted: impl Serialize) -> usize {
        read(self.calls.answer(Method::POST, "/journal/verify", Some(body(wanted)))["count"].take())
    }

    /// Waits until there were such requests, and panics with the nearest ones when they don't come in this time. How many
    /// there were.
    #[track_caller]
    pub fn wait_for(&self, wanted: impl Serialize, at_most: Duration) -> Waiting<usize> {
        let reply = self.calls.awaited("/journal/wait", within(body(wanted), at_most));
        Box::pin(async { read(reply.await["count"].take()) })
    }

    /// Empties it.
    #[track_caller]
    pub fn clear(&self) {
        self.calls.answer(Method::DELETE, "/journal", None);
    }

    pub(super) fn find(&self, which: &Value) -> Result<Vec<Entry>, Refusal> {
        let query = query(which);
        self.calls.done(Method::GET, &format!("/journal?{query}"), None).map(|reply| list(reply, "entries"))
    }
}

/// The fields of an object as a query string.
pub(super) fn query(fields: &Value) -> String {
    let mut query = form_urlencoded::Serializer::new(String::new());
    for (name, value) in fields.as_object().into_iter().flatten() {
        query.append_pair(name, &value.as_str().map_or_else(|| value.to_string(), str::to_owned));
    }
    query.finish()
}

/// What is wanted, with the time that it may take.
pub(super) fn within(mut wanted: Value, at_most: Duration) -> Value {
    wanted["timeout_ms"] = u64::try_from(at_most.as_millis()).unwrap_or(u64::MAX).into();
    wanted
}
