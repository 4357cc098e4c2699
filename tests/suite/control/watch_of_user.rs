//! Watching the events that one user's client receives.

use super::watch::Watcher;
use super::{Control, user_in};
use crate::support::{TestServer, User};
use serde_json::{Value, json};

/// Changes of many kinds, by requests that each level takes.
async fn change_something(mel: &User, max: &User) {
    let message = json!({"type": "stream", "to": "general", "topic": "t", "content": "**Hi**, @**Mel Marsh**! :wave:"});
    let id = max.post("/messages", message).await.success()["id"].clone();
    let direct = json!({"type": "private", "to": [max.id()], "content": "[file](/user_uploads/1/a/b.txt)"});
    mel.post("/messages", direct).await.success();
    max.patch(&format!("/messages/{id}"), json!({"content": "*Hello*", "topic": "welcome"})).await.success();
    mel.post(&format!("/messages/{id}/reactions"), json!({"emoji_name": "wave"})).await.success();
    mel.patch("/settings", json!({"twenty_four_hour_time": true})).await.success();
    max.post("/users/me/subscriptions", json!({"subscriptions": [{"name": "new one"}]})).await.success();
    let _ = max.delete(&format!("/messages/{id}"), json!({})).await;
}

/// The events until a number of them came.
async fn watched_events(watcher: &mut Watcher, count: usize) -> Vec<Value> {
    let mut events = Vec::new();
    while events.len() < count {
        let frame = watcher.frame().await;
        if frame["type"] == "event" {
            events.push(frame["event"].clone());
        }
    }
    events
}

#[tokio::test]
async fn a_watcher_of_a_user_gets_what_a_queue_of_the_user_gets() {
    let server = TestServer::start().await;
    let control = Control::of(&server);
    let capabilities = json!({"bulk_message_deletion": true, "notification_settings_null": true});
    let parameters = [
        json!({}),
        json!({"client_capabilities": capabilities, "apply_markdown": false, "client_gravatar": false}),
        json!({"event_types": ["message", "reaction"], "narrow": [["stream", "general"]]}),
    ];
    for (level, dialect) in [(512, "neutral"), (512, "zulip"), (387, "neutral"), (130, "zulip")] {
        for register in &parameters {
            let options = json!({"fork_of": "default", "feature_level": level, "dialect": dialect});
            let world = control.post("/worlds", options).await.success();
            let [mel, max] = ["mel", "max"].map(|handle| user_in(&server, &world, handle));
            let mut wanted = json!({"apply_markdown": true, "client_capabilities": {}});
            for (name, value) in register.as_object().expect("an object") {
                wanted[name] = value.clone();
            }
            let mut registered = wanted.clone();
            registered["client_capabilities"]["notification_settings_null"] = json!(false);
            if let Some(given) = register.get("client_capabilities") {
                registered["client_capabilities"] = given.clone();
            }
            let mut queue = mel.register(registered).await;
            let name = world["name"].as_str().expect("a name");
            let mut watcher = Watcher::of_user(&server, name, "mel", register).await;

            change_something(&mel, &max).await;

            let mut polled = queue.all().await;
            for event in &mut polled {
                event.as_object_mut().expect("an object").shift_remove("id");
            }
            assert!(polled.len() >= 2, "{polled:#?}");
            let watched = watched_events(&mut watcher, polled.len()).await;
            assert_eq!(json!(watched), json!(polled), "at level {level} in {dialect} with {register}");
        }
    }
}

/// Changes whose events are made only for users who read them.
async fn change_for_readers(world: &impl Fn(&str) -> User, general: i64) {
    let [olive, gus] = [world("olive"), world("gus")];
    let topic = json!({"stream_id": general, "topic": "t", "op": "add"});
    gus.patch("/users/me/subscriptions/muted_topics", topic).await.success();
    gus.patch("/settings", json!({"twenty_four_hour_time": true})).await.success();
    let channel = json!({"subscriptions": [{"name": "for guests"}], "principals": [gus.id()]});
    olive.post("/users/me/subscriptions", channel).await.success();
    let made = json!({"email": "new@chat.test", "password": "not an ordinary one 1", "full_name": "Newcomer"});
    olive.post("/users", made).await.success();
}

#[tokio::test]
async fn events_for_those_who_read_them_are_made_for_watchers_too() {
    let server = TestServer::start().await;
    let control = Control::of(&server);
    let general = server.channel("general");
    for (level, expected) in [
        (100, &["muted_topics", "update_display_settings", "stream"][..]),
        (300, &["update_display_settings", "stream"]),
    ] {
        let fork = json!({"fork_of": "default", "feature_level": level});
        let [watched, polled] =
            [control.post("/worlds", fork.clone()).await.success(), control.post("/worlds", fork).await.success()];
        let capabilities = json!({"notification_settings_null": false});
        let registered = json!({"client_capabilities": capabilities, "apply_markdown": true});
        let mut queue = user_in(&server, &polled, "gus").register(registered).await;
        let name = watched["name"].as_str().expect("a name");
        let mut watcher = Watcher::of_user(&server, name, "gus", &json!({})).await;

        change_for_readers(&|handle| user_in(&server, &polled, handle), general).await;
        change_for_readers(&|handle| user_in(&server, &watched, handle), general).await;

        let types = |events: &[Value]| -> Vec<String> {
            let kind = |event: &Value| format!("{} {}", event["type"].as_str().unwrap_or_default(), event["op"]);
            events.iter().map(kind).collect()
        };
        let polled = types(&queue.all().await);
        assert!(expected.iter().all(|kind| polled.iter().any(|found| found.starts_with(kind))), "{polled:?}");
        assert_eq!(types(&watched_events(&mut watcher, polled.len()).await), polled, "at level {level}");
    }
}

#[tokio::test]
async fn watching_a_user_changes_nothing() {
    let server = TestServer::start().await;
    let control = Control::of(&server);
    let before = control.get("/worlds/default/state").await.success();

    let mut watcher = Watcher::of_user(&server, "default", "mel", &json!({})).await;
    let after = control.get("/worlds/default/state").await.success();
    server.user("max").send_direct(&[server.user("mel").id()], "*look*").await;
    let [message] = &watched_events(&mut watcher, 1).await[..] else { panic!("a message") };

    assert_eq!(after, before);
    assert_eq!(message["message"]["content"], "<p><em>look</em></p>");
    assert_eq!(control.get("/worlds/default/queues").await.success()["queues"], json!([]));
    let entries = control.get("/worlds/default/journal").await.success()["entries"].clone();
    let paths: Vec<&Value> = entries.as_array().expect("a list").iter().map(|entry| &entry["path"]).collect();
    assert_eq!(json!(paths), json!(["/messages"]));
}

#[tokio::test]
async fn a_watcher_of_a_user_gets_nothing_that_is_not_for_the_user() {
    let server = TestServer::start().await;
    let [mel, max, nora] = server.users(["mel", "max", "nora"]);
    let mut watcher = Watcher::of_user(&server, "default", "mel", &json!({"event_types": ["message"]})).await;

    nora.send_direct(&[max.id()], "not for Mel").await;
    max.send_direct(&[mel.id()], "for Mel").await;

    let events = watched_events(&mut watcher, 1).await;
    assert_eq!(events[0]["message"]["content"], "<p>for Mel</p>");
}

#[tokio::test]
async fn a_watcher_of_an_upgraded_world_gets_events_of_the_new_level() {
    let server = TestServer::start().await;
    let control = Control::of(&server);
    let world = control.post("/worlds", json!({"fork_of": "default", "feature_level": 130})).await.success();
    let name = world["name"].as_str().expect("a name");
    let mut watcher = Watcher::of_user(&server, name, "mel", &json!({"event_types": ["message"]})).await;
    control.post(&format!("/worlds/{name}/upgrade"), json!({"to": 512})).await.success();
    let [mel, max] = ["mel", "max"].map(|handle| user_in(&server, &world, handle));
    let mut queue = mel.register(json!({"event_types": ["message"], "apply_markdown": true})).await;

    max.send_direct(&[mel.id()], "Hello").await;

    let mut polled = queue.next().await.0;
    polled.as_object_mut().expect("an object").shift_remove("id");
    assert_eq!(json!(watched_events(&mut watcher, 1).await), json!([polled]));
}

#[tokio::test]
async fn watching_refuses_users_and_parameters_that_there_are_not() {
    let server = TestServer::start().await;
    for wrong in [
        "user=mell",
        "register={}",
        "user=mel&register=[]",
        "user=mel&register={\"event_typse\":[]}",
        "user=mel&register={\"event_types\":\"message\"}",
        "user=mel&register={\"narrow\":[[\"colour\",\"red\"]]}",
        "user=gus&register={\"all_public_streams\":true}",
    ] {
        let wrong = format!("default/watch?{}", wrong.replace('"', "%22").replace('{', "%7B").replace('}', "%7D"));
        let refused = Watcher::connect_to(&server, &wrong, &[]).await;
        assert_eq!(refused.map(|_| ()).expect_err("refused"), 400, "{wrong}");
    }
}
