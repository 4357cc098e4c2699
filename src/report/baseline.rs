//! Baselines: the findings of an earlier report, which are already known.

use super::summary::{ClientSummary, FindingSummary, Summary};
use std::collections::BTreeSet;

/// The findings of an earlier report. A finding is known if the client's name without its version, the rule and the
/// message are the same.
#[derive(Debug, Default)]
pub struct Baseline {
    known_findings: BTreeSet<(String, String, String)>,
}

fn identity(client: &ClientSummary, finding: &FindingSummary) -> (String, String, String) {
    let name = client.client.split('/').next().unwrap_or_default();
    (name.to_owned(), finding.rule.clone(), finding.message.clone())
}

impl Baseline {
    pub fn from_report(report: &Summary) -> Self {
        Self { known_findings: report.findings().map(|(client, finding)| identity(client, finding)).collect() }
    }

    pub fn contains(&self, client: &ClientSummary, finding: &FindingSummary) -> bool {
        self.known_findings.contains(&identity(client, finding))
    }
}
