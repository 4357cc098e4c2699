//! The schemas of records in replies of control, in the notation of `openapi/shape.rs`, and the descriptions of the
//! keys of replies and records.

use serde_json::Value;
use std::collections::BTreeMap;
use std::sync::LazyLock;

/// The descriptions of keys, by the name of their schema. Those of the keys of bodies are doc comments of Rust types.
static DESCRIPTIONS: LazyLock<BTreeMap<String, BTreeMap<String, String>>> = LazyLock::new(|| {
    serde_json::from_str(include_str!("descriptions.json")).expect("it maps keys to texts, as a test checks")
});

/// Adds the descriptions of keys to the schema with this name.
pub fn add_descriptions(name: &str, schema: &mut Value) {
    for (key, description) in DESCRIPTIONS.get(name).into_iter().flatten() {
        if let Some(property) = schema["properties"].get_mut(key) {
            property["description"] = description.as_str().into();
        }
    }
}

const WORLD: &str = r#"{"name": "string", "url": "string", "label": "string|null", "feature_level": "int",
    "dialect": "string(neutral|zulip|custom)", "users": "int", "channels": "int",
    "messages": "int", "queues": "int", "now": "number", "created_at": "number", "last_request_at": "number|null",
    "idle_ttl_seconds": "number|null"}"#;
pub(super) const CLOCK: &str = r#"{"now": "number", "running": "bool", "agenda": "@AgendaItem[]"}"#;
pub(super) const MOVED_CLOCK: &str = r#"{"now": "number", "running": "bool", "agenda": "@AgendaItem[]", "waited_ms": "number",
    "not_parked": "string[]", "fired": "@AgendaItem[]"}"#;
const JOURNAL_ENTRY: &str = r#"{"id": "int", "at": "number", "method": "string", "path": "string", "user": "string|null",
    "params": {"*": "string"}, "status": "int", "reply": "any", "duration_ms": "number", "client": "string", "hint?": "string",
    "fault": "string|null", "events": "int[]", "truncated?": "bool"}"#;
const USER: &str = r#"{"user_id": "int", "email": "string", "full_name": "string", "role": "string", "is_active": "bool",
    "is_bot": "bool", "is_system": "bool", "owner": "string|null", "api_key": "string", "unread": "int"}"#;
const CHANNEL: &str = r#"{"channel_id": "int", "name": "string", "description": "string",
    "rendered_description": "string", "privacy": "string", "is_archived": "bool", "folder": "string|null",
    "creator": "string|null", "messages": "int", "subscribers": "int[]", "topics": "@Topic[]",
    "permissions": "@ChannelPermission[]", "visible?": "bool", "reason?": "string"}"#;
const GROUP: &str = r#"{"group_id": "int", "name": "string", "description": "string", "is_system": "bool",
    "is_active": "bool", "members": "int[]", "subgroups": "string[]", "all_members": "int[]"}"#;
const MESSAGE: &str = r#"{"message_id": "int", "at": "number", "sender_id": "int", "channel_id": "int|null",
    "topic": "string|null", "to": "int[]", "content": "string", "reactions": "@Reaction[]",
    "is_edited": "bool", "visible?": "bool", "reason?": "string", "is_unread?": "bool", "rendered_content?": "string"}"#;
const QUEUE: &str = r#"{"queue_id": "string", "user": "string|null", "client": "string", "parked": "bool",
    "pending": "int", "last_event_id": "int", "acknowledged": "int",
    "capabilities": "string[]"}"#;
const PUSH: &str = r#"{"id": "int", "at": "number", "kind": "string", "user": "string|null", "device_id?": "int",
    "token?": "string", "payload": "any", "wire": "@PushWire|null"}"#;
const PUSH_WIRE: &str = r#"{"provider": "string", "push_key_id": "int|null", "encrypted_data": "string|null",
    "envelope": "any"}"#;
const WEBHOOK: &str = r#"{"id": "int", "at": "number", "user": "string", "url": "string", "body": "any",
    "status": "int|null", "reply": "any", "error": "string|null"}"#;
const AGENDA_ITEM: &str = r#"{"kind": "string", "at": "number", "reminder_id?": "int", "scheduled_message_id?": "int",
    "invite_id?": "int", "queue_id?": "string", "export_id?": "int", "path_id?": "string", "message_id?": "int",
    "user_id?": "int"}"#;
const FAULT: &str = r#"{"match?": "any", "after?": "int", "probability?": "number", "times?": "int", "effect": "any",
    "fault_id": "string", "passed": "int", "fired": "int"}"#;

const REPORTED_CLIENT: &str = r#"{"world?": "string", "label?": "string", "client": "string", "user": "string|null", "requests": "int",
    "first_at": "number", "last_at": "number", "findings": "@Finding[]"}"#;
const FINDING: &str = r#"{"rule": "string", "severity": "string(error|warning|note)", "message": "string", "count": "int",
    "first": "@FindingRequest", "last": "@FindingRequest", "why": "string", "help": "string"}"#;
pub(super) const REPORT: &str = r#"{"clients": "@ReportedClient[]", "complete": "bool"}"#;
pub(super) const FIDELITY: &str = r#"{"levels": "@FidelityLevel[]", "operations": "@OperationFidelity[]",
    "elsewhere": "@RecordedLevel[]"}"#;
const OPERATION_FIDELITY: &str = r#"{"method": "string", "path": "string", "known_by": "string(recordings|specification)",
    "recorded": "@RecordedLevel[]"}"#;
const RECORDED_LEVEL: &str = r#"{"feature_level": "int", "compared": "int", "differ": "int",
    "differences": "@FidelityDifference[]"}"#;
const FIDELITY_DIFFERENCE: &str = r#"{"kind": "string(words|setup|recording|declared|wrong)", "reason": "string",
    "assumption": "string|null", "requests": "int"}"#;
const NETWORK: &str = r#"{"user": "string|null", "profile": "string|null", "latency_ms": "int", "jitter_ms": "int",
    "bytes_per_second": "int|null", "loss": "number"}"#;
pub(super) const NETWORKS: &str = r#"{"networks": "@Network[]"}"#;
pub(super) const PREVIEWS: &str = r#"{"thumbnail_seconds": "number", "link_seconds": "number|null"}"#;
pub(super) const RATE_LIMITS: &str = r#"{"rate_limits": "@RateLimit[]"}"#;

/// The schemas of records that replies refer to, by name.
pub const RECORDS: &[(&str, &str)] = &[
    ("World", WORLD),
    ("AgendaItem", AGENDA_ITEM),
    ("JournalEntry", JOURNAL_ENTRY),
    ("Queue", QUEUE),
    ("User", USER),
    ("Channel", CHANNEL),
    ("Group", GROUP),
    ("Message", MESSAGE),
    ("Push", PUSH),
    ("PushWire", PUSH_WIRE),
    ("Webhook", WEBHOOK),
    ("Fault", FAULT),
    ("Network", NETWORK),
    ("RateLimit", r#"{"user": "string|null", "requests": "int", "seconds": "number"}"#),
    ("ControlCall", r#"{"method": "string", "path": "string", "summary": "string"}"#),
    ("ReportedClient", REPORTED_CLIENT),
    ("Finding", FINDING),
    ("FidelityLevel", r#"{"feature_level": "int", "compared": "int", "differ": "int"}"#),
    ("OperationFidelity", OPERATION_FIDELITY),
    ("RecordedLevel", RECORDED_LEVEL),
    ("FidelityDifference", FIDELITY_DIFFERENCE),
    ("FindingRequest", r#"{"journal_id": "int|null", "at": "number", "request": "string"}"#),
    ("Snapshot", r#"{"name": "string", "at": "number"}"#),
    ("Topic", r#"{"name": "string", "messages": "int", "newest": "int"}"#),
    ("ChannelPermission", r#"{"name": "string", "holders": "string", "users": "int[]"}"#),
    ("Reaction", r#"{"emoji_name": "string", "user_id": "int"}"#),
    ("Violation", r#"{"invariant": "string", "what": "string"}"#),
];

#[cfg(test)]
mod tests {
    use super::DESCRIPTIONS;
    use crate::control::openapi::control_document;
    use serde_json::Value;

    #[test]
    fn every_key_of_a_body_or_reply_is_described_and_no_other_is() {
        let document = control_document();
        let schemas = document["components"]["schemas"].as_object().expect("schemas");
        let properties = |schema: &Value| schema["properties"].as_object().cloned().unwrap_or_default();
        let is_envelope_key = |key: &str| matches!(key, "result" | "msg");
        let keys = schemas.iter().flat_map(|(name, schema)| {
            properties(schema).into_iter().map(move |(key, property)| (name, key, property))
        });

        let without_description =
            keys.filter(|(_, key, property)| !is_envelope_key(key) && !property["description"].is_string());
        let without_description: Vec<String> =
            without_description.map(|(name, key, _)| format!("{name}.{key}")).collect();
        let unused = DESCRIPTIONS.iter().flat_map(|(name, keys)| keys.keys().map(move |key| (name, key)));
        let unused = unused
            .filter(|(name, key)| !schemas.get(*name).is_some_and(|schema| properties(schema).contains_key(*key)));
        let unused: Vec<String> = unused.map(|(name, key)| format!("{name}.{key}")).collect();

        assert_eq!((without_description, unused), (Vec::<String>::new(), Vec::<String>::new()));
    }
}
