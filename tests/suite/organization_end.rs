//! Organizations that were deactivated.

use crate::support::{Reply, TestServer, User};
use crate::tokens::token_of;
use serde_json::{Value, json};

fn is_over(reply: Reply) {
    reply.with_status(401).error("REALM_DEACTIVATED", "This organization has been deactivated");
}

async fn deactivate(user: &User) -> Reply {
    user.post("/realm/deactivate", json!({})).await
}

async fn control(server: &TestServer, method: &str, path: &str, body: Value) -> Value {
    let path = format!("/control/worlds/default{path}");
    let bytes = if body.is_null() { Vec::new() } else { body.to_string().into_bytes() };
    server.anonymous().send(method, &path, &body, bytes, Some("application/json")).await.success()
}

#[tokio::test]
async fn owners_alone_deactivate_an_organization() {
    let server = TestServer::start().await;
    for handle in ["adam", "mona", "mel", "gus", "build-bot"] {
        deactivate(&server.user(handle)).await.error("UNAUTHORIZED_PRINCIPAL", "Must be an organization owner");
    }
    let olive = server.user("olive");
    let soon = "Data deletion time must be at least 14 days in the future.";
    for (days, message) in [(json!(-1), soon), (json!(13), soon), (json!("x"), "deletion_delay_days is not valid JSON")]
    {
        olive.post("/realm/deactivate", json!({ "deletion_delay_days": days })).await.error("BAD_REQUEST", message);
    }
    server.user("mel").get("/users/me", json!({})).await.success();

    olive.post("/realm/deactivate", json!({"deletion_delay_days": 14})).await.is(json!({}));
    is_over(deactivate(&server.user("olive")).await);
}

#[tokio::test]
async fn every_request_of_its_users_is_refused_afterwards() {
    let server = TestServer::start().await;
    let [olive, mel, bot] = server.users(["olive", "mel", "build-bot"]);
    let queue = mel.events(["message"]).await;
    let upload = mel.upload("/user_uploads", "a.txt", "text/plain", b"hello").await.success();
    let path = upload["url"].as_str().expect("an address").to_owned();
    let key = server.user("dana").credentials().api_key.clone();
    deactivate(&olive).await.success();

    for user in [&olive, &mel, &bot] {
        is_over(user.get("/users/me", json!({})).await);
        is_over(user.post("/register", json!({})).await);
    }
    is_over(mel.get("/events", json!({"queue_id": queue.id, "last_event_id": -1})).await);
    is_over(mel.post("/messages", json!({"type": "channel", "to": "general", "topic": "x", "content": "x"})).await);
    is_over(mel.get(&path, json!({})).await);
    is_over(mel.get("/avatar/4", json!({})).await);
    // The organization is looked at before the account, and after the key.
    is_over(server.user("dana").get("/users/me", json!({})).await);
    let wrong = mel.with_key(&key).get("/users/me", json!({})).await.with_status(401);
    wrong.error("INVALID_API_KEY", "Invalid API key");
    // Visitors too; what needs an account still says so.
    let nobody = server.anonymous();
    is_over(nobody.get("/users", json!({})).await);
    is_over(nobody.get(&path, json!({})).await);
    nobody
        .get("/users/me", json!({}))
        .await
        .with_status(401)
        .error("UNAUTHORIZED", "Not logged in: API authentication or user session required");
    nobody.get("/server_settings", json!({})).await.success();
}

#[tokio::test]
async fn nobody_logs_in_any_more() {
    let server = TestServer::start().await;
    deactivate(&server.user("olive")).await.success();
    let nobody = server.anonymous();
    let log_in = async |username: &str, password: &str| {
        nobody.post("/fetch_api_key", json!({"username": username, "password": password})).await
    };
    let take_key = async |username: &str| nobody.post("/dev_fetch_api_key", json!({"username": username})).await;

    is_over(log_in("mel@chat.test", "mel-password-7421").await);
    let wrong = "Your username or password is incorrect";
    log_in("mel@chat.test", "wrong").await.with_status(401).error("AUTHENTICATION_FAILED", wrong);
    log_in("dana@chat.test", "dana-password-7421").await.error("USER_DEACTIVATED", "Account is deactivated");
    let with_token =
        async |username: &str| nobody.post("/jwt/fetch_api_key", json!({"token": token_of(username)})).await;
    is_over(with_token("mel@chat.test").await);
    with_token("nobody@chat.test").await.error("AUTHENTICATION_FAILED", wrong);
    with_token("dana@chat.test").await.error("USER_DEACTIVATED", "Account is deactivated");
    // Here the organization comes first.
    for username in ["mel@chat.test", "dana@chat.test", "nobody@chat.test"] {
        is_over(take_key(username).await);
    }
    take_key("mel").await.error("BAD_REQUEST", "Enter a valid email address.");
}

#[tokio::test]
async fn polls_that_hang_get_an_event() {
    let server = TestServer::start().await;
    let [olive, mel, max] = server.users(["olive", "mel", "max"]);
    let mut received = mel.events(["realm"]).await;
    let mut others = max.events(["message"]).await;
    let realm_id = server.server().world("default").snapshot().organization.id;

    let (received, others, ()) = tokio::join!(received.wait(), others.wait(), async {
        server.until_parked(2).await;
        deactivate(&olive).await.success();
    });

    let event = json!({"type": "realm", "op": "deactivated", "realm_id": realm_id, "id": 0});
    assert_eq!(received.success()["events"], json!([event]));
    is_over(others);
}

#[tokio::test]
async fn nothing_is_sent_in_it() {
    let server = TestServer::start().await;
    let [olive, mel] = server.users(["olive", "mel"]);
    let at = server.server().world("default").now().seconds() + 60;
    let scheduled = json!({
        "type": "channel", "to": server.channel("general"), "topic": "x", "content": "later",
        "scheduled_delivery_timestamp": at,
    });
    mel.post("/scheduled_messages", scheduled).await.success();
    let reminder = json!({"note": "later", "scheduled_delivery_timestamp": at});
    mel.post("/reminders", reminder).await.success();
    let realm = || server.server().world("default").snapshot();
    let messages = realm().messages.len();
    let waiting = realm().reminders.len();
    deactivate(&olive).await.success();

    server.advance(120).await;

    assert_eq!(realm().messages.len(), messages);
    assert!(realm().scheduled_messages.values().any(|one| one.content == "later" && one.has_failed));
    assert_eq!(realm().reminders.len(), waiting - 1);
}

#[tokio::test]
async fn nobody_joins_it() {
    let server = TestServer::start().await;
    let olive = server.user("olive");
    let link = olive.post("/invites/multiuse", json!({})).await.success();
    let key = link["invite_link"].as_str().and_then(|link| link.trim_end_matches('/').rsplit('/').next());
    let path = format!("/control/worlds/default/invites/{}/accept", key.expect("a link"));
    deactivate(&olive).await.success();

    let body = json!({"email": "new@chat.test", "full_name": "New"});
    let bytes = body.to_string().into_bytes();
    is_over(server.anonymous().send("POST", &path, &body, bytes, Some("application/json")).await);
}

#[tokio::test]
async fn control_goes_on_and_brings_it_back() {
    let server = TestServer::start().await;
    let [olive, mel] = server.users(["olive", "mel"]);
    let own = async || mel.get("/users/me", json!({})).await;
    control(&server, "POST", "/snapshots", json!({"name": "before"})).await;
    deactivate(&olive).await.success();

    control(&server, "POST", "/clock", json!({"advance_seconds": 60})).await;
    let state = control(&server, "GET", "/state", Value::Null).await;
    assert_eq!(state["state"]["realm"]["organization"]["is_deactivated"], true);
    is_over(own().await);
    control(&server, "POST", "/snapshots/before/restore", Value::Null).await;
    own().await.success();

    deactivate(&olive).await.success();
    control(&server, "POST", "/reset", Value::Null).await;
    own().await.success();

    deactivate(&olive).await.success();
    let mut state = state["state"].clone();
    control(&server, "PUT", "/state", state.clone()).await;
    is_over(own().await);
    // What was saved before there was such a thing is of an organization that lives.
    state.pointer_mut("/realm/organization").and_then(Value::as_object_mut).map(|one| one.remove("is_deactivated"));
    control(&server, "PUT", "/state", state).await;
    own().await.success();
}
