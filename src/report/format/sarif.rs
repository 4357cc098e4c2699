//! The report in the SARIF 2.1.0 format, for services that show findings of static analysis.

use super::text::client_title;
use crate::report::observation::stable_hash;
use crate::report::rules;
use crate::report::{Baseline, ClientSummary, FindingSummary, Rule, Summary};
use serde_json::{Value, json};

const SCHEMA: &str = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json";

/// The file that all findings refer to, because requests have no source file.
const ARTIFACT_URI: &str = "chatdouble-report.sarif";

pub fn render(report: &Summary, baseline: &Baseline) -> String {
    let results: Vec<Value> = report
        .findings()
        .map(|(client, finding)| format_finding(client, finding, baseline.contains(client, finding)))
        .collect();
    let document = json!({
        "$schema": SCHEMA,
        "version": "2.1.0",
        "runs": [{
            "tool": {"driver": {
                "name": "chatdouble",
                "version": env!("CARGO_PKG_VERSION"),
                "rules": rules::all().iter().map(|rule| format_rule(rule)).collect::<Vec<_>>(),
            }},
            "columnKind": "unicodeCodePoints",
            "results": results,
            "properties": {"complete": report.complete},
        }],
    });
    let mut text = serde_json::to_string_pretty(&document).unwrap_or_default();
    text.push('\n');
    text
}

/// Formats a rule as a reporting descriptor of SARIF.
fn format_rule(rule: &Rule) -> Value {
    json!({
        "id": rule.name,
        "shortDescription": {"text": rule.message("…")},
        "fullDescription": {"text": rule.why},
        "help": {"text": format!("{} For example: {}", rule.help, rule.example)},
        "defaultConfiguration": {"level": rule.severity.name()},
    })
}

/// Formats a finding as a result of SARIF.
fn format_finding(client: &ClientSummary, finding: &FindingSummary, is_known: bool) -> Value {
    let index = rules::all().iter().position(|rule| rule.name == finding.rule);
    let method_and_path = finding.first.request.splitn(3, ' ').take(2).collect::<Vec<_>>().join(" ");
    // Without its version, so that an update of the client leaves the finding the same.
    let fingerprint = stable_hash(&(client.client.split('/').next(), &finding.rule, &finding.message));
    let mut result = json!({
        "ruleId": finding.rule,
        "level": finding.severity.name(),
        "message": {"text": format!("{}: {}. {} {}", client_title(client), finding.message, finding.why, finding.help)},
        "occurrenceCount": finding.count,
        "locations": [{
            // Some services refuse results without a location in a file.
            "physicalLocation": {"artifactLocation": {"uri": ARTIFACT_URI}, "region": {"startLine": 1}},
            "logicalLocations": [{"name": method_and_path, "fullyQualifiedName": finding.first.request, "kind": "member"}],
        }],
        "partialFingerprints": {"clientRuleMessage/v1": format!("{fingerprint:016x}")},
        "baselineState": if is_known { "unchanged" } else { "new" },
        "properties": {
            "client": client.client,
            "user": client.user,
            "world": client.world,
            "first": finding.first,
            "last": finding.last,
        },
    });
    if let Some(index) = index {
        result["ruleIndex"] = index.into();
    }
    result
}
