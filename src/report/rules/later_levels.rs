//! Rules about parts of the API that later feature levels remove, rename or deprecate.

use crate::report::finding::Findings;
use crate::report::observation::{IssueKind, Observation};
use crate::report::rule::{Rule, Severity};

pub const RULES: &[&Rule] = &[&GONE_AT_LATER_LEVEL, &RENAMED_AT_LATER_LEVEL, &DEPRECATED_AT_LATER_LEVEL];

static GONE_AT_LATER_LEVEL: Rule = Rule {
    name: "gone-at-later-level",
    severity: Severity::Warning,
    since: 0,
    removed_in: None,
    what: "Uses what later servers no longer have: {}",
    why: "It works now, and fails with the next upgrade of the server.",
    help: "Ask for the feature level of the server (register reply or server_settings), and do without it from that level on.",
    example: "at level 290: DELETE /user_groups/{user_group_id}, which is gone at 294",
    test: "what_is_gone_later_is_reported_at_an_older_level",
};
static RENAMED_AT_LATER_LEVEL: Rule = Rule {
    name: "renamed-at-later-level",
    severity: Severity::Warning,
    since: 0,
    removed_in: None,
    what: "Uses a name that later servers changed: {}",
    why: "Later servers ignore the old name.",
    help: "Send the name that the server's feature level has.",
    example: "at level 371: PATCH /realm with mandatory_topics, which is topics_policy from 392 on",
    test: "what_is_renamed_later_is_reported_at_an_older_level",
};
static DEPRECATED_AT_LATER_LEVEL: Rule = Rule {
    name: "deprecated-at-later-level",
    severity: Severity::Note,
    since: 0,
    removed_in: None,
    what: "Uses what later servers have deprecated: {}",
    why: "It works now; a later server may not have it.",
    help: "Use what replaces it where the server's feature level has that.",
    example: "at level 371: POST /users/me/platform_device_token, which is deprecated from 406 on",
    test: "what_is_deprecated_later_is_reported_at_an_older_level",
};

pub fn check(request: &Observation<'_>, findings: &mut Findings) {
    let level = request.facts.level;
    for issue in request.issues.iter().filter(|issue| issue.level > level && request.entry.status == 200) {
        let (rule, change) = match issue.kind {
            IssueKind::Removed => (&GONE_AT_LATER_LEVEL, "is gone"),
            IssueKind::Renamed => (&RENAMED_AT_LATER_LEVEL, "has another name"),
            IssueKind::DeprecatedOperation | IssueKind::DeprecatedParameter | IssueKind::DeprecatedEvents => {
                (&DEPRECATED_AT_LATER_LEVEL, "is deprecated")
            }
        };
        let replacement =
            if issue.replacement.is_empty() { String::new() } else { format!("; use {}", issue.replacement) };
        let subject = format!("works at {level}; at {} {} {change}{replacement}", issue.level, issue.what);
        findings.add(rule, &subject, request);
    }
}
