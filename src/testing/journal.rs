//! What was asked of a world's API, and what it answered.

use super::calls::{Calls, Refusal, Waiting, body, list, read};
use http::Method;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::BTreeMap;
use std::fmt;
use std::time::Duration;

/// Characters of a parameter that a line shows.
const SHOWN_CHARACTERS: usize = 60;

/// A request and its reply.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[non_exhaustive]
pub struct Entry {
    /// Rises by one per entry.
    pub id: u64,
    /// When it was answered by the world's clock, Unix seconds.
    pub at: f64,
    /// HTTP method.
    pub method: String,
    /// Without `/api/v1`, placeholders filled in.
    pub path: String,
    /// Address of the caller.
    pub user: Option<String>,
    /// As sent.
    pub params: BTreeMap<String, String>,
    /// HTTP status; 0 when the connection was dropped.
    pub status: u16,
    /// The reply; text when it is no JSON.
    pub reply: Value,
    /// Real time that it took, in milliseconds.
    pub duration_ms: f64,
    /// The fault that made the reply.
    pub fault: Option<String>,
    /// What was wrong with a refused request, where the server knows more than the reply says.
    #[serde(default)]
    pub hint: Option<String>,
    /// Ids of the events that it caused.
    pub events: Vec<u64>,
}

impl fmt::Display for Entry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {} {}", self.status, self.method, self.path)?;
        if let Some(user) = &self.user {
            write!(f, " {user}")?;
        }
        for (name, value) in &self.params {
            let shown: String = value.chars().take(SHOWN_CHARACTERS).collect();
            let rest = if shown.len() < value.len() { "…" } else { "" };
            write!(f, " {name}={shown}{rest}")?;
        }
        if let Some(fault) = &self.fault {
            write!(f, " ({fault})")?;
        }
        if let (400.., Some(reason)) = (self.status, self.reply["msg"].as_str()) {
            write!(f, "\n    {reason}")?;
        }
        self.hint.as_ref().map_or(Ok(()), |hint| write!(f, "\n    {hint}"))
    }
}

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
