//! The call that lists the requests of outgoing webhooks and their replies.

use crate::world::{WebhookEntry, World};
use serde_json::{Value, json};

/// Lists the recorded attempts, newest last.
pub fn list(world: &World) -> Value {
    let entries = world.webhook_entries();
    json!({"webhooks": entries.iter().map(|entry| record(entry)).collect::<Vec<_>>()})
}

pub(super) fn record(entry: &WebhookEntry) -> Value {
    json!({
        "id": entry.id,
        "at": entry.at.fractional_seconds(),
        "user": entry.user,
        "url": entry.url,
        "body": entry.body,
        "status": entry.status,
        "reply": entry.reply,
        "error": entry.error,
    })
}
