//! Muted users, and what is unread of them.

use crate::support::{TestServer, User};
use serde_json::{Value, json};

#[tokio::test]
async fn users_are_muted_once_and_unmuted_once() {
    let server = TestServer::start().await;
    let [mel, max, bot] = server.users(["mel", "max", "build-bot"]);
    let (mut at_mel, mut at_max) = (mel.events(["muted_users"]).await, max.events(["muted_users"]).await);
    let path = |id: i64| format!("/users/me/muted_users/{id}");

    mel.post(&path(max.id()), json!({})).await.is(json!({}));
    mel.post(&path(max.id()), json!({})).await.error("BAD_REQUEST", "User already muted");
    mel.post(&path(mel.id()), json!({})).await.error("BAD_REQUEST", "Cannot mute self");
    mel.post(&path(999), json!({})).await.error("BAD_REQUEST", "No such user");
    mel.post(&path(bot.id()), json!({})).await.is(json!({}));
    mel.delete(&path(max.id()), json!({})).await.is(json!({}));
    mel.delete(&path(max.id()), json!({})).await.error("BAD_REQUEST", "User is not muted");
    mel.delete(&path(999), json!({})).await.error("BAD_REQUEST", "No such user");

    let muted = |users: &[&User]| {
        let users: Vec<Value> = users.iter().map(|user| json!({"id": user.id(), "timestamp": 1_767_268_800})).collect();
        json!({"type": "muted_users", "muted_users": users})
    };
    at_mel.next().await.is(muted(&[&max]));
    at_mel.next().await.is(muted(&[&max, &bot]));
    at_mel.next().await.is(muted(&[&bot]));
    at_mel.none().await;
    at_max.none().await;
}

#[tokio::test]
async fn what_was_unread_of_a_muted_user_is_read() {
    let server = TestServer::start().await;
    let [mel, max, mona] = server.users(["mel", "max", "mona"]);
    let in_channel = max.send_to("general", "t", "one").await;
    let direct = max.send_direct(&[mel.id()], "two").await;
    let of_mona = mona.send_to("general", "t", "three").await;
    let earlier = server.message("It is green now");
    let mut queue = mel.events(["muted_users", "update_message_flags"]).await;

    mel.post(&format!("/users/me/muted_users/{}", max.id()), json!({})).await.is(json!({}));

    let event = queue.next().await.has(json!({"type": "update_message_flags", "op": "add", "flag": "read"}));
    queue.next().await.has(json!({"type": "muted_users"}));
    let read: Vec<_> = event["messages"].as_array().into_iter().flatten().filter_map(Value::as_i64).collect();
    assert!([in_channel, direct, earlier].iter().all(|id| read.contains(id)) && !read.contains(&of_mona), "{event}");
    queue.none().await;
}

#[tokio::test]
async fn what_a_muted_user_sends_is_read_from_the_beginning() {
    let server = TestServer::start().await;
    let [mel, max, adam] = server.users(["mel", "max", "adam"]);
    let muting = format!("/users/me/muted_users/{}", max.id());
    mel.post(&muting, json!({})).await.success();
    let (mut at_mel, mut at_adam) = (mel.events(["message"]).await, adam.events(["message"]).await);
    let params = json!({"event_types": ["message"], "narrow": [["is", "unread"]]});
    let mut unread_at_mel = mel.register(params).await;
    let unread = async || {
        let state = mel.register(json!({"fetch_event_types": ["message", "update_message_flags"]})).await.state;
        state["unread_msgs"].clone()
    };
    let before = unread().await;

    let in_channel = max.send_to("general", "t", "@**Mel Marsh** one").await;
    let direct = max.send_direct(&[mel.id(), adam.id()], "two").await;

    at_mel.next().await.has(json!({"type": "message", "flags": ["read", "mentioned"]}));
    at_mel.next().await.has(json!({"type": "message", "flags": ["read"]}));
    at_adam.next().await.has(json!({"type": "message", "flags": []}));
    at_adam.next().await.has(json!({"type": "message", "flags": []}));
    assert_eq!(unread().await, before);
    for (id, flags) in [(in_channel, json!(["read", "mentioned"])), (direct, json!(["read"]))] {
        let reply = mel.get(&format!("/messages/{id}"), json!({})).await.success();
        assert_eq!(reply["message"]["flags"], flags);
    }
    mel.delete(&muting, json!({})).await.success();
    let id = max.send_to("general", "t", "three").await;
    at_mel.next().await.has(json!({"type": "message", "flags": []}));
    unread_at_mel.next().await.has(json!({"type": "message", "message": {"id": id}}));
    unread_at_mel.none().await;
}
