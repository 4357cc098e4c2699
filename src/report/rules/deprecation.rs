//! Rules about operations, parameters and types of events that are deprecated at the world's feature level.

use crate::report::finding::Findings;
use crate::report::observation::{IssueKind, Observation};
use crate::report::rule::{Rule, Severity};

pub const RULES: &[&Rule] = &[&DEPRECATED_OPERATION, &DEPRECATED_PARAMETER, &DEPRECATED_EVENT_TYPE];

static DEPRECATED_OPERATION: Rule = Rule {
    name: "deprecated-operation",
    severity: Severity::Warning,
    since: 0,
    removed_in: None,
    what: "Used a deprecated operation: {}",
    why: "A later server does not have it.",
    help: "Use what replaces it.",
    example: "POST /mark_all_as_read",
    test: "deprecated_operations_are_avoided",
};
static DEPRECATED_PARAMETER: Rule = Rule {
    name: "deprecated-parameter",
    severity: Severity::Warning,
    since: 0,
    removed_in: None,
    what: "Used a deprecated parameter: {}",
    why: "A later server ignores or refuses it.",
    help: "Use what replaces it.",
    example: "POST /messages with type=private",
    test: "deprecated_parameters_are_avoided",
};
static DEPRECATED_EVENT_TYPE: Rule = Rule {
    name: "deprecated-event-type",
    severity: Severity::Warning,
    since: 0,
    removed_in: None,
    what: "Registered for a deprecated type of events: {}",
    why: "Its events and its keys of the register reply are gone from later servers.",
    help: "Register for the type that replaces it, with the capability that it needs.",
    example: "POST /register with event_types=[\"muted_topics\"]",
    test: "deprecated_types_of_events_are_avoided",
};

pub fn check(request: &Observation<'_>, findings: &mut Findings) {
    for issue in request.issues.iter().filter(|issue| issue.level <= request.facts.level) {
        let rule = match issue.kind {
            IssueKind::DeprecatedOperation => &DEPRECATED_OPERATION,
            IssueKind::DeprecatedParameter => &DEPRECATED_PARAMETER,
            IssueKind::DeprecatedEvents => &DEPRECATED_EVENT_TYPE,
            // Parameters that the level no longer has are reported as ignored, and operations that it no longer has are
            // refused.
            IssueKind::Removed | IssueKind::Renamed => continue,
        };
        let replacement =
            if issue.replacement.is_empty() { String::new() } else { format!("; use {}", issue.replacement) };
        findings.add(rule, &format!("{}, since level {}{replacement}", issue.what, issue.level), request);
    }
}
