//! Presence: who is there.

use crate::support::TestServer;
use chatdouble::realm::id::UserId;
use serde_json::{Value, json};

/// The time at which tests begin, UNIX seconds.
const START: i64 = 1_767_268_800;
/// The day on which mel joined, which is listed for users who were never active.
const JOINED: i64 = START - 100 * 86_400;

fn active() -> Value {
    json!({"status": "active", "ping_only": true})
}

#[tokio::test]
async fn users_who_come_back_are_sent_to_all() {
    let server = TestServer::start().await;
    let [adam, max] = server.users(["adam", "max"]);
    // He was active an hour ago.
    let mut legacy = max.events(["presence"]).await;
    let capabilities = json!({"simplified_presence_events": true});
    let mut modern = max.register(json!({"event_types": ["presence"], "client_capabilities": capabilities})).await;
    let mut slim = max.register(json!({"event_types": ["presence"], "slim_presence": true})).await;

    adam.post("/users/me/presence", active()).await.is(json!({}));

    let website = json!({"client": "website", "status": "active", "timestamp": START, "pushable": false});
    legacy.next().await.is(json!({
        "type": "presence", "user_id": adam.id(), "email": adam.email(), "server_timestamp": START as f64,
        "presence": {"website": website},
    }));
    slim.next().await.is(json!({
        "type": "presence", "user_id": adam.id(), "server_timestamp": START as f64, "presence": {"website": website},
    }));
    let row = json!({"active_timestamp": START, "idle_timestamp": START});
    modern.next().await.is(json!({"type": "presence", "presences": {adam.id().to_string(): row}}));
    modern.none().await;
}

#[tokio::test]
async fn reports_in_quick_succession_change_nothing() {
    let server = TestServer::start().await;
    let [mel, max] = server.users(["mel", "max"]);
    mel.post("/users/me/presence", active()).await.is(json!({}));
    let mut events = max.events(["presence"]).await;
    let path = format!("/users/{}/presence", mel.id());
    let at = |reply: Value| reply["presence"]["active_timestamp"].clone();

    server.advance(55).await;
    mel.post("/users/me/presence", active()).await.is(json!({}));
    assert_eq!(at(max.get(&path, json!({})).await.success()), START);

    server.advance(1).await;
    mel.post("/users/me/presence", active()).await.is(json!({}));
    assert_eq!(at(max.get(&path, json!({})).await.success()), START + 56);

    // Still active: no event is needed.
    server.advance(130).await;
    mel.post("/users/me/presence", active()).await.is(json!({}));
    events.none().await;

    server.advance(131).await;
    mel.post("/users/me/presence", json!({"status": "idle", "ping_only": true})).await.is(json!({}));
    events.none().await;
    mel.post("/users/me/presence", active()).await.is(json!({}));
    events.next().await.has(json!({"user_id": mel.id()}));
}

#[tokio::test]
async fn idle_users_are_connected_and_not_active() {
    let server = TestServer::start().await;
    let [mel, max] = server.users(["mel", "max"]);
    mel.post("/users/me/presence", active()).await.is(json!({}));
    server.advance(100).await;
    mel.post("/users/me/presence", json!({"status": "idle", "ping_only": true})).await.is(json!({}));

    max.get(&format!("/users/{}/presence", mel.id()), json!({})).await.is(json!({
        "presence": {
            "active_timestamp": START, "idle_timestamp": START + 100,
            "website": {"status": "idle", "timestamp": START + 100},
            "aggregated": {"status": "idle", "timestamp": START + 100},
        },
        "server_timestamp": (START + 100) as f64,
    }));
}

#[tokio::test]
async fn after_200_seconds_a_user_is_offline() {
    let server = TestServer::start().await;
    let [mel, max] = server.users(["mel", "max"]);
    mel.post("/users/me/presence", active()).await.is(json!({}));
    let path = format!("/users/{}/presence", mel.email());
    let status = |reply: Value| reply["presence"]["aggregated"]["status"].clone();

    server.advance(200).await;
    assert_eq!(status(max.get(&path, json!({})).await.success()), "active");

    server.advance(1).await;
    let reply = max.get(&path, json!({})).await.success();
    assert_eq!(reply["presence"]["website"]["status"], "active");
    assert_eq!(status(reply), "offline");
}

#[tokio::test]
async fn presence_is_for_people_that_are_known_and_were_seen() {
    let server = TestServer::start().await;
    let [mel, bot, dana, mona] = server.users(["mel", "build-bot", "dana", "mona"]);

    for (who, text) in [
        ("9999".to_owned(), "No such user".to_owned()),
        ("nobody@chat.test".to_owned(), "No such user".to_owned()),
        // Her real address is for nobody to see.
        (mona.email().to_owned(), "No such user".to_owned()),
        (dana.id().to_string(), "No such user".to_owned()),
        (bot.id().to_string(), "Presence is not supported for bot users.".to_owned()),
        (mona.id().to_string(), format!("No presence data for {}", mona.id())),
        (format!("user{}@chat.test", mona.id()), format!("No presence data for user{}@chat.test", mona.id())),
    ] {
        mel.get(&format!("/users/{who}/presence"), json!({})).await.with_status(400).error("BAD_REQUEST", &text);
    }
}

#[tokio::test]
async fn a_report_is_answered_with_who_else_is_there() {
    let server = TestServer::start().await;
    let [mel, olive, adam, max] = server.users(["mel", "olive", "adam", "max"]);

    let legacy = mel.post("/users/me/presence", json!({"status": "active"})).await.success();
    let keys = |reply: &Value| {
        let mut keys: Vec<String> = reply["presences"].as_object().expect("presences").keys().cloned().collect();
        keys.sort();
        keys
    };
    assert_eq!(keys(&legacy), [adam.email(), max.email(), mel.email(), olive.email()]);
    assert_eq!(legacy["server_timestamp"], START as f64);
    let website = json!({"client": "website", "status": "active", "timestamp": START, "pushable": false});
    let aggregated = json!({"client": "website", "status": "active", "timestamp": START});
    assert_eq!(legacy["presences"][mel.email()], json!({"aggregated": aggregated, "website": website}));

    let slim = mel.post("/users/me/presence", json!({"status": "active", "slim_presence": true})).await.success();
    let row = json!({"active_timestamp": START, "idle_timestamp": START});
    assert_eq!(slim["presences"][mel.id().to_string()], row);
    assert_eq!(slim["presence_last_update_id"], legacy["presence_last_update_id"]);
}

#[tokio::test]
async fn what_changed_since_the_last_report_is_given_alone() {
    let server = TestServer::start().await;
    let [mel, max] = server.users(["mel", "max"]);
    let first = mel.post("/users/me/presence", json!({"status": "active", "last_update_id": -1})).await.success();
    let last = first["presence_last_update_id"].clone();
    let since = |id: &Value| json!({"status": "active", "last_update_id": id});

    let nothing = mel.post("/users/me/presence", since(&last)).await.success();
    assert_eq!((&nothing["presences"], &nothing["presence_last_update_id"]), (&json!({}), &last));

    max.post("/users/me/presence", active()).await.is(json!({}));
    let news = mel.post("/users/me/presence", since(&last)).await.success();
    let row = json!({"active_timestamp": START, "idle_timestamp": START});
    assert_eq!(news["presences"], json!({max.id().to_string(): row}));
    assert!(news["presence_last_update_id"].as_i64() > last.as_i64());
}

#[tokio::test]
async fn history_goes_back_as_far_as_was_asked_for() {
    let server = TestServer::start().await;
    let mel = server.user("mel");
    mel.post("/users/me/presence", active()).await.is(json!({}));
    server.advance(15 * 86_400).await;
    let count = |reply: Value| reply["presences"].as_object().expect("presences").len();
    let idle = |days: i64| json!({"status": "idle", "history_limit_days": days});
    let max = server.user("max");

    assert_eq!(count(max.get("/realm/presence", json!({})).await.success()), 0);
    assert_eq!(count(max.post("/users/me/presence", json!({"status": "idle"})).await.success()), 1);
    assert_eq!(count(max.post("/users/me/presence", idle(16)).await.success()), 4);
    let none = max.post("/users/me/presence", idle(0)).await.success();
    assert_eq!((none["presence_last_update_id"].clone(), count(none)), (json!(-1), 0));
}

#[tokio::test]
async fn who_switched_presence_off_is_not_noted() {
    let server = TestServer::start().await;
    let [nora, max] = server.users(["nora", "max"]);
    nora.post("/users/me/status", json!({"away": true})).await.is(json!({}));
    let mut events = max.events(["presence"]).await;

    nora.post("/users/me/presence", active()).await.is(json!({}));

    events.none().await;
    let reply = max.get(&format!("/users/{}/presence", nora.id()), json!({})).await.success();
    assert_eq!(reply["presence"]["website"], json!({"status": "idle", "timestamp": START - 320}));
    assert_eq!(reply["presence"]["aggregated"]["status"], "offline");
}

#[tokio::test]
async fn the_setting_shows_in_presence_at_once() {
    let server = TestServer::start().await;
    let [mel, max] = server.users(["mel", "max"]);
    mel.post("/users/me/presence", active()).await.success();
    let capabilities = json!({"simplified_presence_events": true});
    let mut events = max.register(json!({"event_types": ["presence"], "client_capabilities": capabilities})).await;

    for (is_enabled, row) in [
        (false, json!({"active_timestamp": JOINED, "idle_timestamp": START - 320})),
        (true, json!({"active_timestamp": START, "idle_timestamp": START})),
    ] {
        mel.patch("/settings", json!({"presence_enabled": is_enabled})).await.success();
        events.next().await.is(json!({"type": "presence", "presences": {mel.id().to_string(): row}}));
    }
    // What is said with a status counts whatever was before.
    for _ in 0..2 {
        mel.post("/users/me/status", json!({"away": true})).await.success();
        events.next().await.has(json!({"presences": {mel.id().to_string(): {"idle_timestamp": START - 320}}}));
        events.none().await;
    }
}

#[tokio::test]
async fn an_organization_can_do_without_presence() {
    let server = TestServer::start().await;
    let [mel, max] = server.users(["mel", "max"]);
    server.set("presence_disabled", true).await;
    let mut events = max.events(["presence"]).await;

    let reply = mel.post("/users/me/presence", json!({"status": "active"})).await;
    reply.is(json!({"presences": {}, "server_timestamp": START as f64, "presence_last_update_id": -1}));

    events.none().await;
    max.get("/realm/presence", json!({})).await.is(json!({"presences": {}, "server_timestamp": START as f64}));
}

#[tokio::test]
async fn only_people_report_and_only_active_or_idle() {
    let server = TestServer::start().await;
    let [mel, bot] = server.users(["mel", "build-bot"]);

    let wrong = mel.post("/users/me/presence", json!({"status": "asleep"})).await;
    wrong.error("BAD_REQUEST", "Invalid status: asleep");
    let missing = mel.post("/users/me/presence", json!({})).await;
    missing.error("REQUEST_VARIABLE_MISSING", "Missing 'status' argument");
    let refused = bot.post("/users/me/presence", active()).await;
    refused.error("BAD_REQUEST", "This endpoint does not accept bot requests.");
    bot.get("/realm/presence", json!({})).await.success();
}

#[tokio::test]
async fn a_limited_guest_sees_the_presence_of_those_they_know() {
    let server = TestServer::start().await;
    let [gus, nora, max] = server.users(["gus", "nora", "max"]);
    crate::statuses::limit_guests(&server, &nora).await;
    let mut events = gus.events(["presence"]).await;

    nora.post("/users/me/presence", active()).await.is(json!({}));
    events.none().await;
    max.post("/users/me/presence", active()).await.is(json!({}));
    events.next().await.has(json!({"user_id": max.id()}));

    let reply = gus.get("/realm/presence", json!({})).await.success();
    assert!(reply["presences"].get(max.email()).is_some());
    assert!(reply["presences"].get(nora.email()).is_none());
    let refused = gus.get(&format!("/users/{}/presence", nora.id()), json!({})).await;
    refused.error("BAD_REQUEST", "Insufficient permission");
    assert!(server.server().world("default").snapshot().user_state(UserId(nora.id())).presence.is_some());
}
