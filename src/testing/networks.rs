//! Networks between clients and a world, and limits of their requests.

use super::calls::{Calls, body, list};
use http::Method;
use serde::Serialize;
use serde_json::Value;
use std::time::Duration;

/// A network that clients are on.
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
    /// One with the numbers of a profile: `offline`, `gprs`, `edge`, `3g`, `4g`, `wifi` or `lossy`.
    pub fn profile(name: impl Into<String>) -> Self {
        Self { profile: Some(name.into()), ..Self::default() }
    }

    /// One on which replies wait so long. Parts of a millisecond are left out.
    pub fn late(latency: Duration) -> Self {
        Self::default().latency(latency)
    }

    /// For the client of one user, by address or handle, rather than for all that have no network of their own.
    pub fn of(self, user: impl Into<String>) -> Self {
        Self { user: Some(user.into()), ..self }
    }

    /// Each reply waits so long.
    pub fn latency(self, latency: Duration) -> Self {
        Self { latency_ms: Some(millis(latency)), ..self }
    }

    /// Each reply waits up to so much longer, by chance that follows from the world's seed.
    pub fn jitter(self, jitter: Duration) -> Self {
        Self { jitter_ms: Some(millis(jitter)), ..self }
    }

    /// Bodies of requests and replies pass no faster.
    pub fn bytes_per_second(self, bytes: u64) -> Self {
        Self { bytes_per_second: Some(bytes), ..self }
    }

    /// The share of requests whose connection breaks, from 0 to 1; half of them before they are carried out.
    pub fn loss(self, share: f64) -> Self {
        Self { loss: Some(share), ..self }
    }
}

fn millis(span: Duration) -> u64 {
    u64::try_from(span.as_millis()).unwrap_or(u64::MAX)
}

/// A world's networks.
pub struct Networks {
    pub(super) calls: Calls,
}

impl Networks {
    /// Puts clients on a network: a [`Network`], or what control takes as JSON.
    #[track_caller]
    pub fn set(&self, network: impl Serialize) {
        self.calls.answer(Method::POST, "/network", Some(body(network)));
    }

    /// The networks, with all numbers.
    #[track_caller]
    pub fn list(&self) -> Vec<Value> {
        list(self.calls.answer(Method::GET, "/network", None), "networks")
    }

    /// Ends all.
    #[track_caller]
    pub fn clear(&self) {
        self.calls.answer(Method::DELETE, "/network", None);
    }
}

/// How many requests clients may make.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct RateLimit {
    #[serde(skip_serializing_if = "Option::is_none")]
    user: Option<String>,
    requests: u32,
    seconds: f64,
}

impl RateLimit {
    /// A budget of so many requests that refills evenly over a time of the world's clock.
    pub fn new(requests: u32, over: Duration) -> Self {
        Self { user: None, requests, seconds: over.as_secs_f64() }
    }

    /// For one user, by address or handle, rather than for each who has no limit of their own.
    pub fn of(self, user: impl Into<String>) -> Self {
        Self { user: Some(user.into()), ..self }
    }
}

/// A world's rate limits.
pub struct RateLimits {
    pub(super) calls: Calls,
}

impl RateLimits {
    /// Limits requests: a [`RateLimit`], or what control takes as JSON. Its budgets begin whole.
    #[track_caller]
    pub fn set(&self, limit: impl Serialize) {
        self.calls.answer(Method::POST, "/rate_limit", Some(body(limit)));
    }

    /// The limits.
    #[track_caller]
    pub fn list(&self) -> Vec<Value> {
        list(self.calls.answer(Method::GET, "/rate_limit", None), "rate_limits")
    }

    /// Ends all.
    #[track_caller]
    pub fn clear(&self) {
        self.calls.answer(Method::DELETE, "/rate_limit", None);
    }
}
