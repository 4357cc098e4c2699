//! Topics: the empty one, and what users say of them.

use super::{Age, send_old};
use crate::support::{TestServer, User};
use serde_json::{Value, json};

#[tokio::test]
async fn messages_without_a_topic_were_in_no_topic_before_334() {
    let server = TestServer::start().await;
    let general = server.channel("general");
    for (level, name) in [(333, "(no topic)"), (334, "general chat")] {
        let age = Age::at(&server, level).await;
        let (mel, max) = (age.user("mel"), age.user("max"));
        let mut events = max.register(json!({"client_capabilities": {"empty_topic_name": level == 333}})).await;
        let id = send_old(&mel, "general", if level == 333 { "(no topic)" } else { "" }, "x").await;

        events.next().await.has(json!({"message": {"id": id, "subject": name}}));
        let narrow = json!([["channel", "general"], {"operator": "topic", "operand": name}]);
        let params = json!({"anchor": "newest", "num_before": 1, "num_after": 0, "narrow": narrow});
        let found = mel.get("/messages", params).await.success();
        assert_eq!((&found["messages"][0]["id"], &found["messages"][0]["subject"]), (&id, &json!(name)));
        let topics = mel.get(&format!("/users/me/{general}/topics"), json!({})).await.success();
        assert_eq!(topics["topics"][0]["name"], name);
        let unread = max.register(json!({"client_capabilities": {}})).await.state["unread_msgs"]["streams"].take();
        assert!(unread.as_array().expect("a list").iter().any(|one| one["topic"] == name), "{unread}");

        let mute = json!({"stream_id": general, "topic": name, "visibility_policy": 1});
        max.post("/user_topics", mute).await.success();
        let mut received = Vec::new();
        for mut event in events.all().await {
            received.extend(["topic_name"].map(|key| event[key].take()).into_iter().filter(|value| !value.is_null()));
        }
        assert_eq!(received, [name], "at {level}");
        assert_eq!(max.register(json!({"client_capabilities": {}})).await.state["muted_topics"][0][1], name);
        mel.patch(&format!("/messages/{id}"), json!({"topic": "named"})).await.success();
        let event = events.next().await.has(json!({"type": "update_message", "subject": "named"}));
        assert_eq!(event["orig_subject"], name);
        let history = mel.get(&format!("/messages/{id}/history"), json!({})).await.success();
        assert_eq!(history["message_history"][1]["prev_topic"], name);
        let moved = json!({"anchor": id, "num_before": 0, "num_after": 0});
        let found = mel.get("/messages", moved).await.success();
        assert_eq!(found["messages"][0]["edit_history"][0]["prev_topic"], name);
    }
}

#[tokio::test]
async fn the_empty_topic_was_sent_as_no_topic() {
    let server = TestServer::start().await;
    let general = server.channel("general");
    for (level, name, raw) in [(333, "(no topic)", "(no topic)"), (334, "general chat", "")] {
        let age = Age::at(&server, level).await;
        let (mel, max) = (age.user("mel"), age.user("max"));
        let typing = json!({"client_capabilities": {"stream_typing_notifications": true}});
        let mut events = max.register(typing).await;
        let topic = json!({"stream_id": general, "topic": "", "visibility_policy": 1});
        max.post("/user_topics", topic).await.success();
        let topics = max.register(json!({"client_capabilities": {}})).await.state["user_topics"].take();
        let topics = topics.as_array().cloned().unwrap_or_default();
        assert!(topics.iter().any(|topic| topic["topic_name"] == name), "{topics:?}");
        let start = json!({"op": "start", "type": "stream", "stream_id": general, "topic": ""});
        mel.post("/typing", start).await.success();
        let id = send_old(&mel, "general", if level == 333 { "(no topic)" } else { "" }, "x").await;
        max.post("/messages/flags", json!({"messages": [id], "op": "add", "flag": "read"})).await.success();
        max.post("/messages/flags", json!({"messages": [id], "op": "remove", "flag": "read"})).await.success();
        age.user("olive").delete(&format!("/messages/{id}"), json!({})).await.success();
        let later = json!({"type": "stream", "to": general, "topic": raw, "content": "x", "scheduled_delivery_timestamp": 4_000_000_000_i64});
        max.post("/scheduled_messages", later).await.success();

        let mut received = Vec::new();
        for event in events.all().await {
            let place = match event["type"].as_str().unwrap_or_default() {
                "typing" | "delete_message" => &event["topic"],
                "update_message_flags" if event["op"] == "remove" => &event["message_details"][id.to_string()]["topic"],
                "scheduled_messages" => &event["scheduled_messages"][0]["topic"],
                _ => continue,
            };
            received.push(place.clone());
        }
        assert_eq!(received, [name, name, name, raw], "at {level}");
    }
}

#[tokio::test]
async fn no_topic_was_a_name_in_messages_before_370_and_in_typing_before_372() {
    let server = TestServer::start().await;
    let general = server.channel("general");
    for (level, sent, typed) in [
        (334, "(no topic)", "(no topic)"),
        (369, "(no topic)", "(no topic)"),
        (370, "", "(no topic)"),
        (371, "", "(no topic)"),
        (372, "", ""),
    ] {
        let age = Age::at(&server, level).await;
        let (mel, max) = (age.user("mel"), age.user("max"));
        let capabilities = json!({
            "notification_settings_null": true, "stream_typing_notifications": true, "empty_topic_name": true,
        });
        let mut events = max.register(json!({"client_capabilities": capabilities})).await;
        let start = json!({"op": "start", "type": "stream", "stream_id": general, "topic": "(no topic)"});
        mel.post("/typing", start).await.success();
        assert_eq!(events.next().await.has(json!({"type": "typing"}))["topic"], typed, "at {level}");
        let id = send_old(&mel, "general", "(no topic)", "x").await;
        assert_eq!(events.next().await.has(json!({"type": "message"}))["message"]["subject"], sent, "at {level}");

        // Where messages go is no other topic's name.
        mel.patch(&format!("/messages/{id}"), json!({"topic": "named"})).await.success();
        mel.patch(&format!("/messages/{id}"), json!({"topic": "(no topic)"})).await.success();
        let found = mel.get(&format!("/messages/{id}"), json!({"allow_empty_topic_name": true})).await.success();
        assert_eq!(found["message"]["subject"], "(no topic)", "at {level}");
    }
}

/// The policy that a topic has in a register reply; null: none is listed.
async fn policy(user: &User, topic: &str) -> Value {
    let state = user.register(json!({"event_types": ["user_topic"]})).await.state;
    let mut topics = state["user_topics"].as_array().expect("a list").iter();
    topics.find(|row| row["topic_name"] == topic).map_or(Value::Null, |row| row["visibility_policy"].clone())
}

#[tokio::test]
async fn topics_were_not_followed_before_219() {
    let server = TestServer::start().await;
    let follow = json!({"stream_id": server.channel("general"), "topic": "t", "visibility_policy": 3});
    server.user("mel").post("/user_topics", follow.clone()).await.success();
    server.user("mel").patch("/settings", json!({"automatically_follow_topics_policy": 3})).await.success();
    for (level, shown) in [(218, 2), (219, 3)] {
        let age = Age::at(&server, level).await;
        let mel = age.user("mel");
        assert_eq!(policy(&mel, "t").await, shown);
        let mut events = mel.events(["user_topic"]).await;
        send_old(&mel, "general", "another", "x").await;
        events.next().await.has(json!({"topic_name": "another", "visibility_policy": shown}));
        let reply = mel.post("/user_topics", follow.clone()).await;
        if level == 219 {
            reply.success();
        } else {
            let message = "Invalid visibility_policy";
            reply.error("BAD_REQUEST", message);
        }
    }
}

#[tokio::test]
async fn topics_were_not_unmuted_before_170() {
    let server = TestServer::start().await;
    let unmute = json!({"stream_id": server.channel("general"), "topic": "t", "visibility_policy": 2});
    server.user("mel").post("/user_topics", unmute).await.success();
    server.user("mel").patch("/settings", json!({"automatically_follow_topics_policy": 3})).await.success();
    for (level, listed, received) in [(169, Value::Null, 0), (170, json!(2), 2)] {
        let mel = Age::at(&server, level).await.user("mel");
        assert_eq!(policy(&mel, "t").await, listed);
        let mut events = mel.events(["user_topic"]).await;
        send_old(&mel, "general", "another", "x").await;
        events.next().await.has(json!({"topic_name": "another", "visibility_policy": received}));
    }
}

#[tokio::test]
async fn muted_topics_were_sent_to_all_clients_before_134() {
    let server = TestServer::start().await;
    server.user("mel").patch("/settings", json!({"automatically_follow_topics_policy": 3})).await.success();
    for (level, kinds) in [(133, vec!["muted_topics"]), (134, vec!["user_topic"])] {
        let mel = Age::at(&server, level).await.user("mel");
        let mut events = mel.events(["user_topic", "muted_topics"]).await;
        send_old(&mel, "general", "another", "x").await;
        let received: Vec<Value> = events.all().await.into_iter().map(|mut event| event["type"].take()).collect();
        assert_eq!(received, kinds, "at {level}");
    }
}

#[tokio::test]
async fn unread_messages_of_muted_channels_did_not_count_before_213() {
    let server = TestServer::start().await;
    let (max, engineering) = (server.user("max"), server.channel("engineering"));
    let mute = json!([{"stream_id": engineering, "property": "is_muted", "value": true}]);
    max.post("/users/me/subscriptions/properties", json!({"subscription_data": mute})).await.success();
    let unmute = json!({"stream_id": engineering, "topic": "loud", "visibility_policy": 2});
    max.post("/user_topics", unmute).await.success();
    let unread = |user: User| async move { user.register(json!({})).await.state["unread_msgs"].clone() };
    let count = |user: User| async move { unread(user).await["count"].as_i64() };
    let mentions = |user: User| async move { unread(user).await["mentions"].as_array().map(Vec::len) };
    let [before, after] = Age::around(&server, 213).await;
    let [old, new] = [count(before.user("max")).await, count(after.user("max")).await];

    for age in [&before, &after] {
        send_old(&age.user("mel"), "engineering", "loud", "x").await;
    }

    assert_eq!(count(before.user("max")).await, old);
    assert_eq!(count(after.user("max")).await, new.map(|count| count + 1));

    let [old, new] = [mentions(before.user("max")).await, mentions(after.user("max")).await];
    for age in [&before, &after] {
        send_old(&age.user("mel"), "engineering", "loud", "@**all**").await;
    }
    assert_eq!(mentions(before.user("max")).await, old);
    assert_eq!(mentions(after.user("max")).await, new.map(|count| count + 1));
}

#[tokio::test]
async fn muted_topics_had_no_time_before_1() {
    let server = TestServer::start().await;
    let mute = json!({"stream_id": server.channel("general"), "topic": "t", "visibility_policy": 1});
    server.user("mel").post("/user_topics", mute).await.success();
    for (level, length) in [(0, 2), (1, 3)] {
        let mel = Age::at(&server, level).await.user("mel");
        let state = mel.register(json!({"event_types": ["muted_topics"]})).await.state;
        assert_eq!(state["muted_topics"][0].as_array().map(Vec::len), Some(length), "at {level}");
    }
}

#[tokio::test]
async fn topics_were_never_empty_before_334() {
    let server = TestServer::start().await;
    let [before, after] = Age::around(&server, 334).await;
    let general = server.channel("general");
    for topic in ["", "   "] {
        for (age, is_refused) in [(&before, true), (&after, false)] {
            let mel = age.user("mel");
            let message = send_old(&mel, "general", "t", "x").await;
            let sent = json!({"type": "stream", "to": "general", "topic": topic, "content": "x"});
            let mut scheduled = sent.clone();
            scheduled["to"] = general.into();
            scheduled["scheduled_delivery_timestamp"] = 4_000_000_000_i64.into();
            for reply in [
                mel.post("/messages", sent).await,
                mel.post("/scheduled_messages", scheduled).await,
                mel.patch(&format!("/messages/{message}"), json!({"topic": topic})).await,
            ] {
                if is_refused {
                    reply.error("BAD_REQUEST", "Topic can't be empty!");
                } else {
                    reply.success();
                }
            }
            // Messages to people have none.
            let direct = json!({"type": "private", "to": [mel.id()], "topic": topic, "content": "x"});
            mel.post("/messages", direct).await.success();
        }
    }
    // The empty topic was that of messages to people.
    let narrow = json!({"anchor": "newest", "num_before": 10, "num_after": 0, "narrow": r#"[["topic", ""]]"#});
    let found = before.user("mel").get("/messages", narrow).await.success();
    let messages = found["messages"].as_array().expect("a list");
    assert!(!messages.is_empty() && messages.iter().all(|message| message["type"] == "private"), "{found:#}");
}

#[tokio::test]
async fn renamed_topics_were_marked_as_resolved_before_267() {
    let server = TestServer::start().await;
    let [before, after] = Age::around(&server, 267).await;
    for (age, is_former) in [(before, true), (after, false)] {
        let (mel, max) = (age.user("mel"), age.user("max"));
        let marked = |word: &str| format!("@_**Mel Marsh|{}** has marked this topic as {word}.", mel.id());
        for (index, (from, to, word)) in
            [("foo", "✔ bar", "resolved"), ("✔ foo", "bar", "unresolved"), ("foo", "✔ FOO", "resolved")]
                .into_iter()
                .enumerate()
        {
            for mode in ["change_all", "change_one"] {
                let (from, to) = (format!("{from}{index}{mode}"), format!("{to}{index}{mode}"));
                let id = send_old(&mel, "general", &from, "x").await;
                let mut events = max
                    .register(json!({"event_types": ["message"], "fetch_event_types": [], "apply_markdown": false}))
                    .await;
                mel.patch(&format!("/messages/{id}"), json!({"topic": to, "propagate_mode": mode})).await.success();
                let said: Vec<Value> =
                    events.all().await.iter().map(|event| event["message"]["content"].clone()).collect();
                let notices = said.iter().filter(|said| **said == marked(word)).count();
                assert_eq!(notices, usize::from(is_former), "{from} → {to}: {said:#?}");
                let moves = said
                    .iter()
                    .filter(|said| said.as_str().is_some_and(|said| said.contains("was moved here from")))
                    .count();
                assert_eq!(moves, 1, "{from} → {to}: {said:#?}");
            }
        }
        let id = send_old(&mel, "general", "plain", "x").await;
        let mut events =
            max.register(json!({"event_types": ["message"], "fetch_event_types": [], "apply_markdown": false})).await;
        mel.patch(&format!("/messages/{id}"), json!({"topic": "✔ plain", "propagate_mode": "change_all"}))
            .await
            .success();
        events.next().await.has(json!({"message": {"content": marked("resolved")}}));
        events.none().await;
    }
}

#[tokio::test]
async fn topics_and_channels_take_invisible_characters_at_every_level() {
    let server = TestServer::start().await;
    for level in [0, 247, 283, 284, 387, 497] {
        let age = Age::at(&server, level).await;
        let mel = age.user("mel");
        for character in ['\u{200e}', '\u{200f}', '\u{2028}', '\u{2029}', '\u{202e}', '\u{ad}', '\u{e000}'] {
            let name = format!("a{character}b");
            send_old(&mel, "general", &name, "x").await;
            let made = json!({"subscriptions": [{"name": name}]});
            let reply = age.user("olive").post("/users/me/subscriptions", made).await.success();
            assert!(reply["subscribed"].as_object().is_some_and(|subscribed| !subscribed.is_empty()), "{name:?}");
        }
        let refused =
            mel.patch(&format!("/messages/{}", server.message("The plan:")), json!({"topic": "a\u{7}b"})).await;
        assert_eq!(refused.status, 400);
    }
}
