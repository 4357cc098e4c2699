//! Rules about what a client uses that later servers no longer have.

use crate::report::finding::Findings;
use crate::report::rule::{Rule, Severity};
use crate::report::seen::{DoubtKind, Seen};

/// The rows.
pub const RULES: &[&Rule] = &[&GONE, &RENAMED, &DEPRECATED];

static GONE: Rule = Rule {
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
static RENAMED: Rule = Rule {
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
static DEPRECATED: Rule = Rule {
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

/// Judges a request.
pub fn judge(seen: &Seen<'_>, findings: &mut Findings) {
    let level = seen.facts.level;
    for doubt in seen.doubts.iter().filter(|doubt| doubt.level > level && seen.entry.status == 200) {
        let (rule, verb) = match doubt.kind {
            DoubtKind::Removed => (&GONE, "is gone"),
            DoubtKind::Renamed => (&RENAMED, "has another name"),
            DoubtKind::DeprecatedOperation | DoubtKind::DeprecatedParameter | DoubtKind::DeprecatedEvents => {
                (&DEPRECATED, "is deprecated")
            }
        };
        let instead = if doubt.instead.is_empty() { String::new() } else { format!("; use {}", doubt.instead) };
        let subject = format!("works at {level}; at {} {} {verb}{instead}", doubt.level, doubt.what);
        findings.add(rule, &subject, seen);
    }
}
