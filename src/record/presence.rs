//! Presence as clients see it: by user id in the modern form, by API address in the legacy one.

use crate::realm::Realm;
use crate::realm::personal::Presence;
use crate::realm::queue::Queue;
use crate::realm::user::User;
use crate::time::{Span, Timestamp};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value, json};

/// A client in use this long ago still counts as active.
const STILL_ACTIVE: Span = Span::seconds(70);

/// Presence in the modern form; UNIX seconds.
#[derive(Clone, Copy, Debug, Serialize, JsonSchema)]
pub struct PresenceRecord {
    /// Last used a client.
    pub active_timestamp: i64,
    /// Last had one open.
    pub idle_timestamp: i64,
}

impl PresenceRecord {
    /// Presence; what is not known is the time of joining.
    pub fn new(user: &User, presence: Presence) -> Self {
        let or_joined = |at: Option<Timestamp>| at.unwrap_or(user.date_joined).seconds();
        Self { active_timestamp: or_joined(presence.active_at), idle_timestamp: or_joined(presence.connected_at) }
    }
}

/// `active` or `idle`, and as of when, as the legacy form has it.
pub fn legacy_status(user: &User, presence: Presence) -> (&'static str, i64) {
    let connected = presence.connected_at.unwrap_or(user.date_joined);
    let is_active = presence.active_at.is_some_and(|active| connected.since(active) <= STILL_ACTIVE);
    (if is_active { "active" } else { "idle" }, connected.seconds())
}

/// Presence in the legacy form.
pub fn legacy(user: &User, presence: Presence) -> Value {
    let (status, timestamp) = legacy_status(user, presence);
    json!({
        "aggregated": {"client": "website", "status": status, "timestamp": timestamp},
        "website": {"client": "website", "status": status, "timestamp": timestamp, "pushable": false},
    })
}

/// The fields of a `presence` event.
pub fn event(realm: &Realm, queue: &Queue, user: &User, presence: Presence, now: Timestamp) -> Map<String, Value> {
    let options = &queue.options;
    let fields = if options.capabilities.simplified_presence_events {
        let id = user.id.to_string();
        json!({"presences": {id: PresenceRecord::new(user, presence)}})
    } else {
        let (status, timestamp) = legacy_status(user, presence);
        let website = json!({"client": "website", "status": status, "timestamp": timestamp, "pushable": false});
        let mut fields = json!({
            "user_id": user.id,
            "server_timestamp": now.fractional_seconds(),
            "presence": {"website": website},
        });
        if !options.slim_presence {
            fields["email"] = realm.api_email(user).into();
        }
        fields
    };
    match fields {
        Value::Object(fields) => fields,
        _ => Map::new(),
    }
}
