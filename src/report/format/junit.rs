//! The report as JUnit reads it: a suite per client, a test per rule, so that CI services show findings as failed tests.

use super::text::title;
use crate::report::rules;
use crate::report::{Baseline, ClientSummary, FindingSummary, Summary};
use std::fmt::Write;

pub fn write(report: &Summary, baseline: &Baseline) -> String {
    let mut suites = String::new();
    let (mut tests, mut failures) = (0, 0);
    for client in &report.clients {
        let mut cases = String::new();
        let (mut own_tests, mut own_failures, mut skipped) = (0, 0, 0);
        for rule in rules::all() {
            let broken: Vec<&FindingSummary> =
                client.findings.iter().filter(|finding| finding.rule == rule.name).collect();
            if broken.is_empty() {
                own_tests += 1;
                let _ = writeln!(cases, "    <testcase name=\"{}\" classname=\"{}\"/>", rule.name, class(client));
            }
            for finding in broken {
                own_tests += 1;
                let is_known = baseline.has(client, finding);
                own_failures += usize::from(!is_known);
                skipped += usize::from(is_known);
                write_case(&mut cases, client, finding, is_known);
            }
        }
        let _ = writeln!(
            suites,
            "  <testsuite name=\"{}\" tests=\"{own_tests}\" failures=\"{own_failures}\" errors=\"0\" skipped=\"{skipped}\">\n{cases}  </testsuite>",
            escaped(&title(client)),
        );
        tests += own_tests;
        failures += own_failures;
    }
    format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"chatdouble report\" tests=\"{tests}\" failures=\"{failures}\" errors=\"0\">\n{suites}</testsuites>\n"
    )
}

fn class(client: &ClientSummary) -> String {
    escaped(&client.client)
}

fn write_case(cases: &mut String, client: &ClientSummary, finding: &FindingSummary, is_known: bool) {
    let name = escaped(&format!("{}: {}", finding.rule, finding.message));
    let _ = writeln!(cases, "    <testcase name=\"{name}\" classname=\"{}\">", class(client));
    if is_known {
        cases.push_str("      <skipped message=\"in the baseline\"/>\n    </testcase>\n");
        return;
    }
    let FindingSummary { severity, message, count, first, why, help, .. } = finding;
    let id = first.journal_id.map(|id| format!(" (journal {id})")).unwrap_or_default();
    let details = format!("{count} times, first by {}{id}\nWhy: {why}\nInstead: {help}", first.request);
    let _ = writeln!(
        cases,
        "      <failure type=\"{severity}\" message=\"{}\">{}</failure>\n    </testcase>",
        escaped(message),
        escaped(&details)
    );
}

/// A text as XML can hold it: control characters are left out, which it has no way to write.
fn escaped(text: &str) -> String {
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
    use super::escaped;

    #[test]
    fn texts_fit_into_xml() {
        assert_eq!(escaped("a<b> & \"c\"\u{0}\u{1b}\n"), "a&lt;b&gt; &amp; &quot;c&quot;\n");
    }
}
