//! Messages that are pushed to users who want notifications of them, and removed once they are read.

use crate::push::pushes;
use crate::support::{TestServer, User};
use serde_json::{Value, json};

const NOW: i64 = 1_767_268_800;

/// What was pushed to a user since so many pushes, as `(kind, message or messages)`.
async fn pushes_to(server: &TestServer, user: &User, since: usize) -> Vec<(String, Value)> {
    let of_user = |push: &Value| push["user"] == user.email();
    let line = |push: &Value| {
        let payload = &push["payload"];
        let what = payload.get("message_id").or_else(|| payload.get("message_ids")).cloned().unwrap_or_default();
        (push["kind"].as_str().unwrap_or_default().to_owned(), what)
    };
    pushes(server).await.iter().skip(since).filter(|push| of_user(push)).map(line).collect()
}

fn message(id: i64) -> (String, Value) {
    ("message".to_owned(), json!(id))
}

fn removal(ids: &[i64]) -> (String, Value) {
    ("removal".to_owned(), json!(ids))
}

#[tokio::test]
async fn a_direct_message_goes_to_the_devices_and_tokens_of_those_who_receive_it() {
    let server = TestServer::start().await;
    let [mel, max] = server.users(["mel", "max"]);
    mel.post("/users/me/android_gcm_reg_id", json!({"token": "older"})).await.success();

    let id = max.send_direct(&[mel.id()], &"é".repeat(201)).await;
    mel.send_direct(&[max.id()], "Max has no active device, Mel sends it").await;

    let handed = pushes(&server).await;
    let picture = "https://secure.gravatar.com/avatar/1934e4dc6ab90ea7a756a47271353cca?v=1";
    let payload = json!({
        "type": "message",
        "realm_url": server.url(),
        "realm_name": "Chatdouble",
        "user_id": mel.id(),
        "message_id": id,
        "sender_id": max.id(),
        "sender_full_name": "Max Mercer",
        "sender_avatar_url": picture,
        "time": NOW,
        "content": format!("{}…", "é".repeat(200)),
        "recipient_type": "direct",
        "recipient_user_ids": [mel.id(), max.id()],
    });
    let push = |id: usize, to: &str, value: Value| {
        let wire = &handed[id - 1]["wire"];
        json!({"id": id, "at": NOW as f64, "user": "mel@chat.test", "kind": "message", to: value, "wire": wire, "payload": payload})
    };
    assert_eq!(handed, [push(1, "device_id", json!(1)), push(2, "token", json!("older"))]);
}

#[tokio::test]
async fn a_channel_message_is_pushed_to_those_it_mentions() {
    let server = TestServer::start().await;
    let [mel, max] = server.users(["mel", "max"]);
    mel.patch("/settings", json!({"automatically_follow_topics_where_mentioned": false})).await.success();
    max.send_to("general", "t", "For nobody").await;

    let by_name = max.send_to("general", "t", "@**Mel Marsh**").await;
    let by_group = max.send_to("general", "t", "@*engineers*").await;
    let all = max.send_to("general", "t", "@**all**").await;
    mel.send_to("general", "t", "@**all** but myself").await;

    assert_eq!(pushes_to(&server, &mel, 0).await, [message(by_name), message(by_group), message(all)]);
    let first = &pushes(&server).await[0]["payload"];
    let place = [&first["recipient_type"], &first["channel_id"], &first["channel_name"], &first["topic"]];
    assert_eq!(place, [&json!("channel"), &json!(server.channel("general")), &json!("general"), &json!("t")]);
}

#[tokio::test]
async fn an_edit_is_pushed_to_those_it_newly_mentions() {
    let server = TestServer::start().await;
    let [mel, max] = server.users(["mel", "max"]);
    let id = max.send_to("general", "t", "one").await;
    let edit = async |content: &str| {
        max.patch(&format!("/messages/{id}"), json!({ "content": content })).await.success();
    };

    edit("two").await;
    assert_eq!(pushes_to(&server, &mel, 0).await, []);
    edit("three for @**Mel Marsh**").await;
    edit("four for @**Mel Marsh** and @**all**").await;
    assert_eq!(pushes_to(&server, &mel, 0).await, [message(id)]);
    mel.post("/messages/flags", json!({"messages": [id], "op": "add", "flag": "read"})).await.success();
    edit("five").await;
    edit("six for @**Mel Marsh**").await;

    assert_eq!(pushes_to(&server, &mel, 0).await, [message(id), removal(&[id])], "what is read is not pushed again");
}

#[tokio::test]
async fn settings_decide_what_is_pushed() {
    let server = TestServer::start().await;
    let [mel, max] = server.users(["mel", "max"]);
    let engineering = server.channel("engineering");
    let set = async |params: Value| _ = mel.patch("/settings", params).await.success();
    let channel = async |property: &str, value: Value| {
        let params = json!({"subscription_data": [{"stream_id": engineering, "property": property, "value": value}]});
        mel.post("/users/me/subscriptions/properties", params).await.success();
    };
    let topic = async |policy: i64| {
        let params = json!({"stream_id": engineering, "topic": "t", "visibility_policy": policy});
        mel.post("/user_topics", params).await.success();
    };
    // What is pushed of an ordinary message, a wildcard mention, a personal one and a direct message.
    let pushed = async || {
        let before = pushes(&server).await.len();
        let mut sent = Vec::new();
        for content in ["plain", "@**all**", "@**Mel Marsh**"] {
            sent.push(max.send_to("engineering", "t", content).await);
        }
        sent.push(max.send_direct(&[mel.id()], "direct").await);
        let received = pushes_to(&server, &mel, before).await;
        sent.into_iter().map(|id| received.contains(&message(id))).collect::<Vec<_>>()
    };

    set(json!({"automatically_follow_topics_where_mentioned": false})).await;
    channel("push_notifications", json!(false)).await;
    assert_eq!(pushed().await, [false, true, true, true]);
    channel("push_notifications", json!(true)).await;
    assert_eq!(pushed().await, [true, true, true, true]);
    topic(1).await;
    assert_eq!(pushed().await, [false, false, true, true], "the topic is muted");
    channel("push_notifications", json!(false)).await;
    topic(3).await;
    assert_eq!(pushed().await, [true, true, true, true], "the topic is followed");
    set(json!({"enable_followed_topic_push_notifications": false})).await;
    assert_eq!(pushed().await, [false, true, true, true]);
    topic(0).await;
    channel("wildcard_mentions_notify", json!(false)).await;
    assert_eq!(pushed().await, [false, false, true, true]);
    set(json!({"enable_offline_push_notifications": false})).await;
    assert_eq!(pushed().await, [false, false, false, false]);
    set(json!({"enable_offline_push_notifications": true, "enable_online_push_notifications": false})).await;
    mel.post("/users/me/presence", json!({"status": "active", "new_user_input": true})).await.success();
    assert_eq!(pushed().await, [false, false, true, true], "no client receives messages");
    mel.register(json!({"event_types": ["reaction"]})).await;
    assert_eq!(pushed().await, [false, false, true, true], "the client receives no messages");
    mel.register(json!({"event_types": ["message"]})).await;
    assert_eq!(pushed().await, [false, false, false, false], "the user is there");
    server.advance(201).await;
    assert_eq!(pushed().await, [false, false, true, true], "and is there no more");
    mel.post(&format!("/users/me/muted_users/{}", max.id()), json!({})).await.success();
    assert_eq!(pushed().await, [false, false, false, false], "the sender is muted");
}

#[tokio::test]
async fn what_was_held_back_is_pushed_when_the_last_queue_ends() {
    let server = TestServer::start().await;
    let [mel, max] = server.users(["mel", "max"]);
    mel.patch("/settings", json!({"enable_online_push_notifications": false})).await.success();
    let go_online = async || {
        mel.post("/users/me/presence", json!({"status": "active", "new_user_input": true})).await.success();
        mel.register(json!({"event_types": ["message"]})).await
    };
    let direct = async |content: &str| max.send_direct(&[mel.id()], content).await;

    let queue = go_online().await;
    direct("Seen by the client").await;
    for last_event_id in [-1, 0] {
        let poll = json!({"queue_id": queue.id, "last_event_id": last_event_id, "dont_block": true});
        mel.get("/events", poll).await.success();
    }
    let left = direct("Left in the queue").await;
    let read = direct("Read elsewhere").await;
    let deleted = direct("Deleted").await;
    mel.post("/messages/flags", json!({"messages": [read], "op": "add", "flag": "read"})).await.success();
    max.delete(&format!("/messages/{deleted}"), json!({})).await.success();
    server.advance(599).await;
    assert_eq!(pushes_to(&server, &mel, 0).await, [], "the queue may still be read");
    let pushed_at_once = direct("Mel is away by now").await;
    assert_eq!(pushes_to(&server, &mel, 0).await, [message(pushed_at_once)]);
    server.advance(2).await;
    assert_eq!(pushes_to(&server, &mel, 1).await, [message(left)], "each message is pushed once");

    let before = pushes(&server).await.len();
    let queue = go_online().await;
    let edited = direct("First").await;
    max.patch(&format!("/messages/{edited}"), json!({"content": "Second"})).await.success();
    mel.delete("/events", json!({"queue_id": queue.id})).await.success();
    assert_eq!(pushes_to(&server, &mel, before).await, [message(edited)]);
    assert_eq!(pushes(&server).await[before]["payload"]["content"], "Second");

    // A queue without messages is a client too, and none of them is left in it.
    let before = pushes(&server).await.len();
    let queue = go_online().await;
    let other = mel.register(json!({"event_types": ["reaction"]})).await;
    direct("Never pushed").await;
    mel.delete("/events", json!({"queue_id": queue.id})).await.success();
    mel.delete("/events", json!({"queue_id": other.id})).await.success();
    assert_eq!(pushes_to(&server, &mel, before).await, []);
}

#[tokio::test]
async fn what_was_read_or_deleted_is_taken_back() {
    let server = TestServer::start().await;
    let [mel, max] = server.users(["mel", "max"]);
    let mention = async || max.send_to("engineering", "builds", "@**Mel Marsh**").await;
    let (read, deleted, left) = (mention().await, mention().await, mention().await);
    let last = max.send_direct(&[mel.id()], "Hello").await;
    let before = pushes(&server).await.len();

    let flags = json!({"messages": [read], "op": "add", "flag": "read"});
    mel.post("/messages/flags", flags).await.success();
    max.delete(&format!("/messages/{deleted}"), json!({})).await.success();
    mel.delete("/users/me/subscriptions", json!({"subscriptions": ["engineering"]})).await.success();
    mel.post("/mark_all_as_read", json!({})).await.success();
    mel.post("/mark_all_as_read", json!({})).await.success();

    let removals = [removal(&[read]), removal(&[deleted]), removal(&[left]), removal(&[last])];
    assert_eq!(pushes_to(&server, &mel, before).await, removals);
    let payload = pushes(&server).await.pop().map(|push| push["payload"].clone());
    let expected = json!({
        "type": "remove",
        "realm_url": server.url(),
        "realm_name": "Chatdouble",
        "user_id": mel.id(),
        "message_ids": [last],
    });
    assert_eq!(payload, Some(expected));
}

#[tokio::test]
async fn without_push_or_devices_nothing_is_pushed() {
    let server = TestServer::start().await;
    let [mel, max] = server.users(["mel", "max"]);
    let set = |name: &'static str, value: bool| {
        server.arrange(|tx| {
            let organization = std::sync::Arc::make_mut(&mut tx.realm_mut().organization);
            organization.settings.insert(name, value.into());
        });
    };

    set("push_notifications_enabled", false);
    max.send_direct(&[mel.id()], "Unheard").await;
    assert!(pushes(&server).await.is_empty());
    set("push_notifications_enabled", true);
    mel.post("/remove_client_device", json!({"device_id": 1})).await.success();
    max.send_direct(&[mel.id()], "Unheard").await;
    assert!(pushes(&server).await.is_empty());

    // Where the organization wants encryption, a token of the older kind receives nothing.
    set("require_e2ee_push_notifications", true);
    mel.post("/users/me/android_gcm_reg_id", json!({"token": "older"})).await.success();
    max.send_direct(&[mel.id()], "Secret").await;
    assert!(pushes(&server).await.is_empty());
}
