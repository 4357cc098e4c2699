//! Typing: which users learn that a user is writing or editing.

use crate::support::{TestServer, User};
use serde_json::{Value, json};

async fn set(user: &User, setting: &str, value: bool) {
    user.patch("/settings", json!({setting: value})).await.success();
}

fn person(user: &User) -> Value {
    json!({"user_id": user.id(), "email": user.email()})
}

#[tokio::test]
async fn those_in_the_conversation_get_events() {
    let server = TestServer::start().await;
    let [mel, max, olive] = server.users(["mel", "max", "olive"]);
    let [mut mel_events, mut max_events] = [mel.events(["typing"]).await, max.events(["typing"]).await];
    let mut olive_events = olive.events(["typing"]).await;

    for op in ["start", "stop"] {
        mel.post("/typing", json!({"op": op, "to": [max.id()]})).await.is(json!({}));

        for events in [&mut mel_events, &mut max_events] {
            events.next().await.is(json!({
                "type": "typing", "op": op, "message_type": "direct",
                "sender": person(&mel), "recipients": [person(&max), person(&mel)],
            }));
            events.none().await;
        }
    }
    olive_events.none().await;
}

#[tokio::test]
async fn the_caller_may_be_among_the_recipients_and_everyone_is_named_once() {
    let server = TestServer::start().await;
    let [mel, max] = server.users(["mel", "max"]);
    let mut events = max.events(["typing"]).await;

    let to = json!([mel.id(), max.id(), max.id()]);
    mel.post("/typing", json!({"op": "start", "type": "direct", "to": to})).await.is(json!({}));

    events.next().await.has(json!({"recipients": [person(&mel), person(&max)]}));
}

#[tokio::test]
async fn subscribers_get_events_of_topics() {
    let server = TestServer::start().await;
    let [mel, max, nora] = server.users(["mel", "max", "nora"]);
    let mut events = max.events(["typing"]).await;
    let mut own = mel.events(["typing"]).await;
    let mut outside = nora.events(["typing"]).await;
    let mut old = max.register(json!({"event_types": ["typing"], "client_capabilities": {}})).await;
    let engineering = server.channel("engineering");

    for kind in ["stream", "channel"] {
        let params = json!({"op": "start", "type": kind, "stream_id": engineering, "topic": "release 1.0"});
        mel.post("/typing", params).await.is(json!({}));

        for events in [&mut events, &mut own] {
            events.next().await.is(json!({
                "type": "typing", "op": "start", "message_type": "stream",
                "sender": person(&mel), "stream_id": engineering, "topic": "release 1.0",
            }));
        }
    }
    outside.none().await;
    old.none().await;
}

#[tokio::test]
async fn the_empty_topic_is_shown_as_clients_know_it() {
    let server = TestServer::start().await;
    let [mel, max] = server.users(["mel", "max"]);
    let mut new = max.events(["typing"]).await;
    let capabilities = json!({"stream_typing_notifications": true});
    let mut old = max.register(json!({"event_types": ["typing"], "client_capabilities": capabilities})).await;

    for topic in ["", "general chat", "(no topic)"] {
        let params = json!({"op": "start", "type": "stream", "stream_id": server.channel("general"), "topic": topic});
        mel.post("/typing", params).await.is(json!({}));
        new.next().await.has(json!({"topic": ""}));
        old.next().await.has(json!({"topic": "general chat"}));
    }
}

#[tokio::test]
async fn those_who_do_not_want_to_know_are_spared() {
    let server = TestServer::start().await;
    let [mel, max] = server.users(["mel", "max"]);
    set(&max, "receives_typing_notifications", false).await;
    let mut events = max.events(["typing", "typing_edit_message"]).await;
    let message = mel.send_to("general", "greetings", "Hi").await;

    mel.post("/typing", json!({"op": "start", "to": [max.id()]})).await.is(json!({}));
    let general = server.channel("general");
    mel.post("/typing", json!({"op": "start", "type": "stream", "stream_id": general, "topic": "x"}))
        .await
        .is(json!({}));
    mel.post(&format!("/messages/{message}/typing"), json!({"op": "start"})).await.is(json!({}));

    events.none().await;
}

#[tokio::test]
async fn what_is_wrong_with_typing_is_said_in_order() {
    let server = TestServer::start().await;
    let [mel, max, gus] = server.users(["mel", "max", "gus"]);
    let mut events = max.events(["typing"]).await;
    let channel = |name: &str| server.channel(name);
    let in_channel = |id: i64, topic: &str| json!({"op": "start", "type": "stream", "stream_id": id, "topic": topic});

    for (user, params, text) in [
        (&mel, json!({"op": "pause", "to": "x"}), "Invalid op"),
        (&mel, json!({"op": "start", "type": "private", "to": [max.id()]}), "Invalid type"),
        (&mel, json!({"op": "start"}), "Missing 'to' argument"),
        (&mel, json!({"op": "start", "to": []}), "Empty 'to' list"),
        (&mel, json!({"op": "start", "to": ["max"]}), "to[0] is not an integer"),
        (&mel, json!({"op": "start", "to": [max.id(), 9999]}), "Invalid user ID 9999"),
        (&mel, json!({"op": "start", "type": "stream", "topic": "x"}), "Missing 'stream_id' argument"),
        (&mel, json!({"op": "start", "type": "stream", "stream_id": 1}), "Missing topic"),
        (&mel, in_channel(9999, "x"), "Invalid channel ID"),
        (&mel, in_channel(channel("leadership"), "x"), "Invalid channel ID"),
        (&mel, in_channel(channel("attic"), "x"), "Invalid channel ID"),
        (&gus, in_channel(channel("engineering"), "x"), "Invalid channel ID"),
        (&mel, in_channel(channel("announcements"), "x"), "You do not have permission to post in this channel."),
    ] {
        user.post("/typing", params).await.with_status(400).error("BAD_REQUEST", text);
    }
    let missing = mel.post("/typing", json!({"to": [max.id()]})).await;
    missing.error("REQUEST_VARIABLE_MISSING", "Missing 'op' argument");
    events.none().await;
}

#[tokio::test]
async fn who_switched_it_off_does_not_tell() {
    let server = TestServer::start().await;
    let [mel, max] = server.users(["mel", "max"]);
    let (in_topic, direct) = (mel.send_to("general", "x", "Hi").await, mel.send_direct(&[max.id()], "Hi").await);
    set(&mel, "send_private_typing_notifications", false).await;
    set(&mel, "send_stream_typing_notifications", false).await;
    let mut events = max.events(["typing", "typing_edit_message"]).await;
    let start = || json!({"op": "start"});

    let reply = mel.post("/typing", json!({"op": "start", "to": [max.id()]})).await;
    reply.error("BAD_REQUEST", "User has disabled typing notifications for direct messages");
    let general = server.channel("general");
    let reply = mel.post("/typing", json!({"op": "start", "type": "stream", "stream_id": general, "topic": "x"})).await;
    reply.error("BAD_REQUEST", "User has disabled typing notifications for channel messages");
    let reply = mel.post(&format!("/messages/{direct}/typing"), start()).await;
    reply.error("BAD_REQUEST", "User has disabled typing notifications for direct messages");
    let reply = mel.post(&format!("/messages/{in_topic}/typing"), start()).await;
    reply.error("BAD_REQUEST", "User has disabled typing notifications for channel messages");

    events.none().await;
}

#[tokio::test]
async fn editing_is_shown_to_those_who_have_the_message() {
    let server = TestServer::start().await;
    let [mel, max, nora] = server.users(["mel", "max", "nora"]);
    let (in_topic, direct) = (mel.send_to("engineering", "x", "Hi").await, mel.send_direct(&[max.id()], "Hi").await);
    let mut events = max.events(["typing_edit_message"]).await;
    let mut outside = nora.events(["typing_edit_message"]).await;

    mel.post(&format!("/messages/{in_topic}/typing"), json!({"op": "start"})).await.is(json!({}));
    mel.post(&format!("/messages/{direct}/typing"), json!({"op": "stop"})).await.is(json!({}));

    let recipient = json!({"type": "channel", "channel_id": server.channel("engineering"), "topic": "x"});
    events.next().await.is(json!({
        "type": "typing_edit_message", "op": "start", "sender_id": mel.id(), "message_id": in_topic, "recipient": recipient,
    }));
    let recipient = json!({"type": "direct", "user_ids": [mel.id(), max.id()]});
    events.next().await.is(json!({
        "type": "typing_edit_message", "op": "stop", "sender_id": mel.id(), "message_id": direct, "recipient": recipient,
    }));
    outside.none().await;
}

#[tokio::test]
async fn only_who_may_edit_tells_of_editing() {
    let server = TestServer::start().await;
    let [mel, max] = server.users(["mel", "max"]);
    let message = mel.send_to("general", "x", "Hi").await;
    let mut events = max.events(["typing_edit_message"]).await;
    let path = format!("/messages/{message}/typing");
    let start = || json!({"op": "start"});

    max.post(&path, start()).await.error("BAD_REQUEST", "You don't have permission to edit this message");
    mel.post(&path, json!({"op": "pause"})).await.error("BAD_REQUEST", "Invalid op");
    mel.post("/messages/9999/typing", start()).await.error("BAD_REQUEST", "Invalid message(s)");
    events.none().await;

    server.advance(3600).await;
    let mut events = max.events(["typing_edit_message"]).await;
    mel.post(&path, start()).await.error("BAD_REQUEST", "The time limit for editing this message has passed");
    server.set("allow_message_editing", false).await;
    mel.post(&path, start()).await.error("BAD_REQUEST", "Your organization has turned off message editing");

    events.none().await;
}
