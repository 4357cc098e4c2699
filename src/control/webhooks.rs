//! The call that lists the requests of outgoing webhooks and their replies.

use crate::world::{WebhookAttempt, World};
use serde_json::{Value, json};

/// Lists the requests, newest last.
pub fn list(world: &World) -> Value {
    let attempts = world.webhook_attempts();
    json!({"webhooks": attempts.iter().map(|attempt| attempt_to_json(attempt)).collect::<Vec<_>>()})
}

fn attempt_to_json(attempt: &WebhookAttempt) -> Value {
    json!({
        "id": attempt.id,
        "at": attempt.at.fractional_seconds(),
        "user": attempt.user,
        "url": attempt.url,
        "body": attempt.body,
        "status": attempt.status,
        "reply": attempt.reply,
        "error": attempt.error,
    })
}
