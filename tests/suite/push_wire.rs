//! Pushes as phones get them: sealed with the device's key, within the message of the service that carries them.

use crate::push::{device, pushes, register, token_group};
use crate::support::{TestServer, User};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use crypto_secretbox::aead::Aead;
use crypto_secretbox::{Key, KeyInit, Nonce, XSalsa20Poly1305};
use serde_json::{Value, json};

const TEST: &str = "/mobile_push/e2ee/test_notification";

/// The base64 of a key whose bytes are all the same.
fn key(byte: u8) -> String {
    STANDARD.encode(std::iter::once(0x31).chain([byte; 32]).collect::<Vec<u8>>())
}

/// What was sealed.
fn open(data: &Value, byte: u8) -> Value {
    let bytes = STANDARD.decode(data.as_str().expect("sealed data")).expect("base64");
    let (nonce, sealed) = bytes.split_at(24);
    let secret = XSalsa20Poly1305::new(Key::from_slice(&[byte; 32]));
    let text = secret.decrypt(Nonce::from_slice(nonce), sealed).expect("the key opens what was sealed with it");
    serde_json::from_slice(&text).expect("JSON")
}

/// A user's new device with this key and service.
async fn registered(user: &User, byte: u8, service: &str) -> i64 {
    let id = device(user).await;
    let mut token = token_group("+wKIhyAx/Eg=");
    token["token_kind"] = json!(service);
    register(user, id, &[json!({"push_key_id": byte, "push_key": key(byte)}), token]).await.is(json!({}));
    id
}

async fn of_device(server: &TestServer, device: i64) -> Vec<Value> {
    pushes(server).await.into_iter().filter(|push| push["device_id"] == device).collect()
}

#[tokio::test]
async fn each_kind_is_sealed_with_the_key_of_the_device_for_both_services() {
    let server = TestServer::start().await;
    let [mel, max] = server.users(["mel", "max"]);
    let phone = registered(&max, 7, "apns").await;
    let tablet = registered(&max, 9, "fcm").await;
    max.post(TEST, json!({})).await.is(json!({}));
    let message = mel.send_direct(&[max.id()], "for **you**").await;
    max.post("/messages/flags", json!({"messages": [message], "op": "add", "flag": "read"})).await.success();

    for (device, byte, service) in [(phone, 7, "apns"), (tablet, 9, "fcm")] {
        let handed = of_device(&server, device).await;
        let kinds: Vec<&Value> = handed.iter().map(|push| &push["kind"]).collect();
        assert_eq!(kinds, ["registration", "test", "message", "removal"]);
        assert_eq!(handed[0]["wire"], Value::Null, "the relay keeps registrations to itself");
        for push in &handed[1..] {
            let (wire, data) = (&push["wire"], &push["wire"]["encrypted_data"]);
            assert_eq!([&wire["provider"], &wire["push_key_id"]], [&json!(service), &json!(byte)]);
            assert_eq!(open(data, byte), push["payload"]);
            let priority = if push["kind"] == "removal" { "normal" } else { "high" };
            let envelope = match service {
                "apns" => json!({
                    "push_key_id": byte,
                    "encrypted_data": data,
                    "aps": {"mutable-content": 1, "alert": {"title": "New notification"}},
                }),
                _ => json!({
                    "data": {"push_key_id": byte.to_string(), "encrypted_data": data},
                    "android": {"priority": priority},
                }),
            };
            assert_eq!(wire["envelope"], envelope);
        }
        assert_eq!(handed, of_device(&server, device).await, "a push is the same whenever it is read");
    }
}

#[tokio::test]
async fn a_push_keeps_the_key_that_was_in_force_when_it_was_made() {
    let server = TestServer::start().await;
    let max = server.user("max");
    let phone = registered(&max, 7, "fcm").await;
    max.post(TEST, json!({})).await.is(json!({}));
    register(&max, phone, &[json!({"push_key_id": 8, "push_key": key(8)})]).await.is(json!({}));
    max.post(TEST, json!({})).await.is(json!({}));

    let handed = of_device(&server, phone).await;
    let sealed: Vec<&Value> = handed.iter().filter(|push| push["kind"] == "test").map(|push| &push["wire"]).collect();

    assert_eq!([&sealed[0]["push_key_id"], &sealed[1]["push_key_id"]], [&json!(7), &json!(8)]);
    assert_eq!(
        [open(&sealed[0]["encrypted_data"], 7)["type"].clone(), open(&sealed[1]["encrypted_data"], 8)["type"].clone()],
        ["test", "test"]
    );
    assert_ne!(sealed[0]["encrypted_data"], sealed[1]["encrypted_data"]);
}

#[tokio::test]
async fn a_token_of_the_older_kind_gets_the_payload_in_the_clear() {
    let server = TestServer::start().await;
    let [mel, max] = server.users(["mel", "max"]);
    max.post("/users/me/android_gcm_reg_id", json!({"token": "older"})).await.success();
    max.post("/users/me/platform_device_token", json!({"appid": "org.chat.App", "token": "c0ffee"})).await.success();
    mel.send_to("general", "lunch", "@**Max Mercer** soup?").await;

    let handed = pushes(&server).await;
    let of = |token: &str| handed.iter().find(|push| push["token"] == token).expect("a push");

    let (android, phone) = (of("older"), of("c0ffee"));
    let payload = &android["payload"];
    assert_eq!(
        android["wire"],
        json!({
            "provider": "fcm",
            "push_key_id": null,
            "encrypted_data": null,
            "envelope": {"data": payload, "android": {"priority": "high"}},
        })
    );
    let alert = json!({"title": "#general > lunch", "subtitle": "Mel Marsh:", "body": "@Max Mercer soup?"});
    let envelope = json!({"aps": {"alert": alert, "sound": "default", "badge": 0}, "chat": payload});
    assert_eq!([&phone["wire"]["provider"], &phone["wire"]["envelope"]], [&json!("apns"), &envelope]);
}

#[tokio::test]
async fn the_payload_has_what_the_message_shows_and_the_group_that_is_mentioned() {
    let server = TestServer::start().await;
    let [mel, max] = server.users(["mel", "max"]);
    let text = "@*engineers* :octopus: **now**\n\n> said\n\n```spoiler who\nhe\n```";
    max.send_to("general", "t", text).await;
    max.send_to("general", "t", "@*engineers* @**Mel Marsh**").await;

    let handed = pushes(&server).await;
    let [by_group, by_name] = handed.as_slice() else { panic!("two pushes: {handed:#?}") };

    assert_eq!(by_group["payload"]["content"], "@engineers 🐙 now\n> said\n\nwho (…)\n");
    let groups = mel.get("/user_groups", json!({})).await.success();
    let all = groups["user_groups"].as_array().expect("groups");
    let group = all.iter().find(|group| group["name"] == "engineers").expect("the group");
    assert_eq!(by_group["payload"]["mentioned_user_group_id"], group["id"]);
    assert_eq!(by_group["payload"]["mentioned_user_group_name"], "engineers");
    assert_eq!(by_name["payload"].get("mentioned_user_group_id"), None, "a mention by name comes first");
}
