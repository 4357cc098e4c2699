//! Users, their roles and names, their devices.

use super::{Age, control};
use crate::push::{TOKEN_ID, device, key_group, register, token_group};
use crate::support::TestServer;
use serde_json::json;

#[tokio::test]
async fn bots_were_not_muted_before_188() {
    let server = TestServer::start().await;
    let [before, after] = Age::around(&server, 188).await;
    let path = format!("/users/me/muted_users/{}", server.user("build-bot").id());

    before.user("mel").post(&path, json!({})).await.error("BAD_REQUEST", "No such user");
    after.user("mel").post(&path, json!({})).await.success();
}

#[tokio::test]
async fn subscriptions_and_groups_of_bots_were_not_sent_before_458() {
    let server = TestServer::start().await;
    let (bot, general) = (server.user("build-bot").id(), server.channel("general"));
    let groups = server.user("mel").get("/user_groups", json!({})).await.success();
    let group = groups["user_groups"][0]["id"].clone();
    let [before, after] = Age::around(&server, 458).await;
    for path in [
        format!("/users/{bot}/channels"),
        format!("/users/{bot}/subscriptions/{general}"),
        format!("/user_groups/{group}/members/{bot}"),
    ] {
        before.user("mel").get(&path, json!({})).await.error("BAD_REQUEST", "No such user");
        after.user("mel").get(&path, json!({})).await.success();
    }
}

#[tokio::test]
async fn some_texts_were_json() {
    let server = TestServer::start().await;
    let user = format!("/users/{}", server.user("max").id());
    let channel = format!("/streams/{}", server.channel("general"));
    for (level, path, name) in [(106, &user, "full_name"), (64, &channel, "new_name"), (64, &channel, "description")] {
        let [before, after] = Age::around(&server, level).await;
        let (old, new) = (before.user("olive"), after.user("olive"));
        old.patch(path, json!({name: "plain"})).await.error("BAD_REQUEST", &super::recorded::not_json(0, name));
        old.patch(path, json!({name: "7"})).await.error("BAD_REQUEST", &format!("{name} is not a string"));
        old.patch(path, json!({name: "\"quoted\""})).await.success();
        new.patch(path, json!({name: "plain"})).await.success();
    }
    let age = Age::at(&server, 105).await;
    age.user("olive").patch(&user, json!({"full_name": "\"Maxine\""})).await.success();
    assert_eq!(age.user("max").get("/users/me", json!({})).await.success()["full_name"], "Maxine");
}

#[tokio::test]
async fn there_were_no_moderators_before_60() {
    let server = TestServer::start().await;
    let (mona, max) = (server.user("mona").id(), server.user("max").id());
    for (level, role) in [(59, 400), (60, 300)] {
        let age = Age::at(&server, level).await;
        let olive = age.user("olive");
        let shown = olive.get(&format!("/users/{mona}"), json!({})).await.success();
        assert_eq!(shown["user"]["role"], role, "at {level}");
        let reply = olive.patch(&format!("/users/{max}"), json!({"role": 300})).await;
        if level == 59 {
            reply.error("BAD_REQUEST", "Invalid role");
        } else {
            reply.success();
        }
    }
}

#[tokio::test]
async fn roles_were_booleans_before_7() {
    let server = TestServer::start().await;
    let path = format!("/users/{}", server.user("max").id());
    let age = Age::at(&server, 6).await;
    let mut events = age.user("mel").events(["realm_user"]).await;
    for (params, is_admin, is_guest) in [
        (json!({"is_admin": true}), true, false),
        (json!({"is_admin": false}), false, false),
        (json!({"is_guest": true}), false, true),
    ] {
        age.user("olive").patch(&path, params).await.success();
        let event = events.next().await.has(json!({"person": {"is_admin": is_admin, "is_guest": is_guest}}));
        assert!(event["person"].get("role").is_none() && event["person"]["email"] == "max@chat.test", "{event}");
    }
    let after = Age::at(&server, 7).await;
    let mut events = after.user("mel").events(["realm_user"]).await;
    after.user("olive").patch(&path, json!({"role": 600})).await.success();
    events.next().await.has(json!({"person": {"role": 600}}));
}

#[tokio::test]
async fn presence_was_requested_by_address_before_43() {
    let server = TestServer::start().await;
    let mel = server.user("mel").id();
    let [before, after] = Age::around(&server, 43).await;
    for path in [format!("/users/{mel}/presence"), "/users/mel%40chat.test/presence".to_owned()] {
        after.user("max").get(&path, json!({})).await.success();
        let reply = before.user("max").get(&path, json!({})).await;
        assert_eq!(reply.status == 200, path.contains('%'), "{reply}");
    }
    let reply = before.user("max").get(&format!("/users/{mel}/presence"), json!({})).await;
    reply.error("BAD_REQUEST", "No such user");
}

#[tokio::test]
async fn administrators_created_users_before_36() {
    let server = crate::users::server_where("adam", false).await;
    let [before, after] = Age::around(&server, 36).await;
    let zoe = json!({"email": "zoe@chat.test", "full_name": "Zoe", "password": "zoe-password-7421"});

    before.user("adam").post("/users", zoe.clone()).await.success();
    after.user("adam").post("/users", zoe).await.error("BAD_REQUEST", "User not authorized to create users");
}

#[tokio::test]
async fn owners_of_bots_were_addresses() {
    let server = TestServer::start().await;
    let bot = server.user("build-bot").id();
    for (level, in_bots, in_users) in
        [(0, "owner", "bot_owner"), (4, "owner", "bot_owner_id"), (5, "owner_id", "bot_owner_id")]
    {
        let age = Age::at(&server, level).await;
        let max = age.user("max").id();
        let mut events = age.user("olive").events(["realm_bot", "realm_user"]).await;
        let path = format!("/bots/{bot}");
        age.user("olive").patch(&path, json!({"bot_owner_id": max})).await.success();

        let received = events.all().await;
        let value = |key: &str| if key.ends_with("id") { json!(max) } else { json!("max@chat.test") };
        let find = |kind: &str, inner: &str, key: &str| {
            let event = received.iter().find(|event| event["type"] == kind && event["op"] == "update");
            event.map(|event| event[inner].get(key).cloned()).expect("an event")
        };
        assert_eq!(find("realm_user", "person", in_users), Some(value(in_users)), "at {level}");
        assert_eq!(find("realm_bot", "bot", in_bots), Some(value(in_bots)), "at {level}");
    }
}

#[tokio::test]
async fn rate_limits_had_no_code_before_36() {
    let server = TestServer::start().await;
    for (level, code) in [(35, None), (36, Some("RATE_LIMIT_HIT"))] {
        let age = Age::at(&server, level).await;
        let rule = json!({"effect": {"rate_limit": {"retry_after": 7}}});
        control(&server, &format!("/control/worlds/{}/faults", age.name), &rule).await;
        for path in ["/users/me", "/no/such/path"] {
            let reply = age.user("mel").get(path, json!({})).await.with_status(429);
            let mut expected = json!({"result": "error", "msg": "API usage exceeded rate limit", "retry-after": 7});
            if let Some(code) = code {
                expected["code"] = code.into();
            }
            assert_eq!(reply.body, expected, "{path} at {level}");
        }
    }
}

#[tokio::test]
async fn legacy_tokens_stayed_after_registration_before_483() {
    let server = TestServer::start().await;
    let [before, after] = Age::around(&server, 483).await;
    for (age, stays) in [(&before, true), (&after, false)] {
        let mel = age.user("mel");
        mel.post("/users/me/android_gcm_reg_id", json!({"token": "c0ffee"})).await.success();
        let id = device(&mel).await;
        register(&mel, id, &[key_group(1), token_group(TOKEN_ID)]).await.success();
        let reply = mel.post("/mobile_push/test_notification", json!({"token": "c0ffee"})).await;
        assert_eq!(reply.status == 200, stays, "{reply}");
    }
}

#[tokio::test]
async fn new_api_keys_kept_devices_before_492() {
    let server = TestServer::start().await;
    for (level, stays) in [(491, true), (492, false)] {
        let mel = Age::at(&server, level).await.user("mel");
        let id = device(&mel).await;
        let key = mel.post("/users/me/api_key/regenerate", json!({})).await.success()["api_key"].clone();
        let mel = mel.with_key(key.as_str().expect("a key"));
        let devices = mel.register(json!({})).await.state["devices"].clone();
        assert_eq!(devices.get(id.to_string()).is_some(), stays, "at {level}: {devices}");
    }
}

#[tokio::test]
async fn inviting_owners_was_unauthorized_before_417() {
    let server = TestServer::start().await;
    let [before, after] = Age::around(&server, 417).await;
    let owner = json!({"invitee_emails": "new@chat.test", "stream_ids": [], "invite_as": 100});
    for (age, code) in [(before, "UNAUTHORIZED_PRINCIPAL"), (after, "BAD_REQUEST")] {
        let reply = age.user("adam").post("/invites", owner.clone()).await;
        reply.error(code, "Must be an organization owner");
    }
}

#[tokio::test]
async fn moderators_invited_no_moderators_before_443() {
    let server = TestServer::start().await;
    let [before, after] = Age::around(&server, 443).await;
    let moderator = json!({"invitee_emails": "new@chat.test", "stream_ids": [], "invite_as": 300});
    let reply = before.user("mona").post("/invites", moderator.clone()).await;
    reply.error("BAD_REQUEST", "Must be an organization administrator");
    before.user("adam").post("/invites", moderator.clone()).await.success();
    after.user("mona").post("/invites", moderator).await.success();
}

#[tokio::test]
async fn partial_invitations_were_not_announced_before_256() {
    let server = TestServer::start().await;
    for (age, is_sent) in Age::around(&server, 256).await.iter().zip([false, true]) {
        let olive = age.user("olive");
        let mut events = olive.events(["invites_changed"]).await;
        let invites = json!({"invitee_emails": "new@chat.test, mel@chat.test", "stream_ids": []});
        assert_eq!(olive.post("/invites", invites).await.status, 400);
        assert_eq!(events.all().await.len(), usize::from(is_sent));
        let listed = olive.get("/invites", json!({})).await.success();
        let mut listed = listed["invites"].as_array().expect("a list").iter();
        assert!(listed.any(|invite| invite["email"] == "new@chat.test"));
    }
}

#[tokio::test]
async fn unknown_ids_led_to_the_avatar_service_before_318() {
    let server = TestServer::start().await;
    let urls = [
        "https://secure.gravatar.com/avatar/b706835de79a2b4e80506f582af3676a?v=1",
        "/static/images/unknown-user-avatar.png?v=1",
    ];
    for (age, url) in Age::around(&server, 318).await.iter().zip(urls) {
        let picture = age.user("max").get("/avatar/999", json!({})).await.with_status(302);
        assert!(picture.header("location").is_some_and(|location| location.ends_with(url)), "{picture}");
    }
}
