//! Devices, and tokens of the older kind.

use crate::support::{Reply, TestServer, User};
use chatdouble::realm::id::UserId;
use serde_json::{Value, json};

const PLATFORM: &str = "/users/me/platform_device_token";
const ANDROID: &str = "/users/me/android_gcm_reg_id";

async fn register(user: &User) -> i64 {
    let reply = user.post("/register_client_device", json!({})).await.success();
    reply["device_id"].as_i64().expect("an id")
}

async fn devices(user: &User) -> Value {
    user.register(json!({"fetch_event_types": ["device"]})).await.state["devices"].clone()
}

fn tokens(server: &TestServer, user: &User) -> Vec<String> {
    let realm = server.server().world("default").snapshot();
    realm.user_state(UserId(user.id())).push_tokens.iter().map(|token| token.token.clone()).collect()
}

#[tokio::test]
async fn a_device_is_registered_and_removed_and_only_its_user_gets_events() {
    let server = TestServer::start().await;
    let [mel, max] = server.users(["mel", "max"]);
    let mut at_mel = mel.events(["device"]).await;
    let mut at_max = max.events(["device"]).await;

    let id = register(&mel).await;

    let none = json!({
        "push_key_id": null,
        "push_token_id": null,
        "pending_push_token_id": null,
        "push_token_last_updated_timestamp": null,
        "push_registration_error_code": null,
    });
    assert_eq!(devices(&mel).await[id.to_string()], none);
    mel.post("/remove_client_device", json!({ "device_id": id })).await.is(json!({}));
    assert_eq!(devices(&mel).await.get(id.to_string()), None);
    for op in ["add", "remove"] {
        at_mel.next().await.is(json!({"type": "device", "op": op, "device_id": id}));
    }
    at_mel.none().await;
    at_max.none().await;
}

#[tokio::test]
async fn a_removed_device_hears_nothing_more() {
    let server = TestServer::start().await;
    let mel = server.user("mel");
    mel.post("/mobile_push/e2ee/test_notification", json!({})).await.is(json!({}));

    mel.post("/remove_client_device", json!({"device_id": 1})).await.is(json!({}));

    let test = mel.post("/mobile_push/e2ee/test_notification", json!({})).await;
    test.error("NO_ACTIVE_PUSH_DEVICE", "No active registered push device");
}

#[tokio::test]
async fn only_own_devices_are_removed_and_the_id_is_required() {
    let server = TestServer::start().await;
    let [mel, max] = server.users(["mel", "max"]);
    let remove = async |user: &User, params: Value| user.post("/remove_client_device", params).await;

    remove(&max, json!({"device_id": 1})).await.error("BAD_REQUEST", "Invalid device_id");
    remove(&mel, json!({"device_id": 99})).await.error("BAD_REQUEST", "Invalid device_id");
    remove(&mel, json!({})).await.error("REQUEST_VARIABLE_MISSING", "Missing 'device_id' argument");
    remove(&mel, json!({"device_id": [1]})).await.error("BAD_REQUEST", "device_id is not an integer");
}

#[tokio::test]
async fn a_platform_token_is_kept_once_whatever_its_case() {
    let server = TestServer::start().await;
    let [mel, max] = server.users(["mel", "max"]);
    let add = async |token: &str| mel.post(PLATFORM, json!({"appid": "org.example-1.App", "token": token})).await;
    let mut events = mel.events(["device"]).await;

    add("c0ffee").await.is(json!({}));
    add("C0FFEE").await.is(json!({}));
    add("beef").await.is(json!({}));

    assert_eq!(tokens(&server, &mel), ["C0FFEE", "beef"]);
    max.delete(PLATFORM, json!({"token": "beef"})).await.error("BAD_REQUEST", "Token does not exist");
    mel.delete(PLATFORM, json!({"token": "c0FFee"})).await.is(json!({}));
    mel.delete(PLATFORM, json!({"token": "c0ffee"})).await.error("BAD_REQUEST", "Token does not exist");
    assert_eq!(tokens(&server, &mel), ["beef"]);
    events.none().await;
}

#[tokio::test]
async fn an_empty_token_one_of_a_wrong_length_and_an_invalid_one_are_refused() {
    let server = TestServer::start().await;
    let mel = server.user("mel");
    let add = async |token: &str| mel.post(PLATFORM, json!({"appid": "app", "token": token})).await;
    let length = "Empty or invalid length token";

    add("").await.error("BAD_REQUEST", length);
    add(&"a".repeat(4_097)).await.error("BAD_REQUEST", length);
    add("xyz").await.error("BAD_REQUEST", "Invalid APNS token");
    add("abc").await.error("BAD_REQUEST", "Invalid APNS token");
    add(&"a".repeat(4_096)).await.is(json!({}));
    mel.delete(PLATFORM, json!({"token": ""})).await.error("BAD_REQUEST", length);
    mel.delete(PLATFORM, json!({"token": "xyz"})).await.error("BAD_REQUEST", "Invalid APNS token");
}

#[tokio::test]
async fn a_platform_token_needs_an_application_and_comes_from_people() {
    let server = TestServer::start().await;
    let [mel, bot] = server.users(["mel", "build-bot"]);
    let missing = "REQUEST_VARIABLE_MISSING";

    mel.post(PLATFORM, json!({})).await.error(missing, "Missing 'token' argument");
    mel.post(PLATFORM, json!({"token": "ab"})).await.error(missing, "Missing 'appid' argument");
    for appid in ["", "my app", "a/b"] {
        let reply = mel.post(PLATFORM, json!({"appid": appid, "token": ""})).await;
        reply.error("BAD_REQUEST", "appid has invalid format");
    }
    let bots = "This endpoint does not accept bot requests.";
    bot.post(PLATFORM, json!({"appid": "app", "token": "c0ffee"})).await.error("BAD_REQUEST", bots);
}

#[tokio::test]
async fn the_other_service_takes_any_text() {
    let server = TestServer::start().await;
    let mel = server.user("mel");
    let add = async |token: &str| -> Reply { mel.post(ANDROID, json!({ "token": token })).await };

    add("not-hex:at all").await.is(json!({}));
    add("not-hex:at all").await.is(json!({}));
    add("").await.error("BAD_REQUEST", "Empty or invalid length token");
    assert_eq!(tokens(&server, &mel), ["not-hex:at all"]);
    // The two services keep their tokens apart.
    add("c0ffee").await.is(json!({}));
    mel.delete(PLATFORM, json!({"token": "c0ffee"})).await.error("BAD_REQUEST", "Token does not exist");
    mel.delete(ANDROID, json!({"token": "c0ffee"})).await.is(json!({}));
    mel.delete(ANDROID, json!({"token": "C0FFEE"})).await.error("BAD_REQUEST", "Token does not exist");
}
