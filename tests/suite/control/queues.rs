//! Event queues as control sees them, and losing one.

use super::Control;
use super::worlds::until_parked;
use crate::support::TestServer;
use chatdouble::realm::event::data::InvitesChanged;
use chatdouble::realm::event::{Audience, MAX_LOG_ENTRIES};
use chatdouble::realm::id::UserId;
use serde_json::json;

#[tokio::test]
async fn queues_are_listed_with_what_waits_in_them() {
    let server = TestServer::start().await;
    let control = Control::of(&server);
    let [mel, max] = server.users(["mel", "max"]);
    let (quiet, busy) = (mel.events(["invites_changed"]).await, max.events(["message"]).await);
    mel.send_direct(&[max.id()], "one").await;
    mel.send_direct(&[max.id()], "two").await;
    let id = quiet.id.clone();
    let mut polling = quiet;
    let parked = tokio::spawn(async move { polling.wait().await });
    until_parked(&server, "default").await;

    let listed = control.get("/worlds/default/queues").await.success();
    let capabilities = listed["queues"][0]["capabilities"].clone();
    assert!(capabilities.as_array().is_some_and(|all| all.contains(&json!("bulk_message_deletion"))), "{listed}");
    let mut expected = [
        json!({"queue_id": id, "user": "mel@chat.test", "client": "Unspecified", "parked": true, "pending": 0,
            "last_event_id": -1, "acknowledged": -1, "capabilities": capabilities}),
        json!({"queue_id": busy.id, "user": "max@chat.test", "client": "Unspecified", "parked": false, "pending": 2,
            "last_event_id": 1, "acknowledged": -1, "capabilities": capabilities}),
    ];
    expected.sort_by_key(|queue| queue["queue_id"].as_str().map(str::to_owned));

    assert_eq!(listed, json!({"queues": expected}));
    parked.abort();
}

#[tokio::test]
async fn queues_are_waited_for() {
    let server = TestServer::start().await;
    let control = Control::of(&server);
    let wait = async |body| control.post("/worlds/default/queues/wait", body).await;
    let late = wait(json!({"user": "mel", "parked": true, "timeout_ms": 5})).await.with_status(408);
    let body = late.error(
        "VERIFICATION_FAILED",
        "Expected at least 1 parked queue of mel, found 0; mel has registered no queue; mel@chat.test sent no request",
    );
    assert_eq!((&body["count"], &body["nearest"]), (&json!(0), &json!([])));

    let waiting = {
        let control = control.clone();
        let body = json!({"user": "mel", "parked": true, "timeout_ms": 10_000});
        tokio::spawn(async move { control.post("/worlds/default/queues/wait", body).await })
    };
    let mut queue = server.user("mel").events(["message"]).await;
    let id = queue.id.clone();
    let parked = tokio::spawn(async move { queue.wait().await });
    let found = waiting.await.expect("answered").success();
    assert_eq!((&found["count"], &found["queues"][0]["queue_id"]), (&json!(1), &json!(id)));

    wait(json!({"timeout_ms": 0})).await.success();
    let _ = wait(json!({"parked": false, "timeout_ms": 0})).await.with_status(408);
    let _ = wait(json!({"count": 2, "timeout_ms": 0})).await.with_status(408);
    wait(json!({"count": 0, "timeout_ms": 0})).await.refused("$.count");
    wait(json!({"parked": true})).await.refused("`timeout_ms` is missing");
    parked.abort();
    wait(json!({"parked": false, "timeout_ms": 10_000})).await.success();
}

#[tokio::test]
async fn a_wait_for_the_queue_of_somebody_who_has_none_says_whose_queues_there_are() {
    let server = TestServer::start().await;
    let control = Control::of(&server);
    let wait = async |body| control.post("/worlds/default/queues/wait", body).await.with_status(408);
    let refusal = "Expected at least 1 queue, found 0; no client has registered a queue; no request came";
    wait(json!({"timeout_ms": 0})).await.error("VERIFICATION_FAILED", refusal);
    let _queue = server.user("max").events(["message"]).await;
    let refusal = "Expected at least 1 queue of mel, found 0; mel has registered no queue, but there are queues of max@chat.test; mel@chat.test sent no request";
    wait(json!({"user": "mel", "timeout_ms": 0})).await.error("VERIFICATION_FAILED", refusal);
    let refusal = "Expected at least 1 parked queue of max, found 0; there is 1 queue, but no poll waits on it: no client has polled";
    wait(json!({"user": "max", "parked": true, "timeout_ms": 0})).await.error("VERIFICATION_FAILED", refusal);
}

#[tokio::test]
async fn a_lost_queue_fails_its_next_poll() {
    let server = TestServer::start().await;
    let control = Control::of(&server);
    let mel = server.user("mel");
    let (mut lost, mut kept) = (mel.events(["message"]).await, mel.events(["message"]).await);
    let id = lost.id.clone();
    let parked = tokio::spawn(async move { lost.wait().await });
    until_parked(&server, "default").await;

    control.delete(&format!("/worlds/default/queues/{id}")).await.is(json!({}));

    let message = format!("Bad event queue ID: {id}");
    parked.await.expect("answered").error("BAD_EVENT_QUEUE_ID", &message);
    let params = json!({"queue_id": id, "last_event_id": -1, "dont_block": true});
    assert_eq!(mel.get("/events", params).await.error("BAD_EVENT_QUEUE_ID", &message)["queue_id"], id);
    kept.none().await;
    let reply = control.delete(&format!("/worlds/default/queues/{id}")).await.with_status(404);
    reply.error("BAD_REQUEST", &format!("There is no queue '{id}'; the nearest is '{}'", kept.id));
}

#[tokio::test]
async fn queues_that_keep_too_much_end_while_nobody_polls() {
    let server = TestServer::start().await;
    let control = Control::of(&server);
    let [mel, max] = server.users(["mel", "max"]);
    let slow = mel.events(["invites_changed"]).await;
    // Nothing of all that is for him.
    let mut hanging = max.events(["message"]).await;
    let hanging_id = hanging.id.clone();
    let parked = tokio::spawn(async move { hanging.wait().await });
    until_parked(&server, "default").await;
    let tell = |count: usize| {
        let mel = UserId(mel.id());
        server.arrange(|tx| (0..count).for_each(|_| tx.emit(Audience::of_user(mel), InvitesChanged {})));
    };
    let listed = async || {
        let reply = control.get("/worlds/default/queues").await.success();
        let queues = reply["queues"].as_array().cloned().unwrap_or_default();
        queues.into_iter().map(|queue| (queue["queue_id"].clone(), queue["pending"].clone())).collect::<Vec<_>>()
    };

    tell(MAX_LOG_ENTRIES);
    assert!(listed().await.contains(&(json!(slow.id), json!(MAX_LOG_ENTRIES))));
    let quick = mel.events(["invites_changed"]).await;
    tell(1);

    let left = listed().await;
    assert!(left.len() == 2 && left.contains(&(json!(quick.id), json!(1))), "{left:?}");
    assert!(left.contains(&(json!(hanging_id), json!(0))), "{left:?}");
    assert!(server.server().world("default").snapshot().log.entries.len() <= MAX_LOG_ENTRIES);
    mel.send_direct(&[max.id()], "for max").await;
    assert_eq!(parked.await.expect("answered").success()["events"][0]["message"]["content"], "for max");
}

#[tokio::test]
async fn a_wait_for_parked_queues_says_that_no_poll_waits_and_when_the_last_ended() {
    let server = TestServer::start().await;
    let control = Control::of(&server);
    let parked = json!({"user": "mel", "parked": true, "timeout_ms": 1});
    let message = async || {
        let reply = control.post("/worlds/default/queues/wait", parked.clone()).await.with_status(408);
        reply.body["msg"].as_str().expect("a text").to_owned()
    };
    let expected = "Expected at least 1 parked queue of mel, found 0";
    assert_eq!(message().await, format!("{expected}; mel has registered no queue; mel@chat.test sent no request"));

    let mut queue = server.user("mel").events(["message"]).await;
    let one = "there is 1 queue, but no poll waits on it";
    assert_eq!(message().await, format!("{expected}; {one}: no client has polled"));

    queue.none().await;
    assert_eq!(message().await, format!("{expected}; {one}: the last poll ended at 2026-01-01T12:00:00Z"));
    server.user("mel").events(["message"]).await.none().await;
    assert!(message().await.contains("there are 2 queues, but no poll waits on them: the last poll ended at"));

    let fault = json!({"match": {"path": "/events"}, "times": 1, "effect": {"error": {"status": 500}}});
    let id = control.fault(fault).await;
    let poll = json!({"queue_id": queue.id, "last_event_id": -1});
    assert_eq!(server.user("mel").get("/events", poll).await.status, 500);
    let expected = format!("no poll waits on them: the last poll was answered with 500 ({id})");
    assert!(message().await.ends_with(&expected), "{}", message().await);
}

#[tokio::test]
async fn a_wait_for_a_queue_says_which_world_got_requests_meanwhile() {
    let server = TestServer::start().await;
    let control = Control::of(&server);
    control.post("/worlds", json!({"name": "blue"})).await.success();
    let message = async |user: Option<&str>| {
        let body = json!({"user": user, "timeout_ms": 0});
        let reply = control.post("/worlds/blue/queues/wait", body).await.with_status(408);
        reply.body["msg"].as_str().expect("a text").to_owned()
    };
    let none = "Expected at least 1 queue, found 0; no client has registered a queue; no request came";
    assert_eq!(message(None).await, none);

    server.user("mel").get("/users/me", json!({})).await.success();
    let elsewhere = "; the world 'default' got 1 request meanwhile";
    assert_eq!(message(None).await, format!("{none}{elsewhere}"));
    let none_of_mel =
        "Expected at least 1 queue of mel, found 0; mel has registered no queue; mel@chat.test sent no request";
    assert_eq!(message(Some("mel")).await, format!("{none_of_mel}{elsewhere}"));
}
