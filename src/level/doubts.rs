//! What a request uses that is deprecated at its level or a later one, has another name later, or is gone then.

use super::{ChangeKind, changes};
use crate::api::{Effect, NEWEST_FEATURE_LEVEL, Row};
use crate::report::{Doubt, DoubtKind};
use foldhash::fast::RandomState;
use std::collections::{BTreeMap, HashMap};
use std::sync::LazyLock;

/// Parameters that are deprecated: operation, name, the level of what replaces it, and what that is.
static PARAMETERS: &[(&str, &str, i64, &str)] = &[
    ("GET /streams", "include_all_active", 356, "include_all"),
    ("GET /messages", "use_first_unread_anchor", 1, "anchor=first_unread"),
    ("POST /users/me/presence", "slim_presence", 263, "last_update_id"),
    ("POST /register", "queue_lifespan_secs", 481, "idle_queue_timeout"),
];

/// Values of parameters that are deprecated: operation, name, value, the level of what replaces it, and what that is.
static VALUES: &[(&str, &str, &str, i64, &str)] = &[
    ("POST /messages", "type", "private", 174, "type=direct"),
    ("POST /scheduled_messages", "type", "private", 174, "type=direct"),
    ("POST /typing", "type", "private", 174, "type=direct"),
];

/// Words of narrows that are deprecated: the word as JSON, what it is, the level of what replaces it, and what that is.
static NARROW_WORDS: &[(&str, &str, i64, &str)] = &[
    ("\"pm-with\"", "operator pm-with of narrow", 177, "dm"),
    ("\"group-pm-with\"", "operator group-pm-with of narrow", 177, "dm-including"),
];

/// Types of events that are deprecated: the level of the type that replaces it, and that type.
static EVENTS: &[(&str, i64, &str)] = &[
    ("muted_topics", 134, "user_topic"),
    ("realm_filters", 54, "realm_linkifiers"),
    ("update_display_settings", 89, "user_settings"),
    ("update_global_notifications", 89, "user_settings"),
];

/// What became of a parameter.
struct Former {
    name: &'static str,
    kind: DoubtKind,
    since: i64,
    level: i64,
    instead: &'static str,
}

/// Parameters that are gone or renamed, by operation.
static FORMER: LazyLock<HashMap<&'static str, Vec<Former>, RandomState>> = LazyLock::new(|| {
    let mut all: HashMap<&str, Vec<Former>, RandomState> = HashMap::default();
    for change in changes() {
        let level = change.level;
        let (route, former) = match change.kind {
            ChangeKind::RenamedParameter { route, old, since, new } => {
                (route, Former { name: old, kind: DoubtKind::Renamed, since, level, instead: new })
            }
            ChangeKind::GoneParameter { route, name, since } => {
                (route, Former { name, kind: DoubtKind::Removed, since, level, instead: "" })
            }
            _ => continue,
        };
        all.entry(route).or_default().push(former);
    }
    for (route, name, level, instead) in PARAMETERS {
        let kind = DoubtKind::DeprecatedParameter;
        all.entry(route).or_default().push(Former { name, kind, since: 0, level: *level, instead });
    }
    all
});

/// What a request of a world at this level uses that is deprecated, or that a later level changed.
pub fn doubts(row: &Row, params: &BTreeMap<String, String>, level: i64) -> Vec<Doubt> {
    let mut doubts = Vec::new();
    let way = || format!("{} {}", row.route.method, row.route.path);
    if let Some(deprecation) = row.about.deprecated {
        let kind = DoubtKind::DeprecatedOperation;
        doubts.push(Doubt { what: way(), kind, level: deprecation.since, instead: deprecation.instead });
    }
    if let Some(removed_in) = row.removed_in.filter(|removed_in| *removed_in <= NEWEST_FEATURE_LEVEL) {
        doubts.push(Doubt { what: way(), kind: DoubtKind::Removed, level: removed_in, instead: "" });
    }
    if params.is_empty() {
        return doubts;
    }
    let way = way();
    for former in FORMER.get(way.as_str()).into_iter().flatten() {
        if former.since <= level && params.contains_key(former.name) {
            let is_deprecated = former.kind == DoubtKind::DeprecatedParameter;
            let what = format!("{}{} of {way}", if is_deprecated { "" } else { "parameter " }, former.name);
            doubts.push(Doubt { what, kind: former.kind, level: former.level, instead: former.instead });
        }
    }
    for (route, name, value, level, instead) in VALUES.iter().filter(|row| row.0 == way) {
        if params.get(*name).is_some_and(|sent| sent.trim_matches('"') == *value) {
            let what = format!("{name}={value} of {route}");
            doubts.push(Doubt { what, kind: DoubtKind::DeprecatedParameter, level: *level, instead });
        }
    }
    if let Some(narrow) = params.get("narrow") {
        for (_, what, level, instead) in NARROW_WORDS.iter().filter(|row| narrow.contains(row.0)) {
            let kind = DoubtKind::DeprecatedParameter;
            doubts.push(Doubt { what: (*what).to_owned(), kind, level: *level, instead });
        }
    }
    if row.has(Effect::RegistersQueue) {
        add_events(params, &mut doubts);
    }
    doubts
}

fn add_events(params: &BTreeMap<String, String>, doubts: &mut Vec<Doubt>) {
    let named = ["event_types", "fetch_event_types"].map(|name| params.get(name).map_or("", String::as_str));
    for (kind, level, instead) in EVENTS {
        let word = format!("\"{kind}\"");
        if named.iter().any(|types| types.contains(&word)) {
            let what = (*kind).to_owned();
            doubts.push(Doubt { what, kind: DoubtKind::DeprecatedEvents, level: *level, instead });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::api::{OPERATIONS, rows};
    use crate::level::listed;

    #[test]
    fn what_is_deprecated_exists_and_what_replaces_it_came_with_its_level() {
        let listed = listed();
        let has_level = |level: i64| listed.iter().any(|row| row.level == level);
        let ways: Vec<String> =
            OPERATIONS.iter().map(|row| format!("{} {}", row.route.method, row.route.path)).collect();
        let routes = PARAMETERS.iter().map(|row| row.0).chain(VALUES.iter().map(|row| row.0));
        for route in routes {
            assert!(ways.iter().any(|way| way == route), "{route}");
        }
        let levels = PARAMETERS.iter().map(|row| row.2).chain(VALUES.iter().map(|row| row.3));
        let levels = levels.chain(NARROW_WORDS.iter().map(|row| row.2)).chain(EVENTS.iter().map(|row| row.1));
        for level in levels.filter(|level| *level > 1) {
            assert!(has_level(level), "nothing came with level {level}");
        }
        for deprecation in rows().filter_map(|row| row.about.deprecated) {
            assert!(ways.iter().any(|way| *way == deprecation.instead), "{deprecation:?}");
            assert!(has_level(deprecation.since), "{deprecation:?}");
        }
    }
}
