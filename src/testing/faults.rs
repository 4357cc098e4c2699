//! Failures on demand.

use super::calls::{Calls, body, list, read};
use super::requests::Requests;
use crate::fault::{Bouncer, Disturbance};
use http::Method;
use serde::Serialize;
use serde_json::{Value, json};
use std::time::Duration;

/// A rule that makes requests fail.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Fault {
    #[serde(rename = "match", skip_serializing_if = "Option::is_none")]
    requests: Option<Requests>,
    #[serde(skip_serializing_if = "Option::is_none")]
    after: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    probability: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    times: Option<u64>,
    effect: Value,
}

impl Fault {
    fn with(effect: Value) -> Self {
        Self { requests: None, after: None, probability: None, times: None, effect }
    }

    /// The connection closes without a reply; nothing is done.
    pub fn drop_before() -> Self {
        Self::with(json!({"drop": "before"}))
    }

    /// The connection closes without a reply after the request was carried out.
    pub fn drop_after() -> Self {
        Self::with(json!({"drop": "after"}))
    }

    /// As [`Fault::drop_after`]; what a client sends again by itself within a second is dropped too.
    pub fn drop_after_and_again() -> Self {
        Self::with(json!({"drop": "after", "retries": true}))
    }

    /// This failed reply; nothing is done.
    pub fn error(status: u16, code: &str, message: &str) -> Self {
        Self::with(json!({"error": {"status": status, "code": code, "msg": message}}))
    }

    /// 429, with the time after which a client may try again; nothing is done.
    pub fn rate_limit(retry_after: Duration) -> Self {
        Self::with(json!({"rate_limit": {"retry_after": retry_after.as_secs_f64()}}))
    }

    /// Carried out at once; the reply comes so much later in real time. Parts of a millisecond are left out.
    pub fn delay(by: Duration) -> Self {
        Self::with(json!({"delay_ms": u64::try_from(by.as_millis()).unwrap_or(u64::MAX)}))
    }

    /// Carried out; the body breaks off after so many bytes.
    pub fn truncate_at(bytes: u64) -> Self {
        Self::with(json!({"truncate_at": bytes}))
    }

    /// Carried out; the reply is a proxy's page and no JSON.
    pub fn garbage() -> Self {
        Self::with(json!({"garbage": true}))
    }

    /// Carried out; a success with these keys, of which one with null is left out.
    pub fn change(keys: Value) -> Self {
        Self::with(json!({"change": keys}))
    }

    /// A failed reply whose `msg` is in accented letters, as from a server that translates.
    pub fn pseudo_localize() -> Self {
        Self::with(json!({"pseudo_localize": true}))
    }

    /// All of the caller's event queues are gone; then the request goes on.
    pub fn lose_queue() -> Self {
        Self::with(json!({"lose_queue": true}))
    }

    /// Push operations fail so.
    pub fn bouncer(failure: Bouncer) -> Self {
        let name = match failure {
            Bouncer::Unreachable => "unreachable",
            Bouncer::ServerError => "server_error",
            Bouncer::AdminActionRequired => "admin_action_required",
        };
        Self::with(json!({"bouncer": name}))
    }

    /// Polls of event queues give their events so.
    pub fn events(disturbance: Disturbance) -> Self {
        let name = match disturbance {
            Disturbance::Repeat => "repeat",
            Disturbance::Hold => "hold",
            Disturbance::OneByOne => "one_by_one",
            Disturbance::Unknown => "unknown",
        };
        Self::with(json!({"events": name}))
    }

    /// For these requests: by method, path, user and parameters.
    pub fn on(self, requests: Requests) -> Self {
        Self { requests: Some(requests), ..self }
    }

    /// Lets so many requests pass first.
    pub fn after(self, requests: u64) -> Self {
        Self { after: Some(requests), ..self }
    }

    /// The chance that it fires, from 0 to 1; it follows from the world's seed.
    pub fn probability(self, probability: f64) -> Self {
        Self { probability: Some(probability), ..self }
    }

    /// How often it fires.
    pub fn times(self, times: u64) -> Self {
        Self { times: Some(times), ..self }
    }
}

/// A world's faults.
pub struct Faults {
    pub(super) calls: Calls,
}

impl Faults {
    /// Installs a rule: a [`Fault`], or what control takes as JSON. Its id.
    #[track_caller]
    pub fn add(&self, rule: impl Serialize) -> String {
        read(self.calls.answer(Method::POST, "/faults", Some(body(rule)))["fault_id"].take())
    }

    /// Removes a rule.
    #[track_caller]
    pub fn remove(&self, id: &str) {
        self.calls.answer(Method::DELETE, &format!("/faults/{id}"), None);
    }

    /// The rules, spent ones too, with what control tells of each: `passed`, `fired`.
    #[track_caller]
    pub fn list(&self) -> Vec<Value> {
        list(self.calls.answer(Method::GET, "/faults", None), "faults")
    }

    /// Removes all.
    #[track_caller]
    pub fn clear(&self) {
        self.calls.answer(Method::DELETE, "/faults", None);
    }
}
