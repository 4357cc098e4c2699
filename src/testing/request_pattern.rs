//! A pattern of requests, for faults and for the journal.

use serde::Serialize;
use std::collections::BTreeMap;

/// A pattern of requests to a world's API: those that a fault affects, that the journal lists, or that a test expects.
/// Criteria that are not set match all requests.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct RequestPattern {
    #[serde(skip_serializing_if = "Option::is_none")]
    method: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    path: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    user: Option<String>,
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    params: BTreeMap<String, String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    status: Option<u16>,
    #[serde(skip_serializing_if = "Option::is_none")]
    at_least: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    at_most: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    exactly: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    since: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    limit: Option<usize>,
}

impl RequestPattern {
    /// All requests.
    pub fn any() -> Self {
        Self::default()
    }

    /// Requests to a path without `/api/v1`, such as `/users/9`, or to an operation, such as `/users/{user_id}`.
    pub fn to(path: impl Into<String>) -> Self {
        Self { path: Some(path.into()), ..Self::default() }
    }

    /// Restricts the pattern to a method, in capitals.
    pub fn method(self, method: impl Into<String>) -> Self {
        Self { method: Some(method.into()), ..self }
    }

    /// Restricts the pattern to a user, by email address or handle.
    pub fn by(self, user: impl Into<String>) -> Self {
        Self { user: Some(user.into()), ..self }
    }

    /// Restricts the pattern to requests with this value of a parameter.
    pub fn param(mut self, name: impl Into<String>, value: impl ToString) -> Self {
        self.params.insert(name.into(), value.to_string());
        self
    }

    /// Restricts the pattern to replies with this HTTP status; 0 means a dropped connection.
    pub fn status(self, status: u16) -> Self {
        Self { status: Some(status), ..self }
    }

    /// Expects at least this number of requests; without a number, at least one is expected. This and the other numbers
    /// are only for [`Journal::verify`](super::Journal::verify) and [`Journal::wait_for`](super::Journal::wait_for).
    pub fn at_least(self, count: usize) -> Self {
        Self { at_least: Some(count), ..self }
    }

    /// Expects at most this number of requests.
    pub fn at_most(self, count: usize) -> Self {
        Self { at_most: Some(count), ..self }
    }

    /// Expects exactly this number of requests. Can't be combined with `at_least` or `at_most`.
    pub fn exactly(self, count: usize) -> Self {
        Self { exactly: Some(count), ..self }
    }

    /// Lists only entries after the one with this ID. Only for [`Journal::entries`](super::Journal::entries).
    pub fn since(self, id: u64) -> Self {
        Self { since: Some(id), ..self }
    }

    /// Lists only the newest entries, up to `limit`. Only for [`Journal::entries`](super::Journal::entries).
    pub fn newest(self, limit: usize) -> Self {
        Self { limit: Some(limit), ..self }
    }
}
