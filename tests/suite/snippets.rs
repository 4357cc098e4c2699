//! Saved snippets.

use crate::support::TestServer;
use serde_json::json;

#[tokio::test]
async fn snippets_are_made_changed_and_removed_and_sent_only_to_their_user() {
    let server = TestServer::start().await;
    let [max, mel] = server.users(["max", "mel"]);
    let mut at_max = max.events(["saved_snippets"]).await;
    let mut at_mel = mel.events(["saved_snippets"]).await;

    let made = max.post("/saved_snippets", json!({"title": " Hi ", "content": " *Hello* "})).await.success();
    let id = made["saved_snippet_id"].as_i64().expect("an id");
    let path = format!("/saved_snippets/{id}");
    let record = |title: &str, content: &str| json!({"id": id, "title": title, "content": content, "date_created": 1_767_268_800});
    let listed = json!({"saved_snippets": [record("Hi", "*Hello*")]});
    max.get("/saved_snippets", json!({})).await.is(listed);
    max.patch(&path, json!({"title": "Hey"})).await.is(json!({}));
    max.patch(&path, json!({"content": "Hey there"})).await.is(json!({}));
    max.patch(&path, json!({})).await.is(json!({}));
    let state = max.register(json!({"fetch_event_types": ["saved_snippets"]})).await.state;
    assert_eq!(state["saved_snippets"], json!([record("Hey", "Hey there")]));
    max.delete(&path, json!({})).await.is(json!({}));

    let event = |op: &str, record| json!({"type": "saved_snippets", "op": op, "saved_snippet": record});
    at_max.next().await.is(event("add", record("Hi", "*Hello*")));
    at_max.next().await.is(event("update", record("Hey", "*Hello*")));
    at_max.next().await.is(event("update", record("Hey", "Hey there")));
    at_max.next().await.is(json!({"type": "saved_snippets", "op": "remove", "saved_snippet_id": id}));
    at_max.none().await;
    at_mel.none().await;
    max.get("/saved_snippets", json!({})).await.is(json!({"saved_snippets": []}));
}

#[tokio::test]
async fn titles_and_texts_are_neither_blank_nor_too_long() {
    let server = TestServer::start().await;
    let max = server.user("max");
    let add = async |params| max.post("/saved_snippets", params).await;

    add(json!({"title": " ", "content": "text"})).await.error("BAD_REQUEST", "title cannot be blank");
    add(json!({"title": "t", "content": " "})).await.error("BAD_REQUEST", "content cannot be blank");
    // The title is looked at first.
    add(json!({"title": " ", "content": " "})).await.error("BAD_REQUEST", "title cannot be blank");
    let long = add(json!({"title": "é".repeat(61), "content": "text"})).await;
    long.error("BAD_REQUEST", "title is too long (limit: 60 characters)");
    let long = add(json!({"title": "t", "content": "é".repeat(10_001)})).await;
    long.error("BAD_REQUEST", "content is too long (limit: 10000 characters)");
    add(json!({"title": "é".repeat(60), "content": "é".repeat(10_000)})).await.success();
    add(json!({"title": "t"})).await.error("REQUEST_VARIABLE_MISSING", "Missing 'content' argument");
}

#[tokio::test]
async fn snippets_of_others_are_not_found() {
    let server = TestServer::start().await;
    let [max, mel] = server.users(["max", "mel"]);
    let listed = mel.get("/saved_snippets", json!({})).await.success();
    let path = format!("/saved_snippets/{}", listed["saved_snippets"][0]["id"]);

    let message = "Saved snippet does not exist.";
    max.patch(&path, json!({"title": "t"})).await.with_status(404).error("BAD_REQUEST", message);
    max.delete(&path, json!({})).await.with_status(404).error("BAD_REQUEST", message);
    mel.delete(&path, json!({})).await.is(json!({}));
    mel.delete(&path, json!({})).await.with_status(404).error("BAD_REQUEST", message);
}
