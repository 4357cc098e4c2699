//! A world's whole state, out and in through control.

use crate::control::Control;
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

/// The numbers of the newest messages, oldest first, with their recipients in the state.
fn newest_recipients(state: &Value, count: usize) -> Vec<Value> {
    let messages = state["realm"]["messages"].as_object().expect("messages by number");
    let newest = messages.values().skip(messages.len() - count);
    newest.map(|message| message["recipients"].clone()).collect()
}

#[tokio::test]
async fn messages_to_the_same_people_say_so_instead_of_naming_them_again() {
    let server = TestServer::start().await;
    let [mel, max, olive] = server.users(["mel", "max", "olive"]);
    let first = mel.send_to("design", "same", "to all").await;
    max.send_to("design", "other", "to all").await;
    mel.send_direct(&[olive.id(), max.id()], "to three").await;
    let direct = max.send_direct(&[mel.id(), olive.id()], "to three").await;

    let kept = state(&server, "default").await;

    let recipients = newest_recipients(&kept, 4);
    let named = |id: i64| kept["realm"]["messages"][id.to_string()]["recipients"].clone();
    assert_eq!(recipients[1], if named(first).is_number() { named(first) } else { json!(first) });
    assert_eq!(recipients[3], json!(direct - 1));
    control(&server, "PUT", "worlds/default/state", &kept).await.success();
    assert_eq!(state(&server, "default").await, kept);
    let realm = server.server().world("default").snapshot();
    let newest: Vec<_> = realm.messages.values().rev().take(2).collect();
    assert!(newest[0].recipients.ptr_eq(&newest[1].recipients), "they are shared again");
}

#[tokio::test]
async fn a_state_that_names_all_recipients_of_every_message_is_read_too() {
    let server = TestServer::start().await;
    server.user("mel").send_to("design", "same", "to all").await;
    let kept = state(&server, "default").await;
    let mut older = kept.clone();
    let realm = server.server().world("default").snapshot();
    for (id, message) in &realm.messages {
        older["realm"]["messages"][id.to_string()]["recipients"] = json!(message.recipients);
    }

    control(&server, "PUT", "worlds/default/state", &older).await.success();

    assert_eq!(state(&server, "default").await, kept);
}

#[tokio::test]
async fn a_channel_without_a_first_message_has_none_when_its_state_is_read() {
    let server = TestServer::start().await;
    let adam = server.user("adam");
    adam.post("/users/me/subscriptions", json!({"subscriptions": [{"name": "empty"}]})).await.success();
    let channel = server.channel("empty");
    let created = adam.get(&format!("/streams/{channel}"), json!({})).await.success();
    adam.delete(&format!("/messages/{}", created["stream"]["first_message_id"]), json!({})).await.success();
    let id = adam.send_to("general", "moves", "to an empty channel").await;
    let place = json!({"stream_id": channel, "send_notification_to_new_thread": false});
    adam.patch(&format!("/messages/{id}"), place).await.success();
    let moved = state(&server, "default").await;
    assert_eq!(moved["realm"]["channels"][channel.to_string()]["first_message"], json!(null));

    control(&server, "PUT", "worlds/default/state", &moved).await.success();

    assert_eq!(state(&server, "default").await, moved);
}

#[tokio::test]
async fn a_state_that_breaks_an_invariant_is_refused_by_its_name_and_changes_nothing() {
    let server = TestServer::start().await;
    let kept = state(&server, "default").await;
    let permission = "/realm/groups/5/permissions/can_add_members_group";
    for (pointer, value, invariant) in [
        (permission, json!(999), "permissions-are-complete: group 5 does not say who holds can_add_members_group"),
        ("/realm/blobs", json!({}), "blobs-are-kept: "),
        ("/realm/channels/2/name", kept["realm"]["channels"]["1"]["name"].clone(), "channels-by-name: "),
        ("/realm/messages/3/id", json!(-1), "messages-are-of-users: message 3 says that it is -1"),
        ("/realm/messages/3/id", json!(4), "messages-are-of-users: message 3 says that it is 4"),
    ] {
        let mut broken = kept.clone();
        *broken.pointer_mut(pointer).expect("it is there") = value;
        control(&server, "PUT", "worlds/default/state", &broken)
            .await
            .refused(&format!("$.realm: breaks the invariant {invariant}"));
        let made = json!({"name": "broken", "fixture": broken});
        control(&server, "POST", "worlds", &made)
            .await
            .refused(&format!("$.fixture.realm: breaks the invariant {invariant}"));
    }
    assert_eq!(state(&server, "default").await, kept);
    assert_eq!(control(&server, "GET", "health", &Value::Null).await.success()["worlds"], 1);
}

#[tokio::test]
async fn documents_may_be_larger_than_other_bodies() {
    let server = TestServer::start().await;
    let kept = state(&server, "default").await;
    let large = |body: &Value| [body.to_string().into_bytes(), vec![b' '; 33 * 1024 * 1024]].concat();
    let send = async |method: &str, path: &str, body: &Value| {
        let kind = Some("application/json");
        server.anonymous().send(method, &format!("/control/{path}"), &Value::Null, large(body), kind).await
    };

    for path in ["worlds/default/state", "worlds/default/st%61te"] {
        send("PUT", path, &kept).await.success();
    }
    send("POST", "worlds", &json!({"name": "copy", "fixture": kept})).await.success();

    assert_eq!(state(&server, "copy").await, kept);
    for (method, path) in [("POST", "worlds/default/clock"), ("DELETE", "worlds/copy")] {
        let reply = send(method, path, &json!({})).await.with_status(413);
        reply.error("BAD_REQUEST", "Request body is larger than the allowed limit of 32 MiB");
    }
}

#[tokio::test]
async fn only_those_who_may_steer_send_large_documents() {
    let server = TestServer::start_with(|options| options.control_token = Some("secret".into())).await;
    let body = vec![b' '; 33 * 1024 * 1024];

    let reply = server.anonymous().send("POST", "/control/worlds", &Value::Null, body, None).await;

    assert_eq!(reply.status, 413, "it is not even read");
}

#[tokio::test]
async fn the_latest_times_come_out_as_they_were_taken() {
    let server = TestServer::start().await;
    let mel = server.user("mel");
    let far = 253_402_207_200_i64;
    mel.post("/reminders", json!({"scheduled_delivery_timestamp": far, "note": "x"})).await.success();
    let general = server.channel("general");
    let later = json!({
        "type": "channel", "to": general, "topic": "t", "content": "x", "scheduled_delivery_timestamp": far,
    });
    mel.post("/scheduled_messages", later).await.success();
    let draft = json!({"type": "", "to": [], "topic": "", "content": "x", "timestamp": far});
    mel.post("/drafts", json!({ "drafts": [draft] })).await.success();
    let link = json!({"invite_expires_in_minutes": i64::MAX});
    server.user("olive").post("/invites/multiuse", link).await.success();
    let shown = async || {
        let mut shown = Vec::new();
        for path in ["/reminders", "/scheduled_messages", "/drafts"] {
            shown.push(mel.get(path, json!({})).await.success());
        }
        shown.push(server.user("olive").get("/invites", json!({})).await.success());
        shown
    };
    let before = shown().await;
    let kept = state(&server, "default").await;

    control(&server, "PUT", "worlds/default/state", &kept).await.success();

    assert_eq!(shown().await, before);
    assert_eq!(before[0]["reminders"][1]["scheduled_delivery_timestamp"], far);
}

#[tokio::test]
async fn what_is_wrong_with_a_document_is_said_in_little_time_and_space() {
    let server = TestServer::start().await;
    let long = "k".repeat(8 * 1024 * 1024);
    let people: Vec<Value> = (0..300_000).map(|_| json!({"handle": 7})).collect();
    let strangers: Vec<Value> =
        (0..50_000).map(|index| json!({"handle": format!("h{index}"), "full_name": "N", "role": "x"})).collect();
    let unknown: Vec<String> = (0..100_000).map(|index| format!("nobody {index}")).collect();
    let channel = json!({"users": [], "channels": [{"name": "c", "subscribers": unknown}]});
    let doubled = format!("{{{}\"a\":1}}", "\"a\":1,".repeat(500_000));
    for (what, body) in [
        ("a key", json!({long.as_str(): 1}).to_string()),
        ("a key inside", json!({"organization": {long.as_str(): 1}}).to_string()),
        ("a value", json!({"users": long}).to_string()),
        ("a name", json!({"channels": [{"name": "c", "subscribers": [long]}]}).to_string()),
        ("people", json!({"users": people}).to_string()),
        ("roles", json!({"users": strangers}).to_string()),
        ("messages", format!("{{\"messages\": [{}0]}}", "0,".repeat(1_000_000))),
        ("subscribers", channel.to_string()),
        ("keys that are twice", doubled),
    ] {
        for (method, path, body) in
            [("PUT", "/worlds/default/state", body.clone()), ("POST", "/worlds", format!("{{\"fixture\": {body}}}"))]
        {
            let begun = std::time::Instant::now();
            let reply = Control::of(&server).send(method, path, body.into_bytes()).await.with_status(400);
            assert!(reply.bytes.len() < 300_000, "{what}: {} bytes", reply.bytes.len());
            assert!(begun.elapsed().as_secs() < 12, "{what}: {:?}", begun.elapsed());
            let message = reply.body["msg"].as_str().unwrap_or_default().to_owned();
            let faults = message.split("; $").count();
            assert!(faults <= 101, "{what}: {faults} faults");
            if faults > 100 {
                assert!(message.ends_with("; only the first 100 mistakes are listed"), "{what}: {message}");
            }
        }
    }
}
