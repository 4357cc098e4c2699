//! Resumable uploads in the document.

use serde_json::{Map, Value, json};

/// Resumable uploads have a protocol of their own, and are in no table.
pub(super) fn paths() -> Map<String, Value> {
    serde_json::from_str(include_str!("resumable.json")).expect("a document of paths, as the tests read it")
}

/// What that protocol's refusals say.
pub(super) fn refusal() -> Value {
    let schema = json!({"type": "object", "properties": {"message": {"type": "string"}}, "required": ["message"]});
    json!({
        "description": "Refused; the bytes that arrived before are kept.",
        "content": {"application/json": {"schema": schema}},
    })
}
