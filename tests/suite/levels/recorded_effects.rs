//! What requests did on a server of level 247 that they don't do any more.

use super::{Age, send_old};
use crate::support::{Queue, TestServer};
use chatdouble::api::NEWEST_FEATURE_LEVEL;
use serde_json::{Value, json};

const SINCE: i64 = 248;

#[tokio::test]
async fn operations_without_parameters_reported_none_before_497() {
    let server = TestServer::start().await;
    let [before, after] = Age::around(&server, 497).await;
    for (age, ignored) in [(before, None), (after, Some(json!(["zzz"])))] {
        let olive = age.user("olive");
        for path in ["/users/me", "/realm/linkifiers", "/realm/emoji", "/bots", "/users/me/alert_words"] {
            let reply = olive.get(path, json!({"zzz": 1})).await.success();
            assert_eq!(reply.get("ignored_parameters_unsupported"), ignored.as_ref(), "{path}");
        }
        // One that looks at parameters.
        let reply = olive.get("/users", json!({"zzz": 1})).await.success();
        assert_eq!(reply["ignored_parameters_unsupported"], json!(["zzz"]));
    }
}

/// The flags of a message, as its reader has them.
async fn flags(user: &crate::support::User, id: i64) -> Value {
    user.get(&format!("/messages/{id}"), json!({})).await.success()["message"]["flags"].clone()
}

#[tokio::test]
async fn edits_had_only_the_kind_of_a_wildcard_before_248() {
    let server = TestServer::start().await;
    let [before, _] = Age::around(&server, SINCE).await;
    let (olive, mel) = (before.user("olive"), before.user("mel"));
    let made = json!({"subscriptions": [{"name": "made"}], "principals": [olive.id(), mel.id()]});
    olive.post("/users/me/subscriptions", made).await.success();
    let place = json!({"type": "stream", "to": "made", "topic": "t", "content": "plain"});
    let id = olive.post("/messages", place).await.success()["id"].as_i64().expect("an id");
    let mut queue = mel.events(["update_message"]).await;
    olive.patch(&format!("/messages/{id}"), json!({"content": "@**all** look"})).await.success();
    assert_eq!(queue.next().await.0["flags"], json!(["stream_wildcard_mentioned"]));
    assert_eq!(flags(&mel, id).await, json!(["stream_wildcard_mentioned", "wildcard_mentioned"]));

    // Users who were mentioned by a wildcard keep the flag when an edit removes it.
    olive.patch(&format!("/messages/{id}"), json!({"content": "nobody"})).await.success();
    assert_eq!(queue.next().await.0["flags"], json!(["stream_wildcard_mentioned"]));
    assert_eq!(flags(&mel, id).await, json!(["stream_wildcard_mentioned", "wildcard_mentioned"]));
}

/// A row is enough to star a message and to have the star, in sight or not.
#[tokio::test]
async fn stars_stay_on_messages_out_of_sight() {
    let server = TestServer::start().await;
    for level in [247, 387, NEWEST_FEATURE_LEVEL] {
        let age = Age::at(&server, level).await;
        let (olive, mel, max) = (age.user("olive"), age.user("mel"), age.user("max"));
        let made = json!({
            "subscriptions": [{"name": "made"}], "principals": [olive.id(), mel.id()], "invite_only": true,
        });
        olive.post("/users/me/subscriptions", made).await.success();
        let send = async |text: &str| {
            let message = json!({"type": "stream", "to": "made", "topic": "t", "content": text});
            olive.post("/messages", message).await.success()["id"].take()
        };
        let (starred, plain) = (send("one").await, send("two").await);
        let add = |flag: &str, id: &Value| json!({"messages": [id], "op": "add", "flag": flag});
        mel.post("/messages/flags", add("starred", &starred)).await.success();
        let mut events = mel.events(["update_message_flags"]).await;

        mel.delete("/users/me/subscriptions", json!({"subscriptions": ["made"]})).await.success();

        events.next().await.has(json!({"flag": "read", "op": "add"}));
        events.none().await;
        let listed = async |id: &Value| {
            let state = mel.register(json!({"fetch_event_types": ["starred_messages"]})).await.state;
            state["starred_messages"].as_array().is_some_and(|all| all.contains(id))
        };
        assert!(listed(&starred).await);
        for flag in ["starred", "collapsed"] {
            mel.post("/messages/flags", add(flag, &plain)).await.success();
            let stranger = max.post("/messages/flags", add(flag, &plain)).await;
            stranger.error("BAD_REQUEST", "Invalid message(s)");
        }
        assert!(listed(&plain).await);
    }
}

#[tokio::test]
async fn reactions_and_submessages_had_other_audiences_before_300() {
    let server = TestServer::start().await;
    let [before, after] = Age::around(&server, 300).await;
    for (age, is_sent) in [(before, false), (after, true)] {
        let (olive, mel, max) = (age.user("olive"), age.user("mel"), age.user("max"));
        let made = json!({"subscriptions": [{"name": "made"}], "principals": [olive.id(), mel.id()]});
        olive.post("/users/me/subscriptions", made).await.success();
        let poll = json!({"type": "stream", "to": "made", "topic": "t", "content": "/poll Lunch?\nPizza"});
        let id = olive.post("/messages", poll).await.success()["id"].take();
        max.post("/users/me/subscriptions", json!({"subscriptions": [{"name": "made"}]})).await.success();
        let (mut at_mel, mut at_max) = (mel.events(["submessage"]).await, max.events(["submessage"]).await);
        let vote = json!({"type": "vote", "key": "canned,0", "vote": 1}).to_string();
        let vote = json!({"message_id": id, "msg_type": "widget", "content": vote});
        mel.post("/submessage", vote).await.success();
        at_mel.next().await.has(json!({"type": "submessage"}));
        if is_sent {
            at_max.next().await.has(json!({"type": "submessage"}));
        }
        at_max.none().await;
    }
}

#[tokio::test]
async fn wildcards_reach_everybody_in_a_direct_message() {
    let server = TestServer::start().await;
    for age in Age::around(&server, SINCE).await {
        let (olive, mel) = (age.user("olive"), age.user("mel"));
        let id = olive.send_direct(&[mel.id()], "@**everyone** x").await;
        assert_eq!(flags(&mel, id).await, json!(["stream_wildcard_mentioned", "wildcard_mentioned"]));
        let state = mel.register(json!({})).await.state;
        let mentions = state["unread_msgs"]["mentions"].as_array().cloned().unwrap_or_default();
        assert!(mentions.contains(&json!(id)), "{mentions:?}");
        let id = olive.send_direct(&[mel.id()], "@**topic** x").await;
        assert_eq!(flags(&mel, id).await, json!([]));
    }
}

#[tokio::test]
async fn topics_are_followed_by_mentions_of_groups_and_by_senders_from_outside() {
    let server = TestServer::start().await;
    for age in Age::around(&server, SINCE).await {
        let (olive, mel) = (age.user("olive"), age.user("mel"));
        mel.patch("/settings", json!({"automatically_follow_topics_where_mentioned": true})).await.success();
        let group = json!({"name": "crew", "description": "", "members": [mel.id()]});
        olive.post("/user_groups/create", group).await.success();
        let made = json!({"subscriptions": [{"name": "made"}], "principals": [olive.id(), mel.id()]});
        olive.post("/users/me/subscriptions", made).await.success();
        let mut queue = mel.events(["user_topic"]).await;
        let message = json!({"type": "stream", "to": "made", "topic": "t", "content": "@*crew* look"});
        olive.post("/messages", message).await.success();
        assert_eq!(queue.next().await.0["visibility_policy"], 3);

        let max = age.user("max");
        max.patch("/settings", json!({"automatically_follow_topics_policy": 1})).await.success();
        let mut queue = max.events(["user_topic"]).await;
        let message = json!({"type": "stream", "to": "made", "topic": "other", "content": "from outside"});
        let sent = max.post("/messages", message).await.success();
        assert_eq!(sent["automatic_new_visibility_policy"], 3);
        assert_eq!(queue.next().await.0["visibility_policy"], 3);
    }
}

#[tokio::test]
async fn of_two_mistakes_the_first_in_order_was_reported() {
    let server = TestServer::start().await;
    let [before, _] = Age::around(&server, SINCE).await;
    let (olive, mel) = (before.user("olive"), before.user("mel"));
    let id = olive.get("/get_stream_id", json!({"stream": "{channel}"})).await;
    id.error("BAD_REQUEST", "Invalid stream name '{channel}'");
    olive.post("/users/me/subscriptions", json!({"subscriptions": [{"name": "made"}]})).await.success();
    let id = olive.get("/get_stream_id", json!({"stream": "made"})).await.success()["stream_id"].clone();
    // Types before rights.
    let reply = mel.patch(&format!("/streams/{id}"), json!({"is_announcement_only": 5})).await;
    reply.error("BAD_REQUEST", "is_announcement_only is not a boolean");
    // What goes together before what is given.
    let message = json!({"type": "stream", "to": "made", "topic": "t", "content": "x"});
    let message = olive.post("/messages", message).await.success()["id"].clone();
    let reply = olive.patch(&format!("/messages/{message}"), json!({"content": "", "stream_id": id})).await;
    reply.error("BAD_REQUEST", "Cannot change message content while changing stream");
    // Types before existence.
    let reply = olive.get("/users/nobody@chat.test", json!({"client_gravatar": 5})).await;
    reply.error("BAD_REQUEST", "client_gravatar is not a boolean");
}

/// The channels and users of the changes of subscribers that a queue has.
async fn peers(queue: &mut Queue) -> Vec<(Value, Value)> {
    let is_change = |event: &Value| event["op"] == "peer_add" || event["op"] == "peer_remove";
    let changes = queue.all().await.into_iter().filter(is_change);
    changes.map(|mut event| (event["stream_ids"].take(), event["user_ids"].take())).collect()
}

#[tokio::test]
async fn peer_events_of_several_users_were_sent_by_channel_before_378() {
    const PATH: &str = "/users/me/subscriptions";
    let server = TestServer::start().await;
    for (level, is_before) in [(247, true), (377, true), (378, false)] {
        let age = Age::at(&server, level).await;
        let [olive, mel, gus] = ["olive", "mel", "gus"].map(|name| age.user(name));
        let [max, nora] = ["max", "nora"].map(|name| age.user(name).id());
        let mut ids = Vec::new();
        for (name, option) in [
            ("east", "announce"),
            ("west", "announce"),
            ("web", "is_web_public"),
            ("attic room", "invite_only"),
            ("back room", "invite_only"),
        ] {
            let new = json!({"subscriptions": [{"name": name}], "principals": [olive.id(), mel.id()], option: true});
            olive.post(PATH, new).await.success();
            ids.push(olive.get("/get_stream_id", json!({"stream": name})).await.success()["stream_id"].take());
        }
        let [east, west, web, attic, back] = ids.try_into().expect("five channels");
        let mut at_mel = mel.events(["subscription"]).await;
        let mut at_gus = gus.events(["subscription"]).await;
        let names = ["east", "attic room", "web", "back room", "west"];
        let list = names.map(|name| json!({"name": name}));

        olive.post(PATH, json!({"subscriptions": list, "principals": [max]})).await.success();

        let private = [json!([attic]), json!([back])];
        let public = if is_before { vec![json!([east, west, web])] } else { vec![json!([web]), json!([east, west])] };
        let alone: Vec<_> = private.iter().chain(&public).map(|ids| (ids.clone(), json!([max]))).collect();
        assert_eq!(peers(&mut at_mel).await, alone, "at {level}");
        assert_eq!(peers(&mut at_gus).await, [(json!([web]), json!([max]))], "at {level}");

        olive.delete(PATH, json!({"subscriptions": names, "principals": [max]})).await.success();

        assert_eq!(peers(&mut at_mel).await, alone, "at {level}");
        peers(&mut at_gus).await;
        olive.post(PATH, json!({"subscriptions": list, "principals": [max, nora]})).await.success();

        let each = vec![json!([east]), json!([west]), json!([web])];
        let public = if is_before { each } else { public };
        let both: Vec<_> = private.iter().chain(&public).map(|ids| (ids.clone(), json!([max, nora]))).collect();
        assert_eq!(peers(&mut at_mel).await, both, "at {level}");
        assert_eq!(peers(&mut at_gus).await, [(json!([web]), json!([max, nora]))], "at {level}");
    }
}

#[tokio::test]
async fn new_users_always_had_an_avatar_url() {
    let server = TestServer::start().await;
    for (age, is_url) in Age::around(&server, 497).await.iter().zip([true, false]) {
        let olive = age.user("olive");
        let mut queue = olive.register(json!({"client_gravatar": true, "event_types": ["realm_user"]})).await;
        let new = json!({"email": "zed@chat.test", "full_name": "Zed", "password": "a long password"});
        olive.post("/users", new).await.success();

        let event = queue.next().await.has(json!({"op": "add"}));

        assert_eq!(event["person"]["avatar_url"].is_string(), is_url, "{event:?}");
    }
}

#[tokio::test]
async fn the_newest_of_deleted_messages_came_first() {
    let server = TestServer::start().await;
    for (age, is_newest_first) in Age::around(&server, 393).await.iter().zip([true, false]) {
        let (olive, mel) = (age.user("olive"), age.user("mel"));
        let queue = async |is_bulk: bool| {
            let capabilities = json!({"notification_settings_null": true, "bulk_message_deletion": is_bulk});
            mel.register(json!({"client_capabilities": capabilities, "event_types": ["delete_message"]})).await
        };
        let (mut at_once, mut singly) = (queue(true).await, queue(false).await);
        let mut ids = Vec::new();
        for content in ["one", "two", "three"] {
            ids.push(send_old(&mel, "general", "doomed", content).await);
        }
        let path = format!("/streams/{}/delete_topic", server.channel("general"));
        olive.post(&path, json!({"topic_name": "doomed"})).await.success();

        if is_newest_first {
            ids.reverse();
        }

        assert_eq!(at_once.next().await.has(json!({}))["message_ids"], json!(ids));
        let each: Vec<Value> = singly.all().await.into_iter().map(|mut event| event["message_id"].take()).collect();
        assert_eq!(each, ids);
    }
}
