//! Drafts.

use crate::support::{TestServer, User};
use serde_json::{Value, json};

const NOW: i64 = 1_767_268_800;

fn draft(kind: &str, to: &[i64], topic: &str) -> Value {
    json!({"type": kind, "to": to, "topic": topic, "content": "What if"})
}

fn with(mut value: Value, key: &str, other: Value) -> Value {
    value[key] = other;
    value
}

async fn refused(user: &User, draft: Value, message: &str) {
    user.post("/drafts", json!({ "drafts": [draft] })).await.error("BAD_REQUEST", message);
}

#[tokio::test]
async fn drafts_are_kept_for_topics_people_and_nowhere() {
    let server = TestServer::start().await;
    let [max, mel] = server.users(["max", "mel"]);
    let general = server.channel("general");
    let mut at_max = max.events(["drafts"]).await;
    let mut at_mel = mel.events(["drafts"]).await;

    let given = [
        with(draft("stream", &[general], &"t".repeat(70)), "timestamp", json!(NOW - 10)),
        with(draft("private", &[mel.id(), max.id()], "ignored"), "timestamp", json!(NOW as f64 - 20.25)),
        draft("", &[general], "ignored"),
    ];
    let made = max.post("/drafts", json!({ "drafts": given })).await.success();
    let ids = made["ids"].as_array().expect("a list of ids").clone();

    let record = |index: usize, kind: &str, to: Value, topic: &str, timestamp: i64| {
        json!({
            "id": ids[index], "type": kind, "to": to, "topic": topic, "content": "What if", "timestamp": timestamp,
        })
    };
    let to_topic = record(0, "stream", json!([general]), &format!("{}...", "t".repeat(57)), NOW - 10);
    let to_mel = record(1, "private", json!([mel.id()]), "", NOW - 21);
    let nowhere = record(2, "", json!([]), "", NOW);
    // The oldest first, but the newest first where a client registers.
    max.get("/drafts", json!({})).await.is(json!({"count": 3, "drafts": [to_mel, to_topic, nowhere]}));
    let state = max.register(json!({"fetch_event_types": ["drafts"]})).await.state;
    assert_eq!(state["drafts"], json!([nowhere, to_topic, to_mel]));
    at_max.next().await.is(json!({"type": "drafts", "op": "add", "drafts": [to_topic, to_mel, nowhere]}));
    at_max.none().await;
    at_mel.none().await;
    max.post("/drafts", json!({})).await.error("REQUEST_VARIABLE_MISSING", "Missing 'drafts' argument");
    max.post("/drafts", json!({"drafts": []})).await.is(json!({"ids": []}));
    at_max.next().await.is(json!({"type": "drafts", "op": "add", "drafts": []}));
}

#[tokio::test]
async fn a_draft_is_replaced_and_removed() {
    let server = TestServer::start().await;
    let max = server.user("max");
    let made = max.post("/drafts", json!({"drafts": [draft("", &[], "")]})).await.success();
    let id = &made["ids"][0];
    let path = format!("/drafts/{id}");
    let mut events = max.events(["drafts"]).await;

    let new = json!({"type": "private", "to": [max.id()], "topic": "", "content": "To me", "timestamp": NOW - 1});
    max.patch(&path, json!({ "draft": new })).await.is(json!({}));
    max.delete(&path, json!({})).await.is(json!({}));

    events.next().await.is(json!({"type": "drafts", "op": "update", "draft": with(new, "id", id.clone())}));
    events.next().await.is(json!({"type": "drafts", "op": "remove", "draft_id": id}));
    events.none().await;
    max.get("/drafts", json!({})).await.is(json!({"count": 0, "drafts": []}));
}

#[tokio::test]
async fn drafts_that_could_not_be_sent_are_refused() {
    let server = TestServer::start().await;
    let [max, nora] = server.users(["max", "nora"]);
    let general = server.channel("general");
    let good = draft("stream", &[general], "t");

    let one = "Must specify exactly 1 channel ID for channel messages";
    refused(&max, draft("stream", &[], "t"), one).await;
    refused(&max, draft("stream", &[general, general], "t"), one).await;
    refused(&nora, draft("stream", &[server.channel("design")], "t"), "Invalid channel ID").await;
    refused(&max, draft("stream", &[server.channel("attic")], "t"), "Invalid channel ID").await;
    refused(&max, draft("private", &[999], ""), "Invalid user ID 999").await;
    refused(&max, draft("stream", &[general], "a\0b"), "Topic must not contain null bytes").await;
    refused(&max, with(good.clone(), "timestamp", json!(-1)), "Timestamp must not be negative.").await;
    refused(&max, with(good.clone(), "timestamp", json!(1_767_268_800_000_i64)), "timestamp is too large").await;
    let blank = with(good.clone(), "content", json!(" "));
    refused(&max, blank, "drafts[0][\"content\"] cannot be blank").await;
    let null = with(good.clone(), "content", json!("a\0b"));
    refused(&max, null, "Message must not contain null bytes").await;
    let unknown = with(good.clone(), "colour", json!("red"));
    refused(&max, unknown, "Argument \"colour\" at drafts[0] is unexpected").await;
    refused(&max, with(good.clone(), "type", json!("smoke")), "Invalid drafts[0][\"type\"]").await;
    refused(&max, with(good.clone(), "to", json!("general")), "drafts[0][\"to\"] is not a list").await;
    refused(&max, json!({"type": ""}), "drafts[0][\"to\"] field is missing: Field required").await;

    // One bad draft, and none is kept.
    let both = json!({"drafts": [good, draft("stream", &[], "t")]});
    max.post("/drafts", both).await.error("BAD_REQUEST", one);
    max.get("/drafts", json!({})).await.is(json!({"count": 0, "drafts": []}));
}

#[tokio::test]
async fn drafts_of_others_are_not_found() {
    let server = TestServer::start().await;
    let [max, mel] = server.users(["max", "mel"]);
    let listed = mel.get("/drafts", json!({})).await.success();
    assert_eq!(listed["count"], 3);
    let path = format!("/drafts/{}", listed["drafts"][0]["id"]);

    let message = "Draft does not exist";
    let new = json!({"draft": draft("", &[], "")});
    max.patch(&path, new).await.with_status(404).error("BAD_REQUEST", message);
    max.delete(&path, json!({})).await.with_status(404).error("BAD_REQUEST", message);
    let milliseconds = with(draft("", &[], ""), "timestamp", json!(1_767_268_800_000_i64));
    mel.patch(&path, json!({ "draft": milliseconds })).await.error("BAD_REQUEST", "timestamp is too large");
}

#[tokio::test]
async fn those_who_switched_drafts_off_have_none() {
    let server = TestServer::start().await;
    let mel = server.user("mel");
    mel.patch("/settings", json!({"enable_drafts_synchronization": false})).await.success();

    let message = "User has disabled synchronizing drafts.";
    mel.get("/drafts", json!({})).await.error("BAD_REQUEST", message);
    mel.post("/drafts", json!({"drafts": []})).await.error("BAD_REQUEST", message);
    mel.patch("/drafts/1", json!({"draft": draft("", &[], "")})).await.error("BAD_REQUEST", message);
    mel.delete("/drafts/1", json!({})).await.error("BAD_REQUEST", message);
    // Whatever else may be wrong with the request.
    mel.post("/drafts", json!({"drafts": 5})).await.error("BAD_REQUEST", message);
    mel.patch("/drafts/1", json!({})).await.error("BAD_REQUEST", message);
}
