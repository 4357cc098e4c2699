//! The pushes to the devices of the users of a test's world.

use super::control_client::{ControlClient, Waiting, parse_list, query_string, with_timeout};
use http::Method;
use serde::Deserialize;
use serde_json::{Value, json};
use std::time::Duration;

/// A push that the push relay received.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[non_exhaustive]
pub struct Push {
    /// ID, which rises by one per push.
    pub id: u64,
    /// When it was sent, in UNIX seconds of the world's clock.
    pub at: f64,
    /// Kind of push, such as `message`; docs/control.md lists all.
    pub kind: String,
    /// Email address of the device's owner. None if the user no longer exists.
    pub user: Option<String>,
    /// ID of the device. None for a device without encrypted notifications, which has only a token.
    pub device_id: Option<i64>,
    /// The payload before encryption.
    pub payload: Value,
}

/// The pushes of a world.
pub struct Pushes {
    pub(super) control: ControlClient,
}

impl Pushes {
    /// The pushes for a user, newest last.
    #[track_caller]
    pub fn list(&self, user: &str) -> Vec<Push> {
        let query = query_string(&json!({"user": user}));
        parse_list(self.control.call(Method::GET, &format!("/pushes?{query}"), None), "pushes")
    }

    /// Waits until there are at least `count` pushes for a user; panics after `at_most` of real time.
    #[track_caller]
    pub fn wait_for(&self, user: &str, count: usize, at_most: Duration) -> Waiting<Vec<Push>> {
        let call =
            self.control.start_call("/pushes/wait", with_timeout(json!({"user": user, "at_least": count}), at_most));
        Box::pin(async { parse_list(call.await, "pushes") })
    }

    /// Removes all pushes.
    #[track_caller]
    pub fn clear(&self) {
        self.control.call(Method::DELETE, "/pushes", None);
    }
}
