//! A world's whole state, out and in through control.

use crate::support::{Reply, TestServer, User};
use serde_json::{Value, json};

async fn control(server: &TestServer, method: &str, path: &str, body: &Value) -> Reply {
    let bytes = if body.is_null() { Vec::new() } else { body.to_string().into_bytes() };
    server.anonymous().send(method, &format!("/control/{path}"), &Value::Null, bytes, Some("application/json")).await
}

async fn state(server: &TestServer, world: &str) -> Value {
    control(server, "GET", &format!("worlds/{world}/state"), &Value::Null).await.success()["state"].clone()
}

#[tokio::test]
async fn two_looks_without_a_change_between_are_the_same_bytes() {
    let server = TestServer::start().await;

    let first = control(&server, "GET", "worlds/default/state", &Value::Null).await.bytes;
    server.user("mel").get("/users/me", json!({})).await.success();
    let second = control(&server, "GET", "worlds/default/state", &Value::Null).await.bytes;

    assert!(first == second);
}

#[tokio::test]
async fn what_was_put_in_is_what_comes_out_and_works() {
    let server = TestServer::start().await;
    let [mel, max] = server.users(["mel", "max"]);
    let uploaded = mel.upload("/user_uploads", "note.txt", "text/plain", b"hello").await.success();
    let id =
        mel.send_to("general", "kept", &format!("[note]({})", uploaded["url"].as_str().expect("an address"))).await;
    let kept = state(&server, "default").await;
    mel.delete(&format!("/messages/{id}"), json!({})).await.success();
    let queue = max.events(["message"]).await;

    control(&server, "PUT", "worlds/default/state", &kept).await.success();

    assert_eq!(state(&server, "default").await, kept);
    mel.get(&format!("/messages/{id}"), json!({})).await.success();
    assert_eq!(mel.get(uploaded["url"].as_str().expect("an address"), json!({})).await.bytes, b"hello");
    let poll = json!({"queue_id": queue.id, "last_event_id": -1, "dont_block": true});
    max.get("/events", poll).await.error("BAD_EVENT_QUEUE_ID", &format!("Bad event queue ID: {}", queue.id));
    let next = mel.send_to("general", "kept", "after").await;
    assert_eq!(next, id + 1, "the counters are where they were");
}

#[tokio::test]
async fn a_new_world_can_be_made_from_a_state() {
    let server = TestServer::start().await;
    let id = server.user("mel").send_to("general", "kept", "before").await;
    let kept = state(&server, "default").await;

    let made = control(&server, "POST", "worlds", &json!({"name": "copy", "fixture": kept})).await.success();

    let there = User::new(made["url"].as_str().expect("an address").to_owned(), Some(server.server().user("mel")));
    assert_eq!(there.get(&format!("/messages/{id}"), json!({})).await.success()["raw_content"], "before");
    assert_eq!(state(&server, "copy").await, kept);
}

#[tokio::test]
async fn a_broken_state_is_refused_with_its_fault_and_changes_nothing() {
    let server = TestServer::start().await;
    let kept = state(&server, "default").await;
    let mut broken = kept.clone();
    broken["realm"]["messages"]["3"]["sender"] = json!(999);

    let reply = control(&server, "PUT", "worlds/default/state", &broken).await;
    reply.error("BAD_REQUEST", "$.realm.messages.3: names a user that does not exist");
    broken["realm"]["messages"] = json!(5);
    let reply = control(&server, "PUT", "worlds/default/state", &broken).await.with_status(400);
    assert!(reply.body["msg"].as_str().is_some_and(|message| message.starts_with("$.realm.messages: ")), "{reply}");
    assert_eq!(state(&server, "default").await, kept);
}
