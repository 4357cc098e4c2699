//! What a level means for a world as a whole.

use super::{Age, control};
use crate::support::TestServer;
use serde_json::{Value, json};

#[tokio::test]
async fn an_operation_newer_than_the_world_is_an_unknown_path_or_method() {
    let server = TestServer::start().await;
    let [before, after] = Age::around(&server, 262).await;
    let (mel, path) = (before.user("mel"), "/users/2/status");

    let reply = mel.get(path, json!({})).await.with_status(404);
    let hint = "GET /users/{user_id}/status was added at feature level 262; this world is at 261.";
    assert_eq!(reply.header("x-chatdouble-hint"), Some(hint));
    assert_eq!((&reply.body["msg"], reply.body.get("code")), (&json!("Unknown path"), None));
    after.user("mel").get(path, json!({})).await.success();

    // GET /channel_folders came with 389, PATCH with 414.
    let mel = Age::at(&server, 413).await.user("mel");
    let reply = mel.patch("/channel_folders", json!({"order": []})).await.with_status(405);
    assert_eq!((&reply.body["msg"], reply.body.get("code")), (&json!("Method Not Allowed"), None));
    assert_eq!(reply.body["allowed_methods"], json!(["GET", "HEAD"]));
    let mel = Age::at(&server, 388).await.user("mel");
    let _ = mel.patch("/channel_folders", json!({"order": []})).await.with_status(404);
}

#[tokio::test]
async fn a_younger_operation_does_not_hide_an_older_one_of_a_like_path() {
    let server = TestServer::start().await;
    // GET /users/{user_id} is of level 1, GET /users/{email} of 39: neither hides GET /users/me.
    let mel = Age::at(&server, 0).await.user("mel");

    // Users could be changed and deactivated by ID from the beginning.
    let _ = mel.get("/users/1", json!({})).await.with_status(405);
    mel.get("/users/me", json!({})).await.success();
    let reply = mel.get("/users/mel%40chat.test", json!({})).await.with_status(404);
    assert_eq!((&reply.body["msg"], reply.body.get("code")), (&json!("Unknown path"), None));
}

#[tokio::test]
async fn resumable_uploads_came_with_295() {
    let server = TestServer::start().await;
    let [before, after] = Age::around(&server, 295).await;

    let _ = before.user("mel").post("/tus", json!({})).await.with_status(404);
    assert_ne!(after.user("mel").post("/tus", json!({})).await.status, 404);
}

#[tokio::test]
async fn younger_parameters_are_ignored_and_reported_from_167_on() {
    let server = TestServer::start().await;
    let params = json!({"user_ids": [1], "client_gravatar": false, "nonsense": 1});
    for (level, reported) in [
        (384, Some(json!(["nonsense"]))),
        (383, Some(json!(["nonsense", "user_ids"]))),
        (167, Some(json!(["nonsense", "user_ids"]))),
        (166, None),
    ] {
        let reply = Age::at(&server, level).await.user("mel").get("/users", params.clone()).await.success();
        assert_eq!(reply.get("ignored_parameters_unsupported"), reported.as_ref(), "at {level}");
        assert_eq!(reply["members"].as_array().map(Vec::len) == Some(1), level == 384, "at {level}");
    }
}

#[tokio::test]
async fn level_0_says_nothing_of_levels() {
    let server = TestServer::start().await;
    let age = Age::at(&server, 0).await;

    let settings = age.anonymous().get("/server_settings", json!({})).await.success();
    assert!(settings.get("service_feature_level").is_none() && settings.get("service_version").is_some());
    let state = age.user("mel").register(json!({})).await.state;
    assert!(state.get("service_feature_level").is_none() && state.get("queue_id").is_some());

    let settings = Age::at(&server, 1).await.anonymous().get("/server_settings", json!({})).await.success();
    assert_eq!(settings["service_feature_level"], 1);
}

#[tokio::test]
async fn a_server_without_a_root_world_keeps_to_its_level() {
    let at = |level: i64| async move {
        let server = TestServer::start_with(|options| {
            options.has_default_world = false;
            options.feature_level = level;
        });
        server.await.anonymous().get("/server_settings", json!({})).await.success()
    };

    assert!(at(0).await.get("service_feature_level").is_none());
    assert_eq!((at(87).await.get("service_merge_base"), &at(87).await["service_feature_level"]), (None, &json!(87)));
    let future = at(9999).await;
    assert_eq!(future["service_feature_level"], 9999);
    assert!(future.get("field_of_a_later_level").is_some() && future.get("realm_name").is_none());
}

#[tokio::test]
async fn above_the_newest_everything_is_there_and_something_unknown() {
    let server = TestServer::start().await;
    let age = Age::at(&server, 9999).await;
    let (mel, max) = (age.user("mel"), age.user("max"));
    let unknown = "field_of_a_later_level";

    let settings = age.anonymous().get("/server_settings", json!({})).await.success();
    assert_eq!(settings["service_feature_level"], 9999);
    assert!(settings.get(unknown).is_some());
    let user = mel.get("/users/1", json!({})).await.success();
    assert!(user.get(unknown).is_some() && user["user"].get(unknown).is_some() && user["user"]["role"] == 100);

    let mut events = mel.register(json!({})).await;
    assert_eq!(events.state["service_feature_level"], 9999);
    assert!(events.state["realm_users"][0].get(unknown).is_some());
    max.send_to("general", "t", "x").await;
    let all = events.all().await;
    let kinds: Vec<&str> = all.iter().filter_map(|event| event["type"].as_str()).collect();
    let strange = "event_of_a_later_level";
    assert_eq!(kinds, [strange, "message", strange]);
    assert_eq!(all.iter().map(|event| event["id"].as_i64()).collect::<Vec<_>>(), [Some(0), Some(1), Some(2)]);
    events.none().await;

    let mut named = mel.events(["message"]).await;
    max.send_to("general", "t", "y").await;
    named.next().await.has(json!({"type": "message"}));
    named.none().await;
    mel.put("/no_such_path", json!({})).await.error("BAD_REQUEST", "Unknown path");
}

#[tokio::test]
async fn an_upgrade_keeps_the_data_and_ends_the_queues() {
    let server = TestServer::start().await;
    let age = Age::at(&server, 250).await;
    let mel = age.user("mel");
    let mut queue = mel.register(json!({})).await;
    mel.send_to("general", "t", "from before").await;
    assert!(mel.get("/users/1", json!({})).await.success()["user"].get("is_imported_stub").is_none());
    let upgrade = format!("/control/worlds/{}/upgrade", age.name);

    assert_eq!(control(&server, &upgrade, &json!({"to": 249})).await["code"], "BAD_REQUEST");
    assert_eq!(control(&server, &upgrade, &json!({"to": 440})).await["feature_level"], 440);

    assert_eq!(queue.wait().await.body["code"], "BAD_EVENT_QUEUE_ID");
    let queue = mel.register(json!({})).await;
    assert_eq!(queue.state["service_feature_level"], 440);
    assert!(mel.get("/users/1", json!({})).await.success()["user"].get("is_imported_stub").is_some());
    let newest = json!({"anchor": "newest", "num_before": 1, "num_after": 0, "apply_markdown": false});
    assert_eq!(mel.get("/messages", newest).await.success()["messages"][0]["content"], "from before");
    for body in [json!({}), json!({"to": "x"}), json!({"to": 441, "more": 1})] {
        assert_eq!(control(&server, &upgrade, &body).await["code"], "BAD_REQUEST", "{body}");
    }
}

#[tokio::test]
async fn an_upgrade_answers_parked_polls() {
    let server = TestServer::start_with(|options| options.feature_level = 300).await;
    let mut queue = server.user("mel").events(["message"]).await;
    let poll = tokio::spawn(async move { queue.wait().await.body });
    server.until_parked(1).await;

    control(&server, "/control/worlds/default/upgrade", &json!({"to": 301})).await;

    assert_eq!(poll.await.expect("answered")["code"], "BAD_EVENT_QUEUE_ID");
}

#[tokio::test]
async fn a_fork_may_be_of_another_age() {
    let server = TestServer::start().await;
    let (mel, message) = (server.user("mel"), server.user("mel").send_to("general", "t", "now").await);
    let old = Age::at(&server, 8).await.user("mel");
    let path = format!("/messages/{message}/history");

    let text = |reply: Value| reply["message_history"][0]["content"].clone();
    assert_eq!(text(mel.get(&path, json!({})).await.success()), text(old.get(&path, json!({})).await.success()));
    for level in [json!(-1), json!("x"), json!(1.5)] {
        let reply = control(&server, "/control/worlds", &json!({"fork_of": "default", "feature_level": level})).await;
        assert_eq!(reply["code"], "BAD_REQUEST", "{level}");
    }
}
