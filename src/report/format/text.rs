//! The report as plain text.

use crate::count_format::format_count;
use crate::report::{Baseline, ClientSummary, FindingSummary, Severity, Summary};
use std::fmt::Write;

pub fn render(report: &Summary, baseline: &Baseline) -> String {
    let mut text = String::new();
    for client in report.clients.iter().filter(|client| !client.findings.is_empty()) {
        let _ = writeln!(text, "{}, {}", client_title(client), format_count(client.requests, "request"));
        for finding in &client.findings {
            write_finding(&mut text, finding, baseline.contains(client, finding));
        }
        text.push('\n');
    }
    let count = |severity: Severity| report.findings().filter(|(_, finding)| finding.severity == severity).count();
    let known_count = report.findings().filter(|(client, finding)| baseline.contains(client, finding)).count();
    let _ = write!(
        text,
        "{}: {}, {}, {}",
        format_count(report.clients.len(), "client"),
        format_count(count(Severity::Error), "error"),
        format_count(count(Severity::Warning), "warning"),
        format_count(count(Severity::Note), "note"),
    );
    let _ = writeln!(
        text,
        "{}",
        if known_count > 0 { format!("; {known_count} of them in the baseline") } else { String::new() }
    );
    if !report.complete {
        text.push_str("Some clients or findings are missing: there were more than are remembered.\n");
    }
    text
}

/// The client, its user and, unless it is the default one, its world with the world's label.
pub fn client_title(client: &ClientSummary) -> String {
    let user = client.user.as_deref().unwrap_or("no user");
    let world = client.world.as_deref().filter(|world| *world != "default");
    let label = client.label.as_deref().map(|label| format!(" ({label})")).unwrap_or_default();
    let world = world.map(|world| format!(" in world {world}{label}")).unwrap_or_default();
    format!("{} ({user}){world}", client.client)
}

fn write_finding(text: &mut String, finding: &FindingSummary, is_known: bool) {
    let known_label = if is_known { " (in the baseline)" } else { "" };
    let times = if finding.count == 1 { String::new() } else { format!(", {} times", finding.count) };
    let _ = writeln!(text, "  {} {}{known_label}: {}{times}", finding.severity, finding.rule, finding.message);
    let journal_note = |id: Option<u64>| id.map(|id| format!(" (journal {id})")).unwrap_or_default();
    let _ = writeln!(text, "    {}{}", finding.first.request, journal_note(finding.first.journal_id));
    if finding.count > 1 && finding.last.journal_id != finding.first.journal_id {
        let _ = writeln!(text, "    {}{}", finding.last.request, journal_note(finding.last.journal_id));
    }
    let _ = writeln!(text, "    Why: {}\n    Instead: {}", finding.why, finding.help);
}
