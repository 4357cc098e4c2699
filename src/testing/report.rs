//! The report of a test's world: its clients, with the rules that they broke.

use crate::count_format::format_count;
use serde::Deserialize;
use std::fmt;

/// A client with its findings.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[non_exhaustive]
pub struct ReportedClient {
    /// Name and version of the client, from its `X-Chatdouble-Client` or `User-Agent` header.
    pub client: String,
    /// Email address of the client's user. None without credentials.
    pub user: Option<String>,
    /// Number of the client's requests that were answered.
    pub requests: u64,
    /// The rules that it broke, the most severe first.
    pub findings: Vec<Finding>,
}

/// A rule that a client broke. Each parameter or other thing that a message names has a finding of its own.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[non_exhaustive]
pub struct Finding {
    /// Name of the rule, such as `dead-queue-polled`; `chatdouble rules` lists all.
    pub rule: String,
    /// `error`, `warning` or `note`.
    pub severity: String,
    /// What the client did.
    pub message: String,
    /// How often the client broke the rule in this way.
    pub count: u64,
    /// The first request that broke the rule.
    pub first: FindingRequest,
    /// The last request that broke the rule.
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
    /// ID of its entry in the journal. None if it was never answered.
    pub journal_id: Option<u64>,
    /// When it was answered, or its client gave it up; in UNIX seconds of the world's clock.
    pub at: f64,
    /// Method, path and parameters in one line.
    pub request: String,
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { rule, severity, message, count, first, help, .. } = self;
        write!(f, "{severity} {rule}: {message}, {}\n    {}", format_count(*count, "time"), first.request)?;
        if let Some(id) = first.journal_id {
            write!(f, " (journal {id})")?;
        }
        write!(f, "\n    {help}")
    }
}
