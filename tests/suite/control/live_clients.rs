//! Clients that are alive while time jumps: between two polls, a client is not idle.

use super::{Control, exchange};
use crate::support::{TestServer, User};
use serde_json::json;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

const CLOCK: &str = "/worlds/default/clock";

/// A client that polls in a loop until the test ends it; all messages that it saw, and how often it lost its queue.
async fn client(user: User, queue_id: String, ends: Arc<AtomicBool>) -> (Vec<String>, usize) {
    let (mut seen, mut last, mut lost) = (Vec::new(), -1, 0);
    while !ends.load(Ordering::Acquire) {
        let reply = user.get("/events", json!({"queue_id": queue_id, "last_event_id": last})).await;
        if reply.status != 200 {
            lost += 1;
            break;
        }
        for event in reply.body["events"].as_array().into_iter().flatten() {
            last = event["id"].as_i64().expect("an id");
            if event["type"] == "message" {
                seen.push(event["message"]["content"].as_str().expect("a text").to_owned());
            }
        }
        // A client does something with what it got.
        tokio::time::sleep(Duration::from_millis(2)).await;
    }
    (seen, lost)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_client_that_polls_in_a_loop_loses_nothing_while_the_clock_jumps_a_day_200_times() {
    let server = TestServer::start().await;
    let control = Control::of(&server);
    let [mel, max] = server.users(["mel", "max"]);
    let id = mel.events(["message"]).await.id;
    let ends = Arc::new(AtomicBool::new(false));
    let polling = tokio::spawn(client(mel.clone(), id.clone(), ends.clone()));
    server.until_parked(1).await;

    for day in 0..200 {
        max.send_to("general", "t", &format!("day {day}")).await;
        let reply = control.post(CLOCK, json!({"advance_seconds": "1d"})).await.success();
        assert_eq!(reply["not_parked"], json!([]), "day {day}");
    }
    ends.store(true, Ordering::Release);
    max.send_to("general", "t", "the end").await;

    let (seen, lost) = polling.await.expect("it ends");
    assert_eq!(lost, 0, "after {} messages", seen.len());
    let days: Vec<&String> = seen.iter().filter(|text| text.starts_with("day ")).collect();
    let expected: Vec<String> = (0..200).map(|day| format!("day {day}")).collect();
    assert_eq!(days, expected.iter().collect::<Vec<_>>());
}

/// A queue of mel's whose blocking poll has just been answered.
async fn between_polls(server: &TestServer) -> String {
    let [mel, max] = server.users(["mel", "max"]);
    let mut queue = mel.events(["message"]).await;
    let id = queue.id.clone();
    let parked = tokio::spawn(async move { queue.wait().await });
    server.until_parked(1).await;
    max.send_to("general", "t", "an answer").await;
    parked.await.expect("answered").success();
    id
}

#[tokio::test]
async fn a_jump_waits_no_longer_than_asked_and_lists_the_clients_it_waited_for() {
    let server = TestServer::start().await;
    let control = Control::of(&server);
    let id = between_polls(&server).await;

    let reply = control.post(CLOCK, json!({"advance_seconds": 1, "wait_for_clients_ms": 200})).await.success();
    assert_eq!(reply["not_parked"], json!([id]));
    assert!(reply["waited_ms"].as_i64().is_some_and(|waited| (200..1_000).contains(&waited)), "{reply}");
    let reply = control.post(CLOCK, json!({"advance_seconds": 1, "wait_for_clients_ms": 0})).await.success();
    assert_eq!((&reply["not_parked"], &reply["waited_ms"]), (&json!([id]), &json!(0)));

    // Who was alive when a jump began is waited for as long as a jump waits, and no longer.
    tokio::time::sleep(Duration::from_millis(300)).await;
    let reply = control.post(CLOCK, json!({"to_next": true})).await.success();
    assert_eq!(reply["not_parked"], json!([id]));
    assert!(reply["waited_ms"].as_i64().is_some_and(|waited| (1_000..1_150).contains(&waited)), "{reply}");
    assert_eq!((&reply["fired"][0]["kind"], &reply["fired"][0]["queue_id"]), (&json!("queue_expired"), &json!(id)));
    let reply = control.post(CLOCK, json!({"set": "2026-02-01T00:00:00Z"})).await.success();
    assert_eq!((&reply["not_parked"], &reply["waited_ms"]), (&json!([]), &json!(0)));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_jump_right_after_a_message_finds_the_poll_that_it_woke_up_answered() {
    let server = TestServer::start().await;
    let control = Control::of(&server);
    let [mel, max] = server.users(["mel", "max"]);
    for round in 0..60 {
        let mut queue = mel.events(["message"]).await;
        let id = queue.id.clone();
        let parked = tokio::spawn(async move { queue.wait().await });
        server.until_parked(1).await;
        max.send_to("general", "t", "news").await;

        let reply = control.post(CLOCK, json!({"advance_seconds": "1d", "wait_for_clients_ms": 0})).await.success();

        assert_eq!(reply["not_parked"], json!([id]), "round {round}");
        let mut fired = reply["fired"].as_array().expect("a list").iter();
        assert!(
            fired.any(|item| item["kind"] == "queue_expired" && item["queue_id"] == id.as_str()),
            "round {round}: {reply}"
        );
        let answer = parked.await.expect("answered").success();
        assert_eq!(answer["events"][0]["message"]["content"], "news", "round {round}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_client_that_sleeps_a_second_between_polls_keeps_its_queue() {
    let server = TestServer::start().await;
    let control = Control::of(&server);
    let [mel, max] = server.users(["mel", "max"]);
    let id = mel.events(["message"]).await.id;
    // Polls until a message with this text comes, from the last event on.
    let hear = async |mut last: i64, text: &str| loop {
        let reply = mel.get("/events", json!({"queue_id": id, "last_event_id": last})).await.success();
        let events = reply["events"].as_array().expect("events");
        last = events.last().and_then(|event| event["id"].as_i64()).expect("an event");
        if events.iter().any(|event| event["message"]["content"] == text) {
            return last;
        }
    };
    let mut last = -1;
    for day in ["one", "two", "three"] {
        let sent = async {
            server.until_parked(1).await;
            max.send_to("general", "t", day).await;
        };
        (last, ()) = tokio::join!(hear(last, day), sent);
        let asleep = async {
            tokio::time::sleep(Duration::from_millis(1_001)).await;
            max.send_to("general", "t", "after it").await;
            hear(last, "after it").await
        };

        let (heard, reply) = tokio::join!(asleep, control.post(CLOCK, json!({"advance_seconds": "1d"})));

        let reply = reply.success();
        assert!(reply["waited_ms"].as_i64().is_some_and(|waited| waited < 1_100), "day {day}: {reply}");
        last = heard;
    }
    // What comes while it sleeps answers its next poll at once, after which it sleeps again: during the whole jump.
    let asleep = async {
        tokio::time::sleep(Duration::from_millis(700)).await;
        last = hear(last, "while it sleeps").await;
        tokio::time::sleep(Duration::from_millis(1_001)).await;
        max.send_to("general", "t", "after the jump").await;
        hear(last, "after the jump").await
    };
    max.send_to("general", "t", "while it sleeps").await;
    let (_, reply) = tokio::join!(asleep, control.post(CLOCK, json!({"advance_seconds": "1d"})));
    let reply = reply.success();
    assert_eq!(reply["not_parked"], json!([id]));
    assert!(reply["waited_ms"].as_i64().is_some_and(|waited| waited < 1_100), "{reply}");
}

#[tokio::test]
async fn a_client_that_was_answered_just_before_a_jump_keeps_its_queue_after_the_wait() {
    let server = TestServer::start().await;
    let control = Control::of(&server);
    let id = between_polls(&server).await;

    let reply = control.post(CLOCK, json!({"advance_seconds": "30d", "wait_for_clients_ms": 1_000})).await.success();

    assert_eq!(reply["not_parked"], json!([id]));
    assert!(reply["waited_ms"].as_i64().is_some_and(|waited| (1_000..1_150).contains(&waited)), "{reply}");
    assert!(!reply["fired"].to_string().contains(&id), "{reply}");
    let expiry = reply["agenda"].as_array().into_iter().flatten().find(|due| due["queue_id"] == json!(id)).cloned();
    let expiry = expiry.expect("it expires later");
    assert_eq!(expiry["at"].as_f64(), reply["now"].as_f64().map(|now| now + 600.0));
    // A shorter wait says that nobody is asleep.
    let again = between_polls(&server).await;
    let reply = control.post(CLOCK, json!({"advance_seconds": "30d", "wait_for_clients_ms": 10})).await.success();
    assert!(reply["fired"].to_string().contains(&again), "{reply}");
}

#[tokio::test]
async fn a_client_whose_poll_met_a_fault_is_waited_for() {
    let server = TestServer::start().await;
    let control = Control::of(&server);
    let mel = server.user("mel");
    for effect in [json!({"gateway": 502}), json!({"rate_limit": {"retry_after": 1}}), json!({"drop": "before"})] {
        let queue = mel.events(["message"]).await;
        control.fault(json!({"times": 1, "match": {"path": "/events"}, "effect": effect})).await;
        let poll = format!("GET /api/v1/events?queue_id={}&last_event_id=-1", queue.id);
        exchange(&server, &poll, "").await;

        let reply = control.post(CLOCK, json!({"advance_seconds": "1d", "wait_for_clients_ms": 1_000})).await.success();

        assert_eq!(reply["not_parked"], json!([queue.id]), "{effect}: {reply}");
        assert!(!reply["fired"].to_string().contains(&queue.id), "{effect}: {reply}");
    }
}

#[tokio::test]
async fn a_queue_that_is_only_read_is_not_waited_for() {
    let server = TestServer::start().await;
    let control = Control::of(&server);
    let mut queue = server.user("mel").events(["message"]).await;
    queue.none().await;

    let reply = control.post(CLOCK, json!({"advance_seconds": 600})).await.success();

    assert_eq!((&reply["not_parked"], &reply["waited_ms"]), (&json!([]), &json!(0)));
    assert!(reply["fired"].to_string().contains("queue_expired"), "{reply}");
}

#[tokio::test]
async fn a_jump_that_is_refused_does_not_wait() {
    let server = TestServer::start().await;
    let control = Control::of(&server);
    let _ = between_polls(&server).await;
    let began = std::time::Instant::now();

    control.post(CLOCK, json!({"set": 0})).await.refused("$.set");
    control
        .post(CLOCK, json!({"advance_seconds": 1, "wait_for_clients_ms": -1}))
        .await
        .refused("$.wait_for_clients_ms");

    assert!(began.elapsed() < Duration::from_millis(900));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_journal_has_the_polls_that_a_jump_answers_when_the_jump_returns() {
    let server = TestServer::start().await;
    let control = Control::of(&server);
    let mel = server.user("mel");
    let id = mel.events(["message"]).await.id;
    let mut last = json!(-1);
    for jump in 1..=100 {
        let (mel, poll) = (mel.clone(), json!({"queue_id": id, "last_event_id": last}));
        let poll = tokio::spawn(async move { mel.get("/events", poll).await });
        server.until_parked(1).await;

        control.post(CLOCK, json!({"advance_seconds": 60})).await.success();

        let journal = control.get("/worlds/default/journal?path=/events").await.success();
        assert_eq!(journal["entries"].as_array().map(Vec::len), Some(jump), "the heartbeat of jump {jump}");
        let reply = poll.await.expect("answered").success();
        last = reply["events"].as_array().and_then(|events| events.last()).expect("a heartbeat")["id"].clone();
    }
}
