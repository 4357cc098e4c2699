//! Events that older levels had and the newest has not, or had in other numbers.

use super::{Age, send_old};
use crate::support::{TestServer, User};
use chatdouble::api::NEWEST_FEATURE_LEVEL;
use chatdouble::reducer::State;
use serde_json::{Value, json};

/// What a user's lists of bots say of one.
async fn listed(user: &User, bot: i64) -> Value {
    let mut state = user.register(json!({"event_types": ["realm_bot"]})).await.state;
    let bots = state["realm_bots"].as_array_mut().expect("a list");
    bots.iter_mut().find(|row| row["user_id"] == bot).expect("it is listed").take()
}

#[tokio::test]
async fn bot_records_had_account_fields_before_474() {
    let server = TestServer::start().await;
    let bot = server.user("build-bot").id();
    for level in [221, 222, 473, 474] {
        let age = Age::at(&server, level).await;
        let [olive, mel, max] = ["olive", "mel", "max"].map(|handle| age.user(handle));
        let (mut owner, mut other) = (mel.events(["realm_bot"]).await, max.events(["realm_bot"]).await);
        mel.patch(&format!("/bots/{bot}"), json!({"full_name": "Builder"})).await.success();
        let key = mel.post(&format!("/bots/{bot}/api_key/regenerate"), json!({})).await.success()["api_key"].clone();
        mel.delete(&format!("/bots/{bot}"), json!({})).await.success();
        olive.post(&format!("/users/{bot}/reactivate"), json!({})).await.success();

        other.none().await;
        if level == 474 {
            owner.none().await;
            assert!(listed(&mel, bot).await.get("full_name").is_none());
            continue;
        }
        owner
            .next()
            .await
            .is(json!({"type": "realm_bot", "op": "update", "bot": {"user_id": bot, "full_name": "Builder"}}));
        owner.next().await.has(json!({"op": "update", "bot": {"user_id": bot, "api_key": key}}));
        let now = listed(&mel, bot).await;
        assert_eq!((&now["full_name"], &now["api_key"], &now["is_active"]), (&json!("Builder"), &key, &json!(true)));
        assert!(now["avatar_url"].is_string() && now["email"] == "build-bot@chat.test", "{now}");
        if level == 221 {
            owner.next().await.has(json!({"op": "remove", "bot": {"user_id": bot, "full_name": "Builder"}}));
            assert_eq!(owner.next().await.has(json!({"op": "add"}))["bot"], now);
        } else {
            owner.next().await.has(json!({"op": "update", "bot": {"user_id": bot, "is_active": false}}));
            owner.next().await.has(json!({"op": "update", "bot": {"user_id": bot, "is_active": true}}));
        }
    }
}

#[tokio::test]
async fn peer_events_were_single_before_35_and_named_channels_before_19() {
    let server = TestServer::start().await;
    let quiet = server.channel("quiet");
    let [max, nora] = ["max", "nora"].map(|handle| server.user(handle).id());
    for level in [18, 34, 35] {
        let age = Age::at(&server, level).await;
        let mut events = age.user("mel").events(["subscription"]).await;
        let both = json!({"subscriptions": [{"name": "quiet"}], "principals": ["max@chat.test", "nora@chat.test"]});
        age.user("olive").post("/users/me/subscriptions", both).await.success();

        let of_channel = if level == 18 { json!({"name": "quiet"}) } else { json!({"stream_id": quiet}) };
        if level == 35 {
            events.next().await.has(json!({"op": "peer_add", "stream_ids": [quiet], "user_ids": [max, nora]}));
        } else {
            for user in [max, nora] {
                let mut event = json!({"type": "subscription", "op": "peer_add", "user_id": user});
                event.as_object_mut().expect("it is one").extend(of_channel.as_object().cloned().expect("it is one"));
                events.next().await.is(event);
            }
        }
        events.none().await;
    }
}

/// A user's channels of a list of the register reply, by name, with whether they are archived.
async fn archived(user: &User, list: &str) -> Option<bool> {
    let state = user.register(json!({"client_capabilities": {"archived_channels": true}})).await.state;
    let mut channels = state[list].as_array().expect("a list").iter();
    channels.find(|channel| channel["name"] == "town-square").map(|channel| channel["is_archived"] == true)
}

#[tokio::test]
async fn archiving_was_sent_as_deletion_before_378() {
    let server = TestServer::start().await;
    let path = format!("/streams/{}", server.channel("town-square"));
    for (level, kind, listed, of_subscriber, of_others) in [
        (314, "delete", None, None, None),
        (315, "delete", None, Some(true), None),
        (361, "delete", None, Some(true), None),
        (362, "delete", None, Some(true), Some(true)),
        (377, "delete", None, Some(true), Some(true)),
        (378, "update", Some(true), Some(true), Some(true)),
    ] {
        let age = Age::at(&server, level).await;
        let (olive, mel) = (age.user("olive"), age.user("mel"));
        let capable = json!({"event_types": ["stream"], "client_capabilities": {"archived_channels": true}});
        let mut knowing = mel.register(capable).await;
        let plain = json!({"event_types": ["stream"], "client_capabilities": {}});
        let mut simple = mel.register(plain).await;
        olive.delete(&path, json!({})).await.success();

        knowing.next().await.has(json!({"type": "stream", "op": kind}));
        simple.next().await.has(json!({"type": "stream", "op": "delete"}));
        assert_eq!(archived(&mel, "streams").await, listed, "at {level}");
        assert_eq!(archived(&mel, "subscriptions").await, of_subscriber, "at {level}");
        // Who never subscribed to it.
        assert_eq!(archived(&age.user("max"), "never_subscribed").await, of_others, "at {level}");
    }
}

#[tokio::test]
async fn peers_got_no_events_of_deactivations_before_377() {
    let server = TestServer::start().await;
    let max = server.user("max").id();
    for (level, is_sent) in [(376, false), (377, true)] {
        let age = Age::at(&server, level).await;
        let mut events = age.user("mel").events(["subscription"]).await;
        age.user("olive").delete(&format!("/users/{max}"), json!({})).await.success();
        let received = events.all().await;
        assert_eq!(received.iter().any(|event| event["op"] == "peer_remove"), is_sent, "at {level}");
    }
}

#[tokio::test]
async fn deleted_channels_were_sent_whole_before_343() {
    let server = TestServer::start().await;
    let id = server.channel("town-square");
    for level in [10, 342, 343] {
        let age = Age::at(&server, level).await;
        let mut events = age.user("mel").events(["stream"]).await;
        age.user("olive").delete(&format!("/streams/{id}"), json!({})).await.success();

        let event = events.next().await.has(json!({"type": "stream", "op": "delete"}));
        let received = &event["streams"][0];
        assert_eq!(event.get("stream_ids").is_some(), level == 343, "at {level}");
        if level == 343 {
            assert_eq!(*received, json!({"stream_id": id}));
            continue;
        }
        assert_eq!((&received["stream_id"], &received["name"]), (&json!(id), &json!("town-square")), "at {level}");
        assert_eq!(received.get("is_recently_active").is_some(), level == 342, "at {level}: {received}");
        assert_eq!(received.get("folder_id"), None, "at {level}");
    }
}

#[tokio::test]
async fn deleted_messages_had_a_sender() {
    let server = TestServer::start().await;
    for level in [12, 13, 76, 77] {
        let age = Age::at(&server, level).await;
        let (mel, olive) = (age.user("mel"), age.user("olive"));
        let private = json!({"type": "private", "to": ["max@chat.test"], "content": "x"});
        let private = mel.post("/messages", private).await.success()["id"].take();
        let in_channel = send_old(&mel, "general", "t", "x").await;
        let message = json!({"anchor": private, "num_before": 0, "num_after": 0});
        let recipient = mel.get("/messages", message).await.success()["messages"][0]["recipient_id"].take();
        let mut events = age.user("max").events(["delete_message"]).await;
        mel.delete(&format!("/messages/{private}"), json!({})).await.success();
        olive.delete(&format!("/messages/{in_channel}"), json!({})).await.success();

        let [direct, of_channel] = [events.next().await.0, events.next().await.0];
        let recipient = if level < 77 { Some(&recipient) } else { None };
        assert_eq!(direct.get("recipient_id"), recipient, "at {level}: {direct}");
        for (event, is_named) in [(&direct, level < 77), (&of_channel, level < 13)] {
            let sender = json!(mel.id());
            assert_eq!(event.get("sender_id"), is_named.then_some(&sender), "at {level}: {event}");
            let address = json!("mel@chat.test");
            assert_eq!(event.get("sender"), (level < 13).then_some(&address), "at {level}: {event}");
        }
    }
}

#[tokio::test]
async fn deleting_users_got_no_event_before_274() {
    let server = TestServer::start().await;
    for (age, is_sent) in Age::around(&server, 274).await.iter().zip([false, true]) {
        let [olive, mel] = ["olive", "mel"].map(|handle| age.user(handle));
        olive.delete("/users/me/subscriptions", json!({"subscriptions": ["general"]})).await.success();
        let message = send_old(&mel, "general", "t", "x").await;
        let [mut follows, mut deletes] = [mel.events(["delete_message"]).await, olive.events(["delete_message"]).await];
        olive.delete(&format!("/messages/{message}"), json!({})).await.success();

        follows.next().await.has(json!({"message_ids": [message]}));
        assert_eq!(deletes.all().await.len(), usize::from(is_sent));
    }
}

/// Those with a row, who are not subscribed any more, and never those without one.
#[tokio::test]
async fn only_subscribers_got_deletions_before_300() {
    let server = TestServer::start().await;
    for (level, is_sent) in [(299, false), (300, true), (NEWEST_FEATURE_LEVEL, true)] {
        let age = Age::at(&server, level).await;
        let [olive, mel, max, nora] = ["olive", "mel", "max", "nora"].map(|handle| age.user(handle));
        let made = json!({"subscriptions": [{"name": "made"}], "principals": [olive.id(), mel.id()]});
        olive.post("/users/me/subscriptions", made).await.success();
        let message = send_old(&olive, "made", "t", "x").await;
        mel.delete("/users/me/subscriptions", json!({"subscriptions": ["made"]})).await.success();
        max.post(&format!("/messages/{message}/reactions"), json!({"emoji_name": "tada"})).await.success();
        let mut queues = Vec::new();
        for user in [&mel, &max, &nora] {
            queues.push(user.events(["delete_message"]).await);
        }
        olive.delete(&format!("/messages/{message}"), json!({})).await.success();

        let mut counts = Vec::new();
        for queue in &mut queues {
            counts.push(queue.all().await.len());
        }
        let count = usize::from(is_sent);
        assert_eq!(counts, [count, count, 0], "at {level}");
    }
}

#[tokio::test]
async fn messages_that_were_edited_stood_in_the_body_before_361() {
    let server = TestServer::start().await;
    let id = server.user("mel").send_to("general", "t", "x").await;
    let [before, after] = Age::around(&server, 361).await;
    let (old, new) = ("/message_edit_typing", format!("/messages/{id}/typing"));
    let start = json!({"message_id": id, "op": "start"});
    let received = json!({"type": "typing_edit_message", "op": "start", "message_id": id});
    for (age, path, other) in [(&before, old, new.as_str()), (&after, new.as_str(), old)] {
        let mut events = age.user("max").events(["typing_edit_message"]).await;
        let _ = age.user("mel").post(other, start.clone()).await.with_status(404);
        age.user("mel").post(path, start.clone()).await.success();
        events.next().await.has(received.clone());
        age.user("mel").post(path, json!({"message_id": id, "op": "stop"})).await.success();
        events.next().await.has(json!({"op": "stop"}));
    }
    let nobodys = json!({"message_id": 99_999, "op": "start"});
    before.user("mel").post(old, nobodys).await.error("BAD_REQUEST", "Invalid message(s)");
    let _ = Age::at(&server, 350).await.user("mel").post(old, start).await.with_status(404);
}

#[tokio::test]
async fn keys_of_the_register_reply_that_were_always_there_or_are_gone() {
    let server = TestServer::start().await;
    server.user("max").send_to("general", "t", "x").await;
    let state = Age::at(&server, 43).await.user("mel").register(json!({})).await.state;
    assert!(state["unread_msgs"]["streams"][0]["sender_ids"].is_array(), "{}", state["unread_msgs"]);
    assert_eq!(state["unread_msgs"].get("old_unreads_missing"), None);
    assert_eq!((&state["stream_name_max_length"], &state["stream_description_max_length"]), (&json!(60), &json!(1024)));
    let hook = state["realm_incoming_webhook_bots"][0].as_object().expect("there are some");
    let keys: Vec<&str> = hook.keys().map(String::as_str).collect();
    assert!(keys.iter().all(|key| ["name", "config"].contains(key)) && keys.contains(&"name"), "{keys:?}");

    let of_realm = Age::at(&server, 52).await.user("mel").register(json!({"event_types": ["realm"]})).await.state;
    assert_eq!(of_realm.get("stream_name_max_length"), None);
    for (event_type, is_present) in [("realm_user", true), ("stream", false)] {
        let state = Age::at(&server, 340).await.user("mel").register(json!({"event_types": [event_type]})).await.state;
        let rights = ["can_subscribe_other_users", "can_create_public_streams"].map(|key| state.get(key).is_some());
        assert_eq!(rights, [is_present; 2], "{event_type}");
    }
    for (level, expected) in [(425, Some(&json!(false))), (426, None)] {
        let state = Age::at(&server, level).await.user("mel").register(json!({"event_types": ["realm"]})).await.state;
        assert_eq!(state.get("realm_is_zephyr_mirror_realm"), expected, "at {level}");
    }
}

/// What the register reply says of a device whose number the client chose.
async fn push_device(user: &User, number: i64) -> Value {
    let state = user.register(json!({"event_types": ["push_device"]})).await.state;
    state["push_devices"][number.to_string()].clone()
}

#[tokio::test]
async fn clients_chose_device_ids_before_468() {
    const NUMBER: i64 = 9_000_000_007;
    let path = "/mobile_push/register";
    let test = "/mobile_push/e2ee/test_notification";
    // A byte 0x31 and 32 others.
    let key = "MQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEB";
    let server = TestServer::start().await;
    for (level, name, shown) in [
        (406, "push_public_key", json!(NUMBER.to_string())),
        (431, "push_public_key", json!(NUMBER.to_string())),
        (449, "push_key", json!(NUMBER.to_string())),
        (450, "push_key", json!(NUMBER)),
        (467, "push_key", json!(NUMBER)),
    ] {
        let age = Age::at(&server, level).await;
        let mel = age.user("mel");
        let mut events = mel.events(["push_device", "device"]).await;
        let registration = json!({
            "push_account_id": NUMBER, name: key, "token_kind": "fcm", "bouncer_public_key": "a2V5",
            "encrypted_push_registration": "c2VjcmV0",
        });
        for missing in registration.as_object().expect("an object").keys() {
            let mut part = registration.clone();
            part.as_object_mut().expect("an object").shift_remove(missing);
            let text = format!("Missing '{missing}' argument");
            mel.post(path, part).await.error("REQUEST_VARIABLE_MISSING", &text);
        }
        mel.post(path, registration.clone()).await.success();
        for status in ["pending", "active"] {
            let received =
                json!({"type": "push_device", "push_account_id": shown, "status": status, "error_code": null});
            events.next().await.is(received);
        }
        assert_eq!(push_device(&mel, NUMBER).await, json!({"status": "active", "error_code": null}), "at {level}");

        mel.post(path, registration).await.success();
        events.none().await;
        if level >= 420 {
            mel.post(test, json!({"push_account_id": NUMBER})).await.success();
            let other = mel.post(test, json!({"push_account_id": NUMBER + 1})).await;
            other.error("NO_ACTIVE_PUSH_DEVICE", "No active registered push device");
        }
    }
    let mel = Age::at(&server, 467).await.user("mel");
    let bad = json!({
        "push_account_id": 1_000, "push_key": "a2V5", "token_kind": "fcm", "bouncer_public_key": "a2V5",
        "encrypted_push_registration": "c2VjcmV0",
    });
    mel.post(path, bad.clone()).await.error("BAD_REQUEST", "Invalid `push_key`");
    assert_eq!(push_device(&mel, 1_000).await, Value::Null);
    let mel = Age::at(&server, 468).await.user("mel");
    mel.post(path, bad).await.error("REQUEST_VARIABLE_MISSING", "Missing 'device_id' argument");
}

#[tokio::test]
async fn peers_in_archived_channels_got_no_events_of_deactivations_before_428() {
    let server = TestServer::start().await;
    let (olive, max, general) = (server.user("olive"), server.user("max").id(), server.channel("general"));
    olive.delete(&format!("/streams/{general}"), json!({})).await.success();
    for (level, is_sent) in [(427, false), (428, true)] {
        let age = Age::at(&server, level).await;
        let mel = age.user("mel");
        let mut queue = mel.register(json!({"client_capabilities": {"archived_channels": true}})).await;
        age.user("olive").delete(&format!("/users/{max}"), json!({})).await.success();
        let received = queue.all().await;
        let mut removals = received.iter().filter(|event| event["op"] == "peer_remove");
        let has_left = removals.any(|event| event["stream_ids"].as_array().expect("a list").contains(&json!(general)));
        assert_eq!(has_left, is_sent, "at {level}");

        // A client knows all the same.
        let mut state = State::from_register(queue.state.clone());
        assert!(received.iter().all(|event| state.apply(event)));
        let now = mel.register(json!({"client_capabilities": {"archived_channels": true}})).await.state;
        assert!(state.differences(&now).is_empty(), "at {level}: {:?}", state.differences(&now));
    }
}
