//! The type of rules, and their severity.

use serde::Serialize;
use std::fmt;

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// The habit has a cost, now or with a later server.
    Note,
    /// Servers or users suffer.
    Warning,
    /// Messages, accounts or whole servers are at risk.
    Error,
}

impl Severity {
    /// The name in reports.
    pub fn name(self) -> &'static str {
        match self {
            Severity::Note => "note",
            Severity::Warning => "warning",
            Severity::Error => "error",
        }
    }

    pub fn from_name(name: &str) -> Option<Self> {
        [Severity::Note, Severity::Warning, Severity::Error].into_iter().find(|severity| severity.name() == name)
    }
}

impl fmt::Display for Severity {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.name())
    }
}

/// A habit of clients that the report finds.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Rule {
    /// The identifier in reports and baselines.
    pub name: &'static str,
    pub severity: Severity,
    /// The first feature level at which the rule applies.
    pub since: i64,
    /// The first feature level at which the rule no longer applies.
    #[serde(rename = "until")]
    pub removed_in: Option<i64>,
    /// What the client did. `{}` is replaced with the subject of the finding.
    pub what: &'static str,
    /// Why a real server or its users suffer from it.
    pub why: &'static str,
    /// What to do instead.
    pub help: &'static str,
    /// Requests that break the rule.
    pub example: &'static str,
    /// The test in `tests/suite/client_report` with a client that breaks the rule and one that does not.
    #[serde(skip)]
    pub test: &'static str,
}

impl Rule {
    /// What the client did, with the subject of a finding.
    pub fn message(&self, subject: &str) -> String {
        self.what.replace("{}", subject)
    }
}
