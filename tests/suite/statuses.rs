//! Statuses: what users say of themselves.

use crate::support::{TestServer, User};
use chatdouble::realm::group::SystemGroup;
use serde_json::{Value, json};

async fn status_of(viewer: &User, user: &User) -> Value {
    let reply = viewer.get(&format!("/users/{}/status", user.id()), json!({})).await.success();
    reply["status"].clone()
}

fn adams() -> Value {
    json!({"status_text": "In a meeting", "emoji_name": "calendar", "emoji_code": "1f4c5", "reaction_type": "unicode_emoji"})
}

#[tokio::test]
async fn a_status_has_the_keys_that_are_set() {
    let server = TestServer::start().await;
    let [mel, adam, max] = server.users(["mel", "adam", "max"]);

    assert_eq!(status_of(&mel, &adam).await, adams());
    assert_eq!(status_of(&mel, &max).await, json!({}));
}

#[tokio::test]
async fn unknown_users_bots_and_deactivated_ones_have_no_status() {
    let server = TestServer::start().await;
    let [mel, adam, bot, dana] = server.users(["mel", "adam", "build-bot", "dana"]);

    for (id, text) in [(9999, "No such user"), (bot.id(), "No such user"), (dana.id(), "User is deactivated")] {
        mel.get(&format!("/users/{id}/status"), json!({})).await.error("BAD_REQUEST", text);
        let update = adam.post(&format!("/users/{id}/status"), json!({"status_text": "hi"})).await;
        update.error("BAD_REQUEST", text);
    }
}

#[tokio::test]
async fn a_new_status_is_sent_as_it_was_passed() {
    let server = TestServer::start().await;
    let [mel, max] = server.users(["mel", "max"]);
    let mut events = max.events(["user_status"]).await;

    mel.post("/users/me/status", json!({"status_text": "  On holiday ", "emoji_name": "octopus"})).await.is(json!({}));
    events.next().await.is(json!({
        "type": "user_status", "user_id": mel.id(), "status_text": "On holiday",
        "emoji_name": "octopus", "emoji_code": "1f419", "reaction_type": "unicode_emoji",
    }));

    mel.post("/users/me/status", json!({"status_text": "Back"})).await.is(json!({}));
    events.next().await.is(json!({"type": "user_status", "user_id": mel.id(), "status_text": "Back"}));
    let expected = json!({"status_text": "Back", "emoji_name": "octopus", "emoji_code": "1f419", "reaction_type": "unicode_emoji"});
    assert_eq!(status_of(&max, &mel).await, expected);

    // The same status again is sent again.
    mel.post("/users/me/status", json!({"status_text": "Back"})).await.is(json!({}));
    events.next().await.is(json!({"type": "user_status", "user_id": mel.id(), "status_text": "Back"}));
}

#[tokio::test]
async fn empty_texts_take_the_status_away() {
    let server = TestServer::start().await;
    let [adam, max] = server.users(["adam", "max"]);
    let mut events = max.events(["user_status"]).await;

    adam.post("/users/me/status", json!({"status_text": "", "emoji_name": ""})).await.is(json!({}));

    events.next().await.is(json!({
        "type": "user_status", "user_id": adam.id(), "status_text": "",
        "emoji_name": "", "emoji_code": "", "reaction_type": "unicode_emoji",
    }));
    assert_eq!(status_of(&max, &adam).await, json!({}));
}

#[tokio::test]
async fn away_switches_presence_off() {
    let server = TestServer::start().await;
    let [adam, max] = server.users(["adam", "max"]);
    let mut own = adam.events(["user_status", "user_settings"]).await;
    let mut others = max.events(["user_status", "user_settings"]).await;

    adam.post("/users/me/status", json!({"away": true})).await.is(json!({}));

    let setting = json!({"type": "user_settings", "op": "update", "property": "presence_enabled", "value": false});
    own.next().await.is(setting);
    own.next().await.is(json!({"type": "user_status", "user_id": adam.id(), "away": true}));
    others.next().await.is(json!({"type": "user_status", "user_id": adam.id(), "away": true}));
    others.none().await;
    assert_eq!(status_of(&max, &adam).await["away"], true);

    adam.post("/users/me/status", json!({"away": false})).await.is(json!({}));
    assert_eq!(status_of(&max, &adam).await, adams());
}

#[tokio::test]
async fn who_is_away_without_a_text_is_so_once_they_said_it() {
    let server = TestServer::start().await;
    let [max, mel] = server.users(["max", "mel"]);
    max.patch("/settings", json!({"presence_enabled": false})).await.success();
    assert_eq!(status_of(&mel, &max).await, json!({}));

    max.post("/users/me/status", json!({"away": true})).await.success();

    assert_eq!(status_of(&mel, &max).await, json!({"away": true}));
    let id = max.id().to_string();
    let listed = async || mel.register(json!({"event_types": ["user_status"]})).await.state["user_status"][&id].clone();
    assert_eq!(listed().await, json!({"away": true}));
    max.post("/users/me/status", json!({"away": false})).await.success();
    assert_eq!((status_of(&mel, &max).await, listed().await), (json!({}), Value::Null));
}

#[tokio::test]
async fn what_is_wrong_with_a_status_is_said_in_order() {
    let server = TestServer::start().await;
    let [mel, max] = server.users(["mel", "max"]);
    let mut events = max.events(["user_status"]).await;
    let long = "x".repeat(61);

    for (params, text) in [
        (json!({"status_text": long, "emoji_name": "no_such"}), "status_text is too long (limit: 60 characters)"),
        (json!({}), "Client did not pass any new values."),
        (json!({"emoji_code": "1f419"}), "Client did not pass any new values."),
        (
            json!({"status_text": "hi", "emoji_code": "1f419"}),
            "Client must pass emoji_name if they pass either emoji_code or reaction_type.",
        ),
        (
            json!({"away": true, "reaction_type": "unicode_emoji"}),
            "Client must pass emoji_name if they pass either emoji_code or reaction_type.",
        ),
        (json!({"emoji_name": "no_such"}), "Emoji 'no_such' does not exist"),
        (json!({"emoji_name": "tada", "emoji_code": "1f419"}), "Invalid emoji name."),
        (json!({"emoji_name": "tada", "emoji_code": "zzz"}), "Invalid emoji code"),
        (
            json!({"emoji_name": "red_check", "emoji_code": "2", "reaction_type": "realm_emoji"}),
            "This custom emoji has been deactivated.",
        ),
    ] {
        mel.post("/users/me/status", params).await.with_status(400).error("BAD_REQUEST", text);
    }
    mel.post("/users/me/status", json!({"away": 1})).await.error("BAD_REQUEST", "away is not a boolean");
    events.none().await;
    // 60 characters count, not bytes.
    mel.post("/users/me/status", json!({"status_text": "ü".repeat(60)})).await.is(json!({}));
}

#[tokio::test]
async fn administrators_set_the_status_of_others() {
    let server = TestServer::start().await;
    let [adam, mel, max, mona] = server.users(["adam", "mel", "max", "mona"]);
    let mut events = max.events(["user_status"]).await;
    let path = format!("/users/{}/status", mel.id());

    for user in [&max, &mona, &mel] {
        let refused = user.post(&path, json!({"status_text": "Hacked"})).await;
        refused.error("BAD_REQUEST", "Insufficient permission");
    }
    adam.post(&path, json!({})).await.error("BAD_REQUEST", "Client did not pass any new values.");
    events.none().await;

    let reply = adam.post(&path, json!({"status_text": "On holiday", "away": true})).await;
    reply.is(json!({"ignored_parameters_unsupported": ["away"]}));
    events.next().await.is(json!({"type": "user_status", "user_id": mel.id(), "status_text": "On holiday"}));
    assert_eq!(status_of(&max, &mel).await, json!({"status_text": "On holiday"}));
}

#[tokio::test]
async fn bots_have_no_status() {
    let server = TestServer::start().await;
    let bot = server.user("build-bot");

    let refused = bot.post("/users/me/status", json!({"status_text": "Building"})).await;
    refused.error("BAD_REQUEST", "This endpoint does not accept bot requests.");
}

#[tokio::test]
async fn a_limited_guest_gets_events_of_those_they_know() {
    let server = TestServer::start().await;
    let [gus, mel, nora] = server.users(["gus", "mel", "nora"]);
    limit_guests(&server, &nora).await;
    let mut events = gus.events(["user_status"]).await;

    nora.post("/users/me/status", json!({"status_text": "Unseen"})).await.is(json!({}));
    mel.post("/users/me/status", json!({"status_text": "Seen"})).await.is(json!({}));

    events.next().await.has(json!({"user_id": mel.id()}));
    events.none().await;
    let refused = gus.get(&format!("/users/{}/status", nora.id()), json!({})).await;
    refused.error("BAD_REQUEST", "Insufficient permission");
}

/// Guests may know only users who share a channel with them; this user shares none.
pub async fn limit_guests(server: &TestServer, user: &User) {
    server.allow("can_access_all_users_group", SystemGroup::Members).await;
    user.delete("/users/me/subscriptions", json!({"subscriptions": ["general"]})).await.success();
}
