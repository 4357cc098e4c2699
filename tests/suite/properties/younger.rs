//! Nothing younger than a world's level, wherever it may stand.

use super::play::Play;
use chatdouble::feature::has_changes_of;
use chatdouble::level::{ChangeKind, changes};
use chatdouble::realm::event::EventPattern;
use serde_json::{Map, Value, json};
use std::collections::BTreeSet;

/// Names that are young in one kind of object and old in another: looked for at their places alone, by the table's tests.
const AMBIGUOUS: &[&str] = &[
    "active_timestamp",
    "complete",
    "creator_id",
    "date_created",
    "date_joined",
    "deactivated",
    "display_name",
    "emoji_code",
    "emoji_name",
    "failed",
    "filename",
    "group_id",
    "id",
    "idle_timestamp",
    "is_active",
    "is_archived",
    "is_guest",
    "is_owner",
    "is_web_public",
    "message",
    "message_type",
    "message_retention_days",
    "op",
    "order",
    "prev_topic",
    "reaction_type",
    "realm_url",
    "required",
    "scheduled_messages",
    "service_feature_level",
    "server_timestamp",
    "stream",
    "stream_id",
    "stream_ids",
    "subgroups",
    "timezone",
    "topic",
    "url",
    "user_id",
    "user_ids",
];

/// Keys of maps whose keys are somebody's own words.
const FREE: &[&str] = &["storage", "profile_data", "field_data"];

/// Names that no reply at a level has anywhere.
pub fn names(level: i64) -> BTreeSet<&'static str> {
    let (mut younger, mut known) = (BTreeSet::new(), BTreeSet::new());
    for change in changes() {
        let name = match change.kind {
            ChangeKind::Field { name, .. } => name,
            ChangeKind::RenamedField { new, old, .. } => {
                if !has_changes_of(level, change.level) {
                    known.insert(old);
                }
                new
            }
            ChangeKind::RemovedField { name, .. } => {
                known.insert(name);
                continue;
            }
            _ => continue,
        };
        if !has_changes_of(level, change.level) {
            younger.insert(name)
        } else {
            known.insert(name)
        };
    }
    younger.into_iter().filter(|name| !known.contains(name) && !AMBIGUOUS.contains(name)).collect()
}

/// Looks for young names in a reply, down to its smallest object; the path to the first.
pub fn find(value: &Value, young: &BTreeSet<&'static str>) -> Option<String> {
    match value {
        Value::Array(items) => items.iter().find_map(|item| find(item, young)).map(|path| format!("[]{path}")),
        Value::Object(object) => object.iter().find_map(|(key, inner)| {
            let found = young.contains(key.as_str()).then(String::new);
            let inside = || if FREE.contains(&key.as_str()) { None } else { find(inner, young) };
            found.or_else(inside).map(|path| format!(".{key}{path}"))
        }),
        _ => None,
    }
}

/// Whether an event is of a kind that the level does not have.
pub fn is_young_event(event: &Value, level: i64) -> bool {
    let fits = |pattern: EventPattern| {
        event["type"] == pattern.type_name
            && pattern.op.is_none_or(|op| event["op"] == op)
            && pattern.carried_name.is_none_or(|(key, name)| event[key] == name || event[key].get(name).is_some())
    };
    changes().iter().any(|change| match change.kind {
        ChangeKind::Event(pattern) => !has_changes_of(level, change.level) && fits(pattern),
        _ => false,
    })
}

/// Queues of some users, polled at the end.
pub fn register(play: &mut Play) -> Vec<(&'static str, Value)> {
    let parameters = |all: bool| {
        let capabilities = json!({
            "bulk_message_deletion": all, "stream_typing_notifications": all, "linkifier_url_template": all,
            "include_deactivated_groups": all, "archived_channels": all, "empty_topic_name": all,
            "user_settings_object": all, "simplified_presence_events": all, "individual_emoji_changes": all,
        });
        Map::from_iter([
            ("client_capabilities".to_owned(), capabilities),
            ("include_subscribers".to_owned(), true.into()),
        ])
    };
    let mut queues = Vec::new();
    for (handle, all) in [("olive", true), ("mel", true), ("mel", false), ("gus", false)] {
        let state = play.call_as(handle, "POST", "/register", &parameters(all)).body;
        queues.push((handle, state));
    }
    queues
}
