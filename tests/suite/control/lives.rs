//! Worlds that are labelled, replaced, ended by their names, and ended when nobody uses them.

use super::{Control, user_in};
use crate::support::{TestServer, User};
use serde_json::{Value, json};
use std::sync::Arc;
use std::time::Duration;

/// The names of the worlds that there are.
async fn names(control: &Control) -> Vec<String> {
    let worlds = control.get("/worlds").await.success()["worlds"].clone();
    let name = |world: &Value| world["name"].as_str().expect("a name").to_owned();
    worlds.as_array().into_iter().flatten().map(name).collect()
}

/// Waits until these are the worlds that there are.
async fn until(control: &Control, expected: &[&str]) {
    for _ in 0..400 {
        if names(control).await == expected {
            return;
        }
        tokio::time::sleep(Duration::from_millis(25)).await;
    }
    assert_eq!(names(control).await, expected);
}

#[tokio::test]
async fn a_row_says_where_a_world_comes_from_and_when_it_was_used() {
    let server = TestServer::start().await;
    let control = Control::of(&server);
    let wanted = json!({"name": "blue", "label": "tests/x.py::y[1]", "idle_ttl_seconds": "1h30m"});
    let world = control.post("/worlds", wanted).await.success();
    let row = async |name: &str| control.get(&format!("/worlds/{name}")).await.success()["world"].clone();

    let fresh = row("blue").await;
    assert_eq!((&fresh["label"], &fresh["idle_ttl_seconds"]), (&json!("tests/x.py::y[1]"), &json!(5_400.0)));
    assert_eq!((&fresh["last_request_at"], &fresh["url"]), (&Value::Null, &world["url"]));
    assert_eq!(row("blue").await, fresh, "reading the row is no use");

    let mel = user_in(&server, &world, "mel");
    let _ = mel.events(["message"]).await;
    let used = row("blue").await;
    assert!(used["last_request_at"].as_f64() >= used["created_at"].as_f64(), "{used}");
    assert_eq!(used["queues"], 1);
    for look in [
        "clock",
        "faults",
        "journal",
        "queues",
        "snapshots",
        "pushes",
        "webhooks",
        "state",
        "users",
        "channels",
        "messages",
    ] {
        control.get(&format!("/worlds/blue/{look}")).await.success();
    }
    assert_eq!(row("blue").await["last_request_at"], used["last_request_at"], "looking is no use");
    control.post("/worlds/blue/reset", json!({})).await.success();
    assert!(row("blue").await["last_request_at"].as_f64() > used["last_request_at"].as_f64());

    control.post("/worlds", json!({"name": "fork", "fork_of": "blue"})).await.success();
    let fork = row("fork").await;
    assert_eq!((&fork["label"], &fork["idle_ttl_seconds"]), (&Value::Null, &Value::Null));
    let _ = control.get("/worlds/nowhere").await.with_status(404);
    for bad in [json!(0), json!(0.5), json!("0s"), json!("soon"), json!(-1)] {
        control.post("/worlds", json!({"idle_ttl_seconds": bad})).await.refused("$.idle_ttl_seconds");
    }
}

#[tokio::test]
async fn worlds_are_listed_and_ended_by_the_beginning_of_their_names() {
    let server = TestServer::start().await;
    let control = Control::of(&server);
    for name in ["ci-1-a", "ci-1-b", "ci-2-a", "defa"] {
        control.post("/worlds", json!({"name": name})).await.success();
    }

    let listed = control.get("/worlds?prefix=ci-1-").await.success();
    assert_eq!(listed["worlds"].as_array().map(Vec::len), Some(2));
    for path in ["/worlds", "/worlds?prefix="] {
        control.delete(path).await.refused("prefix");
    }
    control.delete("/worlds?prefix=ci-1-").await.is(json!({"deleted": ["ci-1-a", "ci-1-b"]}));
    control.delete("/worlds?prefix=def").await.is(json!({"deleted": ["defa"]}));
    control.delete("/worlds?prefix=ci-1-").await.is(json!({"deleted": []}));
    assert_eq!(names(&control).await, ["ci-2-a", "default"]);
}

#[tokio::test]
async fn a_world_is_replaced_also_by_a_fork_of_itself() {
    let server = TestServer::start().await;
    let control = Control::of(&server);
    let world = control.post("/worlds", json!({"name": "blue", "replace": true})).await.success();
    let mel = user_in(&server, &world, "mel");
    let sent = mel.send_to("general", "t", "carried over").await;
    let mut queue = mel.events(["message"]).await;
    let parked = tokio::spawn(async move { queue.wait().await });
    super::worlds::until_parked(&server, "blue").await;

    control
        .post("/worlds", json!({"name": "blue"}))
        .await
        .with_status(409)
        .error("BAD_REQUEST", "There is a world called 'blue' already");
    control.post("/worlds", json!({"name": "blue", "replace": true, "clock": "then"})).await.refused("$.clock");
    mel.get(&format!("/messages/{sent}"), json!({})).await.success();
    control.post("/worlds", json!({"name": "blue", "replace": true, "fork_of": "blue"})).await.success();
    assert_eq!(parked.await.expect("answered").with_status(400).body["code"], "BAD_EVENT_QUEUE_ID");
    mel.get(&format!("/messages/{sent}"), json!({})).await.success();
    control.post("/worlds", json!({"name": "blue", "replace": true})).await.success();
    mel.get(&format!("/messages/{sent}"), json!({})).await.error("BAD_REQUEST", "Invalid message(s)");
    let _ = control.post("/worlds", json!({"name": "default", "replace": true})).await.with_status(409);
}

#[tokio::test]
async fn a_world_with_a_port_of_its_own_is_replaced_with_its_port() {
    let server = TestServer::start().await;
    let control = Control::of(&server);
    let wanted = json!({"name": "blue", "replace": true, "listen": true});
    let first = control.post("/worlds", wanted.clone()).await.success();
    assert_eq!(control.get("/worlds/blue").await.success()["world"]["url"], first["url"]);

    let second = control.post("/worlds", wanted).await.success();

    assert_ne!(first["url"], second["url"]);
    let url = second["url"].as_str().expect("a URL").to_owned();
    User::new(url, None).get("/server_settings", json!({})).await.success();
}

#[tokio::test]
async fn many_worlds_that_nobody_uses_go_away_and_one_that_is_polled_stays() {
    let server = TestServer::start().await;
    let control = Control::of(&server);
    let polled = control.post("/worlds", json!({"name": "polled", "idle_ttl_seconds": 1})).await.success();
    let mut queue = user_in(&server, &polled, "mel").events(["typing"]).await;
    let parked = tokio::spawn(async move { queue.wait().await });
    super::worlds::until_parked(&server, "polled").await;
    let mut kept = Vec::new();
    for number in 0..2_000 {
        let name = format!("idle-{number}");
        control.post("/worlds", json!({"name": name, "fork_of": "default", "idle_ttl_seconds": 1})).await.success();
        if let Some(world) = server.server().worlds().get(&name) {
            kept.push(Arc::downgrade(&world));
        }
    }

    until(&control, &["default", "polled"]).await;

    assert!(kept.iter().all(|world| world.upgrade().is_none()), "nothing holds what they had");
    parked.abort();
    until(&control, &["default"]).await;
}

#[tokio::test]
async fn a_world_that_is_only_looked_at_goes_away() {
    let server = TestServer::start().await;
    let control = Control::of(&server);
    control.post("/worlds", json!({"name": "seen", "idle_ttl_seconds": 1})).await.success();
    let watcher = super::watch::Watcher::connect(&server, "seen", &[]).await.expect("it is watched");

    let began = std::time::Instant::now();
    while control.get("/worlds/seen/queues").await.status == 200 {
        assert!(began.elapsed() < Duration::from_secs(8), "it is still there");
        tokio::time::sleep(Duration::from_millis(50)).await;
    }

    assert!(began.elapsed() >= Duration::from_millis(900), "{:?}", began.elapsed());
    drop(watcher);
}

#[tokio::test]
async fn worlds_have_the_time_of_the_server_unless_they_have_their_own() {
    let server =
        TestServer::start_with(|options| options.world_ttl = Some(chatdouble::time::Span::from_seconds(1))).await;
    let control = Control::of(&server);
    control.post("/worlds", json!({"name": "own", "idle_ttl_seconds": "1h"})).await.success();
    control.post("/worlds", json!({"name": "servers", "fork_of": "own"})).await.success();

    assert_eq!(control.get("/worlds/servers").await.success()["world"]["idle_ttl_seconds"], 1.0);
    until(&control, &["default", "own"]).await;
}
