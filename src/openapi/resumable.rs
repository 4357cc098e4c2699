//! The parts of the OpenAPI document about resumable uploads: their paths, and the response of a refusal.

use serde_json::{Map, Value, json};

/// Reads the paths from a file that is written by hand, because the protocol differs from that of the other operations.
pub(super) fn paths() -> Map<String, Value> {
    serde_json::from_str(include_str!("resumable.json")).expect("it has paths, as a test checks")
}

pub(super) fn refusal() -> Value {
    let schema = json!({"type": "object", "properties": {"message": {"type": "string"}}, "required": ["message"]});
    json!({
        "description": "Refused; the bytes that arrived before are kept.",
        "content": {"application/json": {"schema": schema}},
    })
}
