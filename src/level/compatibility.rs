//! Compatibility issues of requests: operations, parameters and types of events in them that some level deprecated,
//! renamed or removed, be it above the world's level or not.

use super::{ChangeKind, changes};
use crate::api::{Effect, NEWEST_FEATURE_LEVEL, OperationRow};
use crate::report::{CompatibilityIssue, IssueKind};
use foldhash::fast::RandomState;
use std::collections::{BTreeMap, HashMap};
use std::sync::LazyLock;

/// Deprecated parameters: operation, name, the level of the replacement, and the replacement.
static DEPRECATED_PARAMETERS: &[(&str, &str, i64, &str)] = &[
    ("GET /streams", "include_all_active", 356, "include_all"),
    ("GET /messages", "use_first_unread_anchor", 1, "anchor=first_unread"),
    ("POST /users/me/presence", "slim_presence", 263, "last_update_id"),
    ("POST /register", "queue_lifespan_secs", 481, "idle_queue_timeout"),
];

/// Deprecated values of parameters: operation, name, value, the level of the replacement, and the replacement.
static DEPRECATED_VALUES: &[(&str, &str, &str, i64, &str)] = &[
    ("POST /messages", "type", "private", 174, "type=direct"),
    ("POST /scheduled_messages", "type", "private", 174, "type=direct"),
    ("POST /typing", "type", "private", 174, "type=direct"),
];

/// Deprecated operators of narrows: the operator as JSON, a description, the level of the replacement, and the
/// replacement.
static DEPRECATED_NARROW_TERMS: &[(&str, &str, i64, &str)] = &[
    ("\"pm-with\"", "operator pm-with of narrow", 177, "dm"),
    ("\"group-pm-with\"", "operator group-pm-with of narrow", 177, "dm-including"),
];

/// Deprecated types of events, the level of the replacement, and the replacement.
static DEPRECATED_EVENTS: &[(&str, i64, &str)] = &[
    ("muted_topics", 134, "user_topic"),
    ("realm_filters", 54, "realm_linkifiers"),
    ("update_display_settings", 89, "user_settings"),
    ("update_global_notifications", 89, "user_settings"),
];

/// A parameter that was renamed, removed or deprecated.
struct FormerParameter {
    name: &'static str,
    kind: IssueKind,
    /// The first level with the parameter.
    since: i64,
    /// The level that renamed, removed or deprecated it.
    level: i64,
    /// Empty if there is none.
    replacement: &'static str,
}

/// The former parameters of each operation, by method and path.
static FORMER_PARAMETERS: LazyLock<HashMap<&'static str, Vec<FormerParameter>, RandomState>> = LazyLock::new(|| {
    let mut former_parameters: HashMap<&str, Vec<FormerParameter>, RandomState> = HashMap::default();
    for change in changes() {
        let level = change.level;
        let (route, parameter) = match change.kind {
            ChangeKind::RenamedParameter { route, old, since, new } => {
                (route, FormerParameter { name: old, kind: IssueKind::Renamed, since, level, replacement: new })
            }
            ChangeKind::RemovedParameter { route, name, since } => {
                (route, FormerParameter { name, kind: IssueKind::Removed, since, level, replacement: "" })
            }
            _ => continue,
        };
        former_parameters.entry(route).or_default().push(parameter);
    }
    for (route, name, level, replacement) in DEPRECATED_PARAMETERS {
        let kind = IssueKind::DeprecatedParameter;
        let parameter = FormerParameter { name, kind, since: 0, level: *level, replacement };
        former_parameters.entry(route).or_default().push(parameter);
    }
    former_parameters
});

/// The issues of a request to an operation. `level` is that of the world: former parameters that a later level added
/// are no issue.
pub fn compatibility_issues(
    row: &OperationRow,
    params: &BTreeMap<String, String>,
    level: i64,
) -> Vec<CompatibilityIssue> {
    let mut issues = Vec::new();
    let route = row.route_text;
    if let Some(deprecation) = row.docs.deprecated {
        let kind = IssueKind::DeprecatedOperation;
        issues.push(CompatibilityIssue {
            what: route.to_owned(),
            kind,
            level: deprecation.since,
            replacement: deprecation.replacement,
        });
    }
    if let Some(removed_in) = row.removed_in.filter(|removed_in| *removed_in <= NEWEST_FEATURE_LEVEL) {
        issues.push(CompatibilityIssue {
            what: route.to_owned(),
            kind: IssueKind::Removed,
            level: removed_in,
            replacement: "",
        });
    }
    if params.is_empty() {
        return issues;
    }
    for former in FORMER_PARAMETERS.get(route).into_iter().flatten() {
        if former.since <= level && params.contains_key(former.name) {
            let is_deprecated = former.kind == IssueKind::DeprecatedParameter;
            let what = format!("{}{} of {route}", if is_deprecated { "" } else { "parameter " }, former.name);
            issues.push(CompatibilityIssue {
                what,
                kind: former.kind,
                level: former.level,
                replacement: former.replacement,
            });
        }
    }
    for (_, name, value, level, replacement) in
        DEPRECATED_VALUES.iter().filter(|(deprecated_route, ..)| *deprecated_route == route)
    {
        if params.get(*name).is_some_and(|sent_value| sent_value.trim_matches('"') == *value) {
            let what = format!("{name}={value} of {route}");
            issues.push(CompatibilityIssue { what, kind: IssueKind::DeprecatedParameter, level: *level, replacement });
        }
    }
    if let Some(narrow) = params.get("narrow") {
        for (_, what, level, replacement) in DEPRECATED_NARROW_TERMS.iter().filter(|(json, ..)| narrow.contains(json)) {
            let kind = IssueKind::DeprecatedParameter;
            issues.push(CompatibilityIssue { what: (*what).to_owned(), kind, level: *level, replacement });
        }
    }
    if row.has_effect(Effect::RegistersQueue) {
        add_event_issues(params, &mut issues);
    }
    issues
}

fn add_event_issues(params: &BTreeMap<String, String>, issues: &mut Vec<CompatibilityIssue>) {
    let type_lists = ["event_types", "fetch_event_types"].map(|name| params.get(name).map_or("", String::as_str));
    for (event_type, level, replacement) in DEPRECATED_EVENTS {
        let quoted_type = format!("\"{event_type}\"");
        if type_lists.iter().any(|types| types.contains(&quoted_type)) {
            let what = (*event_type).to_owned();
            issues.push(CompatibilityIssue { what, kind: IssueKind::DeprecatedEvents, level: *level, replacement });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::api::{OPERATIONS, rows};
    use crate::level::list_changes;

    #[test]
    fn deprecated_names_and_the_levels_of_their_replacements_exist() {
        let changes = list_changes();
        let has_level = |level: i64| changes.iter().any(|row| row.level == level);
        let all_routes: Vec<String> =
            OPERATIONS.iter().map(|row| format!("{} {}", row.route.method, row.route.path)).collect();
        let routes = DEPRECATED_PARAMETERS.iter().map(|row| row.0).chain(DEPRECATED_VALUES.iter().map(|row| row.0));
        for route in routes {
            assert!(all_routes.iter().any(|known_route| known_route == route), "{route}");
        }
        let levels = DEPRECATED_PARAMETERS.iter().map(|row| row.2).chain(DEPRECATED_VALUES.iter().map(|row| row.3));
        let all_levels = levels
            .chain(DEPRECATED_NARROW_TERMS.iter().map(|row| row.2))
            .chain(DEPRECATED_EVENTS.iter().map(|row| row.1));
        for level in all_levels.filter(|level| *level > 1) {
            assert!(has_level(level), "nothing came with level {level}");
        }
        for deprecation in rows().filter_map(|row| row.docs.deprecated) {
            assert!(all_routes.iter().any(|route| *route == deprecation.replacement), "{deprecation:?}");
            assert!(has_level(deprecation.since), "{deprecation:?}");
        }
    }
}
