//! Requests that a rule dropped, whose repetitions it drops too.

use super::{Rule, Seen};
use crate::time::{Span, Timestamp};
use std::collections::BTreeMap;

/// A request whose connection was closed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DroppedRequest {
    method: String,
    path: String,
    user: Option<String>,
    params: BTreeMap<String, String>,
    /// In real time.
    at: Timestamp,
}

/// Repetitions that come within this time of the last one are dropped too.
const REPETITION_WINDOW: Span = Span::seconds(1);

impl Rule {
    /// Whether a request repeats one that was dropped, which is noted.
    pub(super) fn note_repetition(&mut self, seen: Seen<'_>) -> bool {
        self.dropped.retain(|dropped| seen.at.since(dropped.at) <= REPETITION_WINDOW);
        let repeated = self.dropped.iter_mut().find(|dropped| dropped.is_repeated_by(seen));
        repeated.map(|dropped| dropped.at = seen.at).is_some()
    }
}

impl DroppedRequest {
    pub(super) fn of(seen: Seen<'_>) -> Self {
        Self {
            method: seen.method.to_owned(),
            path: seen.full_path.to_owned(),
            user: seen.user.map(str::to_owned),
            params: seen.params.clone(),
            at: seen.at,
        }
    }

    fn is_repeated_by(&self, seen: Seen<'_>) -> bool {
        self.method == seen.method
            && self.path == seen.full_path
            && self.user.as_deref() == seen.user
            && self.params == *seen.params
    }
}
