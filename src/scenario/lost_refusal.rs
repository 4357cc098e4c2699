//! The refusal of a request whose reply was lost: a scenario that expects no reply does not see it.

use super::stage::{Stage, World};
use serde_json::Value;

/// Returns a clause about the newest request that was refused and whose reply a fault dropped; empty if there is none,
/// or if the server has no control.
pub async fn describe_lost_refusal(stage: &Stage, world: &World) -> String {
    let Some(control_url) = &world.control_url else { return String::new() };
    let journal_reply = stage.call_control("GET", &format!("{control_url}/journal?status=0&limit=20"), None).await;
    let Ok(journal_reply) = journal_reply else { return String::new() };
    let entries = journal_reply.body["entries"].as_array().map_or(&[][..], Vec::as_slice);
    let is_refused = |entry: &&Value| entry["path"] != "/events" && entry["reply"]["result"] == "error";
    entries.iter().rfind(is_refused).map(describe_refusal).unwrap_or_default()
}

fn describe_refusal(entry: &Value) -> String {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let [method, path] = ["method", "path"].map(|key| text(&entry[key]));
    let [code, msg] = ["code", "msg"].map(|key| text(&entry["reply"][key]));
    let hint = entry["hint"].as_str().map(|hint| format!(" ({hint})")).unwrap_or_default();
    format!("; {method} {path}, whose reply was lost, was refused: {code} {msg}{hint}")
}
