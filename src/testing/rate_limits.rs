//! The rate limits of a test's world.

use super::control_client::{ControlClient, parse_list, to_json};
use http::Method;
use serde::Serialize;
use serde_json::Value;
use std::time::Duration;

/// A limit on the requests of each user, or of one user.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct RateLimit {
    #[serde(skip_serializing_if = "Option::is_none")]
    user: Option<String>,
    requests: u32,
    seconds: f64,
}

impl RateLimit {
    /// A budget of `requests` that refills evenly within the time `over` of the world's clock.
    pub fn new(requests: u32, over: Duration) -> Self {
        Self { user: None, requests, seconds: over.as_secs_f64() }
    }

    /// Restricts the limit to one user, by email address or handle. Without this, it is for each user who has no limit
    /// of their own.
    pub fn of(self, user: impl Into<String>) -> Self {
        Self { user: Some(user.into()), ..self }
    }
}

/// The rate limits of a world.
pub struct RateLimits {
    pub(super) control: ControlClient,
}

impl RateLimits {
    /// Sets a [`RateLimit`], or a limit in the JSON of control. It replaces the limit for the same user, or the one for
    /// all others; its budgets start full.
    #[track_caller]
    pub fn set(&self, limit: impl Serialize) {
        self.control.call(Method::POST, "/rate_limit", Some(to_json(limit)));
    }

    /// All rate limits as control shows them.
    #[track_caller]
    pub fn list(&self) -> Vec<Value> {
        parse_list(self.control.call(Method::GET, "/rate_limit", None), "rate_limits")
    }

    /// Removes all rate limits.
    #[track_caller]
    pub fn clear(&self) {
        self.control.call(Method::DELETE, "/rate_limit", None);
    }
}
