//! The report in the JUnit format: a test suite per client and a test per rule, so that CI services show findings as
//! failed tests.

use super::text::client_title;
use crate::report::rules;
use crate::report::{Baseline, ClientSummary, FindingSummary, Severity, Summary};
use std::fmt::Write;

pub fn render(report: &Summary, baseline: &Baseline, fail_on: Option<Severity>) -> String {
    let mut suites = String::new();
    let mut failure_count = 0;
    for client in &report.clients {
        let is_failure = |finding: &FindingSummary| {
            !baseline.contains(client, finding) && fail_on.is_none_or(|threshold| finding.severity >= threshold)
        };
        let (mut cases, mut suite_failure_count, mut skipped_count) = (String::new(), 0, 0);
        for rule in rules::all() {
            let findings: Vec<&FindingSummary> =
                client.findings.iter().filter(|finding| finding.rule == rule.name).collect();
            let (failing_findings, tolerated_findings): (Vec<_>, Vec<_>) =
                findings.into_iter().partition(|finding| is_failure(finding));
            let are_all_known = tolerated_findings.iter().all(|finding| baseline.contains(client, finding));
            let is_skipped = failing_findings.is_empty() && !tolerated_findings.is_empty() && are_all_known;
            suite_failure_count += usize::from(!failing_findings.is_empty());
            skipped_count += usize::from(is_skipped);
            let _ = write!(cases, "    <testcase name=\"{}\" classname=\"{}\"", rule.name, class_name(client));
            cases += &case_content(&failing_findings, &tolerated_findings, is_skipped);
        }
        let _ = writeln!(
            suites,
            "  <testsuite name=\"{}\" tests=\"{}\" failures=\"{suite_failure_count}\" errors=\"0\" skipped=\"{skipped_count}\">\n{cases}  </testsuite>",
            escape_for_xml(&client_title(client)),
            rules::all().len(),
        );
        failure_count += suite_failure_count;
    }
    let test_count = rules::all().len() * report.clients.len();
    format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"chatdouble report\" tests=\"{test_count}\" failures=\"{failure_count}\" errors=\"0\">\n{suites}</testsuites>\n"
    )
}

/// The class of a client's test cases. It differs for each client of a report: some readers keep only the first test
/// case of each class and name.
fn class_name(client: &ClientSummary) -> String {
    escape_for_xml(&client_title(client))
}

/// The rest of a test case after its attributes: a failure with the failing findings, or a mark that it is skipped, and
/// the tolerated findings as output.
fn case_content(
    failing_findings: &[&FindingSummary],
    tolerated_findings: &[&FindingSummary],
    is_skipped: bool,
) -> String {
    if failing_findings.is_empty() && tolerated_findings.is_empty() {
        return "/>\n".to_owned();
    }
    let mut content = ">\n".to_owned();
    if let Some(first) = failing_findings.first() {
        let other_count = failing_findings.len() - 1;
        let suffix = if other_count == 0 { String::new() } else { format!(", and {other_count} more of this rule") };
        let _ = writeln!(
            content,
            "      <failure type=\"{}\" message=\"{}\">{}</failure>",
            first.severity,
            escape_for_xml(&format!("{}{suffix}", first.message)),
            escape_for_xml(&describe_findings(failing_findings))
        );
    }
    if is_skipped {
        content += "      <skipped message=\"in the baseline\"/>\n";
    }
    if !tolerated_findings.is_empty() {
        let _ = writeln!(
            content,
            "      <system-out>{}</system-out>",
            escape_for_xml(&describe_findings(tolerated_findings))
        );
    }
    content + "    </testcase>\n"
}

fn describe_findings(findings: &[&FindingSummary]) -> String {
    let describe = |finding: &&FindingSummary| {
        let FindingSummary { severity, message, count, first, why, help, .. } = finding;
        let id = first.journal_id.map(|id| format!(" (journal {id})")).unwrap_or_default();
        let times = if *count == 1 { "once".to_owned() } else { format!("{count} times, first") };
        format!("{severity}: {message}: {times} by {}{id}\nWhy: {why}\nInstead: {help}", first.request)
    };
    findings.iter().map(describe).collect::<Vec<_>>().join("\n\n")
}

/// Escapes a text for XML. Drops characters that XML cannot represent, and control characters other than line feeds and
/// tabs.
pub fn escape_for_xml(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\n' | '\t' => escaped.push(character),
            '\u{fffe}' | '\u{ffff}' => {}
            other if other.is_control() => {}
            other => escaped.push(other),
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::escape_for_xml;

    #[test]
    fn control_characters_are_dropped_from_xml() {
        assert_eq!(escape_for_xml("a<b> & \"c\"\u{0}\u{1b}\n"), "a&lt;b&gt; &amp; &quot;c&quot;\n");
    }
}
