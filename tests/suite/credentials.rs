//! Credentials: who gets in, with what, and how keys are fetched and replaced.

use crate::support::{TestServer, User};
use base64::Engine;
use bytes::Bytes;
use http_body_util::Full;
use serde_json::json;

/// GET /users/me with the given Authorization header.
async fn with_header(server: &TestServer, header: &str) -> crate::support::Reply {
    let request = http::Request::get(format!("{}/api/v1/users/me", server.url())).header("authorization", header);
    let request = request.body(Full::new(Bytes::new())).expect("a test's request is well-formed");
    server.anonymous().raw(request, header).await
}

fn basic(pair: &str) -> String {
    format!("Basic {}", base64::engine::general_purpose::STANDARD.encode(pair))
}

#[tokio::test]
async fn wrong_credentials_are_distinguished() {
    let server = TestServer::start().await;
    let [mel, max, mona, dana] = server.users(["mel", "max", "mona", "dana"]);
    let pair = |user: &User| format!("{}:{}", user.email(), user.credentials().api_key);
    let foreign = format!("{}:{}", mel.email(), max.credentials().api_key);
    let dummy = format!("user{}@chat.test:{}", mona.id(), mona.credentials().api_key);
    let unknown = format!("{}:{}", mel.email(), "x".repeat(32));

    for (header, status, code, text) in [
        ("Bearer abc".to_owned(), 400, "BAD_REQUEST", "This endpoint requires HTTP basic authentication."),
        ("Basic".to_owned(), 401, "UNAUTHORIZED", "Invalid authorization header for basic auth"),
        ("Basic a b".to_owned(), 401, "UNAUTHORIZED", "Invalid authorization header for basic auth"),
        ("Basic !!!".to_owned(), 401, "UNAUTHORIZED", "Invalid authorization header for basic auth"),
        (basic("no colon"), 401, "UNAUTHORIZED", "Invalid authorization header for basic auth"),
        (basic("a:b:c"), 401, "UNAUTHORIZED", "Invalid authorization header for basic auth"),
        (basic("mel@chat.test:short"), 401, "INVALID_API_KEY", "Malformed API key"),
        (basic(&unknown), 401, "INVALID_API_KEY", "Invalid API key"),
        (basic(&foreign), 401, "INVALID_API_KEY", "Invalid API key"),
        (basic(&dummy), 401, "INVALID_API_KEY", "Invalid API key"),
        (basic(&pair(&dana)), 401, "USER_DEACTIVATED", "Account is deactivated"),
    ] {
        with_header(&server, &header).await.with_status(status).error(code, text);
    }
    let missing = server.anonymous().get("/users/me", json!({})).await.with_status(401);
    assert!(missing.header("www-authenticate").is_some_and(|value| value.starts_with("Basic")));
    missing.error("UNAUTHORIZED", "Not logged in: API authentication or user session required");
    with_header(&server, &basic(&pair(&mel).to_uppercase().replace(":MELKEY", ":melKey"))).await.success();
    with_header(&server, &basic(&pair(&mel)).replace("Basic", "basic")).await.success();
}

#[tokio::test]
async fn a_development_server_gives_any_account_s_key() {
    let server = TestServer::start().await;
    let [mel, bot, dana, notifier] = server.users(["mel", "build-bot", "dana", "notification-bot"]);
    let anybody = server.anonymous();

    for user in [&mel, &bot, &notifier] {
        let reply = anybody.post("/dev_fetch_api_key", json!({"username": user.email()})).await;
        reply.is(json!({"api_key": user.credentials().api_key, "email": user.email(), "user_id": user.id()}));
    }
    let query = format!("/dev_fetch_api_key?username={}", mel.email().to_uppercase());
    assert_eq!(anybody.send("POST", &query, &json!({}), Vec::new(), None).await.success()["email"], mel.email());

    let missing = anybody.post("/dev_fetch_api_key", json!({})).await.with_status(400);
    missing.error("REQUEST_VARIABLE_MISSING", "Missing 'username' argument");
    for (username, status, code, text) in [
        ("mel", 400, "BAD_REQUEST", "Enter a valid email address."),
        ("nobody@chat.test", 401, "AUTHENTICATION_FAILED", "Your username or password is incorrect"),
        (dana.email(), 401, "USER_DEACTIVATED", "Account is deactivated"),
    ] {
        let reply = anybody.post("/dev_fetch_api_key", json!({"username": username})).await;
        reply.with_status(status).error(code, text);
    }
}

#[tokio::test]
async fn a_password_gives_the_key() {
    let server = TestServer::start().await;
    let [mel, bot, dana] = server.users(["mel", "build-bot", "dana"]);
    let anybody = server.anonymous();
    let wrong = "Your username or password is incorrect";

    let right = json!({"username": mel.email(), "password": "mel-password-7421"});
    let reply = anybody.post("/fetch_api_key", right).await;
    reply.is(json!({"api_key": mel.credentials().api_key, "email": mel.email(), "user_id": mel.id()}));
    for (username, password, code, text) in [
        (mel.email(), "max-password-7421", "AUTHENTICATION_FAILED", wrong),
        (mel.email(), "", "AUTHENTICATION_FAILED", wrong),
        (bot.email(), "", "AUTHENTICATION_FAILED", wrong),
        (dana.email(), "wrong", "AUTHENTICATION_FAILED", wrong),
        (dana.email(), "dana-password-7421", "USER_DEACTIVATED", "Account is deactivated"),
    ] {
        let reply = anybody.post("/fetch_api_key", json!({"username": username, "password": password})).await;
        reply.with_status(401).error(code, text);
    }
    let missing = anybody.post("/fetch_api_key", json!({"username": mel.email()})).await;
    missing.error("REQUEST_VARIABLE_MISSING", "Missing 'password' argument");
}

#[tokio::test]
async fn a_stub_s_first_login_makes_it_an_account_of_its_own() {
    let server = TestServer::start().await;
    let [mel, ivy] = server.users(["mel", "ivy"]);
    let mut events = mel.events(["realm_user"]).await;

    for _ in 0..2 {
        server.anonymous().post("/dev_fetch_api_key", json!({"username": ivy.email()})).await.success();
    }

    let person = json!({"user_id": ivy.id(), "is_imported_stub": false});
    events.next().await.is(json!({"type": "realm_user", "op": "update", "person": person}));
    let person = json!({"user_id": ivy.id(), "date_joined": "2026-01-01T12:00+00:00"});
    events.next().await.is(json!({"type": "realm_user", "op": "update", "person": person}));
    events.none().await;
    let reply = mel.get(&format!("/users/{}", ivy.id()), json!({})).await.success();
    assert_eq!(reply["user"]["is_imported_stub"], false);
    assert_eq!(reply["user"]["date_joined"], "2026-01-01T12:00+00:00");
}

#[tokio::test]
async fn a_new_key_replaces_the_old_one_and_queues_live_on() {
    let server = TestServer::start().await;
    let [mel, bot, hook] = server.users(["mel", "build-bot", "hook-bot"]);

    for user in [&mel, &bot] {
        let queue = user.events(["message"]).await;
        let reply = user.post("/users/me/api_key/regenerate", json!({})).await.success();

        let key = reply["api_key"].as_str().expect("a key").to_owned();
        assert_eq!(reply, json!({"api_key": key}));
        assert!(key.len() == 32 && key.bytes().all(|byte| byte.is_ascii_alphanumeric()), "{key}");
        assert_ne!(key, user.credentials().api_key);
        let old = user.get("/users/me", json!({})).await.with_status(401);
        old.error("INVALID_API_KEY", "Invalid API key");
        let renewed = user.with_key(&key);
        renewed.get("/users/me", json!({})).await.success();
        let poll = json!({"queue_id": queue.id, "last_event_id": -1, "dont_block": true});
        renewed.get("/events", poll).await.success();
    }
    let refused = hook.post("/users/me/api_key/regenerate", json!({})).await.with_status(401);
    refused.error("UNAUTHORIZED", "This API is not available to incoming webhook bots.");
}

#[tokio::test]
async fn credentials_are_asked_for_in_the_realm_of_the_dialect() {
    let server = TestServer::start_with(|options| options.dialect = chatdouble::Dialect::zulip()).await;
    for (path, asked) in [("/api/v1/users/me", "Basic realm=\"zulip\""), ("/json/users/me", "Session realm=\"zulip\"")]
    {
        let reply = server.request("GET", path, &[], "").await.with_status(401);
        assert_eq!(reply.header("www-authenticate"), Some(asked));
    }
}

#[tokio::test]
async fn a_first_login_takes_channels_of_full_members_out_of_sight() {
    let password = json!({"username": "ivy@chat.test", "password": "ivy-password-7421"});
    for (path, params) in [
        ("/dev_fetch_api_key", json!({"username": "ivy@chat.test"})),
        ("/fetch_api_key", password),
        ("/jwt/fetch_api_key", json!({"token": crate::tokens::token_of("ivy@chat.test")})),
    ] {
        let server = TestServer::start().await;
        let [mona, ivy] = server.users(["mona", "ivy"]);
        let groups = mona.get("/user_groups", json!({})).await.success();
        let groups = groups["user_groups"].as_array().into_iter().flatten();
        let members = groups.into_iter().find(|group| group["name"] == "role:fullmembers").expect("it always exists");
        let channel = format!("/streams/{}", server.channel("design"));
        mona.patch(&channel, json!({"can_subscribe_group": {"new": members["id"]}})).await.success();
        let mut queue = ivy.events(["stream"]).await;

        server.anonymous().post(path, params).await.success();

        queue.next().await.has(json!({"type": "stream", "op": "delete"}));
    }
}
