//! Networks between clients and a test's world.

use super::control_client::{ControlClient, parse_list, to_json};
use http::Method;
use serde::Serialize;
use serde_json::Value;
use std::time::Duration;

/// A network between clients and a world: latency, speed and losses.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Network {
    #[serde(skip_serializing_if = "Option::is_none")]
    user: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    profile: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    latency_ms: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    jitter_ms: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    bytes_per_second: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    loss: Option<f64>,
}

impl Network {
    /// A network with the values of a profile: `offline`, `gprs`, `edge`, `3g`, `4g`, `wifi` or `lossy`.
    pub fn profile(name: impl Into<String>) -> Self {
        Self { profile: Some(name.into()), ..Self::default() }
    }

    /// A network with this latency, in whole milliseconds.
    pub fn with_latency(latency: Duration) -> Self {
        Self::default().latency(latency)
    }

    /// Restricts the network to one user, by email address or handle. Without this, it is for all users who have no
    /// network of their own.
    pub fn of(self, user: impl Into<String>) -> Self {
        Self { user: Some(user.into()), ..self }
    }

    /// Delays each reply by this time, in whole milliseconds.
    pub fn latency(self, latency: Duration) -> Self {
        Self { latency_ms: Some(millis(latency)), ..self }
    }

    /// Delays each reply by up to this time more, drawn from the world's random generator.
    pub fn jitter(self, jitter: Duration) -> Self {
        Self { jitter_ms: Some(millis(jitter)), ..self }
    }

    /// Limits the speed at which the bodies of requests and replies are transferred.
    pub fn bytes_per_second(self, bytes: u64) -> Self {
        Self { bytes_per_second: Some(bytes), ..self }
    }

    /// Breaks the connection of this share of requests, from 0 to 1; half of them before they are carried out.
    pub fn loss(self, share: f64) -> Self {
        Self { loss: Some(share), ..self }
    }
}

fn millis(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}

/// The networks of a world.
pub struct Networks {
    pub(super) control: ControlClient,
}

impl Networks {
    /// Sets a [`Network`], or a network in the JSON of control.
    #[track_caller]
    pub fn set(&self, network: impl Serialize) {
        self.control.call(Method::POST, "/network", Some(to_json(network)));
    }

    /// All networks as control shows them, with all values.
    #[track_caller]
    pub fn list(&self) -> Vec<Value> {
        parse_list(self.control.call(Method::GET, "/network", None), "networks")
    }

    /// Removes all networks.
    #[track_caller]
    pub fn clear(&self) {
        self.control.call(Method::DELETE, "/network", None);
    }
}
