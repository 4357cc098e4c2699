//! Faults: failures that a test sets up in its world.

use super::control_client::{ControlClient, parse_json, parse_list, to_json};
use super::request_pattern::RequestPattern;
use crate::fault::{Disturbance, PushRelayFailure};
use http::Method;
use serde::Serialize;
use serde_json::{Value, json};
use std::time::Duration;

/// A failure of requests: which requests it affects, how often, and how they fail.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Fault {
    #[serde(rename = "match", skip_serializing_if = "Option::is_none")]
    requests: Option<RequestPattern>,
    #[serde(skip_serializing_if = "Option::is_none")]
    after: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    probability: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    times: Option<u64>,
    effect: Value,
}

impl Fault {
    fn with_effect(effect: Value) -> Self {
        Self { requests: None, after: None, probability: None, times: None, effect }
    }

    /// Closes the connection without a reply; the request is not carried out.
    pub fn drop_before() -> Self {
        Self::with_effect(json!({"drop": "before"}))
    }

    /// Carries out the request, then closes the connection without a reply.
    pub fn drop_after() -> Self {
        Self::with_effect(json!({"drop": "after"}))
    }

    /// Like [`Fault::drop_after`], and also drops automatic retries without carrying them out, each within a second of
    /// the previous one.
    pub fn drop_after_and_again() -> Self {
        Self::with_effect(json!({"drop": "after", "retries": true}))
    }

    /// Replies with this error; the request is not carried out.
    pub fn error(status: u16, code: &str, message: &str) -> Self {
        Self::with_effect(json!({"error": {"status": status, "code": code, "msg": message}}))
    }

    /// Replies with status 429 and the time after which the client may try again; the request is not carried out.
    pub fn rate_limit(retry_after: Duration) -> Self {
        Self::with_effect(json!({"rate_limit": {"retry_after": retry_after.as_secs_f64()}}))
    }

    /// Carries out the request at once, but delays the reply in real time, in whole milliseconds. More than an hour
    /// is refused.
    pub fn delay(by: Duration) -> Self {
        Self::with_effect(json!({"delay_ms": u64::try_from(by.as_millis()).unwrap_or(u64::MAX)}))
    }

    /// Carries out the request, but ends the connection after this number of bytes of the reply's body.
    pub fn truncate_at(bytes: u64) -> Self {
        Self::with_effect(json!({"truncate_at": bytes}))
    }

    /// Carries out the request, but replies with an HTML page of a proxy instead of JSON.
    pub fn garbage() -> Self {
        Self::with_effect(json!({"garbage": true}))
    }

    /// Replies with a gateway's HTML page and this status, from 400 to 599; the request is not carried out.
    pub fn gateway(status: u16) -> Self {
        Self::with_effect(json!({"gateway": status}))
    }

    /// Carries out the request, and replaces these keys in a successful reply; null removes a key.
    pub fn change(keys: Value) -> Self {
        Self::with_effect(json!({"change": keys}))
    }

    /// Writes the `msg` of an error reply in accented letters, as a server with translated messages would.
    pub fn pseudo_localize() -> Self {
        Self::with_effect(json!({"pseudo_localize": true}))
    }

    /// Removes all event queues of the caller, then carries out the request.
    pub fn lose_queue() -> Self {
        Self::with_effect(json!({"lose_queue": true}))
    }

    /// Makes operations that use the push relay fail in this way.
    pub fn bouncer(failure: PushRelayFailure) -> Self {
        let name = match failure {
            PushRelayFailure::Unreachable => "unreachable",
            PushRelayFailure::ServerError => "server_error",
            PushRelayFailure::AdminActionRequired => "admin_action_required",
        };
        Self::with_effect(json!({"bouncer": name}))
    }

    /// Makes polls deliver their events in this way.
    pub fn events(disturbance: Disturbance) -> Self {
        let name = match disturbance {
            Disturbance::Repeat => "repeat",
            Disturbance::Hold => "hold",
            Disturbance::OneByOne => "one_by_one",
            Disturbance::Unknown => "unknown",
        };
        Self::with_effect(json!({"events": name}))
    }

    /// Restricts the fault to these requests: by method, path, user and parameters.
    pub fn on(self, requests: RequestPattern) -> Self {
        Self { requests: Some(requests), ..self }
    }

    /// Lets this number of requests pass first.
    pub fn after(self, requests: u64) -> Self {
        Self { after: Some(requests), ..self }
    }

    /// Sets the probability that the fault fires, from 0 to 1. The seed of the world decides when it does.
    pub fn probability(self, probability: f64) -> Self {
        Self { probability: Some(probability), ..self }
    }

    /// Limits the number of times that the fault fires; unlimited by default.
    pub fn times(self, times: u64) -> Self {
        Self { times: Some(times), ..self }
    }
}

/// The faults of a world.
pub struct Faults {
    pub(super) control: ControlClient,
}

impl Faults {
    /// Adds a [`Fault`], or a fault in the JSON of control, and returns its ID.
    #[track_caller]
    pub fn add(&self, fault: impl Serialize) -> String {
        parse_json(self.control.call(Method::POST, "/faults", Some(to_json(fault)))["fault_id"].take())
    }

    /// Removes a fault by its ID.
    #[track_caller]
    pub fn remove(&self, id: &str) {
        self.control.call(Method::DELETE, &format!("/faults/{id}"), None);
    }

    /// All faults as control shows them, including used-up ones, with the counts `passed` and `fired`.
    #[track_caller]
    pub fn list(&self) -> Vec<Value> {
        parse_list(self.control.call(Method::GET, "/faults", None), "faults")
    }

    /// Removes all faults.
    #[track_caller]
    pub fn clear(&self) {
        self.control.call(Method::DELETE, "/faults", None);
    }
}
