//! What bots keep for themselves.

use crate::support::{TestServer, User};
use serde_json::{Value, json};

async fn stored(bot: &User) -> Value {
    bot.get("/bot_storage", json!({})).await.success()["storage"].clone()
}

#[tokio::test]
async fn existing_keys_are_overwritten_and_others_stay() {
    let server = TestServer::start().await;
    let [bot, mel] = server.users(["build-bot", "mel"]);
    let mut at_mel = mel.register(json!({})).await;

    bot.put("/bot_storage", json!({"storage": {"last_build": "1042", "ünïcode": "✔"}})).await.is(json!({}));
    bot.put("/bot_storage", json!({"storage": {}})).await.is(json!({}));

    assert_eq!(stored(&bot).await, json!({"colour": "green", "last_build": "1042", "ünïcode": "✔"}));
    let some = bot.get("/bot_storage", json!({"keys": ["colour"]})).await;
    some.is(json!({"storage": {"colour": "green"}}));
    at_mel.none().await;
}

#[tokio::test]
async fn a_storage_is_kept_per_bot() {
    let server = TestServer::start().await;
    let [build, out] = server.users(["build-bot", "out-bot"]);

    out.put("/bot_storage", json!({"storage": {"colour": "red"}})).await.is(json!({}));

    assert_eq!(stored(&out).await, json!({"colour": "red"}));
    assert_eq!(stored(&build).await["colour"], "green");
}

#[tokio::test]
async fn callers_that_are_no_bots_get_permission_denied() {
    let server = TestServer::start().await;
    let olive = server.user("olive");
    let denied = "This endpoint is only available to bots.";

    // Before the parameters are looked at.
    olive.put("/bot_storage", json!({})).await.with_status(403).error("PERMISSION_DENIED", denied);
    olive.get("/bot_storage", json!({})).await.with_status(403).error("PERMISSION_DENIED", denied);
    olive.delete("/bot_storage", json!({})).await.with_status(403).error("PERMISSION_DENIED", denied);
}

#[tokio::test]
async fn a_storage_of_the_limit_is_allowed_and_nothing_is_kept_of_a_larger_one() {
    let server = TestServer::start().await;
    let bot = server.user("out-bot");
    let put = async |storage: Value| bot.put("/bot_storage", json!({ "storage": storage })).await;
    let exceeds = |excess: usize| {
        format!("Request exceeds storage limit by {excess} characters. The limit is 10000000 characters.")
    };

    // Characters, not bytes: keys and values count alike.
    put(json!({"é": "é".repeat(3_999_999)})).await.is(json!({}));
    put(json!({"b": "x".repeat(5_999_999)})).await.is(json!({}));
    let refused = put(json!({"c": "d"})).await.with_status(400);
    refused.error("BAD_REQUEST", &exceeds(2));
    // What is overwritten counts no more.
    let refused = put(json!({"b": "short", "long": "x".repeat(6_000_000)})).await;
    refused.error("BAD_REQUEST", &exceeds(10));
    let stored = stored(&bot).await;
    let lengths: Vec<usize> = ["b", "é"].map(|key| stored[key].as_str().unwrap_or_default().chars().count()).to_vec();
    assert_eq!((stored.as_object().map(serde_json::Map::len), lengths), (Some(2), vec![5_999_999, 3_999_999]));
    put(json!({"b": "short"})).await.is(json!({}));
}

#[tokio::test]
async fn storage_is_an_object_of_texts() {
    let server = TestServer::start().await;
    let bot = server.user("build-bot");

    for (storage, text) in [
        (json!({"a": 1}), "storage[\"a\"] is not a string"),
        (json!({"a": null}), "storage[\"a\"] is not a string"),
        (json!(["a"]), "storage is not a dict"),
        (json!("{"), "storage is not valid JSON"),
    ] {
        bot.put("/bot_storage", json!({ "storage": storage })).await.error("BAD_REQUEST", text);
    }
    bot.put("/bot_storage", json!({})).await.error("REQUEST_VARIABLE_MISSING", "Missing 'storage' argument");
}

#[tokio::test]
async fn keys_are_removed_together_or_not_at_all() {
    let server = TestServer::start().await;
    let bot = server.user("build-bot");
    let missing = "Key does not exist.";

    bot.get("/bot_storage", json!({"keys": ["colour", "x"]})).await.error("BAD_REQUEST", missing);
    bot.delete("/bot_storage", json!({"keys": ["colour", "x"]})).await.error("BAD_REQUEST", missing);
    assert_eq!(stored(&bot).await["colour"], "green");
    bot.delete("/bot_storage", json!({"keys": ["colour"]})).await.is(json!({}));
    assert_eq!(stored(&bot).await, json!({"last_build": "1041"}));
    bot.delete("/bot_storage", json!({})).await.is(json!({}));
    assert_eq!(stored(&bot).await, json!({}));
}
