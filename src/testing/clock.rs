//! The clock of a test's world: its time, its agenda, and jumps.

use super::control_client::{ControlClient, Waiting, parse_json, parse_list, to_json};
use http::Method;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use std::time::Duration;

/// The clock of a world.
pub struct Clock {
    pub(super) control: ControlClient,
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

/// An item of the agenda, such as a reminder.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[non_exhaustive]
pub struct AgendaItem {
    /// Kind of item, such as `reminder`; docs/control.md lists all.
    pub kind: String,
    /// When the item falls due, in UNIX seconds.
    pub at: f64,
    /// IDs of the objects that the item is about, such as `reminder_id`.
    #[serde(flatten)]
    pub ids: Map<String, Value>,
}

/// The result of a jump.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[non_exhaustive]
pub struct JumpResult {
    /// The time after the jump, in UNIX seconds.
    pub now: f64,
    /// The items that fell due, in order of time.
    pub fired: Vec<AgendaItem>,
    /// IDs of the queues whose clients did not poll again in time.
    pub not_parked: Vec<String>,
}

impl Clock {
    /// The current time in UNIX seconds.
    #[track_caller]
    pub fn now(&self) -> f64 {
        parse_json(self.control.call(Method::GET, "/clock", None)["now"].take())
    }

    /// The items that will fall due, the next first.
    #[track_caller]
    pub fn agenda(&self) -> Vec<AgendaItem> {
        parse_list(self.control.call(Method::GET, "/clock", None), "agenda")
    }

    /// Moves the clock forward. Items that fall due in that time happen in order. Clients that are between two polls
    /// get up to a second of real time to poll again.
    #[track_caller]
    pub fn advance(&self, by: impl Into<Jump>) -> Waiting<JumpResult> {
        let Jump(by) = by.into();
        self.jump(json!({"advance_seconds": by}))
    }

    /// Moves the clock forward to a time, as UNIX seconds or in RFC 3339.
    #[track_caller]
    pub fn set(&self, to: impl Serialize) -> Waiting<JumpResult> {
        self.jump(json!({"set": to_json(to)}))
    }

    /// Moves the clock forward to the next item of the agenda. Does nothing if the agenda is empty.
    #[track_caller]
    pub fn to_next(&self) -> Waiting<JumpResult> {
        self.jump(json!({"to_next": true}))
    }

    /// Lets the clock run with real time.
    #[track_caller]
    pub fn run(&self) {
        self.control.call(Method::POST, "/clock", Some(json!({"running": true})));
    }

    /// Freezes the clock.
    #[track_caller]
    pub fn freeze(&self) {
        self.control.call(Method::POST, "/clock", Some(json!({"running": false})));
    }

    #[track_caller]
    fn jump(&self, body: Value) -> Waiting<JumpResult> {
        let call = self.control.start_call("/clock", body);
        Box::pin(async { parse_json(call.await) })
    }
}
