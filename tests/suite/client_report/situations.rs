//! Situations that teams of clients reported from production.

use super::{Client, clients, event};
use crate::control::Control;
use crate::support::TestServer;
use serde_json::json;
use std::collections::BTreeSet;

fn names<const N: usize>(names: [&str; N]) -> BTreeSet<String> {
    names.map(str::to_owned).into()
}

#[tokio::test]
async fn a_bridge_that_polls_a_dead_queue_for_ever_is_found() {
    let (_server, bridge, _) = clients().await;
    let queue = bridge.register().await;
    bridge.lose(&queue).await;
    for _ in 0..50 {
        bridge.wait(&queue, -1).await;
    }

    assert_eq!(bridge.broken().await, names(["dead-queue-polled"]));
    assert_eq!(bridge.findings().await[0]["count"], 49);
}

#[tokio::test]
async fn a_client_that_reads_the_words_of_an_error_is_found_by_a_translated_one() {
    let (server, client, _) = clients().await;
    let control = Control::of(&server);
    let queue = client.register().await;
    let error = json!({"status": 400, "code": "BAD_EVENT_QUEUE_ID", "msg": "Ungültige Warteschlange"});
    control.fault(json!({"match": {"path": "/events"}, "effect": {"error": error}})).await;
    for _ in 0..3 {
        let (_, reply) = client.wait(&queue, -1).await;
        if reply["msg"].as_str().is_some_and(|text| text.starts_with("Bad event queue")) {
            client.register().await;
        }
    }

    assert_eq!(client.broken().await, names(["dead-queue-polled"]));
}

#[tokio::test]
async fn thousands_of_polls_with_one_id_are_one_finding() {
    let (server, sdk, _) = clients().await;
    let queue = sdk.register().await;
    event(&server).await;
    sdk.wait(&queue, -1).await;
    event(&server).await;
    for _ in 0..100 {
        sdk.wait(&queue, 0).await;
    }

    assert_eq!(sdk.broken().await, names(["polls-without-progress"]));
    let finding = &sdk.findings().await[0];
    assert!(finding["count"].as_i64().is_some_and(|count| count > 90), "{finding}");
}

#[tokio::test]
async fn a_client_with_five_bugs_has_these_five() {
    let server = TestServer::start().await;
    let control = Control::of(&server);
    let client = Client::new(&server, "five-bugs/2.1");
    // It loses a queue, and goes on with the ID of an event of the former one.
    let first = client.register().await;
    event(&server).await;
    event(&server).await;
    client.wait(&first, -1).await;
    client.poll(&first, 1).await;
    client.lose(&first).await;
    client.wait(&first, 1).await;
    let second = client.register().await;
    client.poll(&second, 1).await;
    client.poll(&second, -1).await;
    // It sends twice on a bad network.
    control
        .fault(json!({"match": {"method": "POST", "path": "/messages"}, "times": 1, "effect": {"drop": "after"}}))
        .await;
    client.say("twice").await;
    client.say("twice").await;
    // It does not wait where it should.
    control
        .fault(json!({"match": {"path": "/users/me"}, "times": 1, "effect": {"rate_limit": {"retry_after": 5}}}))
        .await;
    client.get("/users/me", json!({})).await;
    client.get("/users/me", json!({})).await;
    // It sends what nobody reads, and JSON.
    client.get("/users/me", json!({"include_everything": true})).await;
    client.raw("POST", "/typing", "application/json", "{\"op\": \"start\"}").await;
    client.send("DELETE", "/events", json!({"queue_id": second})).await;

    let expected = [
        "event-id-of-another-queue",
        "ignored-parameter",
        "json-instead-of-form",
        "retry-before-retry-after",
        "send-repeated-blindly",
    ];
    assert_eq!(client.broken().await, names(expected));
}
