//! What incoming webhooks take: a key in the address, and a body that its service makes.

use serde_json::{Value, json};

/// The key of a bot, as a way to log in.
pub(super) fn security() -> Value {
    json!({"type": "apiKey", "in": "query", "name": "api_key", "description": "A bot's API key."})
}

/// What clients of Slack learn of a refusal.
pub(super) fn refusal() -> Value {
    let properties = json!({"ok": {"const": false}, "error": {"type": "string"}});
    json!({"type": "object", "properties": properties, "required": ["ok", "error"], "additionalProperties": false})
}

/// What a service delivers: any JSON, or a form that has it.
pub(super) fn body() -> Value {
    let form = json!({"type": "object", "properties": {"payload": {"type": "string", "description": "JSON."}}});
    json!({
        "required": false,
        "content": {
            "application/json": {"schema": {"description": "What the service sends."}},
            "application/x-www-form-urlencoded": {"schema": form},
        },
    })
}
