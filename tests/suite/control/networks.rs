//! Networks between clients and a world, measured on sockets.

use super::{Control, exchange};
use crate::support::{TestServer, User, least};
use serde_json::{Value, json};
use std::time::{Duration, Instant};

const NETWORK: &str = "/worlds/default/network";

/// Asserts that something took as long as a network makes it take, within a tenth, and a little for the machine.
#[track_caller]
fn assert_takes(what: &str, took: Duration, millis: u64) {
    let (least, most) = (Duration::from_millis(millis), Duration::from_millis(millis + millis / 10 + 60));
    assert!(least <= took && took <= most, "{what} takes {took:?}, not {least:?}");
}

async fn set(control: &Control, network: Value) {
    control.post(NETWORK, network).await.is(json!({}));
}

async fn read(user: &User) {
    user.get("/users/me", json!({})).await.success();
}

#[tokio::test]
async fn replies_wait_and_those_of_others_do_not() {
    let server = TestServer::start().await;
    let control = Control::of(&server);
    let [mel, max] = server.users(["mel", "max"]);
    control.post("/worlds", json!({"name": "other"})).await.success();
    set(&control, json!({"user": "mel", "latency_ms": 400})).await;
    let elsewhere = server.user_at(&format!("{}/w/other", server.url()), "other", "mel");
    read(&max).await;

    let late = server.user("mel");
    let reading = tokio::spawn(async move { read(&late).await });
    let mut times = Vec::new();
    for _ in 0..20 {
        for who in [&max, &elsewhere] {
            times.push(least(1, async || read(who).await).await.1);
        }
        times.push(least(1, async || control.get("/worlds/default/clock").await.success()).await.1);
    }

    times.sort_unstable();
    assert!(times[times.len() / 2] < Duration::from_millis(50), "{times:?}");
    reading.await.expect("it is answered");
    assert_takes("a read", least(3, async || read(&mel).await).await.1, 400);
}

#[tokio::test]
async fn bodies_pass_in_both_directions_no_faster_than_the_network() {
    let server = TestServer::start().await;
    let control = Control::of(&server);
    let mel = server.user("mel");
    let bytes = vec![b'x'; 400_000];
    set(&control, json!({"user": "mel", "bytes_per_second": 500_000})).await;

    let upload = async || mel.upload("/user_uploads", "large.txt", "text/plain", &bytes).await;
    let (reply, took) = least(3, upload).await;
    let url = reply.success()["url"].as_str().expect("an address").to_owned();
    assert_takes("an upload", took, 800);

    let (reply, took) = least(3, async || mel.get(&url, json!({})).await).await;
    assert_eq!(reply.bytes, bytes);
    assert_takes("a download", took, 800);

    control.delete(NETWORK).await.is(json!({}));
    let (reply, took) = least(3, async || mel.get(&url, json!({})).await).await;
    assert_eq!(reply.bytes, bytes);
    assert!(took < Duration::from_millis(400), "{took:?}");
}

#[tokio::test]
async fn a_profile_is_kept_within_a_tenth() {
    let server = TestServer::start().await;
    let control = Control::of(&server);
    let mel = server.user("mel");
    let url = mel.upload("/user_uploads", "a.txt", "text/plain", &vec![b'x'; 100_000]).await.success()["url"].clone();
    let url = url.as_str().expect("an address");
    for (profile, small, large) in [("3g", 150, 650), ("edge", 300, 3_633), ("4g", 50, 116)] {
        set(&control, json!({"user": "mel", "profile": profile})).await;
        // A small body takes no time worth the name at these speeds but for that of the reply itself.
        let (_, took) = least(5, async || read(&mel).await).await;
        assert_takes(&format!("a small read on {profile}"), took, small);
        let (reply, took) = least(2, async || mel.get(url, json!({})).await).await;
        assert_eq!(reply.bytes.len(), 100_000);
        assert_takes(&format!("100 kB on {profile}"), took, large);
    }
}

#[tokio::test]
async fn a_reply_that_takes_long_is_sent_to_its_end() {
    let server = TestServer::start().await;
    let control = Control::of(&server);
    let mel = server.user("mel");
    let url = mel.upload("/user_uploads", "a.txt", "text/plain", &[b'x'; 900]).await.success()["url"].clone();
    // Longer than a silent connection is kept, if the end of a reply did not count.
    set(&control, json!({"user": "mel", "bytes_per_second": 60})).await;

    let (reply, took) = least(1, async || mel.get(url.as_str().expect("an address"), json!({})).await).await;

    assert_eq!(reply.bytes.len(), 900);
    assert!(took >= Duration::from_secs(15), "{took:?}");
}

#[tokio::test]
async fn a_poll_arrives_late_and_its_event_at_once_with_others() {
    let server = TestServer::start().await;
    let control = Control::of(&server);
    let [mel, max] = server.users(["mel", "max"]);
    let mut slow = mel.events(["message"]).await;
    let mut fast = max.events(["message"]).await;
    set(&control, json!({"user": "mel", "latency_ms": 500})).await;

    let began = Instant::now();
    let waiting = tokio::spawn(async move {
        let reply = slow.wait().await;
        (reply, began.elapsed())
    });
    let waiting_fast = tokio::spawn(async move {
        fast.wait().await.success();
        began.elapsed()
    });
    server.until_parked(2).await;
    max.send_to("general", "t", "news").await;

    assert!(waiting_fast.await.expect("it ends") < Duration::from_millis(400));
    let (reply, took) = waiting.await.expect("it ends");
    assert_eq!(reply.success()["events"][0]["type"], "message");
    assert!(took >= Duration::from_millis(500), "{took:?}");
}

#[tokio::test]
async fn losses_come_before_and_after_and_are_in_the_journal() {
    let server = TestServer::start().await;
    let control = Control::of(&server);
    set(&control, json!({"user": "mel", "loss": 1})).await;
    for _ in 0..12 {
        let sent = exchange(&server, "POST /api/v1/messages", "type=channel&to=general&topic=t&content=lost").await;
        assert_eq!(sent, "");
    }

    let entries = control.get("/worlds/default/journal?user=mel").await.success()["entries"].clone();
    let entries = entries.as_array().expect("a list");
    let carried_out = entries.iter().filter(|entry| entry["events"] != json!([])).count();
    assert_eq!(entries.len(), 12);
    assert!((1..12).contains(&carried_out), "{carried_out} of 12 were carried out");
    assert!(entries.iter().all(|entry| entry["status"] == 0 && entry["fault"] == "network"), "{entries:#?}");
}

#[tokio::test]
async fn the_same_seed_loses_the_same_requests() {
    let mut patterns = Vec::new();
    for seed in [1, 1, 2] {
        let server = TestServer::start_with(|options| options.seed = seed).await;
        let control = Control::of(&server);
        set(&control, json!({"loss": 0.5})).await;
        let mut pattern = String::new();
        for _ in 0..32 {
            let is_lost = exchange(&server, "GET /api/v1/server_settings", "").await.is_empty();
            pattern.push(if is_lost { '-' } else { '+' });
        }
        patterns.push(pattern);
    }

    assert_eq!(patterns[0], patterns[1]);
    assert_ne!(patterns[0], patterns[2]);
    assert!(patterns[0].contains('-') && patterns[0].contains('+'));
}

#[tokio::test]
async fn offline_nothing_is_carried_out_and_no_parked_poll_is_answered() {
    let server = TestServer::start().await;
    let control = Control::of(&server);
    let [mel, max] = server.users(["mel", "max"]);
    let queue = mel.events(["message"]).await;
    let poll = format!("GET /api/v1/events?queue_id={}&last_event_id=-1", queue.id);
    let parked = async { exchange(&server, &poll, "").await };
    let going_offline = async {
        server.until_parked(1).await;
        set(&control, json!({"user": "mel", "profile": "offline"})).await;
        max.send_to("general", "t", "unheard").await;
    };
    let (reply, ()) = tokio::join!(parked, going_offline);
    assert_eq!(reply, "", "the event does not arrive");
    let lost = json!({"path": "/events", "user": "mel", "status": 0, "fault": "network", "exactly": 1});
    control.post("/worlds/default/journal/verify", lost).await.success();

    let sent = exchange(&server, "POST /api/v1/messages", "type=channel&to=general&topic=t&content=undone").await;
    assert_eq!(sent, "");
    assert_eq!(exchange(&server, "GET /user_uploads/1/ab/none.txt", "").await, "");
    let newest = json!({"anchor": "newest", "num_before": 1, "num_after": 0});
    assert_eq!(max.get("/messages", newest).await.success()["messages"][0]["content"], "<p>unheard</p>");

    control.delete(&format!("{NETWORK}?user=mel")).await.is(json!({}));
    let events = mel.get("/events", json!({"queue_id": queue.id, "last_event_id": -1})).await.success();
    assert_eq!(events["events"][0]["message"]["content"], "unheard", "it was not acknowledged");
}

#[tokio::test]
async fn a_reply_stays_lost_when_the_network_ends_right_after_the_event() {
    let server = TestServer::start().await;
    let control = Control::of(&server);
    let [mel, max] = server.users(["mel", "max"]);
    let queue = mel.events(["message"]).await;
    let mut last_event_id = -1;
    for _ in 0..5 {
        let poll = format!("GET /api/v1/events?queue_id={}&last_event_id={last_event_id}", queue.id);
        let going_offline = async {
            server.until_parked(1).await;
            set(&control, json!({"user": "mel", "profile": "offline"})).await;
            max.send_to("general", "t", "unheard").await;
            control.delete(NETWORK).await.is(json!({}));
        };
        let (reply, ()) = tokio::join!(exchange(&server, &poll, ""), going_offline);
        assert_eq!(reply, "");

        let next_poll = json!({"queue_id": queue.id, "last_event_id": last_event_id});
        let events = mel.get("/events", next_poll).await.success()["events"].clone();
        assert_eq!(events[0]["message"]["content"], "unheard", "{events}");
        last_event_id = events[0]["id"].as_i64().expect("an ID");
    }
}

#[tokio::test]
async fn a_jump_expires_the_queue_of_an_offline_client_at_once() {
    let server = TestServer::start().await;
    let control = Control::of(&server);
    let [mel, max] = server.users(["mel", "max"]);
    let jump =
        async |span: &str| control.post("/worlds/default/clock", json!({"advance_seconds": span})).await.success();
    let kinds = |reply: &Value| -> Vec<Value> {
        reply["fired"].as_array().expect("a list").iter().map(|item| item["kind"].clone()).collect()
    };
    // A poll that waits.
    let queue = mel.events(["message"]).await;
    let poll = format!("GET /api/v1/events?queue_id={}&last_event_id=-1", queue.id);
    let offline = async {
        server.until_parked(1).await;
        set(&control, json!({"user": "mel", "profile": "offline"})).await;
        jump("15m").await
    };
    let (reply, moved) = tokio::join!(exchange(&server, &poll, ""), offline);
    assert_eq!(reply, "");
    assert!(kinds(&moved).contains(&json!("queue_expired")), "{moved}");
    control.delete(NETWORK).await.is(json!({}));
    let reply = mel.get("/events", json!({"queue_id": queue.id, "last_event_id": -1})).await;
    assert_eq!(reply.body["code"], "BAD_EVENT_QUEUE_ID", "{reply}");

    // A short jump breaks the poll too: its client polls the same queue again.
    let queue = mel.events(["message"]).await;
    let poll = format!("GET /api/v1/events?queue_id={}&last_event_id=-1", queue.id);
    let offline = async {
        server.until_parked(1).await;
        set(&control, json!({"user": "mel", "profile": "offline"})).await;
        jump("5s").await
    };
    let (reply, moved) = tokio::join!(exchange(&server, &poll, ""), offline);
    assert_eq!((reply.as_str(), kinds(&moved).len()), ("", 0), "{moved}");
    control.delete(NETWORK).await.is(json!({}));
    let reply = mel.get("/events", json!({"queue_id": queue.id, "last_event_id": -1, "dont_block": true})).await;
    reply.success();
    mel.delete("/events", json!({"queue_id": queue.id})).await.success();

    // The ten minutes go on over several jumps.
    let queue = mel.events(["message"]).await;
    let poll = format!("GET /api/v1/events?queue_id={}&last_event_id=-1", queue.id);
    let offline = async {
        server.until_parked(1).await;
        set(&control, json!({"user": "mel", "profile": "offline"})).await;
        let first = jump("6m").await;
        (first, jump("6m").await)
    };
    let (_, (first, second)) = tokio::join!(exchange(&server, &poll, ""), offline);
    assert!(!kinds(&first).contains(&json!("queue_expired")), "{first}");
    assert!(kinds(&second).contains(&json!("queue_expired")), "{second}");
    control.delete(NETWORK).await.is(json!({}));

    // A poll that was answered just before: the jump does not wait for the next one.
    let queue = max.events(["message"]).await;
    mel.send_to("general", "t", "news").await;
    max.get("/events", json!({"queue_id": queue.id, "last_event_id": -1})).await.success();
    set(&control, json!({"user": "max", "profile": "offline"})).await;
    let moved = jump("1d").await;
    assert_eq!((&moved["waited_ms"], &moved["not_parked"]), (&json!(0), &json!([])), "{moved}");
    assert!(kinds(&moved).contains(&json!("queue_expired")), "{moved}");
}

#[tokio::test]
async fn a_poll_is_lost_on_a_network_that_was_set_while_it_was_parked() {
    let server = TestServer::start().await;
    let control = Control::of(&server);
    let [mel, max] = server.users(["mel", "max"]);
    for (network, is_lost) in
        [(json!({"user": "mel", "loss": 1}), true), (json!({"user": "mel", "profile": "wifi"}), false)]
    {
        control.delete(NETWORK).await.is(json!({}));
        let queue = mel.events(["message"]).await;
        let poll = format!("GET /api/v1/events?queue_id={}&last_event_id=-1", queue.id);
        let parked = async { exchange(&server, &poll, "").await };
        let changing = async {
            server.until_parked(1).await;
            set(&control, network.clone()).await;
            max.send_to("general", "t", "news").await;
        };
        let (reply, ()) = tokio::join!(parked, changing);

        assert_eq!(reply.is_empty(), is_lost, "{network}: {reply}");
        let entries = control.get("/worlds/default/journal?path=/events").await.success()["entries"].clone();
        let entry = entries.as_array().and_then(|entries| entries.last()).expect("the poll");
        let expected = if is_lost { (json!(0), json!("network")) } else { (json!(200), json!(null)) };
        assert_eq!((entry["status"].clone(), entry["fault"].clone()), expected, "{network}");
    }
}

#[tokio::test]
async fn a_request_that_a_fault_met_has_no_status_offline() {
    let server = TestServer::start().await;
    let control = Control::of(&server);
    set(&control, json!({"user": "mel", "profile": "offline"})).await;
    let id =
        control.fault(json!({"match": {"path": "/users/me"}, "times": 1, "effect": {"error": {"status": 503}}})).await;

    assert_eq!(exchange(&server, "GET /api/v1/users/me", "").await, "");

    let lost = json!({"path": "/users/me", "status": 0, "fault": id, "exactly": 1});
    control.post("/worlds/default/journal/verify", lost).await.success();
}

#[tokio::test]
async fn networks_are_listed_replaced_and_ended() {
    let server = TestServer::start().await;
    let control = Control::of(&server);
    set(&control, json!({"profile": "3g"})).await;
    set(&control, json!({"user": "mel", "profile": "lossy", "loss": 0.25, "latency_ms": 5})).await;
    set(&control, json!({"jitter_ms": 7})).await;

    let lossy = json!({"user": "mel@chat.test", "profile": "lossy", "latency_ms": 5, "jitter_ms": 10,
        "bytes_per_second": 200_000, "loss": 0.25});
    let jittery = json!({"user": null, "profile": null, "latency_ms": 0, "jitter_ms": 7, "bytes_per_second": null,
        "loss": 0.0});
    control.get(NETWORK).await.is(json!({"networks": [lossy, jittery]}));
    control.delete(&format!("{NETWORK}?user=mel")).await.is(json!({}));
    control.get(NETWORK).await.is(json!({"networks": [jittery]}));
    control.post("/worlds/default/reset", json!({})).await.is(json!({}));
    control.get(NETWORK).await.is(json!({"networks": []}));
}

#[tokio::test]
async fn what_is_no_network_is_refused() {
    let server = TestServer::start().await;
    let control = Control::of(&server);
    for (network, part) in [
        (json!({}), "$: takes a profile"),
        (json!({"user": "mel"}), "$: takes a profile"),
        (json!({"profile": "4G"}), "$.profile: takes one of offline, gprs, edge, 3g, 4g, wifi, lossy"),
        (json!({"profile": "wify"}), "the nearest is 'wifi'"),
        (json!({"latency_ms": -1}), "$.latency_ms"),
        (json!({"latency_ms": 3_600_001}), "$.latency_ms: takes a whole number of milliseconds from 0 to 3600000"),
        (
            json!({"latency_ms": "1s"}),
            "$.latency_ms: takes a whole number of milliseconds from 0 on, not the text \"1s\"",
        ),
        (json!({"jitter_ms": 3_600_001}), "$.jitter_ms"),
        (json!({"bytes_per_second": 0}), "$.bytes_per_second: takes a whole number from 1 on"),
        (json!({"loss": 1.01}), "$.loss: takes a number from 0 to 1"),
        (json!({"loss": "some"}), "$.loss"),
        (json!({"user": "mell", "loss": 0}), "$.user: there is no user 'mell'"),
        (json!({"speed": 1}), "speed"),
    ] {
        control.post(NETWORK, network).await.refused(part);
    }
    control.get(NETWORK).await.is(json!({"networks": []}));
}

#[tokio::test]
async fn a_form_is_refused_with_the_json_in_its_place() {
    let server = TestServer::start().await;
    let control = Control::of(&server);
    let sent = |path: &'static str, form: &'static str| control.send("POST", path, form.as_bytes().to_vec());

    sent("/worlds/default/clock", "advance_seconds=5")
        .await
        .refused(r#"Control takes JSON, such as {"advance_seconds":5}"#);
    sent(NETWORK, "user=mel&profile=3g").await.refused(r#"Control takes JSON, such as {"user":"mel","profile":"3g"}"#);
    sent(NETWORK, "{\"profile\"").await.refused("$: EOF");
}
