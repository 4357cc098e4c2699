//! The OpenAPI documents of older levels: what keeps its type.

use chatdouble::api::NEWEST_FEATURE_LEVEL;
use chatdouble::dialect::Dialect;
use chatdouble::feature::has_changes_of;
use chatdouble::level::{Behaviour, Change, ChangeKind, ChangedFields, Downgrade, changes};
use chatdouble::openapi;
use serde_json::Value;
use std::collections::BTreeSet;

/// The fields that a behaviour of a later level than this one changes: the reason why a document does not type them.
fn changed_fields(level: i64) -> BTreeSet<&'static str> {
    let names = |change: &'static Change| match change.kind {
        ChangeKind::Behaviour(Behaviour {
            downgrade: Downgrade::Objects(_, ChangedFields::Fields(names), _), ..
        }) if !has_changes_of(level, change.level) => *names,
        _ => &[],
    };
    changes().iter().flat_map(names).copied().collect()
}

fn is_typed(schema: &Value) -> bool {
    schema.as_object().is_some_and(|keys| keys.keys().any(|key| key != "description"))
}

/// Collects the properties of older schemas that lack the type, or the place among the required ones, that they have in the
/// newer schemas.
fn compare(newer: &Value, older: &Value, place: &str, lost: &mut Vec<(String, String)>) {
    let (Some(newer), Some(older)) = (newer.as_object(), older.as_object()) else { return };
    if let (Some(newer_fields), Some(older_fields)) = (newer.get("properties"), older.get("properties")) {
        let required = |schema: &serde_json::Map<String, Value>, name: &str| {
            schema
                .get("required")
                .and_then(Value::as_array)
                .is_some_and(|names| names.iter().any(|other| other == name))
        };
        for (name, newer_field) in newer_fields.as_object().into_iter().flatten() {
            let Some(older_field) = older_fields.get(name) else { continue };
            if is_typed(newer_field) && !is_typed(older_field) || required(newer, name) && !required(older, name) {
                lost.push((place.to_owned(), name.clone()));
            }
        }
    }
    for (key, newer_part) in newer {
        let Some(older_part) = older.get(key) else { continue };
        compare(newer_part, older_part, &format!("{place}/{key}"), lost);
        for (newer_item, older_item) in
            newer_part.as_array().into_iter().flatten().zip(older_part.as_array().into_iter().flatten())
        {
            compare(newer_item, older_item, &format!("{place}/{key}"), lost);
        }
    }
}

#[test]
fn fields_that_no_later_behaviour_changes_keep_their_types() {
    let newest = openapi::document_at(NEWEST_FEATURE_LEVEL, &Dialect::neutral());
    for level in [247, 387, 421] {
        let older = openapi::document_at(level, &Dialect::neutral());
        let (mut lost, excused) = (Vec::new(), changed_fields(level));
        compare(&newest["components"]["schemas"], &older["components"]["schemas"], "", &mut lost);
        let paths = newest["paths"].as_object().expect("paths").iter();
        for (place, newer, older) in paths.flat_map(|(path, item)| {
            let operations = item.as_object().expect("operations").iter();
            let older_item = &older["paths"][path];
            operations.map(move |(method, newer)| {
                (format!("{method} {path}"), &newer["responses"], &older_item[method]["responses"])
            })
        }) {
            compare(newer, older, &place, &mut lost);
        }
        // Refusals have optional codes below 497.
        lost.retain(|(place, name)| !excused.contains(name.as_str()) && !place.ends_with("ErrorWithOptionalCode"));
        assert_eq!(lost, [], "at {level}");
    }
    let older = openapi::document_at(421, &Dialect::neutral());
    let message = &older["components"]["schemas"]["Message"];
    let fields = message["properties"].as_object().expect("fields");
    assert!(fields.len() > 20 && fields.values().all(is_typed), "{message}");
    assert!(message["required"].as_array().is_some_and(|names| names.len() > 10), "{message}");
    assert_eq!(message["additionalProperties"], false);
}

#[test]
fn a_field_that_a_later_behaviour_changes_may_have_any_value() {
    let older = openapi::document_at(300, &Dialect::neutral());
    let reply = &older["paths"]["/attachments"]["get"]["responses"]["200"]["content"]["application/json"]["schema"];
    let mut attachment = &reply["properties"]["attachments"]["items"];
    if let Some(name) = attachment["$ref"].as_str().and_then(|reference| reference.rsplit('/').next()) {
        attachment = &older["components"]["schemas"][name];
    }
    assert!(!is_typed(&attachment["properties"]["messages"]), "{attachment}");
    assert!(is_typed(&attachment["properties"]["size"]), "{attachment}");
    let required = attachment["required"].as_array().expect("a list");
    assert!(required.iter().any(|name| name == "size") && !required.iter().any(|name| name == "messages"));
}
