//! A world's time, and what falls due.

use super::calls::{Calls, Waiting, body, list, read};
use http::Method;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use std::time::Duration;

/// A world's time.
pub struct Clock {
    pub(super) calls: Calls,
}

/// How far a clock jumps: a [`Duration`], or text such as `1d2h30m`.
#[derive(Clone, Debug, PartialEq)]
pub struct Jump(Value);

impl From<Duration> for Jump {
    fn from(by: Duration) -> Self {
        Self(by.as_secs_f64().into())
    }
}

impl From<&str> for Jump {
    fn from(by: &str) -> Self {
        Self(by.into())
    }
}

/// Something that falls due, or did.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[non_exhaustive]
pub struct Due {
    /// Such as `reminder`; docs/control.md has all.
    pub kind: String,
    /// When, Unix seconds.
    pub at: f64,
    /// What it is about, such as `reminder_id`.
    #[serde(flatten)]
    pub ids: Map<String, Value>,
}

/// Where the clock is after a jump.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[non_exhaustive]
pub struct Moved {
    /// Unix seconds.
    pub now: f64,
    /// What fell due, each at its own time.
    pub fired: Vec<Due>,
    /// Queues of clients that were waited for, and did not poll again.
    pub not_parked: Vec<String>,
}

impl Clock {
    /// The time, Unix seconds.
    #[track_caller]
    pub fn now(&self) -> f64 {
        read(self.calls.answer(Method::GET, "/clock", None)["now"].take())
    }

    /// What falls due, the next first.
    #[track_caller]
    pub fn agenda(&self) -> Vec<Due> {
        list(self.calls.answer(Method::GET, "/clock", None), "agenda")
    }

    /// Goes on by a time. All that falls due on the way is done; clients that are between two polls are waited for, up to
    /// a second.
    #[track_caller]
    pub fn advance(&self, by: impl Into<Jump>) -> Waiting<Moved> {
        let Jump(by) = by.into();
        self.moved(json!({"advance_seconds": by}))
    }

    /// Goes on to a time: Unix seconds, or RFC 3339.
    #[track_caller]
    pub fn set(&self, to: impl Serialize) -> Waiting<Moved> {
        self.moved(json!({"set": body(to)}))
    }

    /// Advances to the next item of the agenda.
    #[track_caller]
    pub fn to_next(&self) -> Waiting<Moved> {
        self.moved(json!({"to_next": true}))
    }

    /// Lets it go with real time.
    #[track_caller]
    pub fn run(&self) {
        self.calls.answer(Method::POST, "/clock", Some(json!({"running": true})));
    }

    /// Stops it.
    #[track_caller]
    pub fn freeze(&self) {
        self.calls.answer(Method::POST, "/clock", Some(json!({"running": false})));
    }

    #[track_caller]
    fn moved(&self, body: Value) -> Waiting<Moved> {
        let reply = self.calls.awaited("/clock", body);
        Box::pin(async { read(reply.await) })
    }
}
