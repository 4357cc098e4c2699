//! Push notifications: registering for encrypted ones, tests, and what the relay was handed.

use crate::support::{Reply, TestServer, User};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};
use std::sync::Arc;

const NOW: i64 = 1_767_268_800;
const TEST: &str = "/mobile_push/e2ee/test_notification";
/// The base64 of the first 8 bytes of the SHA-256 of `c0ffee`.
pub const TOKEN_ID: &str = "+wKIhyAx/Eg=";

/// What the relay was handed.
pub async fn pushes(server: &TestServer) -> Vec<Value> {
    let reply = server.anonymous().send("GET", "/control/worlds/default/pushes", &json!({}), Vec::new(), None).await;
    reply.success()["pushes"].as_array().cloned().unwrap_or_default()
}

/// How the relay answers from now on; None: as it should.
async fn relay(server: &TestServer, state: Option<&str>) {
    let control = async |method: &str, body: Value| {
        let path = "/control/worlds/default/faults";
        let bytes = if body.is_null() { Vec::new() } else { body.to_string().into_bytes() };
        server.anonymous().send(method, path, &body, bytes, Some("application/json")).await.success();
    };
    control("DELETE", Value::Null).await;
    if let Some(state) = state {
        control("POST", json!({"effect": {"bouncer": state}})).await;
    }
}

fn key(byte: u8) -> String {
    STANDARD.encode(std::iter::once(0x31).chain([byte; 32]).collect::<Vec<u8>>())
}

/// A key, as it is registered.
pub fn key_group(byte: u8) -> Value {
    json!({"push_key_id": u32::MAX, "push_key": key(byte)})
}

/// A token, as it is registered.
pub fn token_group(id: &str) -> Value {
    json!({
        "token_kind": "fcm",
        "token_id": id,
        "bouncer_public_key": "a2V5",
        "encrypted_push_registration": "c2VjcmV0",
    })
}

/// A new device of a user; its ID.
pub async fn device(user: &User) -> i64 {
    user.post("/register_client_device", json!({})).await.success()["device_id"].as_i64().expect("an id")
}

/// Registers a device with these groups of parameters.
pub async fn register(user: &User, device: i64, groups: &[Value]) -> Reply {
    let mut params = json!({ "device_id": device });
    for (key, value) in groups.iter().filter_map(Value::as_object).flatten() {
        params[key] = value.clone();
    }
    user.post("/mobile_push/register", params).await
}

#[tokio::test]
async fn a_test_goes_to_all_active_devices_or_the_one_that_is_named() {
    let server = TestServer::start().await;
    let [mel, max] = server.users(["mel", "max"]);
    let second = device(&mel).await;
    device(&mel).await;
    register(&mel, second, &[key_group(1), token_group("dG9rZW4=")]).await.is(json!({}));
    let registered = pushes(&server).await;
    assert!(matches!(registered.as_slice(), [one] if one["kind"] == "registration"), "{registered:#?}");

    mel.post(TEST, json!({})).await.is(json!({}));
    mel.post(TEST, json!({ "device_id": second })).await.is(json!({}));

    let sent = pushes(&server).await;
    let tests: Vec<_> = sent.iter().filter(|push| push["kind"] == "test").collect();
    let to: Vec<_> = tests.iter().map(|push| push["device_id"].as_i64()).collect();
    assert_eq!(to, [Some(1), Some(second), Some(second)]);
    assert_eq!((&tests[0]["user"], &tests[0]["at"]), (&json!("mel@chat.test"), &json!(NOW as f64)));
    assert_eq!(
        tests[0]["payload"],
        json!({
            "type": "test",
            "realm_url": server.url(),
            "realm_name": "Chatdouble",
            "user_id": mel.id(),
            "time": NOW,
        })
    );
    let none = max.post(TEST, json!({ "device_id": second })).await;
    none.error("NO_ACTIVE_PUSH_DEVICE", "No active registered push device");
}

#[tokio::test]
async fn without_an_active_device_the_test_fails_whatever_the_relay_says() {
    let server = TestServer::start().await;
    let [mel, max, nora] = server.users(["mel", "max", "nora"]);
    let message = "No active registered push device";

    for state in [None, Some("unreachable"), Some("admin_action_required")] {
        relay(&server, state).await;
        // Max has a device, but it is not registered for push; Nora has none.
        for user in [&max, &nora] {
            user.post(TEST, json!({})).await.with_status(400).error("NO_ACTIVE_PUSH_DEVICE", message);
        }
        mel.post(TEST, json!({"device_id": 99})).await.error("NO_ACTIVE_PUSH_DEVICE", message);
    }
    assert!(pushes(&server).await.is_empty());
}

#[tokio::test]
async fn each_failure_of_the_relay_has_its_code() {
    let server = TestServer::start().await;
    let mel = server.user("mel");
    mel.post("/users/me/android_gcm_reg_id", json!({"token": "old"})).await.success();

    for (state, status, code, message) in [
        (
            "server_error",
            502,
            "INTERNAL_SERVER_ERROR_ON_BOUNCER",
            "Internal server error on push notification service, retry later.",
        ),
        (
            "unreachable",
            502,
            "FAILED_TO_CONNECT_BOUNCER",
            "Network error while connecting to push notification service.",
        ),
        (
            "admin_action_required",
            403,
            "ADMIN_ACTION_REQUIRED",
            "Push notification configuration issue on server, contact the server administrator or retry later.",
        ),
    ] {
        relay(&server, Some(state)).await;
        for path in [TEST, "/mobile_push/test_notification"] {
            let reply = mel.post(path, json!({})).await.with_status(status);
            assert_eq!(reply.body, json!({"result": "error", "msg": message, "code": code}));
        }
    }
    assert!(pushes(&server).await.is_empty());
    relay(&server, None).await;
    mel.post(TEST, json!({})).await.is(json!({}));
    let wrong = mel.post(TEST, json!({"device_id": "one"})).await;
    wrong.error("BAD_REQUEST", "device_id is not valid JSON");
    let bot = server.user("build-bot").post(TEST, json!({})).await;
    bot.error("BAD_REQUEST", "This endpoint does not accept bot requests.");
}

#[tokio::test]
async fn a_device_gets_its_key_and_token_at_once_and_later_each_alone() {
    let server = TestServer::start().await;
    let mel = server.user("mel");
    let id = device(&mel).await;
    mel.post("/users/me/android_gcm_reg_id", json!({"token": "c0ffee"})).await.success();
    let mut events = mel.events(["device"]).await;
    let update = |more: Value| {
        let mut event = json!({"type": "device", "op": "update", "device_id": id});
        for (key, value) in more.as_object().expect("an object") {
            event[key] = value.clone();
        }
        event
    };

    let active = update(json!({
        "push_token_id": TOKEN_ID,
        "pending_push_token_id": null,
        "push_token_last_updated_timestamp": NOW,
    }));

    register(&mel, id, &[key_group(1), token_group(TOKEN_ID)]).await.is(json!({}));
    events.next().await.is(update(json!({"push_key_id": u32::MAX, "pending_push_token_id": TOKEN_ID})));
    events.next().await.is(active);
    let state = mel.register(json!({"fetch_event_types": ["device"]})).await.state;
    assert_eq!(
        state["devices"][id.to_string()],
        json!({
            "push_key_id": u32::MAX,
            "push_token_id": TOKEN_ID,
            "pending_push_token_id": null,
            "push_token_last_updated_timestamp": NOW,
            "push_registration_error_code": null,
        })
    );
    // The same token of the older kind is not needed any more.
    let old = mel.post("/mobile_push/test_notification", json!({"token": "c0ffee"})).await;
    old.error("INVALID_PUSH_DEVICE_TOKEN", "Device not recognized");

    register(&mel, id, &[key_group(2)]).await.is(json!({}));
    events.next().await.is(update(json!({"push_key_id": u32::MAX})));
    register(&mel, id, &[token_group("dG9rZW4=")]).await.is(json!({}));
    events.next().await.is(update(json!({"pending_push_token_id": "dG9rZW4="})));
    events.next().await.has(json!({"push_token_id": "dG9rZW4="}));
    // What is so already is nothing new.
    register(&mel, id, &[token_group("dG9rZW4=")]).await.is(json!({}));
    register(&mel, id, &[key_group(2), token_group("dG9rZW4=")]).await.is(json!({}));
    events.none().await;
}

#[tokio::test]
async fn a_token_stays_pending_while_the_relay_does_not_answer() {
    let server = TestServer::start().await;
    let mel = server.user("mel");
    let id = device(&mel).await;
    relay(&server, Some("unreachable")).await;

    register(&mel, id, &[key_group(1), token_group("dG9rZW4=")]).await.is(json!({}));

    let state = mel.register(json!({"fetch_event_types": ["device"]})).await.state;
    let device = &state["devices"][id.to_string()];
    assert_eq!((&device["pending_push_token_id"], &device["push_token_id"]), (&json!("dG9rZW4="), &Value::Null));
    let test = mel.post(TEST, json!({ "device_id": id })).await;
    test.error("NO_ACTIVE_PUSH_DEVICE", "No active registered push device");
    assert!(pushes(&server).await.is_empty());
}

#[tokio::test]
async fn a_registration_that_is_not_whole_is_refused() {
    let server = TestServer::start().await;
    let [mel, max] = server.users(["mel", "max"]);
    let id = device(&mel).await;
    let refused = async |groups: &[Value], message: &str| {
        register(&mel, id, groups).await.error("BAD_REQUEST", message);
    };

    let missing = "Missing parameters: must provide either all push key fields, all token fields, or both.";
    refused(&[], missing).await;
    refused(&[json!({"push_key_id": 1})], missing).await;
    refused(&[json!({"push_key_id": 1, "token_kind": "apns"})], missing).await;
    refused(&[token_group("dG9rZW4=")], "No push registration exists to rotate token for.").await;
    refused(&[key_group(1)], "No push registration exists to rotate key for.").await;
    refused(&[key_group(1), json!({"token_kind": "apns"})], "No push registration exists to rotate key for.").await;
    for bad in ["", "nonsense", &STANDARD.encode([0x31; 32]), &STANDARD.encode([0x32; 33])] {
        let params = json!({"push_key_id": 1, "push_key": bad});
        register(&mel, id, &[params, token_group("dG9rZW4=")]).await.error("BAD_REQUEST", "Invalid `push_key`");
    }
    let large = register(&mel, id, &[json!({"push_key_id": 1_i64 << 32})]).await;
    large.error("BAD_REQUEST", "Invalid push_key_id: Value error, Not a valid unsigned 32-bit integer");
    let kind = register(&mel, id, &[json!({"token_kind": "pigeon"})]).await;
    kind.error("BAD_REQUEST", "Invalid token_kind: Value error, Not in the list of possible values");
    let other = register(&max, id, &[key_group(1), token_group("dG9rZW4=")]).await;
    other.error("BAD_REQUEST", "Invalid device_id");
    server.arrange(|tx| {
        let organization = Arc::make_mut(&mut tx.realm_mut().organization);
        organization.settings.insert("push_notifications_enabled", false.into());
    });
    let off = register(&mel, id, &[]).await;
    off.error("PUSH_SERVICE_NOT_CONFIGURED", "Server is not configured to use push notification service.");
}

#[tokio::test]
async fn the_older_test_goes_to_tokens() {
    let server = TestServer::start().await;
    let [mel, max] = server.users(["mel", "max"]);
    let test = async |user: &User, params: Value| user.post("/mobile_push/test_notification", params).await;
    mel.post("/users/me/android_gcm_reg_id", json!({"token": "one"})).await.success();
    mel.post("/users/me/platform_device_token", json!({"appid": "app", "token": "c0ffee"})).await.success();

    test(&mel, json!({"token": "C0FFEE"})).await.is(json!({}));
    test(&mel, json!({})).await.is(json!({}));
    test(&max, json!({})).await.is(json!({}));
    test(&max, json!({"token": "one"})).await.error("INVALID_PUSH_DEVICE_TOKEN", "Device not recognized");

    let to: Vec<_> = pushes(&server).await.iter().map(|push| push["token"].clone()).collect();
    assert_eq!(to, ["c0ffee", "one", "c0ffee"]);
}

#[tokio::test]
async fn a_new_key_drops_tokens_and_devices() {
    let server = TestServer::start().await;
    let mel = server.user("mel");
    mel.post("/users/me/android_gcm_reg_id", json!({"token": "one"})).await.success();
    let id = device(&mel).await;
    let queue = mel.events(["device"]).await;

    let key = mel.post("/users/me/api_key/regenerate", json!({})).await.success();

    let mel = mel.with_key(key["api_key"].as_str().expect("a key"));
    let test = mel.post("/mobile_push/test_notification", json!({"token": "one"})).await;
    test.error("INVALID_PUSH_DEVICE_TOKEN", "Device not recognized");
    assert_eq!(mel.register(json!({})).await.state["devices"], json!({}));
    let params = json!({"queue_id": queue.id, "last_event_id": -1, "dont_block": true});
    let events = mel.get("/events", params).await.success()["events"].take();
    let received = events.as_array().expect("a list").iter().map(|event| (&event["op"], &event["device_id"]));
    assert!(
        received.clone().all(|(op, _)| op == "remove") && received.map(|(_, of)| of).any(|of| *of == id),
        "{events}"
    );
}
