//! The report as JUnit reads it: a suite per client, a test per rule, so that CI services show findings as failed tests.

use super::text::title;
use crate::report::rules;
use crate::report::{Baseline, ClientSummary, FindingSummary, Severity, Summary};
use std::fmt::Write;

pub fn write(report: &Summary, baseline: &Baseline, fail_on: Option<Severity>) -> String {
    let mut suites = String::new();
    let mut failures = 0;
    for client in &report.clients {
        let is_failure = |finding: &FindingSummary| {
            !baseline.has(client, finding) && fail_on.is_none_or(|least| finding.severity >= least)
        };
        let (mut cases, mut own_failures, mut skipped) = (String::new(), 0, 0);
        for rule in rules::all() {
            let findings: Vec<&FindingSummary> =
                client.findings.iter().filter(|finding| finding.rule == rule.name).collect();
            let (failing, tolerated): (Vec<_>, Vec<_>) = findings.into_iter().partition(|finding| is_failure(finding));
            let are_known = tolerated.iter().all(|finding| baseline.has(client, finding));
            let is_skipped = failing.is_empty() && !tolerated.is_empty() && are_known;
            own_failures += usize::from(!failing.is_empty());
            skipped += usize::from(is_skipped);
            let _ = write!(cases, "    <testcase name=\"{}\" classname=\"{}\"", rule.name, class(client));
            cases += &content(&failing, &tolerated, is_skipped);
        }
        let _ = writeln!(
            suites,
            "  <testsuite name=\"{}\" tests=\"{}\" failures=\"{own_failures}\" errors=\"0\" skipped=\"{skipped}\">\n{cases}  </testsuite>",
            escaped_for_xml(&title(client)),
            rules::all().len(),
        );
        failures += own_failures;
    }
    let tests = rules::all().len() * report.clients.len();
    format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"chatdouble report\" tests=\"{tests}\" failures=\"{failures}\" errors=\"0\">\n{suites}</testsuites>\n"
    )
}

fn class(client: &ClientSummary) -> String {
    escaped_for_xml(&client.client)
}

/// The rest of a test case: a failure for the findings that are one, and as output those that are not.
fn content(failing: &[&FindingSummary], tolerated: &[&FindingSummary], is_skipped: bool) -> String {
    if failing.is_empty() && tolerated.is_empty() {
        return "/>\n".to_owned();
    }
    let mut content = ">\n".to_owned();
    if let Some(first) = failing.first() {
        let more = failing.len() - 1;
        let more = if more == 0 { String::new() } else { format!(", and {more} more of this rule") };
        let _ = writeln!(
            content,
            "      <failure type=\"{}\" message=\"{}\">{}</failure>",
            first.severity,
            escaped_for_xml(&format!("{}{more}", first.message)),
            escaped_for_xml(&details(failing))
        );
    }
    if is_skipped {
        content += "      <skipped message=\"in the baseline\"/>\n";
    }
    if !tolerated.is_empty() {
        let _ = writeln!(content, "      <system-out>{}</system-out>", escaped_for_xml(&details(tolerated)));
    }
    content + "    </testcase>\n"
}

fn details(findings: &[&FindingSummary]) -> String {
    let one = |finding: &&FindingSummary| {
        let FindingSummary { severity, message, count, first, why, help, .. } = finding;
        let id = first.journal_id.map(|id| format!(" (journal {id})")).unwrap_or_default();
        let times = if *count == 1 { "once".to_owned() } else { format!("{count} times, first") };
        format!("{severity}: {message}: {times} by {}{id}\nWhy: {why}\nInstead: {help}", first.request)
    };
    findings.iter().map(one).collect::<Vec<_>>().join("\n\n")
}

/// A text as XML can hold it: control characters are left out, which it has no way to write.
pub fn escaped_for_xml(text: &str) -> String {
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
    use super::escaped_for_xml;

    #[test]
    fn texts_fit_into_xml() {
        assert_eq!(escaped_for_xml("a<b> & \"c\"\u{0}\u{1b}\n"), "a&lt;b&gt; &amp; &quot;c&quot;\n");
    }
}
