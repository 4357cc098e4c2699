//! An entry of the journal: a request with its reply.

use serde::Deserialize;
use serde_json::Value;
use std::collections::BTreeMap;
use std::fmt;

/// The maximum number of characters of a parameter's value in messages.
const MAX_DISPLAYED_CHARACTERS: usize = 60;

/// A request to a world's API, with its reply.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[non_exhaustive]
pub struct JournalEntry {
    /// ID, which rises by one per entry.
    pub id: u64,
    /// When the request was answered, or its first event occurred if that is earlier; in UNIX seconds of the world's
    /// clock.
    pub at: f64,
    /// HTTP method in capitals.
    pub method: String,
    /// Path without `/api/v1`, with values instead of placeholders.
    pub path: String,
    /// Email address of the caller. None without credentials.
    pub user: Option<String>,
    /// Parameters as text, with neutral names.
    pub params: BTreeMap<String, String>,
    /// HTTP status; 0 when the connection was dropped.
    pub status: u16,
    /// The reply; a string when it is not JSON.
    pub reply: Value,
    /// Real time until the reply, in milliseconds.
    pub duration_ms: f64,
    /// Name of the client without its version, from its `X-Chatdouble-Client` or `User-Agent` header.
    #[serde(default)]
    pub client: String,
    /// ID of the fault that fired, or `network`. None if there was no failure.
    pub fault: Option<String>,
    /// A hint for a refused request, where the reply itself says less.
    #[serde(default)]
    pub hint: Option<String>,
    /// IDs of the events that the request emitted.
    pub events: Vec<u64>,
}

impl fmt::Display for JournalEntry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {} {}", self.status, self.method, self.path)?;
        if let Some(user) = &self.user {
            write!(f, " {user}")?;
        }
        for (name, value) in &self.params {
            let excerpt: String = value.chars().take(MAX_DISPLAYED_CHARACTERS).collect();
            let ellipsis = if excerpt.len() < value.len() { "…" } else { "" };
            write!(f, " {name}={excerpt}{ellipsis}")?;
        }
        if let Some(fault) = &self.fault {
            write!(f, " ({fault})")?;
        }
        if let (400.., Some(reason)) = (self.status, self.reply["msg"].as_str()) {
            write!(f, "\n    {reason}")?;
        }
        self.hint.as_ref().map_or(Ok(()), |hint| write!(f, "\n    {hint}"))
    }
}
