//! The parts of the document for incoming webhooks: the key in the query string, the payload and the refusals.

use serde_json::{Value, json};

/// The bot's API key in the query string.
pub(super) fn security_scheme() -> Value {
    json!({"type": "apiKey", "in": "query", "name": "api_key", "description": "A bot's API key."})
}

/// The schema of a refusal in the format of Slack.
pub(super) fn refusal_schema() -> Value {
    let properties = json!({"ok": {"const": false}, "error": {"type": "string"}});
    json!({"type": "object", "properties": properties, "required": ["ok", "error"], "additionalProperties": false})
}

/// The request body: any JSON, or a form with JSON in the field `payload`. It may be missing.
pub(super) fn request_body() -> Value {
    let form = json!({"type": "object", "properties": {"payload": {"type": "string", "description": "JSON."}}});
    json!({
        "required": false,
        "content": {
            "application/json": {"schema": {"description": "What the service sends."}},
            "application/x-www-form-urlencoded": {"schema": form},
        },
    })
}
