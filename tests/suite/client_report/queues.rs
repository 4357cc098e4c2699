//! Registering event queues and leaving them.

use super::{Client, assert_only, clients};
use crate::control::Control;
use crate::support::TestServer;
use serde_json::json;
use std::collections::BTreeSet;
use std::time::Duration;

#[tokio::test]
async fn a_dead_queue_is_not_polled_again() {
    let (_server, bad, good) = clients().await;
    let (first, second) = (bad.register().await, good.register().await);
    for (client, queue) in [(&bad, &first), (&good, &second)] {
        client.lose(queue).await;
        assert_eq!(client.wait(queue, -1).await.0, 400);
    }
    bad.poll(&first, -1).await;
    let next = good.register().await;
    good.poll(&next, -1).await;

    assert_only("dead-queue-polled", &bad.broken().await, &good.broken().await);
    let finding = &bad.findings().await[0];
    assert_eq!((&finding["severity"], &finding["count"]), (&json!("error"), &json!(1)));
    assert_eq!(finding["first"], finding["last"]);
}

#[tokio::test]
async fn a_lost_queue_is_replaced() {
    let (server, bad, good) = clients().await;
    for client in [&bad, &good] {
        let queue = client.register().await;
        client.lose(&queue).await;
        client.wait(&queue, -1).await;
    }
    server.advance(59).await;
    good.say("still here").await;
    good.register().await;
    server.advance(59).await;

    bad.say("still here").await;
    good.say("still here").await;

    assert_only("queue-not-replaced", &bad.broken().await, &good.broken().await);
}

#[tokio::test]
async fn a_client_that_finds_out_who_it_is_before_it_registers_replaces_its_queue() {
    let (server, client, _) = clients().await;
    let queue = client.register().await;
    client.lose(&queue).await;
    client.wait(&queue, -1).await;
    server.advance(3600).await;
    client.get("/server_settings", json!({})).await;
    client.register().await;
    client.say("back").await;

    assert_eq!(client.broken().await, BTreeSet::new());
}

#[tokio::test]
async fn a_living_queue_is_not_replaced() {
    let server = TestServer::start().await;
    let control = Control::of(&server);
    // On one connection each.
    let [mel, max] = server.users(["mel", "max"]);
    let mut first = mel.events(["message"]).await;
    first.none().await;
    let _second = mel.events(["message"]).await;

    let mut first = max.events(["message"]).await;
    first.none().await;
    max.delete("/events", json!({"queue_id": first.id})).await.success();
    let mut second = max.events(["message"]).await;
    second.none().await;
    control.delete(&format!("/worlds/default/queues/{}", second.id)).await.success();
    let _ = second.wait().await;
    let _third = max.events(["message"]).await;

    let report = control.get("/worlds/default/report").await.success();
    let rules = |user: &str| {
        let clients = report["clients"].as_array().expect("a list");
        let own = clients.iter().find(|client| client["user"] == user).expect("it is there");
        own["findings"].as_array().expect("a list").iter().map(|finding| finding["rule"].clone()).collect::<Vec<_>>()
    };
    assert_eq!(rules("mel@chat.test"), [json!("registered-again")]);
    assert_eq!(rules("max@chat.test"), Vec::<serde_json::Value>::new());
}

#[tokio::test]
async fn two_queues_of_one_client_that_polls_both_are_no_repetition() {
    let (server, client, _) = clients().await;
    let first = client.register().await;
    let path = |queue: &str| format!("/events?queue_id={queue}&last_event_id=-1");
    let _first = client.begin("GET", &path(&first), "text/plain", "").await;
    server.until_parked(1).await;
    let second = client.register_for(json!(["presence"])).await;
    let _second = client.begin("GET", &path(&second), "text/plain", "").await;
    server.until_parked(2).await;
    client.register_for(json!(["typing"])).await;

    assert_eq!(client.broken().await, BTreeSet::new());
}

#[tokio::test]
async fn a_queue_that_ended_without_its_clients_knowledge_is_no_living_one() {
    let server = TestServer::start().await;
    let control = Control::of(&server);
    let mel = server.user("mel");
    mel.events(["message"]).await.none().await;
    control.post("/worlds/default/reset", json!({"keep": ["report"]})).await.success();
    mel.events(["message"]).await.none().await;

    let report = control.get("/worlds/default/report").await.success();
    assert_eq!((&report["clients"][0]["requests"], &report["clients"][0]["findings"]), (&json!(4), &json!([])));
}

#[tokio::test]
async fn queues_with_different_options_are_for_different_things() {
    let server = TestServer::start().await;
    let mel = server.user("mel");
    mel.events(["message"]).await.none().await;
    mel.events(["presence"]).await.none().await;
    mel.events(["typing"]).await.none().await;

    let report = Control::of(&server).get("/worlds/default/report").await.success();
    assert_eq!(report["clients"][0]["findings"], json!([]));
}

#[tokio::test]
async fn a_client_that_starts_over_again_and_again_is_reported_on_any_connection() {
    let (_server, bad, good) = clients().await;
    for _ in 0..3 {
        bad.register().await;
    }
    // Sessions of one user, each with its own queue.
    let mut queues = Vec::new();
    for _ in 0..3 {
        queues.push(good.register().await);
    }
    assert!(bad.broken().await.is_empty(), "it may still poll its queues");
    for queue in &queues {
        good.poll(queue, -1).await;
    }
    tokio::time::sleep(Duration::from_millis(1_100)).await;

    assert_only("registered-again", &bad.broken().await, &good.broken().await);
}

#[tokio::test]
async fn queues_are_deleted_at_the_end() {
    let (server, bad, good) = clients().await;
    let control = Control::of(&server);
    let alive = Client::of(&server, "alive/1.0", "max");
    control.post("/worlds", json!({"name": "short", "fork_of": "default"})).await.success();
    let [bad, good, alive] = [bad, good, alive].map(|client| client.in_world("short"));
    bad.register().await;
    let queue = good.register().await;
    good.send("DELETE", "/events", json!({"queue_id": queue})).await;
    let queue = alive.register().await;
    let path = format!("/events?queue_id={queue}&last_event_id=-1");
    let _poll = alive.begin("GET", &path, "text/plain", "").await;
    let waiting = json!({"parked": true, "timeout_ms": 5000});
    control.post("/worlds/short/queues/wait", waiting).await.success();
    assert!(bad.broken().await.is_empty(), "it may still end its queue");

    control.delete("/worlds/short").await.success();

    assert_only("queue-left-behind", &bad.broken().await, &good.broken().await);
    assert_eq!(alive.broken().await, BTreeSet::new());
}

#[tokio::test]
async fn an_expired_queue_is_not_left_behind() {
    let (server, client, _) = clients().await;
    let control = Control::of(&server);
    control.post("/worlds", json!({"name": "long", "fork_of": "default"})).await.success();
    let client = client.in_world("long");
    client.register().await;
    control.post("/worlds/long/clock", json!({"advance_seconds": "1h"})).await.success();
    control.delete("/worlds/long").await.success();

    assert_eq!(client.broken().await, BTreeSet::new());
}

#[tokio::test]
async fn a_queue_that_was_polled_just_before_the_end_is_left_behind() {
    let (server, client, _) = clients().await;
    let control = Control::of(&server);
    control.post("/worlds", json!({"name": "short", "fork_of": "default"})).await.success();
    let client = client.in_world("short");
    let queue = client.register().await;
    client.say("news").await;
    let (status, reply) = client.wait(&queue, -1).await;
    assert_eq!(status, 200, "{reply}");

    control.delete("/worlds/short").await.success();

    assert_eq!(client.broken().await, BTreeSet::from(["queue-left-behind".to_owned()]));
}

#[tokio::test]
async fn a_reset_begins_a_new_report_of_the_world_and_keeps_the_old_one_for_the_run() {
    let (server, bad, good) = clients().await;
    let control = Control::of(&server);
    bad.register().await;
    let queue = good.register().await;
    good.send("DELETE", "/events", json!({"queue_id": queue})).await;

    control.post("/worlds/default/reset", json!({})).await.success();

    assert_only("queue-left-behind", &bad.broken().await, &good.broken().await);
    let report = control.get("/worlds/default/report").await.success();
    assert_eq!(report["clients"], json!([]), "the world's own report begins again");
    let queue = bad.register().await;
    bad.send("DELETE", "/events", json!({"queue_id": queue})).await;
    control.post("/worlds/default/reset", json!({})).await.success();
    assert_eq!(bad.findings().await.len(), 1, "what happened before the reset does not count again");

    control.delete("/report").await.success();
    assert_eq!(bad.findings().await, Vec::<serde_json::Value>::new());
}
