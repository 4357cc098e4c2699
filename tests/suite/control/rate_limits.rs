//! Limits of requests, as real servers have them.

use super::{Control, START_SECONDS};
use crate::support::{Reply, TestServer};
use serde_json::{Value, json};
use std::time::Duration;

const LIMIT: &str = "/worlds/default/rate_limit";

/// What a reply says of the budget: limit, remaining, reset.
fn budget(reply: &Reply) -> (i64, i64, i64) {
    let number = |name: &str| {
        let text = reply.header(name).unwrap_or_else(|| panic!("no {name}: {reply}"));
        text.parse().unwrap_or_else(|_| panic!("{name}: {text}"))
    };
    (number("x-ratelimit-limit"), number("x-ratelimit-remaining"), number("x-ratelimit-reset"))
}

#[tokio::test]
async fn each_reply_counts_down_and_the_first_after_exactly_the_wait_succeeds() {
    let server = TestServer::start().await;
    let control = Control::of(&server);
    let mel = server.user("mel");
    control.post(LIMIT, json!({"user": "mel", "requests": 3, "seconds": 10})).await.is(json!({}));
    for (left, whole_after) in [(2, 4), (1, 7), (0, 10)] {
        let reply = mel.get("/users/me", json!({})).await;
        assert_eq!(budget(&reply), (3, left, START_SECONDS + whole_after));
        reply.success();
    }

    for advance in [json!(0), json!(3.33333)] {
        control.post("/worlds/default/clock", json!({"advance_seconds": advance})).await.success();
        let reply = mel.get("/users/me", json!({})).await.with_status(429);
        let hint = "The budget refills with the world's clock, which is frozen: move it by control.";
        assert_eq!(reply.header("x-chatdouble-hint"), Some(hint));
        let wait = reply.header("retry-after").expect("a header").to_owned();
        assert_eq!(budget(&reply), (3, 0, START_SECONDS + 10));
        let left = 3.33334 - advance.as_f64().expect("a number");
        assert!((wait.parse::<f64>().expect("a number") - left).abs() < 1e-9, "{wait} is not {left}");
        let body = reply.error("RATE_LIMIT_HIT", "API usage exceeded rate limit");
        assert_eq!(body["retry-after"].to_string(), wait);
    }
    control.post("/worlds/default/clock", json!({"advance_seconds": 0.00001})).await.success();

    assert_eq!(budget(&mel.get("/users/me", json!({})).await), (3, 0, START_SECONDS + 14));
    assert_eq!(mel.get("/users/me", json!({})).await.status, 429);
    control.post("/worlds/default/clock", json!({"advance_seconds": "1h"})).await.success();
    assert_eq!(budget(&mel.get("/users/me", json!({})).await).1, 2, "it refills, and no further than it was");
}

#[tokio::test]
async fn a_refused_request_does_nothing_and_spends_nothing() {
    let server = TestServer::start().await;
    let control = Control::of(&server);
    let [mel, max] = server.users(["mel", "max"]);
    let mut heard = max.events(["message"]).await;
    control.post(LIMIT, json!({"user": "mel", "requests": 1, "seconds": "1m"})).await.is(json!({}));
    let message = json!({"type": "channel", "to": "general", "topic": "t", "content": "limited"});

    mel.post("/messages", message.clone()).await.success();
    for _ in 0..5 {
        let refused = mel.post("/messages", message.clone()).await.with_status(429);
        assert_eq!(refused.body["retry-after"], 60);
    }

    heard.next().await.has(json!({"type": "message"}));
    heard.none().await;
    server.advance(60).await;
    mel.post("/messages", message).await.success();
}

#[tokio::test]
async fn a_limit_for_all_gives_each_a_budget_and_polls_one_of_their_own() {
    let server = TestServer::start().await;
    let control = Control::of(&server);
    let [mel, max, anyone] = [server.user("mel"), server.user("max"), server.anonymous()];
    let queue = mel.events(["message"]).await;
    control.post(LIMIT, json!({"requests": 1, "seconds": 60})).await.is(json!({}));
    control.post(LIMIT, json!({"user": "max", "requests": 2, "seconds": 60})).await.is(json!({}));
    let listed = json!({"rate_limits": [
        {"user": null, "requests": 1, "seconds": 60.0},
        {"user": "max@chat.test", "requests": 2, "seconds": 60.0},
    ]});
    control.get(LIMIT).await.is(listed);

    assert_eq!(mel.get("/users/me", json!({})).await.status, 200);
    assert_eq!(mel.get("/users/me", json!({})).await.status, 429);
    let poll = json!({"queue_id": queue.id, "last_event_id": -1, "dont_block": true});
    assert_eq!(mel.get("/events", poll.clone()).await.status, 200);
    assert_eq!(mel.get("/events", poll).await.status, 429);
    for status in [200, 200, 429] {
        assert_eq!(max.get("/users/me", json!({})).await.status, status);
    }
    for status in [200, 429] {
        assert_eq!(anyone.get("/server_settings", json!({})).await.status, status);
    }
    let stranger = mel.with_key("0123456789abcdefghijklmnopqrstuv");
    let refused = stranger.get("/users/me", json!({})).await.with_status(401);
    assert_eq!(refused.header("x-ratelimit-limit"), None, "who is not let in is not counted");

    control.delete(&format!("{LIMIT}?user=max")).await.is(json!({}));
    assert_eq!(budget(&max.get("/users/me", json!({})).await).0, 1, "that of all applies");
    control.delete(LIMIT).await.is(json!({}));
    control.get(LIMIT).await.is(json!({"rate_limits": []}));
    assert_eq!(mel.get("/users/me", json!({})).await.header("x-ratelimit-limit"), None);
}

#[tokio::test]
async fn the_limit_is_looked_at_before_rights_and_parameters() {
    let server = TestServer::start().await;
    let control = Control::of(&server);
    let mel = server.user("mel");
    control.post(LIMIT, json!({"user": "mel", "requests": 1, "seconds": 60})).await.is(json!({}));

    let first = mel.post("/users", json!({})).await;
    assert_eq!((first.status, budget(&first).1), (400, 0), "a refusal is counted too: {first}");
    assert_eq!(mel.post("/users", json!({})).await.status, 429);
    let headers = [
        ("authorization", "Basic bWVsQGNoYXQudGVzdDptZWxLZXkwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMA=="),
        ("tus-resumable", "1.0.0"),
        ("upload-length", "1"),
    ];
    let upload = server.request("POST", "/api/v1/tus", &headers, "").await;
    assert_eq!((upload.status, upload.header("retry-after")), (429, Some("60")), "{upload}");
}

#[tokio::test]
async fn older_levels_have_no_code() {
    let server = TestServer::start_with(|options| options.feature_level = 35).await;
    let control = Control::of(&server);
    let mel = server.user("mel");
    control.post(LIMIT, json!({"requests": 1, "seconds": 5})).await.is(json!({}));
    mel.get("/users/me", json!({})).await.success();

    let refused = mel.get("/users/me", json!({})).await.with_status(429);

    assert_eq!(refused.body, json!({"result": "error", "msg": "API usage exceeded rate limit", "retry-after": 5}));
}

#[tokio::test]
async fn a_client_on_a_real_clock_succeeds_when_it_waits_as_long_as_it_is_asked_to() {
    let server = TestServer::start_with(|options| options.clock = chatdouble::InitialClock::Real).await;
    let control = Control::of(&server);
    let mel = server.user("mel");
    control.post(LIMIT, json!({"user": "mel", "requests": 5, "seconds": 1})).await.is(json!({}));

    let mut refusals = 0;
    for _ in 0..12 {
        let reply = mel.get("/users/me", json!({})).await;
        if reply.status == 200 {
            continue;
        }
        refusals += 1;
        let wait = reply.body["retry-after"].as_f64().expect("seconds");
        tokio::time::sleep(Duration::from_secs_f64(wait)).await;
        mel.get("/users/me", json!({})).await.success();
    }

    assert!(refusals > 3, "{refusals}");
}

#[tokio::test]
async fn a_reset_ends_limits_unless_faults_are_kept_and_forks_have_none() {
    let server = TestServer::start().await;
    let control = Control::of(&server);
    let limits = || async { control.get(LIMIT).await.success()["rate_limits"].as_array().map(Vec::len) };
    control.post(LIMIT, json!({"requests": 1, "seconds": 60})).await.is(json!({}));

    control.post("/worlds", json!({"name": "fork", "fork_of": "default"})).await.success();
    control.get("/worlds/fork/rate_limit").await.is(json!({"rate_limits": []}));
    control.post("/worlds/default/reset", json!({"keep": ["faults"]})).await.is(json!({}));
    assert_eq!(limits().await, Some(1));
    control.post("/worlds/default/reset", json!({})).await.is(json!({}));
    assert_eq!(limits().await, Some(0));
}

#[tokio::test]
async fn what_is_no_limit_is_refused() {
    let server = TestServer::start().await;
    let control = Control::of(&server);
    for (limit, part) in [
        (json!({}), "requests"),
        (json!({"requests": 1}), "seconds"),
        (json!({"requests": 0, "seconds": 1}), "$.requests: takes a whole number from 1 to 1000000, not 0"),
        (json!({"requests": -1, "seconds": 1}), "$.requests: takes a whole number from 1 to 1000000, not -1"),
        (json!({"requests": 1_000_001, "seconds": 1}), "$.requests"),
        (json!({"requests": 1.5, "seconds": 1}), "$.requests"),
        (json!({"requests": 1, "seconds": 0}), "$.seconds: takes more than 0 seconds"),
        (json!({"requests": 1, "seconds": -1}), "$.seconds"),
        (json!({"requests": 1, "seconds": "soon"}), "$.seconds"),
        (json!({"requests": 1, "seconds": "36526d"}), "$.seconds"),
        (json!({"requests": 1, "seconds": 1, "user": "mell"}), "$.user: there is no user 'mell'"),
        (json!({"requests": 1, "seconds": 1, "burst": 2}), "burst"),
    ] {
        control.post(LIMIT, limit).await.refused(part);
    }
    control.delete(&format!("{LIMIT}?user=nobody")).await.refused("nobody");
    let none: Value = json!({"rate_limits": []});
    control.get(LIMIT).await.is(none);
}
