//! How requests are written.

use super::{Client, assert_only, clients};
use crate::support::TestServer;
use serde_json::json;
use std::collections::BTreeSet;

const FORM: &str = "application/x-www-form-urlencoded";

#[tokio::test]
async fn parameters_are_known_to_the_operation() {
    let (_server, bad, good) = clients().await;
    let page = json!({"anchor": "newest", "num_before": 1, "num_after": 0});
    let mut with_limit = page.clone();
    with_limit["limit"] = 10.into();
    bad.get("/messages", with_limit).await;
    good.get("/messages", page).await;
    good.say(r#""ignored_parameters_unsupported":["x"]"#).await;

    assert_only("ignored-parameter", &bad.broken().await, &good.broken().await);
    assert_eq!(bad.findings().await[0]["message"], "Sent a parameter that is ignored: limit of GET /messages");
}

#[tokio::test]
async fn ignored_parameters_are_found_at_levels_whose_replies_do_not_name_them() {
    for level in [100, 250, 497] {
        let server = TestServer::start_with(|options| options.feature_level = level).await;
        let bad = Client::new(&server, "Bad/1.0");
        bad.get("/users/me", json!({"colour": "red"})).await;
        let found = bad.findings().await;
        assert_eq!(found[0]["message"], "Sent a parameter that is ignored: colour of GET /users/me", "{level}");
    }
}

#[tokio::test]
async fn deprecated_operations_are_avoided() {
    let (_server, bad, good) = clients().await;
    bad.post("/mark_all_as_read", json!({})).await;
    let params =
        json!({"anchor": "newest", "num_before": 10, "num_after": 0, "narrow": [], "op": "add", "flag": "read"});
    assert_eq!(good.post("/messages/flags/narrow", params).await.0, 200);

    assert_only("deprecated-operation", &bad.broken().await, &good.broken().await);
    let said = "Used a deprecated operation: POST /mark_all_as_read, since level 155; use POST /messages/flags/narrow";
    assert_eq!(bad.findings().await[0]["message"], said);
}

#[tokio::test]
async fn deprecated_parameters_are_avoided() {
    let (server, bad, good) = clients().await;
    for (client, kind) in [(&bad, "private"), (&good, "direct")] {
        let to = json!([server.user("max").id()]);
        assert_eq!(client.post("/messages", json!({"type": kind, "to": to, "content": "private"})).await.0, 200);
    }
    let narrow = |operator: &str| {
        json!({"anchor": "newest", "num_before": 1, "num_after": 0,
            "narrow": [{"operator": operator, "operand": "max@chat.test"}]})
    };
    bad.get("/messages", narrow("pm-with")).await;
    good.get("/messages", narrow("dm")).await;

    assert_only("deprecated-parameter", &bad.broken().await, &good.broken().await);
    assert_eq!(bad.findings().await.len(), 2, "one for each parameter");
}

#[tokio::test]
async fn deprecated_types_of_events_are_avoided() {
    let (_server, bad, good) = clients().await;
    bad.register_for(json!(["message", "muted_topics"])).await;
    good.register_for(json!(["message", "user_topic"])).await;

    assert_only("deprecated-event-type", &bad.broken().await, &good.broken().await);
}

#[tokio::test]
async fn bodies_are_forms() {
    let (_server, bad, good) = clients().await;
    let message = json!({"type": "channel", "to": "general", "topic": "report", "content": "hello"});
    bad.raw("POST", "/messages", "application/json", &message.to_string()).await;
    good.raw("GET", "/users/me", "application/json", "").await;
    good.post("/messages", message).await;

    assert_only("json-instead-of-form", &bad.broken().await, &good.broken().await);
}

#[tokio::test]
async fn parameters_are_in_one_place() {
    let (_server, bad, good) = clients().await;
    let rest = "to=general&topic=report&content=hello";
    assert_eq!(bad.raw("POST", "/messages?type=channel", FORM, rest).await.0, 200);
    assert_eq!(good.raw("POST", &format!("/messages?type=channel&{rest}"), FORM, "").await.0, 200);

    assert_only("parameters-in-query-and-body", &bad.broken().await, &good.broken().await);
}

#[tokio::test]
async fn credentials_are_in_the_header() {
    let (_server, bad, good) = clients().await;
    for (method, path) in [("GET", "/users?api_key=abc"), ("PATCH", "/settings?new_password=abc")] {
        let (_server, bad, _) = clients().await;
        bad.raw(method, path, FORM, "").await;
        assert!(bad.broken().await.contains("credentials-in-query"), "{path}");
    }
    bad.raw("GET", "/users?api_key=abc", FORM, "").await;
    good.get("/users", json!({})).await;
    good.post("/fetch_api_key", json!({"username": "mel@chat.test", "password": "wrong"})).await;

    let broken = bad.broken().await;
    assert!(broken.contains("credentials-in-query"), "{broken:?}");
    assert_eq!(good.broken().await, BTreeSet::new());
    for finding in bad.findings().await {
        assert!(!finding.to_string().contains("abc"), "a report shows no secret: {finding}");
    }
}

#[tokio::test]
async fn ids_are_numbers() {
    let (_server, bad, good) = clients().await;
    bad.post("/messages/flags", json!({"messages": "[\"1\"]", "op": "add", "flag": "read"})).await;
    good.post("/messages/flags", json!({"messages": [1], "op": "add", "flag": "read"})).await;
    good.post("/messages", json!({"type": "channel", "to": "\"2026\"", "topic": "t", "content": "c"})).await;

    assert_only("id-as-text", &bad.broken().await, &good.broken().await);
}

#[tokio::test]
async fn addresses_of_uploads_are_used_as_they_are() {
    let (server, bad, good) = clients().await;
    let mel = server.user("mel");
    let upload = |name: &'static str| {
        let mel = mel.clone();
        async move { mel.upload("/user_uploads", name, "text/plain", b"x").await.success() }
    };
    let url = upload("nä her.txt").await["url"].as_str().expect("an address").to_owned();
    let encoded: String =
        url.chars().map(|one| if one.is_ascii() { one.to_string() } else { "%C3%A4".to_owned() }).collect();
    bad.raw("GET", &encoded.replace('%', "%25"), FORM, "").await;
    good.raw("GET", &encoded, FORM, "").await;
    good.raw("GET", "/user_uploads/2/aa/missing%20file.txt", FORM, "").await;

    assert_only("upload-address-encoded-twice", &bad.broken().await, &good.broken().await);
}
