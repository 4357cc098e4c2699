//! Snapshots and resets: what comes back, what stays, and what ends.

use super::worlds::until_parked;
use super::{Control, START_SECONDS};
use crate::support::TestServer;
use serde_json::json;
use std::time::Duration;

#[tokio::test]
async fn snapshots_are_kept_replaced_and_forgotten() {
    let server = TestServer::start().await;
    let control = Control::of(&server);
    let listed = || async { control.get("/worlds/default/snapshots").await.success()["snapshots"].clone() };
    assert_eq!(listed().await, json!([]));

    control.post("/worlds/default/snapshots", json!({"name": "b"})).await.is(json!({}));
    control.post("/worlds/default/snapshots", json!({"name": "a"})).await.is(json!({}));
    let now = START_SECONDS as f64;
    assert_eq!(listed().await, json!([{"name": "a", "at": now}, {"name": "b", "at": now}]));
    server.advance(10).await;
    control.post("/worlds/default/snapshots", json!({"name": "a"})).await.is(json!({}));
    assert_eq!(listed().await, json!([{"name": "a", "at": now + 10.0}, {"name": "b", "at": now}]));
    control.delete("/worlds/default/snapshots/a").await.is(json!({}));

    assert_eq!(listed().await, json!([{"name": "b", "at": now}]));
    let missing = "There is no snapshot 'a'; the nearest is 'b'";
    control.delete("/worlds/default/snapshots/a").await.with_status(404).error("BAD_REQUEST", missing);
    control
        .send("POST", "/worlds/default/snapshots/a/restore", vec![])
        .await
        .with_status(404)
        .error("BAD_REQUEST", missing);
    for body in
        [json!({}), json!({"name": ""}), json!({"name": 1}), json!({"name": "a/b"}), json!({"name": "a", "x": 1})]
    {
        control.post("/worlds/default/snapshots", body).await.refused("$");
    }
}

#[tokio::test]
async fn restoring_brings_back_realm_clock_and_chance() {
    let server = TestServer::start().await;
    let control = Control::of(&server);
    let mel = server.user("mel");
    mel.send_to("general", "t", "before").await;
    control.post("/worlds/default/snapshots", json!({"name": "s"})).await.success();
    let after = mel.send_to("general", "t", "after").await;
    let queue = mel.events(["message"]).await.id;
    server.advance(86_400).await;
    let counted = control.get("/worlds").await.success()["worlds"][0]["messages"].clone();

    control.send("POST", "/worlds/default/snapshots/s/restore", vec![]).await.is(json!({}));

    assert_ne!(control.get("/worlds").await.success()["worlds"][0]["messages"], counted);
    assert_eq!(control.get("/worlds/default/clock").await.success()["now"], START_SECONDS as f64);
    assert_eq!(mel.send_to("general", "t", "again").await, after, "counters stand where they stood");
    assert_eq!(mel.events(["message"]).await.id, queue, "the random generator has its former state");
}

#[tokio::test]
async fn restoring_undoes_the_jumps_of_a_running_clock_and_no_real_time() {
    let server = TestServer::start().await;
    let control = Control::of(&server);
    control.post("/worlds/default/clock", json!({"running": true})).await.success();
    control.post("/worlds/default/snapshots", json!({"name": "s"})).await.success();
    let taken_at = control.get("/worlds/default/snapshots").await.success()["snapshots"][0]["at"].as_f64();
    let taken_at = taken_at.expect("a time");
    tokio::time::sleep(Duration::from_millis(50)).await;
    control.post("/worlds/default/clock", json!({"advance_seconds": "1h"})).await.success();

    control.send("POST", "/worlds/default/snapshots/s/restore", vec![]).await.is(json!({}));

    let now = control.get("/worlds/default/clock").await.success()["now"].as_f64().expect("a time");
    assert!((taken_at + 0.05..taken_at + 1_800.0).contains(&now), "{taken_at} {now}");
}

#[tokio::test]
async fn resetting_keeps_snapshots_alone_and_restoring_faults_and_journal_too() {
    for is_reset in [true, false] {
        let server = TestServer::start().await;
        let control = Control::of(&server);
        control.post("/worlds/default/snapshots", json!({"name": "s"})).await.success();
        control.fault(json!({"times": 1, "match": {"path": "/users"}, "effect": {"garbage": true}})).await;
        let mel = server.user("mel");
        let sent = mel.send_to("general", "t", "to be undone").await;
        let mut queue = mel.events(["message"]).await;
        let parked = tokio::spawn(async move { queue.wait().await });
        until_parked(&server, "default").await;
        control.post("/worlds/default/clock", json!({"advance_seconds": 30})).await.success();

        let path = if is_reset { "/worlds/default/reset" } else { "/worlds/default/snapshots/s/restore" };
        control.send("POST", path, vec![]).await.is(json!({}));

        let polled = parked.await.expect("answered");
        assert_eq!(polled.with_status(400).body["code"], "BAD_EVENT_QUEUE_ID");
        mel.get(&format!("/messages/{sent}"), json!({})).await.error("BAD_REQUEST", "Invalid message(s)");
        assert_eq!(control.get("/worlds/default/clock").await.success()["now"], START_SECONDS as f64);
        assert_eq!(control.get("/worlds/default/queues").await.success()["queues"], json!([]));
        let faults = control.get("/worlds/default/faults").await.success();
        assert_eq!(faults["faults"].as_array().map(Vec::len), Some(usize::from(!is_reset)));
        assert_eq!(control.get("/worlds/default/snapshots").await.success()["snapshots"][0]["name"], "s");
        let entries = control.get("/worlds/default/journal?path=/messages").await.success();
        let kept = entries["entries"].as_array().map(Vec::len);
        assert_eq!(kept, Some(usize::from(!is_reset)));
    }
}

#[tokio::test]
async fn a_reset_keeps_what_it_is_asked_to_keep() {
    let server = TestServer::start().await;
    let control = Control::of(&server);
    let left = async || {
        let faults = control.get("/worlds/default/faults").await.success()["faults"].as_array().map(Vec::len);
        let entries = control.get("/worlds/default/journal").await.success()["entries"].as_array().map(Vec::len);
        (faults, entries)
    };
    for (keep, expected) in [
        (json!(["faults", "journal"]), (Some(1), Some(1))),
        (json!(["journal"]), (Some(0), Some(2))),
        (json!([]), (Some(0), Some(0))),
    ] {
        if left().await.0 == Some(0) {
            control.fault(json!({"match": {"path": "/users"}, "effect": {"garbage": true}})).await;
        }
        server.user("mel").get("/users/me", json!({})).await.success();
        control.post("/worlds/default/reset", json!({"keep": keep})).await.is(json!({}));
        assert_eq!(left().await, expected, "{keep}");
    }
    control.post("/worlds/default/reset", json!({"keep": ["snapshots"]})).await.refused("$.keep[0]");
    control.post("/worlds/default/reset", json!({"keep": "faults"})).await.refused("$.keep");
}

#[tokio::test]
async fn going_back_takes_no_time_however_much_was_done() {
    let server = TestServer::start().await;
    let control = Control::of(&server);
    for number in 0..20 {
        server.user("mel").send_to("general", "t", &format!("{number}")).await;
        control.send("POST", "/worlds/default/reset", vec![]).await.is(json!({}));
    }

    let first = server.user("mel").send_to("general", "t", "first").await;
    assert_eq!(first, server.message("first"));
}
