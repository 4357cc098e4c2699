//! Event queues: registering, polling, acknowledging, waiting, ending.

use crate::support::TestServer;
use serde_json::json;
use std::sync::Arc;
use std::time::Duration;

#[tokio::test]
async fn a_message_reaches_its_recipients_with_their_own_flags() {
    let server = TestServer::start().await;
    let [mel, max, nora] = server.users(["mel", "max", "nora"]);
    let mut events = max.events(["message"]).await;
    let mut others = nora.events(["message"]).await;

    let id = mel.send_direct(&[max.id()], "Are you there, @**Max Mercer**?").await;

    let event = events.next().await.has(json!({"type": "message", "flags": ["mentioned"]}));
    assert_eq!(event["id"], 0);
    assert_eq!(event["message"]["id"], id);
    assert_eq!(event["message"]["content_type"], "text/x-markdown");
    assert!(event["message"].get("flags").is_none(), "flags are next to the message");
    events.none().await;
    others.none().await;
}

#[tokio::test]
async fn content_is_html_for_queues_that_asked_for_it() {
    let server = TestServer::start().await;
    let mel = server.user("mel");
    let mut html =
        mel.register(json!({"event_types": ["message"], "fetch_event_types": [], "apply_markdown": true})).await;

    mel.send_to("general", "tests", "**hi**").await;

    let event = html.next().await.0;
    assert_eq!(event["message"]["content"], "<p><strong>hi</strong></p>");
    assert_eq!(event["message"]["content_type"], "text/html");
}

#[tokio::test]
async fn events_that_were_not_acknowledged_come_again() {
    let server = TestServer::start().await;
    let mel = server.user("mel");
    let queue = mel.events(["message"]).await;
    let poll = |last: i64| {
        let (mel, id) = (mel.clone(), queue.id.clone());
        async move {
            let params = json!({"queue_id": id, "last_event_id": last, "dont_block": true});
            let reply = mel.get("/events", params).await.success();
            reply["events"]
                .as_array()
                .expect("a list")
                .iter()
                .map(|event| event["id"].as_i64().expect("an id"))
                .collect::<Vec<_>>()
        }
    };
    for text in ["one", "two", "three"] {
        mel.send_to("general", "tests", text).await;
    }

    assert_eq!(poll(-1).await, [0, 1, 2]);
    assert_eq!(poll(-1).await, [0, 1, 2]);
    let beyond = json!({"queue_id": queue.id, "last_event_id": i64::MAX, "dont_block": true});
    mel.get("/events", beyond).await.error("BAD_REQUEST", &format!("Event {} was not in this queue", i64::MAX));
    assert_eq!(poll(1).await, [2]);
    let older = json!({"queue_id": queue.id, "last_event_id": 0, "dont_block": true});
    mel.get("/events", older).await.error("BAD_REQUEST", "An event newer than 0 has already been pruned!");
    let never = json!({"queue_id": queue.id, "last_event_id": 7, "dont_block": true});
    mel.get("/events", never).await.error("BAD_REQUEST", "Event 7 was not in this queue");
    assert_eq!(poll(2).await, [0i64; 0]);
}

#[tokio::test]
async fn a_waiting_poll_is_answered_by_the_next_event() {
    let server = TestServer::start().await;
    let [mel, max] = server.users(["mel", "max"]);
    let mut queue = max.events(["message"]).await;
    let parked = tokio::spawn(async move { queue.wait().await });
    server.until_parked(1).await;

    mel.send_direct(&[max.id()], "now").await;

    let reply = parked.await.expect("the poll ends").success();
    assert_eq!(reply["events"].as_array().map(Vec::len), Some(1));
    assert_eq!(server.parked(), 0);
}

#[tokio::test]
async fn a_waiting_poll_keeps_nothing_of_the_past() {
    let server = TestServer::start().await;
    let [mel, max] = server.users(["mel", "max"]);
    let mut queue = max.events(["reaction"]).await;
    let parked = tokio::spawn(async move { queue.wait().await });
    server.until_parked(1).await;
    let then = Arc::downgrade(&server.server().world("default").snapshot());

    mel.send_to("general", "tests", "the realm goes on").await;

    assert!(then.upgrade().is_none(), "nobody needs the realm any more in which the poll began");
    assert_eq!(server.parked(), 1, "still waiting");
    parked.abort();
}

#[tokio::test]
async fn a_poll_is_not_woken_by_what_is_for_others() {
    let server = TestServer::start().await;
    let [mel, max, olive] = server.users(["mel", "max", "olive"]);
    let mut queue = max.events(["message"]).await;
    let parked = tokio::spawn(async move { queue.wait().await });
    server.until_parked(1).await;

    mel.send_direct(&[olive.id()], "not for max").await;
    mel.post("/users/me/status", json!({"status_text": "busy"})).await.success();
    assert_eq!(server.server().world("default").wake_count(), 0);

    mel.send_direct(&[max.id()], "for max").await;
    assert_eq!(server.server().world("default").wake_count(), 1);
    assert_eq!(parked.await.expect("answered").success()["events"][0]["message"]["content"], "for max");
}

#[tokio::test]
async fn a_newer_poll_ends_the_older() {
    let server = TestServer::start().await;
    let mel = server.user("mel");
    let mut queue = mel.events(["message"]).await;
    let id = queue.id.clone();
    let older = tokio::spawn(async move { queue.wait().await });
    server.until_parked(1).await;

    let newer = tokio::spawn({
        let (mel, id) = (mel.clone(), id.clone());
        async move { mel.get("/events", json!({"queue_id": id, "last_event_id": -1})).await }
    });
    let reply = older.await.expect("the older poll ends").success();
    assert_eq!(reply["events"], json!([]));

    mel.send_to("general", "tests", "hello").await;
    let reply = newer.await.expect("the newer poll ends").success();
    assert_eq!(reply["events"].as_array().map(Vec::len), Some(1));
}

#[tokio::test]
async fn a_poll_that_hangs_for_a_minute_gets_a_heartbeat() {
    let server = TestServer::start().await;
    let mel = server.user("mel");
    let mut queue = mel.events(["message"]).await;
    let parked = tokio::spawn(async move { queue.wait().await });
    server.until_parked(1).await;

    server.advance(60).await;

    let reply = parked.await.expect("the poll ends").success();
    assert_eq!(reply["events"], json!([{"type": "heartbeat", "id": 0}]));
}

#[tokio::test]
async fn a_queue_is_collected_exactly_when_its_idle_time_is_over() {
    let server = TestServer::start().await;
    let mel = server.user("mel");
    let queue = mel.events(["message"]).await;
    assert_eq!(queue.state["idle_queue_timeout_secs"], 600);
    let poll = json!({"queue_id": queue.id, "last_event_id": -1, "dont_block": true});

    server.advance(599).await;
    mel.get("/events", poll.clone()).await.success();
    server.advance(599).await;
    mel.get("/events", poll.clone()).await.success();
    server.advance(600).await;
    let body = mel.get("/events", poll).await.error("BAD_EVENT_QUEUE_ID", &format!("Bad event queue ID: {}", queue.id));
    assert_eq!(body["queue_id"], queue.id);
}

#[tokio::test]
async fn a_client_chooses_how_long_its_queue_lives() {
    let server = TestServer::start().await;
    let mel = server.user("mel");
    for (asked, given) in
        [(json!(30), 30), (json!("\"mobile\""), 43_200), (json!(999_999_999), 604_800), (json!("null"), 600)]
    {
        let reply =
            mel.post("/register", json!({"idle_queue_timeout": asked, "fetch_event_types": []})).await.success();
        assert_eq!(reply["idle_queue_timeout_secs"], given, "{asked}");
    }
    let too_small = json!({"idle_queue_timeout": 0});
    mel.post("/register", too_small).await.error("BAD_REQUEST", "idle_queue_timeout is too small");
}

#[tokio::test]
async fn a_queue_is_its_owners_alone() {
    let server = TestServer::start().await;
    let [mel, max] = server.users(["mel", "max"]);
    let queue = mel.events(["message"]).await;
    let message = format!("Bad event queue ID: {}", queue.id);
    let poll = json!({"queue_id": queue.id, "last_event_id": -1, "dont_block": true});

    max.get("/events", poll.clone()).await.error("BAD_EVENT_QUEUE_ID", &message);
    max.delete("/events", json!({"queue_id": queue.id})).await.error("BAD_EVENT_QUEUE_ID", &message);
    mel.delete("/events", json!({"queue_id": queue.id})).await.is(json!({}));
    mel.get("/events", poll).await.error("BAD_EVENT_QUEUE_ID", &message);
    mel.delete("/events", json!({})).await.error("REQUEST_VARIABLE_MISSING", "Missing 'queue_id' argument");
}

#[tokio::test]
async fn polling_names_what_it_lacks() {
    let server = TestServer::start().await;
    let mel = server.user("mel");

    mel.get("/events", json!({})).await.error("BAD_REQUEST", "Missing 'queue_id' argument");
    mel.get("/events", json!({"queue_id": "x"})).await.error("BAD_REQUEST", "Missing 'last_event_id' argument");
    let unknown = json!({"queue_id": "x", "last_event_id": -1});
    mel.get("/events", unknown).await.error("BAD_EVENT_QUEUE_ID", "Bad event queue ID: x");
}

#[tokio::test]
async fn deleting_a_queue_answers_the_poll_that_hangs_on_it() {
    let server = TestServer::start().await;
    let mel = server.user("mel");
    let mut queue = mel.events(["message"]).await;
    let id = queue.id.clone();
    let parked = tokio::spawn(async move { queue.wait().await });
    server.until_parked(1).await;

    mel.delete("/events", json!({"queue_id": id})).await.success();

    parked.await.expect("the poll ends").is(json!({"events": [], "queue_id": id}));
    let again = mel.get("/events", json!({"queue_id": id, "last_event_id": -1})).await;
    again.error("BAD_EVENT_QUEUE_ID", &format!("Bad event queue ID: {id}"));
}

#[tokio::test]
async fn a_queue_hears_only_the_types_that_it_asked_for() {
    let server = TestServer::start().await;
    let [mel, max] = server.users(["mel", "max"]);
    let mut events = max.events(["user_status", "no such type"]).await;

    mel.send_direct(&[max.id()], "unheard").await;
    mel.post("/users/me/status", json!({"status_text": "heard"})).await.success();

    events.next().await.has(json!({"type": "user_status", "status_text": "heard"}));
    events.none().await;
}

#[tokio::test]
async fn a_narrow_keeps_other_messages_away() {
    let server = TestServer::start().await;
    let [mel, max] = server.users(["mel", "max"]);
    let narrowed = |narrow: serde_json::Value| {
        let max = max.clone();
        async move { max.register(json!({"event_types": ["message"], "fetch_event_types": [], "narrow": narrow})).await }
    };
    let mut topic = narrowed(json!([["stream", "general"], ["topic", "Lunch"]])).await;
    let mut direct = narrowed(json!([["is", "dm"]])).await;

    let in_topic = mel.send_to("general", "lunch", "pizza").await;
    mel.send_to("general", "else", "nothing").await;
    let to_max = mel.send_direct(&[max.id()], "hi").await;

    assert_eq!(topic.next().await.0["message"]["id"], in_topic);
    topic.none().await;
    assert_eq!(direct.next().await.0["message"]["id"], to_max);
    direct.none().await;
    let refused = json!({"narrow": [["has", "image"]]});
    max.post("/register", refused).await.error("BAD_REQUEST", "Operator has not supported.");
}

#[tokio::test]
async fn who_becomes_a_guest_overhears_nothing_from_then_on() {
    let server = TestServer::start().await;
    let [olive, mel, nora] = server.users(["olive", "mel", "nora"]);
    let params = json!({"event_types": ["message"], "fetch_event_types": [], "all_public_streams": true});
    let mut events = nora.register(params.clone()).await;

    let before = mel.send_to("engineering", "builds", "Before").await;
    olive.patch(&format!("/users/{}", nora.id()), json!({"role": 600})).await.success();
    mel.send_to("engineering", "builds", "After").await;

    let heard = events.next().await.has(json!({"type": "message"}));
    assert_eq!(heard["message"]["id"], before);
    events.none().await;
    let refused = nora.post("/register", params).await;
    refused.error("BAD_REQUEST", "User not authorized for this query");
    let own = mel.send_direct(&[nora.id()], "To you").await;
    let heard = events.next().await.has(json!({"type": "message"}));
    assert_eq!(heard["message"]["id"], own);
    olive.patch(&format!("/users/{}", nora.id()), json!({"role": 400})).await.success();
    mel.send_to("engineering", "builds", "Again").await;
    events.next().await.has(json!({"type": "message"}));
}

#[tokio::test]
async fn all_public_streams_overhears_public_channels_without_flags() {
    let server = TestServer::start().await;
    let [mel, nora, gus] = server.users(["mel", "nora", "gus"]);
    let params = json!({"event_types": ["message"], "fetch_event_types": [], "all_public_streams": true});
    let mut events = nora.register(params.clone()).await;

    let id = mel.send_to("engineering", "builds", "@**all** look").await;
    mel.send_to("design", "logo", "private").await;

    let event = events.next().await.has(json!({"flags": []}));
    assert_eq!(event["message"]["id"], id);
    events.none().await;
    gus.post("/register", params).await.error("BAD_REQUEST", "User not authorized for this query");
}

#[tokio::test]
async fn the_sending_queue_finds_its_own_message_by_its_local_id() {
    let server = TestServer::start().await;
    let mel = server.user("mel");
    let mut first = mel.events(["message"]).await;
    let mut second = mel.events(["message"]).await;

    let params = json!({"type": "direct", "to": [mel.id()], "content": "x", "queue_id": first.id, "local_id": "17.01"});
    mel.post("/messages", params).await.success();

    first.next().await.has(json!({"local_message_id": "17.01"}));
    assert!(second.next().await.0.get("local_message_id").is_none());
}

#[tokio::test]
async fn the_empty_topic_is_named_for_clients_that_do_not_know_it() {
    let server = TestServer::start().await;
    let mel = server.user("mel");
    let mut knows = mel.events(["message"]).await;
    let plain = json!({"event_types": ["message"], "fetch_event_types": [], "client_capabilities": {}});
    let mut does_not = mel.register(plain).await;

    mel.send_to("general", "", "no topic").await;

    assert_eq!(knows.next().await.0["message"]["subject"], "");
    assert_eq!(does_not.next().await.0["message"]["subject"], "general chat");
}

#[tokio::test]
async fn deletions_come_one_by_one_to_clients_that_do_not_know_bulk() {
    let server = TestServer::start().await;
    let mel = server.user("mel");
    let id = mel.send_to("general", "tests", "gone").await;
    let mut bulk = mel.events(["delete_message"]).await;
    let plain = json!({"event_types": ["delete_message"], "fetch_event_types": [], "client_capabilities": {}});
    let mut single = mel.register(plain).await;

    mel.delete(&format!("/messages/{id}"), json!({})).await.is(json!({}));

    let channel = server.channel("general");
    bulk.next().await.is(json!({
        "type": "delete_message", "message_ids": [id], "message_type": "stream", "stream_id": channel, "topic": "tests",
    }));
    single.next().await.is(json!({
        "type": "delete_message", "message_id": id, "message_type": "stream", "stream_id": channel, "topic": "tests",
    }));
}

#[tokio::test]
async fn a_poll_cut_by_its_client_leaves_the_queue_usable() {
    let server = TestServer::start().await;
    let mel = server.user("mel");
    let mut queue = mel.events(["message"]).await;
    let cut = tokio::time::timeout(Duration::from_millis(50), queue.wait()).await;
    assert!(cut.is_err(), "nothing came");
    server.until_parked(0).await;

    mel.send_to("general", "tests", "after").await;

    queue.next().await.has(json!({"id": 0}));
}
