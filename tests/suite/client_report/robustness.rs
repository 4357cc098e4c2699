//! How clients take what is unexpected.

use super::{Client, assert_only, clients, event};
use crate::control::Control;
use crate::support::TestServer;
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::time::Duration;

/// Lets the next poll of a client have this effect; what the client does then, another poll or not.
async fn disturbed(server: &TestServer, client: &Client, effect: Value, polls_again: bool) {
    let control = Control::of(server);
    let queue = client.register().await;
    event(server).await;
    event(server).await;
    let rule = json!({"match": {"method": "GET", "path": "/events"}, "times": 1, "effect": effect});
    control.fault(rule).await;
    let (_, reply) = client.poll(&queue, -1).await;
    let last = reply["events"].as_array().and_then(|events| events.last()?["id"].as_i64()).unwrap_or(-1);
    client.say("still here").await;
    if polls_again {
        client.poll(&queue, last).await;
    }
    server.advance(61).await;
    client.say("still here a minute later").await;
}

#[tokio::test]
async fn unknown_events_are_ignored() {
    let (server, bad, good) = clients().await;
    disturbed(&server, &bad, json!({"events": "unknown"}), false).await;
    disturbed(&server, &good, json!({"events": "unknown"}), true).await;

    assert_only("stops-after-unknown-event", &bad.broken().await, &good.broken().await);
}

#[tokio::test]
async fn a_client_that_only_listens_and_stops_is_reported_too() {
    let (server, bad, good) = clients().await;
    let control = Control::of(&server);
    let rule = json!({"match": {"method": "GET", "path": "/events"}, "times": 2, "effect": {"events": "unknown"}});
    for client in [&bad, &good] {
        let queue = client.register().await;
        event(&server).await;
        control.fault(rule.clone()).await;
        let (_, reply) = client.poll(&queue, -1).await;
        let last = reply["events"].as_array().and_then(|events| events.last()?["id"].as_i64()).unwrap_or(-1);
        control.delete("/worlds/default/faults").await.success();
        if std::ptr::eq(client, &good) {
            event(&server).await;
            client.poll(&queue, last).await;
        }
    }
    server.advance(86_400).await;
    assert!(bad.broken().await.is_empty(), "its next poll may be on its way");
    tokio::time::sleep(Duration::from_millis(600)).await;

    assert_only("stops-after-unknown-event", &bad.broken().await, &good.broken().await);
}

#[tokio::test]
async fn a_level_above_the_newest_has_unknown_events_too() {
    let (server, bad, good) = clients().await;
    let control = Control::of(&server);
    let world = json!({"name": "later", "fork_of": "default", "feature_level": 100_000});
    control.post("/worlds", world).await.success();
    for (client, polls_again) in [(&bad, false), (&good, true)] {
        let client = client.in_world("later");
        let queue = client.register_with(json!({"fetch_event_types": []})).await;
        client.wait(&queue, -1).await;
        if polls_again {
            client.poll(&queue, 0).await;
        }
        for _ in 0..3 {
            client.get("/users/me", json!({})).await;
        }
    }
    assert!(bad.in_world("later").broken().await.is_empty(), "it may still poll");
    control.delete("/worlds/later").await.success();

    let mut broken = bad.in_world("later").broken().await;
    broken.remove("queue-left-behind");
    assert_eq!(broken, BTreeSet::from(["stops-after-unknown-event".to_owned()]));
    assert!(!good.in_world("later").broken().await.contains("stops-after-unknown-event"));
}

#[tokio::test]
async fn odd_replies_are_survived() {
    let effects = [
        json!({"events": "one_by_one"}),
        json!({"events": "hold"}),
        json!({"garbage": true}),
        json!({"gateway": 502}),
        json!({"truncate_at": 20}),
        json!({"drop": "after"}),
        json!({"error": {"status": 500, "code": "INTERNAL", "msg": "¿Qué?"}}),
    ];
    for effect in effects {
        let (server, bad, good) = clients().await;
        disturbed(&server, &bad, effect.clone(), false).await;
        disturbed(&server, &good, effect, true).await;

        assert_only("stops-after-odd-reply", &bad.broken().await, &good.broken().await);
    }
}

#[tokio::test]
async fn repeated_events_are_skipped() {
    let (server, bad, good) = clients().await;
    let control = Control::of(&server);
    for client in [&bad, &good] {
        let queue = client.register().await;
        let messages = [event(&server).await, 1];
        let mark = |message: i64| json!({"messages": [message], "op": "add", "flag": "read"});
        client.wait(&queue, -1).await;
        client.post("/messages/flags", mark(messages[0])).await;
        control.fault(json!({"match": {"path": "/events"}, "times": 1, "effect": {"events": "repeat"}})).await;
        let (_, reply) = client.wait(&queue, 0).await;
        assert_eq!(reply["events"][0]["id"], 0, "the event came once more");
        client.post("/users/me/presence", json!({"status": "active"})).await;
        client.post("/messages/flags", mark(messages[usize::from(std::ptr::eq(client, &good))])).await;
        client.poll(&queue, 0).await;
    }

    assert_only("repeated-event-acted-on", &bad.broken().await, &good.broken().await);
}
