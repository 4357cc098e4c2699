//! What the clients of a world did wrong.

use crate::counted::counted;
use serde::Deserialize;
use std::fmt;

/// A client, and the rules that it broke.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[non_exhaustive]
pub struct ReportedClient {
    /// Name and version, from its User-Agent.
    pub client: String,
    /// Address of the user.
    pub user: Option<String>,
    /// Number of requests.
    pub requests: u64,
    /// The worst first.
    pub findings: Vec<Finding>,
}

/// A rule that a client broke.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[non_exhaustive]
pub struct Finding {
    /// Name of the rule.
    pub rule: String,
    /// `error`, `warning` or `note`.
    pub severity: String,
    /// What the client did.
    pub message: String,
    /// How often.
    pub count: u64,
    /// The first time.
    pub first: FindingRequest,
    /// The last time.
    pub last: FindingRequest,
    /// Why a real server or its users suffer from it.
    pub why: String,
    /// What to do instead.
    pub help: String,
}

/// A request that a finding is about.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[non_exhaustive]
pub struct FindingRequest {
    /// Its entry in the journal; None where it was never answered.
    pub journal_id: Option<u64>,
    /// When, in Unix seconds of the world's time.
    pub at: f64,
    /// The request in a line.
    pub request: String,
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { rule, severity, message, count, first, help, .. } = self;
        write!(f, "{severity} {rule}: {message}, {}\n    {}", counted(*count, "time"), first.request)?;
        if let Some(id) = first.journal_id {
            write!(f, " (journal {id})")?;
        }
        write!(f, "\n    {help}")
    }
}
