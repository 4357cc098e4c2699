//! The parts of a reply that are compared.

use crate::scenario::client::HttpReply;
use serde_json::{Value, json};

/// The status of a reply, with the message of a refusal, or with the type of a body that is not JSON.
pub fn status_and_message(reply: &HttpReply) -> String {
    let message = reply.body["msg"].as_str().or_else(|| content_type_unless_json(reply)).unwrap_or_default();
    format!("{} {message}", reply.status)
}

/// The JSON body of a reply, or only the content type if the body is not JSON.
pub fn json_body(reply: &HttpReply) -> Value {
    match content_type_unless_json(reply) {
        Some(content_type) => json!({ "content-type": content_type }),
        None => reply.body.clone(),
    }
}

/// The content type of a body that is not JSON; None for JSON and for an empty body.
fn content_type_unless_json(reply: &HttpReply) -> Option<&str> {
    let is_not_json = reply.body.is_null() && !reply.bytes.is_empty();
    let content_type = reply.headers.get("content-type").and_then(|value| value.to_str().ok());
    let content_type = content_type.unwrap_or_default().split(';').next();
    content_type.filter(|_| is_not_json)
}
