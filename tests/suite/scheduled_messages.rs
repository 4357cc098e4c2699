//! Scheduled messages.

use crate::support::{Reply, TestServer, User};
use serde_json::{Value, json};

const NOW: i64 = 1_767_268_800;

async fn schedule(user: &User, mut params: Value) -> Reply {
    if params.get("scheduled_delivery_timestamp").is_none() {
        params["scheduled_delivery_timestamp"] = (NOW + 60).into();
    }
    if params.get("content").is_none() {
        params["content"] = "Good *morning*".into();
    }
    user.post("/scheduled_messages", params).await
}

async fn id_of(reply: Reply) -> i64 {
    reply.success()["scheduled_message_id"].as_i64().expect("an id")
}

async fn listed(user: &User) -> Value {
    user.get("/scheduled_messages", json!({})).await.success()["scheduled_messages"].clone()
}

#[tokio::test]
async fn messages_are_scheduled_to_topics_and_people_and_listed_by_their_time() {
    let server = TestServer::start().await;
    let [nora, mel, max] = server.users(["nora", "mel", "max"]);
    let mut at_nora = nora.events(["scheduled_messages"]).await;
    let mut at_mel = mel.events(["scheduled_messages"]).await;
    let general = server.channel("general");

    let later = json!({
        "type": "channel",
        "to": general,
        "topic": " lunch ",
        "scheduled_delivery_timestamp": NOW + 120,
    });
    let to_topic = id_of(schedule(&nora, later).await).await;
    let to_people = id_of(schedule(&nora, json!({"type": "direct", "to": [mel.id(), max.id()]})).await).await;

    let common = |id: i64, at: i64| {
        json!({
            "scheduled_message_id": id,
            "content": "Good *morning*",
            "rendered_content": "<p>Good <em>morning</em></p>",
            "scheduled_delivery_timestamp": at,
            "failed": false,
        })
    };
    let mut first = common(to_people, NOW + 60);
    first["type"] = "private".into();
    first["to"] = json!([mel.id(), max.id()]);
    let mut second = common(to_topic, NOW + 120);
    second["type"] = "stream".into();
    second["to"] = general.into();
    second["topic"] = "lunch".into();
    assert_eq!(listed(&nora).await, json!([first, second]));
    let state = nora.register(json!({"fetch_event_types": ["scheduled_messages"]})).await.state;
    assert_eq!(state["scheduled_messages"], json!([first, second]));
    for record in [second, first] {
        let event = json!({"type": "scheduled_messages", "op": "add", "scheduled_messages": [record]});
        at_nora.next().await.is(event);
    }
    at_nora.none().await;
    at_mel.none().await;
}

#[tokio::test]
async fn a_message_is_sent_at_its_time_and_leaves_the_list() {
    let server = TestServer::start().await;
    let [nora, max] = server.users(["nora", "max"]);
    let to = server.channel("general");
    let params = json!({"type": "stream", "to": to, "topic": "lunch", "read_by_sender": true});
    let id = id_of(schedule(&nora, params).await).await;
    let mut at_nora = nora.events(["message", "scheduled_messages"]).await;
    let mut at_max = max.events(["message", "scheduled_messages"]).await;

    server.advance(59).await;
    at_max.none().await;
    server.advance(1).await;

    let sent = at_max.next().await.has(json!({"type": "message", "flags": []}));
    assert_eq!(sent["message"]["sender_id"], nora.id());
    assert_eq!(sent["message"]["timestamp"], NOW + 60);
    at_max.none().await;
    at_nora.next().await.has(json!({"type": "message", "flags": ["read"]}));
    at_nora.next().await.is(json!({"type": "scheduled_messages", "op": "remove", "scheduled_message_id": id}));
    assert_eq!(listed(&nora).await, json!([]));
}

#[tokio::test]
async fn all_checks_of_sending_apply_at_once() {
    let server = TestServer::start().await;
    let [nora, mel] = server.users(["nora", "mel"]);
    let general = server.channel("general");
    let refused = async |params: Value, message: &str| {
        schedule(&nora, params).await.error("BAD_REQUEST", message);
    };

    let past = json!({"type": "direct", "to": [mel.id()], "scheduled_delivery_timestamp": NOW});
    refused(past, "Scheduled delivery time must be in the future.").await;
    let too_large = "scheduled_delivery_timestamp is too large";
    let milliseconds = json!({"type": "direct", "to": [mel.id()], "scheduled_delivery_timestamp": NOW * 1_000});
    refused(milliseconds, too_large).await;
    refused(json!({"type": "stream", "to": [general], "topic": "t"}), "Invalid data type for channel ID").await;
    refused(json!({"type": "direct", "to": general}), "Invalid data type for recipients").await;
    refused(json!({"type": "direct", "to": []}), "Message must have recipients").await;
    refused(json!({"type": "direct", "to": [999]}), "Invalid user ID 999").await;
    refused(json!({"type": "stream", "to": general}), "Missing topic").await;
    refused(json!({"type": "smoke", "to": general}), "Invalid type").await;
    refused(json!({"type": "stream", "to": "general"}), "to is not valid JSON").await;
    refused(json!({"type": "stream", "to": {}}), "to[\"int\"] is not an integer").await;
    let empty = json!({"type": "direct", "to": [mel.id()], "content": " "});
    refused(empty, "Message must not be empty").await;
    let announcements = json!({"type": "stream", "to": server.channel("announcements"), "topic": "t"});
    refused(announcements, "You do not have permission to post in this channel.").await;
    let unknown = schedule(&nora, json!({"type": "stream", "to": 999, "topic": "t"})).await;
    let body = unknown.error("STREAM_DOES_NOT_EXIST", "Channel with ID '999' does not exist");
    assert_eq!(body["stream_id"], 999);
    assert_eq!(listed(&nora).await, json!([]));
}

#[tokio::test]
async fn everything_about_a_scheduled_message_can_be_changed() {
    let server = TestServer::start().await;
    let [nora, mel] = server.users(["nora", "mel"]);
    let general = server.channel("general");
    let id = id_of(schedule(&nora, json!({"type": "direct", "to": [mel.id()]})).await).await;
    let mut events = nora.events(["scheduled_messages"]).await;
    let path = format!("/scheduled_messages/{id}");
    let mut record = listed(&nora).await[0].clone();

    nora.patch(&path, json!({"content": "Bye", "scheduled_delivery_timestamp": NOW + 90})).await.is(json!({}));
    record["content"] = "Bye".into();
    record["rendered_content"] = "<p>Bye</p>".into();
    record["scheduled_delivery_timestamp"] = (NOW + 90).into();
    let event = |record: &Value| json!({"type": "scheduled_messages", "op": "update", "scheduled_message": record});
    events.next().await.is(event(&record));

    nora.patch(&path, json!({"type": "channel", "to": general, "topic": "lunch"})).await.is(json!({}));
    record["type"] = "stream".into();
    record["to"] = general.into();
    record["topic"] = "lunch".into();
    events.next().await.is(event(&record));
    assert_eq!(listed(&nora).await, json!([record]));

    server.advance(60).await;
    events.none().await;
    server.advance(30).await;
    events.next().await.is(json!({"type": "scheduled_messages", "op": "remove", "scheduled_message_id": id}));
}

#[tokio::test]
async fn a_change_needs_all_that_it_implies() {
    let server = TestServer::start().await;
    let [nora, mel, max] = server.users(["nora", "mel", "max"]);
    let id = id_of(schedule(&nora, json!({"type": "direct", "to": [mel.id()]})).await).await;
    let path = format!("/scheduled_messages/{id}");
    let refused = async |params: Value, message: &str| {
        nora.patch(&path, params).await.error("BAD_REQUEST", message);
    };

    refused(json!({}), "Nothing to change").await;
    refused(json!({"type": "channel"}), "Recipient required when updating type of scheduled message.").await;
    let no_topic = json!({"type": "channel", "to": server.channel("general")});
    refused(no_topic, "Topic required when updating scheduled message type to channel.").await;
    refused(json!({"to": server.channel("general")}), "Invalid data type for recipients").await;
    let late = "Scheduled delivery time must be in the future.";
    refused(json!({"scheduled_delivery_timestamp": NOW}), late).await;
    let milliseconds = json!({"scheduled_delivery_timestamp": NOW * 1_000});
    refused(milliseconds, "scheduled_delivery_timestamp is too large").await;
    let message = "Scheduled message does not exist";
    max.patch(&path, json!({"content": "x"})).await.with_status(404).error("BAD_REQUEST", message);
    max.delete(&path, json!({})).await.with_status(404).error("BAD_REQUEST", message);
}

#[tokio::test]
async fn a_removed_message_is_never_sent() {
    let server = TestServer::start().await;
    let [nora, mel] = server.users(["nora", "mel"]);
    let id = id_of(schedule(&nora, json!({"type": "direct", "to": [mel.id()]})).await).await;
    let mut at_nora = nora.events(["scheduled_messages"]).await;
    let mut at_mel = mel.events(["message"]).await;
    let path = format!("/scheduled_messages/{id}");

    nora.delete(&path, json!({})).await.is(json!({}));

    at_nora.next().await.is(json!({"type": "scheduled_messages", "op": "remove", "scheduled_message_id": id}));
    server.advance(120).await;
    at_mel.none().await;
    nora.delete(&path, json!({})).await.with_status(404).error("BAD_REQUEST", "Scheduled message does not exist");
}

#[tokio::test]
async fn one_that_cannot_be_sent_is_marked_and_may_be_given_another_time() {
    let server = TestServer::start().await;
    let [nora, adam] = server.users(["nora", "adam"]);
    let general = server.channel("general");
    let id = id_of(schedule(&nora, json!({"type": "channel", "to": general, "topic": "t"})).await).await;
    let path = format!("/scheduled_messages/{id}");
    adam.delete(&format!("/streams/{general}"), json!({})).await.success();
    let mut events = nora.events(["scheduled_messages"]).await;
    let mut at_nora = nora.events(["message"]).await;

    server.advance(60).await;

    let failed = events.next().await.has(json!({"op": "update", "scheduled_message": {"failed": true}}));
    let received = at_nora.next().await.0["message"].clone();
    assert_eq!((&received["type"], &received["sender_full_name"]), (&json!("private"), &json!("Notification Bot")));
    let text = "Your message scheduled for <time:2026-01-01T12:01:00Z> in #**general>t** was not sent:\n\
                > Not authorized to send to channel 'general'";
    assert_eq!(received["content"], text);
    assert_eq!(listed(&nora).await, json!([failed["scheduled_message"]]));
    adam.patch(&format!("/streams/{general}"), json!({"is_archived": false})).await.success();
    let late = nora.patch(&path, json!({"content": "Again"})).await;
    late.error("BAD_REQUEST", "Scheduled delivery time must be in the future.");
    nora.patch(&path, json!({"scheduled_delivery_timestamp": NOW + 120})).await.is(json!({}));
    events.next().await.has(json!({"op": "update", "scheduled_message": {"failed": false}}));
    server.advance(60).await;
    events.next().await.is(json!({"type": "scheduled_messages", "op": "remove", "scheduled_message_id": id}));
}

#[tokio::test]
async fn another_time_or_topic_alone_is_not_checked_for_the_right_to_post() {
    let server = TestServer::start().await;
    let [nora, adam] = server.users(["nora", "adam"]);
    let general = server.channel("general");
    let id = id_of(schedule(&nora, json!({"type": "channel", "to": general, "topic": "t"})).await).await;
    let path = format!("/scheduled_messages/{id}");
    adam.delete(&format!("/streams/{general}"), json!({})).await.success();

    nora.patch(&path, json!({"scheduled_delivery_timestamp": NOW + 90})).await.is(json!({}));
    nora.patch(&path, json!({"topic": "u".repeat(61)})).await.is(json!({}));
    let topic = format!("{}...", "u".repeat(57));
    assert_eq!(listed(&nora).await[0]["topic"], topic);
    assert_eq!(listed(&nora).await[0]["scheduled_delivery_timestamp"], NOW + 90);
    let invalid = nora.patch(&path, json!({"topic": "a\u{7}"})).await;
    invalid.error("BAD_REQUEST", "Invalid character in topic, at position 2!");
    let refused = nora.patch(&path, json!({"topic": "v", "content": "Again"})).await;
    refused.error("BAD_REQUEST", "Not authorized to send to channel 'general'");
    assert_eq!(listed(&nora).await[0]["topic"], topic);
}

#[tokio::test]
async fn one_that_was_sent_is_not_changed_any_more_but_may_be_removed() {
    let server = TestServer::start().await;
    let [nora, mel] = server.users(["nora", "mel"]);
    let id = id_of(schedule(&nora, json!({"type": "direct", "to": [mel.id()]})).await).await;
    let path = format!("/scheduled_messages/{id}");
    server.advance(60).await;
    let mut events = nora.events(["scheduled_messages"]).await;

    let refused = nora.patch(&path, json!({"content": "Too late"})).await.with_status(400);
    refused.error("BAD_REQUEST", "Scheduled message was already sent");
    let missing = "Scheduled message does not exist";
    mel.patch(&path, json!({"content": "Not mine"})).await.with_status(404).error("BAD_REQUEST", missing);
    assert_eq!(listed(&nora).await, json!([]));
    nora.delete(&path, json!({})).await.is(json!({}));
    events.next().await.is(json!({"type": "scheduled_messages", "op": "remove", "scheduled_message_id": id}));
    nora.delete(&path, json!({})).await.with_status(404).error("BAD_REQUEST", missing);
}
