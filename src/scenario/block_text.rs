//! The text of blocks that expect what came from a server, to insert into a scenario file.

use super::client::HttpReply;
use super::json_text::format_json;
use serde_json::Value;

/// A `reply` block that expects this reply: its status, and its body if that is JSON.
pub fn reply_block(reply: &HttpReply) -> String {
    let body = match &reply.body {
        Value::Null => String::new(),
        body => format!("{}\n", format_json(body, 0)),
    };
    format!("```reply {}\n{body}```\n", reply.status)
}

/// An `event` block that expects this event, without its ID, which depends on the previous events of the queue.
pub fn event_block(label: &str, event: &Value) -> String {
    let mut event = event.clone();
    if let Some(event) = event.as_object_mut() {
        event.shift_remove("id");
    }
    format!("```event {label}\n{}\n```\n", format_json(&event, 0))
}
