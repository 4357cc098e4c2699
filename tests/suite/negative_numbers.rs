//! Numbers below zero where none can be.

use crate::support::TestServer;
use serde_json::json;

#[tokio::test]
async fn numbers_that_are_never_negative_are_refused_as_too_small() {
    let server = TestServer::start().await;
    let mel = server.user("mel");
    let mut queue = mel.events(["update_message_flags", "reminders", "presence"]).await;
    let id = server.message("It is green now");

    for (method, path, params, place) in [
        ("POST", "/messages/flags", json!({"messages": [id, -1], "op": "add", "flag": "starred"}), "messages[1]"),
        ("GET", "/messages", json!({"message_ids": [-1]}), "message_ids[0]"),
        ("GET", "/messages/matches_narrow", json!({"msg_ids": [-1], "narrow": []}), "msg_ids[0]"),
        ("POST", "/reminders", json!({"message_id": -1}), "message_id"),
        ("POST", "/submessage", json!({"message_id": -1, "msg_type": "widget", "content": "{}"}), "message_id"),
    ] {
        let reply = if method == "GET" { mel.get(path, params).await } else { mel.post(path, params).await };
        reply.with_status(400).error("BAD_REQUEST", &format!("{place} is too small"));
    }
    queue.none().await;
}
