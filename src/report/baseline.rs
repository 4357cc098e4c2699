//! Findings that are known already: a report that was written before.

use super::summary::{ClientSummary, FindingSummary, Summary};
use std::collections::BTreeSet;

/// The findings of an earlier report. A finding is the same one if the client's name, whatever its version, the rule and
/// its message are the same.
#[derive(Debug, Default)]
pub struct Baseline {
    known: BTreeSet<(String, String, String)>,
}

fn identity(client: &ClientSummary, finding: &FindingSummary) -> (String, String, String) {
    let name = client.client.split('/').next().unwrap_or_default();
    (name.to_owned(), finding.rule.clone(), finding.message.clone())
}

impl Baseline {
    /// That of a report.
    pub fn of(report: &Summary) -> Self {
        Self { known: report.findings().map(|(client, finding)| identity(client, finding)).collect() }
    }

    /// Whether a finding is in it.
    pub fn has(&self, client: &ClientSummary, finding: &FindingSummary) -> bool {
        self.known.contains(&identity(client, finding))
    }
}
