//! Polling.

use super::{assert_only, clients, event};
use crate::control::Control;
use serde_json::json;
use std::collections::BTreeSet;
use std::time::Duration;

#[tokio::test]
async fn events_that_were_never_given_are_not_acknowledged() {
    let (server, bad, good) = clients().await;
    let (first, second) = (bad.register().await, good.register().await);
    event(&server).await;
    bad.wait(&first, -1).await;
    good.wait(&second, -1).await;
    good.poll(&second, 0).await;
    bad.poll(&first, 7).await;

    assert_only("unknown-event-acknowledged", &bad.broken().await, &good.broken().await);
}

#[tokio::test]
async fn acknowledgements_do_not_go_backwards() {
    let (server, bad, good) = clients().await;
    let (first, second) = (bad.register().await, good.register().await);
    event(&server).await;
    for (client, queue) in [(&bad, &first), (&good, &second)] {
        client.wait(queue, -1).await;
        client.poll(queue, 0).await;
        // The same again, as after a lost reply.
        client.poll(queue, 0).await;
    }
    bad.poll(&first, -1).await;

    assert_only("acknowledgement-backwards", &bad.broken().await, &good.broken().await);
}

#[tokio::test]
async fn a_new_queue_is_polled_from_its_own_first_event() {
    let (server, bad, good) = clients().await;
    for client in [&bad, &good] {
        let queue = client.register().await;
        event(&server).await;
        client.wait(&queue, -1).await;
        client.poll(&queue, 0).await;
        client.lose(&queue).await;
        client.wait(&queue, 0).await;
    }
    let (first, second) = (bad.register().await, good.register().await);
    bad.poll(&first, 0).await;
    good.poll(&second, -1).await;

    assert_only("event-id-of-another-queue", &bad.broken().await, &good.broken().await);
}

#[tokio::test]
async fn events_are_acknowledged() {
    let (server, bad, good) = clients().await;
    let (first, second) = (bad.register().await, good.register().await);
    for last in -1..4 {
        event(&server).await;
        bad.wait(&first, -1).await;
        good.wait(&second, last).await;
    }

    assert_only("events-never-acknowledged", &bad.broken().await, &good.broken().await);
}

#[tokio::test]
async fn polls_go_on_from_the_latest_event() {
    let (server, bad, good) = clients().await;
    let (first, second) = (bad.register().await, good.register().await);
    for _ in 0..12 {
        event(&server).await;
    }
    for client in [(&bad, &first), (&good, &second)] {
        client.0.wait(client.1, -1).await;
    }
    for last in 0..11 {
        bad.wait(&first, 0).await;
        // It handles one event after the other.
        good.wait(&second, last).await;
    }

    assert_only("polls-without-progress", &bad.broken().await, &good.broken().await);
    let finding = &bad.findings().await[0];
    assert!(
        finding["first"]["request"].as_str().is_some_and(|request| request.contains("last_event_id=0")),
        "{finding}"
    );
}

#[tokio::test]
async fn a_queue_is_polled_once_at_a_time() {
    let (server, bad, good) = clients().await;
    let first = bad.register().await;
    let path = |queue: &str| format!("/events?queue_id={queue}&last_event_id=-1");
    let _first = bad.begin("GET", &path(&first), "text/plain", "").await;
    server.until_parked(1).await;
    let _second = bad.begin("GET", &path(&first), "text/plain", "").await;
    // The second takes the place of the first, which is answered.
    tokio::time::sleep(Duration::from_millis(200)).await;
    server.until_parked(1).await;
    event(&server).await;
    server.until_parked(0).await;

    // Its connection was closed before it polls again.
    let second = good.register().await;
    let poll = good.begin("GET", &path(&second), "text/plain", "").await;
    server.until_parked(1).await;
    drop(poll);
    server.until_parked(0).await;
    event(&server).await;
    good.wait(&second, -1).await;

    assert_only("concurrent-polls", &bad.broken().await, &good.broken().await);
}

#[tokio::test]
async fn polls_wait_for_events() {
    let (server, bad, good) = clients().await;
    let (first, second) = (bad.register().await, good.register().await);
    for _ in 0..12 {
        bad.poll(&first, -1).await;
        server.advance(5).await;
    }
    for _ in 0..12 {
        good.poll(&second, -1).await;
        server.advance(300).await;
    }

    assert_only("polls-without-waiting", &bad.broken().await, &good.broken().await);
}

#[tokio::test]
async fn long_polls_are_not_cut_short() {
    let (server, bad, good) = clients().await;
    let (first, second) = (bad.register().await, good.register().await);
    let path = |queue: &str| format!("/events?queue_id={queue}&last_event_id=-1");
    // A time limit.
    for _ in 0..4 {
        let poll = bad.begin("GET", &path(&first), "text/plain", "").await;
        server.until_parked(1).await;
        tokio::time::sleep(Duration::from_millis(300)).await;
        drop(poll);
        server.until_parked(0).await;
    }
    // A network that changes, and an end.
    for milliseconds in [900, 20, 400] {
        let poll = good.begin("GET", &path(&second), "text/plain", "").await;
        server.until_parked(1).await;
        tokio::time::sleep(Duration::from_millis(milliseconds)).await;
        drop(poll);
        server.until_parked(0).await;
    }

    assert_only("long-poll-cut-short", &bad.broken().await, &good.broken().await);
    assert_eq!(bad.findings().await[0]["first"]["journal_id"], json!(null), "such a poll is in no journal");
}

#[tokio::test]
async fn a_week_of_polls_stays_clean() {
    let (server, client, _) = clients().await;
    let queue = client.register().await;
    let mut last = -1;
    for _ in 0..7 * 24 {
        event(&server).await;
        let (_, reply) = client.poll(&queue, last).await;
        last = reply["events"][0]["id"].as_i64().expect("an event");
        server.advance(500).await;
    }

    assert_eq!(client.broken().await, BTreeSet::new());
    let report = Control::of(&server).get("/worlds/default/report").await.success();
    assert_eq!(report["complete"], true);
}
