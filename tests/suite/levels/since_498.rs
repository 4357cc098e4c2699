//! Levels 499 to 512: the last of one series of servers, and the first of the next.

use super::{Age, control};
use crate::support::{TestServer, User};
use chatdouble::realm::export::{Export, ExportKind, ExportState};
use chatdouble::realm::id::{ChannelId, ExportId, UserId};
use chatdouble::time::Span;
use serde_json::{Value, json};
use std::sync::Arc;

/// What was pushed in a world.
async fn pushes(server: &TestServer, age: &Age<'_>) -> Vec<Value> {
    let path = format!("/control/worlds/{}/pushes", age.name);
    let reply = server.anonymous().send("GET", &path, &json!({}), Vec::new(), None).await;
    reply.success()["pushes"].as_array().cloned().unwrap_or_default()
}

/// The channel of a name as a user is subscribed to it.
async fn subscription(user: &User, name: &str) -> Value {
    let all = user.get("/users/me/subscriptions", json!({})).await.success();
    let mut all = all["subscriptions"].as_array().expect("a list").iter();
    all.find(|one| one["name"] == name).unwrap_or_else(|| panic!("{name} is there")).clone()
}

#[tokio::test]
async fn exports_of_prior_servers_were_like_others_before_506() {
    let server = TestServer::start().await;
    server.arrange(|tx| {
        let export = Export {
            id: ExportId(7),
            kind: ExportKind::FullWithConsent,
            requested_by: UserId(1),
            requested_at: tx.now.plus(Span::from_days(-1)),
            key: "k".into(),
            state: ExportState::Ready,
            is_from_prior_server: true,
        };
        tx.realm_mut().counters.export = 7;
        tx.realm_mut().exports.insert(ExportId(7), Arc::new(export));
    });
    for (level, is_marked) in [(498, false), (499, true), (501, true), (502, false), (505, false), (506, true)] {
        let age = Age::at(&server, level).await;
        let olive = age.user("olive");
        let exports = olive.get("/export/realm", json!({})).await.success()["exports"].take();
        let expected = is_marked.then_some(json!(true));
        assert_eq!(exports[0].get("export_from_prior_server"), expected.as_ref(), "at {level}");
        assert_eq!((&exports[0]["export_url"], &exports[0]["deleted_timestamp"]), (&Value::Null, &Value::Null));
        let mut events = olive.events(["realm_export"]).await;
        let reply = olive.delete("/export/realm/7", json!({})).await;
        if is_marked {
            reply.error("BAD_REQUEST", "Export already deleted");
            events.none().await;
        } else {
            reply.success();
            let event = events.next().await.0;
            assert_eq!(event["exports"][0].get("export_from_prior_server"), None, "at {level}");
        }
        let id = olive.post("/export/realm", json!({})).await.success()["id"].clone();
        let exports = olive.get("/export/realm", json!({})).await.success()["exports"].take();
        let own = exports.as_array().and_then(|all| all.iter().find(|one| one["id"] == id)).expect("it is listed");
        let expected = is_marked.then_some(json!(false));
        assert_eq!(own.get("export_from_prior_server"), expected.as_ref(), "at {level}");
    }
}

#[tokio::test]
async fn legacy_tokens_got_pushes_without_content_before_504() {
    let server = TestServer::start().await;
    server.user("mel").post("/users/me/android_gcm_reg_id", json!({"token": "older"})).await.success();
    server.user("olive").patch("/realm", json!({"require_e2ee_push_notifications": true})).await.success();
    for (level, is_sent) in [(499, true), (500, false), (501, false), (502, true), (503, true), (504, false)] {
        let age = Age::at(&server, level).await;
        let (mel, max) = (age.user("mel"), age.user("max"));
        max.send_direct(&[mel.id()], "Secret").await;
        mel.post("/mark_all_as_read", json!({})).await.success();

        let handed = pushes(&server, &age).await;
        let contents: Vec<&str> = handed.iter().filter_map(|push| push["payload"]["content"].as_str()).collect();
        let expected = if is_sent { vec!["Secret", "New message"] } else { vec!["Secret"] };
        assert_eq!(contents, expected, "at {level}");
        let removals = handed.iter().filter(|push| push["payload"]["type"] == "remove").count();
        assert_eq!(removals, expected.len(), "at {level}");
    }

    // Who has nothing but such a token is not reached; without the requirement, it is as ever.
    let age = Age::at(&server, 504).await;
    let (mel, max) = (age.user("mel"), age.user("max"));
    mel.post("/remove_client_device", json!({"device_id": 1})).await.success();
    max.send_direct(&[mel.id()], "Secret").await;
    mel.post("/mark_all_as_read", json!({})).await.success();
    assert!(pushes(&server, &age).await.is_empty());
    age.user("olive").patch("/realm", json!({"require_e2ee_push_notifications": false})).await.success();
    max.send_direct(&[mel.id()], "Open").await;
    assert_eq!(pushes(&server, &age).await[0]["payload"]["content"], "Open");
}

#[tokio::test]
async fn moves_of_old_messages_did_not_count_the_topic_before_505() {
    let server = TestServer::start().await;
    let mel = server.user("mel");
    let first = mel.send_to("general", "here", "one").await;
    let alone = mel.send_to("general", "alone", "one").await;
    server.advance(604_830).await;
    let last = mel.send_to("general", "here", "two").await;
    let engineering = server.channel("engineering");

    let [before, after] = Age::around(&server, 505).await;
    let too_late = [
        "The time limit for editing this message's topic has passed.",
        "The time limit for editing this message's channel has passed",
    ];
    for (to, message) in [json!({"topic": "there"}), json!({"stream_id": engineering})].into_iter().zip(too_late) {
        let mut all = to.clone();
        all["propagate_mode"] = "change_all".into();
        let mut later = to.clone();
        later["propagate_mode"] = "change_later".into();
        let path = format!("/messages/{first}");
        before.user("max").patch(&path, all.clone()).await.error("BAD_REQUEST", message);
        let body = after.user("max").patch(&path, all.clone()).await.error(
            "MOVE_MESSAGES_TIME_LIMIT_EXCEEDED",
            "You only have permission to move the 1/2 most recent messages in this topic.",
        );
        assert_eq!(body["first_message_id_allowed_to_move"], last);
        // Where none of them is recent enough, or others are not asked for, it is just too late.
        after.user("max").patch(&path, later).await.error("BAD_REQUEST", message);
        after.user("max").patch(&path, to).await.error("BAD_REQUEST", message);
        after.user("max").patch(&format!("/messages/{alone}"), all).await.error("BAD_REQUEST", message);
    }
    let all = json!({"topic": "there", "propagate_mode": "change_all"});
    after.user("mona").patch(&format!("/messages/{first}"), all).await.success();
}

#[tokio::test]
async fn channels_did_not_decide_on_pushes_before_507() {
    let server = TestServer::start().await;
    let on = json!({"subscriptions": [{"name": "fresh"}], "default_push_notifications": true});
    server.user("olive").post("/users/me/subscriptions", on).await.success();
    let join = json!({"subscriptions": [{"name": "fresh"}]});
    for (age, is_decided) in Age::around(&server, 507).await.iter().zip([false, true]) {
        let (mel, olive) = (age.user("mel"), age.user("olive"));
        mel.post("/users/me/subscriptions", join.clone()).await.success();
        let own = subscription(&mel, "fresh").await;
        assert_eq!(own["push_notifications"], if is_decided { json!(true) } else { Value::Null });
        assert_eq!(own.get("default_push_notifications"), is_decided.then_some(&json!(true)));
        olive.send_to("fresh", "news", "Hear!").await;
        assert_eq!(pushes(&server, age).await.len(), usize::from(is_decided));

        let path = format!("/streams/{}", own["stream_id"]);
        let mut events = olive.events(["stream"]).await;
        let reply = olive.patch(&path, json!({"default_push_notifications": false})).await.success();
        if is_decided {
            let update =
                json!({"type": "stream", "op": "update", "property": "default_push_notifications", "value": false});
            events.next().await.has(update);
        } else {
            assert_eq!(reply["ignored_parameters_unsupported"], json!(["default_push_notifications"]));
        }
        events.none().await;
    }
}

#[tokio::test]
async fn replies_to_senders_had_no_address_before_508() {
    let server = TestServer::start().await;
    for (age, is_addressed) in Age::around(&server, 508).await.iter().zip([false, true]) {
        let message = json!({"type": "stream", "to": "general", "topic": "x", "content": "x"});
        let reply = age.user("mel").post("/messages", message).await.success();
        assert_eq!(
            (reply.get("message_url").is_some(), reply.get("message_link").is_some()),
            (is_addressed, is_addressed)
        );
    }
}

#[tokio::test]
async fn the_same_channel_was_a_move_before_509() {
    let server = TestServer::start().await;
    let (general, id) = (server.channel("general"), server.user("mel").send_to("general", "here", "one").await);
    let path = format!("/messages/{id}");
    let [before, after] = Age::around(&server, 509).await;
    let (mel, later) = (before.user("mel"), after.user("mel"));

    let both = json!({"stream_id": general, "content": "two"});
    let message = "Cannot change message content while changing channel";
    mel.patch(&path, both.clone()).await.error("BAD_REQUEST", message);
    let mut events = later.events(["update_message"]).await;
    later.patch(&path, both).await.success();
    assert_eq!(events.next().await.0.get("new_stream_id"), None);

    let alone = json!({"stream_id": general});
    mel.patch(&path, alone.clone()).await.success();
    later.patch(&path, alone).await.error("BAD_REQUEST", "Nothing to change");

    // A topic moves within the channel: who may do no more than that may do it.
    let nobody = after.user("olive").get("/user_groups", json!({})).await.success();
    let mut groups = nobody["user_groups"].as_array().expect("a list").iter();
    let nobody = groups.find(|group| group["name"] == "role:nobody").expect("it is there")["id"].clone();
    let limit = json!({"can_move_messages_between_channels_group": {"new": nobody}});
    for (age, is_refused) in [(&before, true), (&after, false)] {
        age.user("olive").patch("/realm", limit.clone()).await.success();
        let reply = age.user("mel").patch(&path, json!({"stream_id": general, "topic": "there"})).await;
        assert_eq!(reply.status != 200, is_refused, "{reply}");
    }
}

#[tokio::test]
async fn link_previews_were_not_hidden_before_510() {
    let server = TestServer::start().await;
    let id = server.user("max").send_to("general", "here", "no link").await;
    let change = |op: &str| json!({"messages": [id], "op": op, "flag": "hide_link_previews"});
    let [before, after] = Age::around(&server, 510).await;
    before
        .user("mel")
        .post("/messages/flags", change("add"))
        .await
        .error("BAD_REQUEST", "Invalid flag: 'hide_link_previews'");
    let mel = after.user("mel");
    let mut events = mel.events(["update_message_flags"]).await;
    mel.post("/messages/flags", change("add")).await.success();
    events.next().await.has(json!({"op": "add", "flag": "hide_link_previews", "messages": [id]}));

    // A world that has such flags, seen from both levels.
    server.user("mel").post("/messages/flags", change("add")).await.success();
    for (age, is_shown) in Age::around(&server, 510).await.iter().zip([false, true]) {
        let mel = age.user("mel");
        let has_flag =
            |flags: &Value| flags.as_array().is_some_and(|flags| flags.contains(&json!("hide_link_previews")));
        let one = mel.get(&format!("/messages/{id}"), json!({})).await.success();
        assert_eq!(has_flag(&one["message"]["flags"]), is_shown);
        let range = json!({"anchor": "newest", "num_before": 1, "num_after": 0});
        let all = mel.get("/messages", range).await.success();
        assert_eq!(has_flag(&all["messages"][0]["flags"]), is_shown);
    }
}

#[tokio::test]
async fn reports_that_could_not_be_sent_succeeded_before_511() {
    let server = TestServer::start().await;
    let message = server.message("Thank you, it is");
    server.empty_topics("leadership");
    for (age, is_refused) in Age::around(&server, 511).await.iter().zip([false, true]) {
        let mut received = age.user("olive").events(["message"]).await;
        let path = format!("/messages/{message}/report");
        let reply = age.user("max").post(&path, json!({"report_type": "spam"})).await;
        if is_refused {
            reply.error("BAD_REQUEST", "The report could not be sent to the moderation request channel.");
        } else {
            reply.is(json!({}));
        }
        received.none().await;
    }
    let reply = server.user("max").post(&format!("/messages/{message}/report"), json!({"report_type": "spam"})).await;
    reply.error("BAD_REQUEST", "The report could not be sent to the moderation request channel.");
}

#[tokio::test]
async fn subscribing_and_unsubscribing_was_one_operation_before_512() {
    let server = TestServer::start().await;
    let [before, after] = Age::around(&server, 512).await;
    let both = json!({"delete": ["general"], "add": [{"name": "engineering"}]});
    let reply = before.user("mel").patch("/users/me/subscriptions", both.clone()).await.success();
    assert_eq!(reply["removed"], json!(["general"]));
    let reply = after.user("mel").patch("/users/me/subscriptions", both).await.with_status(405);
    assert!(reply.header("x-chatdouble-hint").is_some_and(|hint| hint.contains("512")), "{reply}");
    subscription(&after.user("mel"), "general").await;
}

#[tokio::test]
async fn upgrading_from_the_older_series_follows_the_newer_one() {
    let server = TestServer::start().await;
    let age = Age::at(&server, 501).await;
    let olive = age.user("olive");
    olive.post("/export/realm", json!({})).await.success();
    let is_marked = async || {
        let exports = olive.get("/export/realm", json!({})).await.success();
        exports["exports"][0].get("export_from_prior_server").is_some()
    };
    assert!(is_marked().await);
    for (level, expected) in [(503, false), (506, true)] {
        control(&server, &format!("/control/worlds/{}/upgrade", age.name), &json!({"to": level})).await;
        assert_eq!(is_marked().await, expected, "at {level}");
    }
}

#[tokio::test]
async fn only_administrators_let_channels_decide_on_pushes() {
    let server = TestServer::start().await;
    let [mel, nora, olive] = server.users(["mel", "nora", "olive"]);
    let make =
        |name: &str, is_on: bool| json!({"subscriptions": [{"name": name}], "default_push_notifications": is_on});
    let create =
        |name: &str, is_on: bool| json!({"name": name, "subscribers": [mel.id()], "default_push_notifications": is_on});
    let refusal = "Must be an organization administrator";
    mel.post("/users/me/subscriptions", make("own", true)).await.error("UNAUTHORIZED_PRINCIPAL", refusal);
    mel.post("/channels/create", create("own", true)).await.error("UNAUTHORIZED_PRINCIPAL", refusal);
    // That it is off says nothing, and a channel that is there is not touched.
    mel.post("/users/me/subscriptions", make("own", false)).await.success();
    olive.post("/users/me/subscriptions", make("own", true)).await.success();
    let id = server.channel("own");
    let path = format!("/streams/{id}");
    let shown = async || mel.get(&path, json!({})).await.success()["stream"]["default_push_notifications"].clone();
    assert_eq!(shown().await, false);
    for is_on in [true, false] {
        let change = json!({"default_push_notifications": is_on});
        mel.patch(&path, change).await.error("UNAUTHORIZED_PRINCIPAL", refusal);
    }

    let mut events = mel.events(["stream"]).await;
    for _ in 0..2 {
        olive.patch(&path, json!({"default_push_notifications": true})).await.success();
    }
    events.next().await.is(json!({
        "type": "stream", "op": "update", "property": "default_push_notifications", "value": true, "stream_id": id,
        "name": "own",
    }));
    events.none().await;
    assert_eq!(shown().await, true);
    assert!(
        server.server().world("default").snapshot().channels[&ChannelId(id)]
            .boolean_settings
            .default_push_notifications
    );

    // Who was there before keeps what they have, and so does who comes back.
    assert_eq!(subscription(&mel, "own").await["push_notifications"], Value::Null);
    let join = json!({"subscriptions": [{"name": "own"}]});
    nora.post("/users/me/subscriptions", join.clone()).await.success();
    assert_eq!(subscription(&nora, "own").await["push_notifications"], true);
    let off = json!({"property": "push_notifications", "value": "false"});
    nora.patch(&format!("/users/me/subscriptions/{id}"), off).await.success();
    for user in [&nora, &mel] {
        user.delete("/users/me/subscriptions", json!({"subscriptions": ["own"]})).await.success();
        user.post("/users/me/subscriptions", join.clone()).await.success();
    }
    assert_eq!(subscription(&nora, "own").await["push_notifications"], false);
    assert_eq!(subscription(&mel, "own").await["push_notifications"], Value::Null);
    let created = olive.post("/channels/create", create("made", true)).await.success();
    assert_eq!(subscription(&mel, "made").await["push_notifications"], true, "{created}");
}
