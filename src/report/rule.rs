//! What a rule says.

use serde::Serialize;
use std::fmt;

/// How much a finding matters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// It costs something, or will.
    Note,
    /// Servers or users suffer from it.
    Warning,
    /// Messages, accounts or whole servers are at risk.
    Error,
}

impl Severity {
    /// Its name in documents.
    pub fn name(self) -> &'static str {
        match self {
            Severity::Note => "note",
            Severity::Warning => "warning",
            Severity::Error => "error",
        }
    }

    /// The severity of a name.
    pub fn named(name: &str) -> Option<Self> {
        [Severity::Note, Severity::Warning, Severity::Error].into_iter().find(|severity| severity.name() == name)
    }
}

impl fmt::Display for Severity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A habit of clients that findings are about.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Rule {
    /// Identifies it in reports and baselines.
    pub name: &'static str,
    /// How much its findings matter.
    pub severity: Severity,
    /// The first feature level at which it holds.
    pub since: i64,
    /// The first feature level at which it no longer holds.
    #[serde(rename = "until")]
    pub removed_in: Option<i64>,
    /// What the client did; `{}` is the place of what it did it with.
    pub what: &'static str,
    /// Why a real server or its users suffer from it.
    pub why: &'static str,
    /// What to do instead.
    pub help: &'static str,
    /// Requests that break it.
    pub example: &'static str,
    /// The test that shows a client that breaks it and one that does not, in `tests/suite/client_report`.
    #[serde(skip)]
    pub test: &'static str,
}

impl Rule {
    /// What the client did, with what it did it with.
    pub fn message(&self, subject: &str) -> String {
        self.what.replace("{}", subject)
    }
}
