//! Bots: their keys, making, changing and deactivating them.

use crate::support::{TestServer, User};
use chatdouble::realm::group::SystemGroup;
use serde_json::json;

fn path(bot: &User, rest: &str) -> String {
    format!("/bots/{}{rest}", bot.id())
}

#[tokio::test]
async fn a_regenerated_key_works_at_once_and_the_old_one_fails() {
    let server = TestServer::start().await;
    let [mel, adam, bot] = server.users(["mel", "adam", "build-bot"]);
    let mut at_adam = adam.events(["realm_bot", "realm_user"]).await;

    let reply = mel.post(&path(&bot, "/api_key/regenerate"), json!({})).await.success();

    let key = reply["api_key"].as_str().unwrap_or_default();
    assert!(key.len() == 32 && key.bytes().all(|byte| byte.is_ascii_alphanumeric()));
    assert_eq!(reply.as_object().map(serde_json::Map::len), Some(1));
    bot.get("/users/me", json!({})).await.with_status(401).error("INVALID_API_KEY", "Invalid API key");
    let bot = bot.with_key(key);
    assert_eq!(bot.get("/users/me", json!({})).await.success()["user_id"], bot.id());
    mel.get(&path(&bot, "/api_key"), json!({})).await.is(json!({"api_key": key}));
    at_adam.none().await;
}

#[tokio::test]
async fn the_bots_owner_and_administrators_regenerate_its_key() {
    let server = TestServer::start().await;
    let [mel, adam, mona, gus, bot, legacy] = server.users(["mel", "adam", "mona", "gus", "build-bot", "legacy-bot"]);
    let key = "/api_key/regenerate";

    for user in [&mel, &adam] {
        user.post(&path(&bot, key), json!({})).await.success();
    }
    mona.post(&path(&bot, key), json!({})).await.error("BAD_REQUEST", "Insufficient permission");
    mel.post(&path(&legacy, key), json!({})).await.error("BAD_REQUEST", "Insufficient permission");
    adam.post(&path(&legacy, key), json!({})).await.success();
    gus.post(&path(&bot, key), json!({})).await.error("BAD_REQUEST", "Not allowed for guest users");
    let caller = server.user("out-bot");
    caller.post(&path(&bot, key), json!({})).await.error("BAD_REQUEST", "This endpoint does not accept bot requests.");

    let server = crate::users::server_where("build-bot", true).await;
    let [adam, bot] = server.users(["adam", "build-bot"]);
    adam.post(&path(&bot, key), json!({})).await.error("UNAUTHORIZED_PRINCIPAL", "Must be an organization owner");
}

#[tokio::test]
async fn an_invalid_bot_id_is_no_such_bot() {
    let server = TestServer::start().await;
    let [adam, mel, notifier] = server.users(["adam", "mel", "notification-bot"]);

    for id in [999, mel.id(), notifier.id()] {
        let refused = adam.post(&format!("/bots/{id}/api_key/regenerate"), json!({})).await.with_status(400);
        refused.error("BAD_REQUEST", "No such bot");
        adam.delete(&format!("/bots/{id}"), json!({})).await.error("BAD_REQUEST", "No such bot");
        adam.patch(&format!("/bots/{id}"), json!({})).await.error("BAD_REQUEST", "No such bot");
        adam.get(&format!("/bots/{id}/api_key"), json!({})).await.error("BAD_REQUEST", "No such bot");
    }
}

#[tokio::test]
async fn a_user_lists_their_own_active_bots_with_keys() {
    let server = TestServer::start().await;
    let [mel, bot, out] = server.users(["mel", "build-bot", "out-bot"]);

    mel.delete(&path(&out, ""), json!({})).await.is(json!({}));

    let bots = mel.get("/bots", json!({})).await.success()["bots"].clone();
    let url = bots[0]["avatar_url"].clone();
    assert!(url.as_str().is_some_and(|url| url.ends_with("?v=1")));
    assert_eq!(
        bots,
        json!([{
            "username": bot.email(),
            "full_name": "Build Bot",
            "api_key": bot.credentials().api_key,
            "avatar_url": url,
            "default_sending_stream": null,
            "default_events_register_stream": null,
            "default_all_public_streams": false,
        }])
    );
}

#[tokio::test]
async fn a_new_bot_is_sent_to_all_as_a_user_and_to_owner_and_administrators_as_a_bot() {
    let server = TestServer::start().await;
    let [mel, nora, adam] = server.users(["mel", "nora", "adam"]);
    let types = ["realm_user", "realm_bot", "user_group"];
    let (mut at_mel, mut at_nora, mut at_adam) =
        (mel.events(types).await, nora.events(types).await, adam.events(types).await);

    let params =
        json!({"full_name": "Tea Bot", "short_name": "tea", "bot_type": 3, "payload_url": "\"https://t.test\""});
    let reply = mel.post("/bots", params).await.success();

    let id = &reply["user_id"];
    for queue in [&mut at_mel, &mut at_nora, &mut at_adam] {
        let person = queue.next().await.has(json!({"type": "realm_user", "op": "add"}))["person"].clone();
        assert_eq!((&person["user_id"], &person["bot_owner_id"]), (id, &json!(mel.id())));
        assert_eq!((&person["email"], &person["bot_type"]), (&json!("tea-bot@chat.test"), &json!(3)));
        queue.next().await.has(json!({"type": "user_group", "op": "add_members", "user_ids": [id]}));
    }
    for queue in [&mut at_mel, &mut at_adam] {
        let event = queue.next().await.has(json!({"type": "realm_bot", "op": "add"}));
        let service = &event["bot"]["services"][0];
        assert_eq!((&event["bot"]["user_id"], &service["base_url"]), (id, &json!("https://t.test")));
        queue.none().await;
    }
    at_nora.none().await;
    assert_eq!(reply["default_all_public_streams"], false);
    assert_eq!(reply["api_key"].as_str().map(str::len), Some(32));
}

#[tokio::test]
async fn bots_are_refused_for_what_is_wrong_with_them_in_order() {
    let server = TestServer::start().await;
    let [mel, gus, bot] = server.users(["mel", "gus", "build-bot"]);
    mel.post("/bots", json!({"full_name": "First", "short_name": "taken"})).await.success();

    for (changes, text) in [
        (json!({"full_name": "*", "short_name": "a b", "bot_type": 9}), "Invalid characters in name!"),
        (json!({"bot_type": 4, "service_name": "x", "short_name": "a b"}), "Invalid embedded bot name."),
        (json!({"short_name": "a b", "bot_type": 9}), "Bad name or username"),
        (json!({"short_name": "", "bot_type": 9}), "Bad name or username"),
        (json!({"short_name": "zoë", "bot_type": 9}), "Bad name or username"),
        (json!({"short_name": "Taken", "bot_type": 9}), "Email is already in use."),
        (json!({"full_name": "build BOT", "bot_type": 9, "interface_type": 3}), "Name is already in use!"),
        (json!({"bot_type": 9, "interface_type": 3}), "Invalid bot type"),
        (json!({"interface_type": 3}), "Invalid interface type"),
        (json!({"payload_url": "\"nowhere\""}), "payload_url is not a URL"),
        (json!({"full_name": "build BOT"}), "Name is already in use!"),
    ] {
        let mut params = json!({"full_name": "Tea", "short_name": "tea"});
        for (key, value) in changes.as_object().into_iter().flatten() {
            params[key] = value.clone();
        }
        mel.post("/bots", params).await.with_status(400).error("BAD_REQUEST", text);
    }
    gus.post("/bots", json!({})).await.error("BAD_REQUEST", "Not allowed for guest users");
    bot.post("/bots", json!({})).await.error("BAD_REQUEST", "This endpoint does not accept bot requests.");
}

#[tokio::test]
async fn who_may_only_make_bots_that_send_makes_no_others() {
    let server = TestServer::start().await;
    let mel = server.user("mel");
    server.allow("can_create_bots_group", SystemGroup::Owners).await;
    let params = |kind: i64| json!({"full_name": "Tea", "short_name": "tea", "bot_type": kind});

    // The right is looked at before the kind.
    for kind in [1, 9] {
        mel.post("/bots", params(kind)).await.error("BAD_REQUEST", "Insufficient permission");
    }
    let key = mel.post("/bots", params(2)).await.success()["api_key"].clone();
    assert!(key.is_string());
}

#[tokio::test]
async fn a_bot_handed_over_leaves_one_list_for_the_other() {
    let server = TestServer::start().await;
    let [mel, max, nora, bot] = server.users(["mel", "max", "nora", "build-bot"]);
    let types = ["realm_user", "realm_bot"];
    let (mut at_mel, mut at_max, mut at_nora) =
        (mel.events(types).await, max.events(types).await, nora.events(types).await);

    let params = json!({"bot_owner_id": max.id(), "full_name": "Builder"});
    let reply = mel.patch(&path(&bot, ""), params).await.success();

    assert_eq!((&reply["full_name"], &reply["bot_owner"]), (&json!("Builder"), &json!(max.email())));
    let name = json!({"type": "realm_user", "op": "update", "person": {"user_id": bot.id(), "full_name": "Builder"}});
    let owner =
        json!({"type": "realm_user", "op": "update", "person": {"user_id": bot.id(), "bot_owner_id": max.id()}});
    at_mel.next().await.is(name.clone());
    at_mel.next().await.is(json!({"type": "realm_bot", "op": "delete", "bot": {"user_id": bot.id()}}));
    at_max.next().await.is(name.clone());
    at_max.next().await.has(json!({"type": "realm_bot", "op": "add"}));
    at_nora.next().await.is(name);
    for queue in [&mut at_mel, &mut at_max, &mut at_nora] {
        queue.next().await.is(owner.clone());
        queue.none().await;
    }
    mel.patch(&path(&bot, ""), json!({})).await.error("BAD_REQUEST", "Insufficient permission");
}

#[tokio::test]
async fn a_bots_change_is_refused_for_what_is_wrong_with_it() {
    let server = TestServer::start().await;
    let [mel, adam, bot, out, dana] = server.users(["mel", "adam", "build-bot", "out-bot", "dana"]);
    let mut events = adam.events(["realm_user", "realm_bot"]).await;

    for (params, text) in [
        (json!({"full_name": " "}), "Name must not be empty!"),
        (json!({"full_name": "Out Bot"}), "Name is already in use!"),
        (json!({"full_name": "New", "bot_owner_id": 999}), "Failed to change owner, no such user"),
        (json!({"full_name": "New", "bot_owner_id": dana.id()}), "Failed to change owner, user is deactivated"),
        (json!({"full_name": "New", "bot_owner_id": out.id()}), "Failed to change owner, bots can't own other bots"),
        (json!({"full_name": "New", "service_interface": 3}), "Invalid interface type"),
        (json!({"service_payload_url": "\"x\""}), "service_payload_url is not a URL"),
        (json!({"role": 250}), "Invalid role: Value error, Not in the list of possible values"),
    ] {
        mel.patch(&path(&bot, ""), params).await.with_status(400).error("BAD_REQUEST", text);
    }
    let role = mel.patch(&path(&bot, ""), json!({"role": 300})).await;
    role.error("UNAUTHORIZED_PRINCIPAL", "Must be an organization administrator");
    let role = adam.patch(&path(&bot, ""), json!({"role": 100})).await;
    role.error("UNAUTHORIZED_PRINCIPAL", "Must be an organization owner");
    events.none().await;
}

#[tokio::test]
async fn services_of_bots_change_for_owner_and_administrators() {
    let server = TestServer::start().await;
    let [mel, adam, nora, out] = server.users(["mel", "adam", "nora", "out-bot"]);
    let (mut at_adam, mut at_nora) = (adam.events(["realm_bot"]).await, nora.events(["realm_bot"]).await);

    let params = json!({"service_payload_url": "\"https://new.test/\"", "service_interface": 2});
    let reply = mel.patch(&path(&out, ""), params).await.success();

    assert_eq!(reply["service_payload_url"], "https://new.test/");
    let service = json!({"base_url": "https://new.test/", "token": "outBotToken00000000000000000000", "interface": 2});
    at_adam.next().await.is(json!({
        "type": "realm_bot", "op": "update", "bot": {"user_id": out.id(), "services": [service]},
    }));
    at_nora.none().await;
}

#[tokio::test]
async fn a_deactivated_bot_is_refused_and_comes_back_under_a_free_name_alone() {
    let server = TestServer::start().await;
    let [mel, adam, bot, max] = server.users(["mel", "adam", "build-bot", "max"]);
    let mut at_max = max.events(["subscription", "realm_user", "realm_bot"]).await;

    max.delete(&path(&bot, ""), json!({})).await.error("BAD_REQUEST", "Insufficient permission");
    mel.delete(&path(&bot, ""), json!({})).await.is(json!({}));
    mel.delete(&path(&bot, ""), json!({})).await.is(json!({}));

    bot.get("/users/me", json!({})).await.with_status(401).error("USER_DEACTIVATED", "Account is deactivated");
    for _ in ["general", "engineering"] {
        at_max.next().await.has(json!({"type": "subscription", "op": "peer_remove", "user_ids": [bot.id()]}));
    }
    at_max.next().await.is(json!({
        "type": "realm_user", "op": "update", "person": {"user_id": bot.id(), "is_active": false},
    }));
    at_max.none().await;
    let twin = mel.post("/bots", json!({"full_name": "Build Bot", "short_name": "twin"})).await.success();
    let back = format!("/users/{}/reactivate", bot.id());
    let taken = "There is already an active bot named \"Build Bot\" in this organization. To reactivate this bot, you must rename or deactivate the other one first.";
    adam.post(&back, json!({})).await.error("BAD_REQUEST", taken);
    mel.delete(&format!("/bots/{}", twin["user_id"]), json!({})).await.is(json!({}));
    mel.post(&back, json!({})).await.is(json!({}));
    assert_eq!(bot.get("/users/me", json!({})).await.success()["is_active"], true);
}

#[tokio::test]
async fn a_bot_does_not_come_back_next_to_an_active_one_of_its_name() {
    let server = TestServer::start().await;
    let [mel, adam] = server.users(["mel", "adam"]);
    let make = |name: &'static str| {
        let mel = mel.clone();
        async move { mel.post("/bots", json!({"full_name": "Twin", "short_name": name})).await.success()["user_id"].clone() }
    };
    let first = make("first").await;
    mel.delete(&format!("/bots/{first}"), json!({})).await.success();
    make("second").await;

    let message = "There is already an active bot named \"Twin\" in this organization. To reactivate this bot, you must rename or deactivate the other one first.";
    adam.post(&format!("/users/{first}/reactivate"), json!({})).await.error("BAD_REQUEST", message);
}

#[tokio::test]
async fn an_owner_is_notified_now_and_then_that_nobody_hears_the_bot() {
    let server = TestServer::start().await;
    let [mel, bot] = server.users(["mel", "build-bot"]);
    let mut events = mel.events(["message"]).await;
    let received = json!({
        "type": "private",
        "sender_email": "notification-bot@chat.test",
        "content": "Your bot `build-bot@chat.test` sent a message to #**quiet**, to which nobody is subscribed.",
    });

    bot.send_to("quiet", "t", "one").await;
    events.next().await.has(json!({ "message": received }));
    server.advance(60).await;
    bot.send_to("quiet", "t", "two").await;
    bot.send_to("general", "t", "somebody hears this").await;
    events.next().await.has(json!({"message": {"content": "somebody hears this"}}));
    server.advance(1).await;
    bot.send_to("quiet", "t", "three").await;
    events.next().await.has(json!({ "message": received }));

    mel.send_to("quiet", "t", "people see it themselves").await;
    server.advance(61).await;
    let nowhere = json!({"type": "channel", "to": "nowhere", "topic": "t", "content": "x"});
    let _ = bot.post("/messages", nowhere).await.with_status(400);
    events.none().await;
}
