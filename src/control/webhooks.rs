//! The call that lists the requests of outgoing webhooks and their replies.

use crate::world::{WebhookEntry, World};
use serde_json::{Value, json};

/// Lists the requests, newest last.
pub fn list(world: &World) -> Value {
    let entries = world.webhook_entries();
    json!({"webhooks": entries.iter().map(|entry| entry_to_json(entry)).collect::<Vec<_>>()})
}

fn entry_to_json(entry: &WebhookEntry) -> Value {
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
