//! What clients do after a failure.

use super::{Client, assert_only, clients};
use crate::control::Control;
use serde_json::json;
use std::collections::BTreeSet;
use std::time::Duration;

#[tokio::test]
async fn a_refused_request_is_not_repeated() {
    let (_server, bad, good) = clients().await;
    for _ in 0..3 {
        assert_eq!(bad.send("PATCH", "/messages/999999", json!({"content": "x", "topic": "y"})).await.0, 400);
    }
    for content in ["x", "y", "z"] {
        good.send("PATCH", "/messages/999999", json!({"content": content, "topic": "y"})).await;
    }
    good.send("PATCH", "/messages/999999", json!({"content": "x", "topic": "y"})).await;

    assert_only("refused-request-repeated", &bad.broken().await, &good.broken().await);
}

#[tokio::test]
async fn what_is_refused_may_be_tried_again_when_something_changed() {
    let (server, client, _) = clients().await;
    for _ in 0..4 {
        client.get("/users/999999", json!({})).await;
        client.say("meanwhile").await;
    }
    for _ in 0..4 {
        client.get("/users/999998", json!({})).await;
        server.advance(40).await;
    }

    assert_eq!(client.broken().await, BTreeSet::new());
}

#[tokio::test]
async fn retry_after_is_waited_for() {
    let (server, bad, good) = clients().await;
    let control = Control::of(&server);
    let rule = json!({"match": {"path": "/messages", "method": "POST"}, "times": 2, "effect": {"rate_limit": {"retry_after": 2}}});
    control.fault(rule).await;
    for client in [&bad, &good] {
        assert_eq!(client.say("hello").await.0, 429);
    }
    server.advance(1).await;
    bad.say("hello").await;
    good.get("/users/me", json!({})).await;
    server.advance(1).await;
    good.say("hello").await;

    assert_only("retry-before-retry-after", &bad.broken().await, &good.broken().await);
}

#[tokio::test]
async fn a_pause_in_real_time_counts_too() {
    let (server, client, _) = clients().await;
    Control::of(&server).fault(json!({"times": 1, "effect": {"rate_limit": {"retry_after": 0.3}}})).await;
    client.say("hello").await;
    tokio::time::sleep(Duration::from_millis(310)).await;
    client.say("hello").await;

    assert_eq!(client.broken().await, BTreeSet::new());
}

#[tokio::test]
async fn pauses_between_retries_grow() {
    let (server, bad, good) = clients().await;
    let control = Control::of(&server);
    control.fault(json!({"effect": {"error": {"status": 502, "code": "BAD_GATEWAY", "msg": "down"}}})).await;
    for seconds in [1, 2, 4, 8, 16, 32] {
        good.get("/users/me", json!({})).await;
        server.advance(seconds).await;
    }
    for _ in 0..6 {
        bad.get("/users/me", json!({})).await;
        server.advance(1).await;
    }

    assert_only("retry-without-backoff", &bad.broken().await, &good.broken().await);
}

#[tokio::test]
async fn what_a_busy_machine_adds_between_retries_is_no_pause() {
    let (server, bad, good) = clients().await;
    let down = json!({"effect": {"error": {"status": 502}}});
    Control::of(&server).fault(down).await;
    for milliseconds in [0, 30, 4, 45, 12, 60] {
        bad.get("/users/me", json!({})).await;
        tokio::time::sleep(std::time::Duration::from_millis(milliseconds)).await;
    }
    for milliseconds in [25, 50, 100, 200, 400] {
        good.get("/users/me", json!({})).await;
        tokio::time::sleep(std::time::Duration::from_millis(milliseconds)).await;
    }

    assert_only("retry-without-backoff", &bad.broken().await, &good.broken().await);
}

#[tokio::test]
async fn refused_credentials_are_not_sent_again() {
    let (_server, bad, good) = clients().await;
    for _ in 0..3 {
        assert_eq!(bad.with_wrong_key().get("/users/me", json!({})).await.0, 401);
    }
    good.with_wrong_key().get("/users/me", json!({})).await;
    good.with_wrong_key().get("/users/me", json!({})).await;
    good.get("/users/me", json!({})).await;
    good.with_wrong_key().get("/users/me", json!({})).await;

    assert_only("refused-credentials-repeated", &bad.broken().await, &good.broken().await);
}

#[tokio::test]
async fn a_message_is_not_sent_again_blindly() {
    let (server, bad, good) = clients().await;
    let control = Control::of(&server);
    let rule = json!({"match": {"method": "POST", "path": "/messages"}, "times": 2, "effect": {"drop": "after"}});
    control.fault(rule).await;
    for client in [&bad, &good] {
        assert_eq!(client.say("hello").await.0, 0);
    }
    bad.say("hello").await;
    good.get("/messages", json!({"anchor": "newest", "num_before": 1, "num_after": 0})).await;
    good.say("hello").await;

    assert_only("send-repeated-blindly", &bad.broken().await, &good.broken().await);
}

#[tokio::test]
async fn a_message_is_the_same_in_other_words() {
    let (server, bad, good) = clients().await;
    let control = Control::of(&server);
    let message = |content: &str| json!({"type": "stream", "to": "general", "subject": "report", "content": content});
    for (client, second) in [(&bad, "hello"), (&good, "something else")] {
        control.fault(json!({"match": {"path": "/messages"}, "times": 1, "effect": {"drop": "after"}})).await;
        client.say("hello").await;
        let mut again = message(second);
        again["dont_block"] = json!(true);
        client.post("/messages", again).await;
    }

    assert!(bad.broken().await.contains("send-repeated-blindly"));
    assert!(!good.broken().await.contains("send-repeated-blindly"));
}

#[tokio::test]
async fn a_client_that_gives_up_waiting_may_not_send_again_blindly() {
    let (server, fault_client, network_client) = clients().await;
    let control = Control::of(&server);
    let give_up = async |client: &Client| {
        assert!(tokio::time::timeout(Duration::from_millis(200), client.say("hello")).await.is_err());
        let lost = json!({"path": "/messages", "status": 0, "timeout_ms": 5_000});
        control.post("/worlds/default/journal/wait", lost).await.is(json!({"count": 1}));
        control.delete("/worlds/default/journal").await.success();
    };
    control.fault(json!({"match": {"path": "/messages"}, "times": 1, "effect": {"delay_ms": 60_000}})).await;
    give_up(&fault_client).await;
    control.post("/worlds/default/network", json!({"latency_ms": 60_000})).await.success();
    give_up(&network_client).await;
    control.delete("/worlds/default/network").await.success();
    for client in [&fault_client, &network_client] {
        assert_eq!(client.broken().await, BTreeSet::new());
        assert_eq!(client.say("hello").await.0, 200);
        assert_eq!(client.broken().await, BTreeSet::from(["send-repeated-blindly".to_owned()]));
    }
}

#[tokio::test]
async fn a_message_that_was_lost_on_its_way_may_be_sent_again() {
    let (server, one, other) = clients().await;
    let control = Control::of(&server);
    control.fault(json!({"match": {"path": "/messages"}, "times": 1, "effect": {"drop": "before"}})).await;
    one.say("hello").await;
    control.post("/worlds/default/network", json!({"profile": "offline"})).await.success();
    other.say("hello").await;
    control.delete("/worlds/default/network").await.success();
    for client in [&one, &other] {
        assert_eq!(client.say("hello").await.0, 200);
        assert!(!client.broken().await.contains("send-repeated-blindly"));
    }
}

#[tokio::test]
async fn a_message_with_a_name_is_recognized_by_its_event() {
    let (server, bad, good) = clients().await;
    let control = Control::of(&server);
    let queues = [bad.register().await, good.register().await];
    let message = |queue: &str| json!({"type": "channel", "to": "general", "topic": "report", "content": "hello", "local_id": "7", "queue_id": queue});
    for ((client, when), queue) in [(&bad, "after"), (&good, "before")].into_iter().zip(&queues) {
        control.fault(json!({"times": 1, "effect": {"drop": when}})).await;
        client.post("/messages", message(queue)).await;
        // The event of the message, if it was sent.
        client.poll(queue, -1).await;
        client.post("/messages", message(queue)).await;
    }

    assert_only("send-repeated-blindly", &bad.broken().await, &good.broken().await);
}
