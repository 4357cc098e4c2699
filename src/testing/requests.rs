//! Which requests are meant.

use serde::Serialize;
use std::collections::BTreeMap;

/// Requests of a world's API: those that a fault is for, that the journal shows, or that it should hold. What is not said
/// holds for all.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Requests {
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

impl Requests {
    /// All.
    pub fn any() -> Self {
        Self::default()
    }

    /// For a path without `/api/v1`, filled in or with the placeholders of an operation.
    pub fn to(path: impl Into<String>) -> Self {
        Self { path: Some(path.into()), ..Self::default() }
    }

    /// With a method, in capitals.
    pub fn method(self, method: impl Into<String>) -> Self {
        Self { method: Some(method.into()), ..self }
    }

    /// Of a user, by address or handle.
    pub fn by(self, user: impl Into<String>) -> Self {
        Self { user: Some(user.into()), ..self }
    }

    /// With a parameter, as text.
    pub fn param(mut self, name: impl Into<String>, value: impl ToString) -> Self {
        self.params.insert(name.into(), value.to_string());
        self
    }

    /// Answered with an HTTP status; 0 for a connection that was dropped.
    pub fn status(self, status: u16) -> Self {
        Self { status: Some(status), ..self }
    }

    /// How many there should be; at least one unless given.
    pub fn at_least(self, count: usize) -> Self {
        Self { at_least: Some(count), ..self }
    }

    /// How many there should be at most.
    pub fn at_most(self, count: usize) -> Self {
        Self { at_most: Some(count), ..self }
    }

    /// How many there should be; is without `at_least` and `at_most`.
    pub fn exactly(self, count: usize) -> Self {
        Self { exactly: Some(count), ..self }
    }

    /// For looking at the journal alone: those after the entry with this id.
    pub fn since(self, id: u64) -> Self {
        Self { since: Some(id), ..self }
    }

    /// For looking at the journal alone: the newest so many.
    pub fn newest(self, limit: usize) -> Self {
        Self { limit: Some(limit), ..self }
    }
}
