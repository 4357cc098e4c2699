//! A request of the journal, and its reply.

use serde::Deserialize;
use serde_json::Value;
use std::collections::BTreeMap;
use std::fmt;

/// Characters of a parameter that a line shows.
const SHOWN_CHARACTERS: usize = 60;

/// A request and its reply.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[non_exhaustive]
pub struct Entry {
    /// Rises by one per entry.
    pub id: u64,
    /// When it was answered by the world's clock, Unix seconds.
    pub at: f64,
    /// HTTP method.
    pub method: String,
    /// Without `/api/v1`, placeholders filled in.
    pub path: String,
    /// Address of the caller.
    pub user: Option<String>,
    /// As sent.
    pub params: BTreeMap<String, String>,
    /// HTTP status; 0 when the connection was dropped.
    pub status: u16,
    /// The reply; text when it is no JSON.
    pub reply: Value,
    /// Real time that it took, in milliseconds.
    pub duration_ms: f64,
    /// What the client calls itself: the first word of its User-Agent.
    #[serde(default)]
    pub client: String,
    /// The fault that made the reply.
    pub fault: Option<String>,
    /// What was wrong with a refused request, where the server knows more than the reply says.
    #[serde(default)]
    pub hint: Option<String>,
    /// Ids of the events that it sent.
    pub events: Vec<u64>,
}

impl fmt::Display for Entry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {} {}", self.status, self.method, self.path)?;
        if let Some(user) = &self.user {
            write!(f, " {user}")?;
        }
        for (name, value) in &self.params {
            let shown: String = value.chars().take(SHOWN_CHARACTERS).collect();
            let rest = if shown.len() < value.len() { "…" } else { "" };
            write!(f, " {name}={shown}{rest}")?;
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
