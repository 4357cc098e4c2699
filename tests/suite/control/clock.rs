//! The clock: its time, what falls due, and moving it.

use super::worlds::until_parked;
use super::{Control, START_SECONDS};
use crate::support::TestServer;
use serde_json::{Value, json};
use std::time::{Duration, Instant};

const CLOCK: &str = "/worlds/default/clock";
const START: f64 = START_SECONDS as f64;

fn kinds(list: &Value) -> Vec<(String, f64)> {
    let items = list.as_array().expect("a list").iter();
    items
        .map(|item| (item["kind"].as_str().expect("a kind").to_owned(), item["at"].as_f64().expect("a time") - START))
        .collect()
}

#[tokio::test]
async fn the_agenda_tells_what_is_to_come_in_order() {
    let server = TestServer::start().await;
    let control = Control::of(&server);

    let clock = control.get(CLOCK).await.success();

    assert_eq!((&clock["now"], &clock["running"]), (&json!(START), &json!(false)));
    let hour = 3_600.0;
    let expected = [
        ("reminder", hour),
        ("scheduled_message", 2.0 * hour),
        ("reminder", 48.0 * hour),
        ("scheduled_message", 72.0 * hour),
        ("invite_expired", 192.0 * hour),
        ("invite_expired", 216.0 * hour),
    ];
    assert_eq!(kinds(&clock["agenda"]), expected.map(|(kind, at)| (kind.to_owned(), at)));
    let ids = ["reminder_id", "scheduled_message_id", "reminder_id", "scheduled_message_id", "invite_id", "invite_id"];
    for (item, id) in clock["agenda"].as_array().expect("a list").iter().zip(ids) {
        assert!(item[id].is_i64() && item.as_object().map(serde_json::Map::len) == Some(3), "{item}");
    }
    let queue = server.user("mel").events(["message"]).await.id;
    let agenda = control.get(CLOCK).await.success()["agenda"].clone();
    assert_eq!(agenda[0], json!({"kind": "queue_expired", "at": START + 600.0, "queue_id": queue}));
}

#[tokio::test]
async fn the_clock_is_moved_in_each_of_the_ways() {
    let server = TestServer::start().await;
    let control = Control::of(&server);

    let reply = control.post(CLOCK, json!({"advance_seconds": 0.5})).await.success();
    assert_eq!((&reply["now"], &reply["fired"]), (&json!(START + 0.5), &json!([])));
    let reply = control.post(CLOCK, json!({"to_next": true})).await.success();
    assert_eq!((&reply["now"], kinds(&reply["fired"])), (&json!(START + 3_600.0), vec![("reminder".into(), 3_600.0)]));
    let reply = control.post(CLOCK, json!({"set": START + 7_200.0})).await.success();
    assert_eq!(kinds(&reply["fired"]), [("scheduled_message".to_owned(), 7_200.0)]);
    let reply = control.post(CLOCK, json!({"running": true})).await.success();
    assert_eq!((&reply["running"], &reply["fired"]), (&json!(true), &json!([])));
    tokio::time::sleep(Duration::from_millis(5)).await;
    let reply = control.post(CLOCK, json!({"running": false})).await.success();
    let now = reply["now"].as_f64().expect("a time") - START;
    assert!(now > 7_200.0 && now < 7_260.0, "it went on from where it stood: {now}");
    assert_eq!(control.get(CLOCK).await.success()["now"], reply["now"]);
}

#[tokio::test]
async fn all_fires_in_order_and_then_nothing() {
    let server = TestServer::start().await;
    let control = Control::of(&server);

    let reply = control.post(CLOCK, json!({"advance_seconds": 864_000})).await.success();

    let fired: Vec<String> = kinds(&reply["fired"]).into_iter().map(|(kind, _)| kind).collect();
    let expected =
        ["reminder", "scheduled_message", "reminder", "scheduled_message", "invite_expired", "invite_expired"];
    assert_eq!(fired, expected);
    assert_eq!(reply["agenda"], json!([]));
    let reply = control.post(CLOCK, json!({"to_next": true})).await.success();
    assert_eq!((&reply["fired"], &reply["now"]), (&json!([]), &json!(START + 864_000.0)));
}

#[tokio::test]
async fn what_the_clock_cannot_do_is_refused() {
    let server = TestServer::start().await;
    let control = Control::of(&server);
    for (body, part) in [
        (json!({}), "exactly one"),
        (json!({"to_next": false}), "exactly one"),
        (json!({"advance_seconds": 1, "running": true}), "exactly one"),
        (json!({"advance_seconds": -1}), "$.advance_seconds"),
        (json!({"advance_seconds": "1"}), "$.advance_seconds"),
        (json!({"advance_seconds": 1e300}), "$.advance_seconds"),
        (json!({"advance_seconds": 3_155_800_000.0}), "100 years"),
        (json!({"set": START - 1.0}), "$.set"),
        (json!({"set": "1 January 2030"}), "$.set"),
        (json!({"set": START + 3_155_800_000.0}), "100 years"),
        (json!({"running": 1}), "$.running"),
        (json!({"advance": 1}), "advance"),
        (json!([1]), "$"),
    ] {
        control.post(CLOCK, body).await.refused(part);
    }
    assert_eq!(control.get(CLOCK).await.success()["now"], START);
    control.post(CLOCK, json!({"advance_seconds": 3_155_700_000.0_f64})).await.success();
}

#[tokio::test]
async fn a_reminder_due_tomorrow_arrives_with_its_own_time() {
    let server = TestServer::start().await;
    let control = Control::of(&server);
    let mel = server.user("mel");
    let message = mel.send_to("general", "t", "Think of this").await;
    let due = START_SECONDS + 86_400;
    let body = json!({"message_id": message, "scheduled_delivery_timestamp": due, "note": "now"});
    let reminder = mel.post("/reminders", body).await.success()["reminder_id"].clone();
    let asked = json!({"event_types": ["message"], "fetch_event_types": [], "idle_queue_timeout": 604_800});
    let mut queue = mel.register(asked).await;

    let reply = control.post(CLOCK, json!({"advance_seconds": 2 * 86_400 - 1})).await.success();

    let fired = json!({"kind": "reminder", "at": due as f64, "reminder_id": reminder});
    assert!(reply["fired"].as_array().expect("a list").contains(&fired), "{reply:#}");
    let events = queue.all().await;
    let own = events.iter().find(|event| event["message"]["timestamp"] == due).expect("sent at its own time");
    assert!(own["message"]["content"].as_str().is_some_and(|text| text.contains("now")), "{own:#}");
}

#[tokio::test]
async fn a_parked_poll_gets_one_heartbeat_for_a_long_jump_at_the_time_the_first_was_due() {
    let server = TestServer::start().await;
    let control = Control::of(&server);
    let mut queue = server.user("mel").events(["typing"]).await;
    let id = queue.id.clone();
    server.advance(30).await;
    let parked = tokio::spawn(async move { (queue.wait().await, queue) });
    until_parked(&server, "default").await;

    let reply = control.post(CLOCK, json!({"advance_seconds": 10 * 365 * 86_400})).await.success();

    let heartbeats: Vec<&Value> =
        reply["fired"].as_array().expect("a list").iter().filter(|item| item["kind"] == "heartbeat").collect();
    assert_eq!(heartbeats, [&json!({"kind": "heartbeat", "at": START + 90.0, "queue_id": id})]);
    assert!(reply["fired"].as_array().expect("a list").iter().all(|item| item["kind"] != "queue_expired"));
    let (polled, mut queue) = parked.await.expect("answered");
    let events = polled.success()["events"].clone();
    assert_eq!(events, json!([{"type": "heartbeat", "id": 0}]));
    let after = queue.all().await;
    assert_eq!(after.len(), 1, "the queue lives on, and nothing came but the heartbeat: {after:?}");
}

#[tokio::test]
async fn a_queue_expires_exactly_when_its_time_is_over() {
    let server = TestServer::start().await;
    let control = Control::of(&server);
    let mel = server.user("mel");
    let mut queue = mel.events(["message"]).await;
    let poll = json!({"queue_id": queue.id, "last_event_id": -1, "dont_block": true});
    control.post(CLOCK, json!({"advance_seconds": 599.999})).await.success();
    queue.none().await;
    control.post(CLOCK, json!({"advance_seconds": 599.999})).await.success();

    let reply = control.post(CLOCK, json!({"advance_seconds": 0.001})).await.success();

    assert_eq!(reply["fired"], json!([{"kind": "queue_expired", "at": START + 1_199.999, "queue_id": queue.id}]));
    mel.get("/events", poll).await.error("BAD_EVENT_QUEUE_ID", &format!("Bad event queue ID: {}", queue.id));
}

#[tokio::test]
async fn a_thousand_timers_over_ten_years_take_no_time() {
    let server = TestServer::start().await;
    let control = Control::of(&server);
    // He has no active device: what is measured is timers, not pushes.
    let max = server.user("max");
    let message = max.send_to("general", "t", "Think of this").await;
    let begun = Instant::now();
    for number in 0..1_000_i64 {
        let due = START_SECONDS + 1 + number * 315_000;
        let body = json!({"message_id": message, "scheduled_delivery_timestamp": due});
        max.post("/reminders", body).await.success();
    }
    // Two seconds are promised; on a busy machine it takes no longer than asking for it did.
    let allowed = begun.elapsed().max(Duration::from_secs(2));
    let begun = Instant::now();

    let reply = control.post(CLOCK, json!({"advance_seconds": 315_360_000})).await.success();

    assert!(begun.elapsed() < allowed, "{:?}, {allowed:?} were allowed", begun.elapsed());
    let fired = kinds(&reply["fired"]);
    assert_eq!(fired.iter().filter(|(kind, _)| kind == "reminder").count(), 1_002);
    assert!(fired.windows(2).all(|pair| pair[0].1 <= pair[1].1));
}

#[tokio::test]
async fn what_is_read_after_a_jump_is_as_of_then() {
    let server = TestServer::start().await;
    let olive = server.user("olive");
    olive.post("/users/me/subscriptions", json!({"subscriptions": [{"name": "brand new"}]})).await.success();
    let path = format!("/streams/{}", server.channel("brand new"));
    let traffic = async || olive.get(&path, json!({})).await.success()["stream"]["stream_weekly_traffic"].clone();

    server.advance(7 * 86_400 - 1).await;
    assert_eq!(traffic().await, Value::Null, "a channel has no traffic in its first week");
    server.advance(1).await;
    assert!(traffic().await.is_i64());
}

#[tokio::test]
async fn a_poll_that_a_jump_answers_leaves_its_queue_on_the_agenda() {
    let server = TestServer::start().await;
    let control = Control::of(&server);
    let mut queue = server.user("mel").events(["message"]).await;
    let id = queue.id.clone();
    let parked = tokio::spawn(async move { queue.wait().await });
    server.until_parked(1).await;

    let reply = control.post("/worlds/default/clock", json!({"advance_seconds": 60})).await.success();

    let expiries: Vec<&Value> =
        reply["agenda"].as_array().into_iter().flatten().filter(|one| one["queue_id"] == *id).collect();
    assert_eq!(expiries.len(), 1, "{reply}");
    assert_eq!(expiries[0]["kind"], "queue_expired");
    parked.await.expect("the poll ends").success();
}

#[tokio::test]
async fn what_comes_next_may_lie_too_far_off() {
    let server = TestServer::start().await;
    let control = Control::of(&server);
    let far = json!({"scheduled_delivery_timestamp": 32_503_680_000_i64, "note": "x"});
    server.user("mel").post("/reminders", far).await.success();
    control.post(CLOCK, json!({"advance_seconds": 864_000})).await.success();

    control.post(CLOCK, json!({"to_next": true})).await.refused("$: the clock can be moved by 100 years at most");

    assert_eq!(control.get(CLOCK).await.success()["now"], START + 864_000.0);
}
