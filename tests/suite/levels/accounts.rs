//! Users, bots, logging in, presence, invitations.

use super::Age;
use crate::support::TestServer;
use serde_json::{Value, json};

#[tokio::test]
async fn presence_had_other_fields() {
    let server = TestServer::start().await;
    for (level, keys) in [
        (497, vec!["active_timestamp", "idle_timestamp", "website", "aggregated"]),
        (496, vec!["active_timestamp", "idle_timestamp"]),
        (487, vec!["active_timestamp", "idle_timestamp"]),
        (486, vec!["website", "aggregated"]),
    ] {
        let reply = Age::at(&server, level).await.user("mel").get("/users/1/presence", json!({})).await.success();
        let found: Vec<&String> = reply["presence"].as_object().expect("an object").keys().collect();
        assert_eq!(found, keys, "at {level}");
        assert_eq!(reply.get("server_timestamp").is_some(), level == 497);
    }
}

#[tokio::test]
async fn human_users_had_a_storage_before_494() {
    let server = TestServer::start().await;
    let [before, after] = Age::around(&server, 494).await;
    let storage = json!({"storage": {"colour": "red"}});

    before.user("mel").put("/bot_storage", storage.clone()).await.success();
    before.user("mel").get("/bot_storage", json!({})).await.is(json!({"storage": {"colour": "red"}}));
    before.user("build-bot").put("/bot_storage", storage.clone()).await.success();
    let reply = after.user("mel").put("/bot_storage", storage).await.with_status(403);
    reply.error("PERMISSION_DENIED", "This endpoint is only available to bots.");
}

#[tokio::test]
async fn the_first_login_moved_no_date_before_475() {
    let server = TestServer::start().await;
    for (level, joined) in [(474, "2025-11-22T12:00+00:00"), (475, "2026-01-01T12:00+00:00")] {
        let age = Age::at(&server, level).await;
        let mut events = age.user("mel").events(["realm_user"]).await;
        age.anonymous().post("/dev_fetch_api_key", json!({"username": "ivy@chat.test"})).await.success();

        let ivy = age.user("ivy").get("/users/me", json!({})).await.success();
        assert_eq!((&ivy["date_joined"], &ivy["is_imported_stub"]), (&json!(joined), &json!(false)), "at {level}");
        events.next().await.has(json!({"person": {"is_imported_stub": false}}));
        assert_eq!(events.all().await.len(), usize::from(level == 475));
    }
}

#[tokio::test]
async fn bots_set_no_statuses_before_473() {
    let server = TestServer::start().await;
    let [before, after] = Age::around(&server, 473).await;
    let bot = before.user("build-bot").id();
    let (path, status) = (format!("/users/{bot}/status"), json!({"status_text": "busy"}));

    let message = "This endpoint does not accept bot requests.";
    before.user("build-bot").post(&path, status.clone()).await.error("BAD_REQUEST", message);
    let reply = after.user("build-bot").post(&path, status).await;
    assert_ne!(reply.body["msg"], message);
}

#[tokio::test]
async fn statuses_were_texts_before_86() {
    let server = TestServer::start().await;
    let adam = server.user("adam").id().to_string();
    for (level, status) in [(85, None), (86, Some("calendar"))] {
        let age = Age::at(&server, level).await;
        age.user("adam").post("/users/me/status", json!({"status_text": ""})).await.success();
        let state = age.user("mel").register(json!({"fetch_event_types": ["user_status"]})).await.state;
        let shown = state["user_status"].get(&adam).map(|status| status["emoji_name"].clone());
        assert_eq!(shown, status.map(Into::into), "at {level}");
    }
}

#[tokio::test]
async fn spectators_did_not_list_users_before_387() {
    let server = TestServer::start().await;
    let [before, after] = Age::around(&server, 387).await;

    let _ = before.anonymous().get("/users", json!({})).await.with_status(401);
    after.anonymous().get("/users", json!({})).await.success();
}

#[tokio::test]
async fn is_moderator_was_only_for_moderators_before_380() {
    let server = TestServer::start().await;
    for (level, who, expected) in [(379, "olive", false), (379, "mona", true), (380, "olive", true)] {
        let state = Age::at(&server, level).await.user(who).register(json!({})).await.state;
        assert_eq!(state["is_moderator"], expected, "{who} at {level}");
    }
}

#[tokio::test]
async fn users_were_found_only_by_api_email_before_302() {
    let server = TestServer::start().await;
    let [before, after] = Age::around(&server, 302).await;
    let gus = before.user("gus").id();
    let (real, dummy) = ("/users/gus%40chat.test", format!("/users/user{gus}%40chat.test"));
    let mel = before.user("mel").id();
    let dummy_of_mel = format!("/users/user{mel}%40chat.test");

    for age in [&before, &after] {
        age.user("olive").get(&dummy, json!({})).await.success();
        age.user("olive").get("/users/mel%40chat.test", json!({})).await.success();
    }
    for path in [real, &dummy_of_mel] {
        before.user("olive").get(path, json!({})).await.error("BAD_REQUEST", "No such user");
        after.user("olive").get(path, json!({})).await.success();
    }
}

#[tokio::test]
async fn appid_could_be_left_out_before_223() {
    let server = TestServer::start().await;
    let [before, after] = Age::around(&server, 223).await;
    let token = json!({"token": "ab12"});

    before.user("mel").post("/users/me/platform_device_token", token.clone()).await.success();
    let reply = after.user("mel").post("/users/me/platform_device_token", token).await;
    reply.error("REQUEST_VARIABLE_MISSING", "Missing 'appid' argument");
}

#[tokio::test]
async fn deactivation_was_a_removal_before_222() {
    let server = TestServer::start().await;
    let [before, after] = Age::around(&server, 222).await;
    let nora = before.user("nora").id();
    for age in [&before, &after] {
        let mut events = age.user("mel").events(["realm_user"]).await;
        age.user("olive").delete(&format!("/users/{nora}"), json!({})).await.success();
        age.user("olive").post(&format!("/users/{nora}/reactivate"), json!({})).await.success();
        let (gone, back) = (events.next().await.0, events.next().await.0);

        if std::ptr::eq(age, &before) {
            let person = json!({"user_id": nora, "full_name": "Nora Novak"});
            assert_eq!((&gone["op"], &gone["person"]), (&json!("remove"), &person));
            assert_eq!((&back["op"], &back["person"]["full_name"]), (&json!("add"), &json!("Nora Novak")));
            assert!(back["person"].get("is_imported_stub").is_none());
        } else {
            assert_eq!((&gone["op"], &gone["person"]["is_active"]), (&json!("update"), &json!(false)));
            assert_eq!((&back["op"], &back["person"]["is_active"]), (&json!("update"), &json!(true)));
        }
    }
}

#[tokio::test]
async fn hidden_addresses_were_left_out_before_163() {
    let server = TestServer::start().await;
    let [before, after] = Age::around(&server, 163).await;
    let gus = format!("/users/{}", before.user("gus").id());

    let user = |reply: Value| reply["user"].clone();
    let hidden = user(before.user("mel").get(&gus, json!({})).await.success());
    assert!(hidden.get("delivery_email").is_none() && hidden.get("full_name").is_some());
    let shown = user(before.user("olive").get(&gus, json!({})).await.success());
    assert_eq!(shown["delivery_email"], "gus@chat.test");
    let hidden = user(after.user("mel").get(&gus, json!({})).await.success());
    assert_eq!(hidden.get("delivery_email"), Some(&Value::Null));
}

#[tokio::test]
async fn client_gravatar_was_off_before_92() {
    let server = TestServer::start().await;
    for (level, is_null) in [(91, false), (92, true)] {
        let mel = Age::at(&server, level).await.user("mel");
        for (path, pointer) in [("/users", "/members/0"), ("/users/1", "/user"), ("/users/olive%40chat.test", "/user")]
        {
            let reply = mel.get(path, json!({})).await.success();
            assert_eq!(reply.pointer(pointer).expect("a user")["avatar_url"].is_null(), is_null, "{path} at {level}");
        }
        let range = json!({"anchor": "oldest", "num_before": 0, "num_after": 1});
        let reply = mel.get("/messages", range).await.success();
        assert_eq!(reply["messages"][0]["avatar_url"].is_null(), is_null, "at {level}");
        let state = mel.register(json!({})).await.state;
        assert_eq!(state["realm_users"][0]["avatar_url"].is_null(), is_null, "at {level}");
    }
}

#[tokio::test]
async fn deactivated_accounts_got_403_before_76() {
    let server = TestServer::start().await;
    for (level, status, code) in [(75, 403, "USER_DEACTIVATED"), (76, 401, "UNAUTHORIZED")] {
        let dana = Age::at(&server, level).await.user("dana");
        let reply = dana.get("/users/me", json!({})).await.with_status(status);
        reply.error(code, "Account is deactivated");
    }
}

#[tokio::test]
async fn deactivated_organizations_got_403_before_76() {
    let server = TestServer::start().await;
    server.user("olive").post("/realm/deactivate", json!({})).await.success();
    for (level, status, code) in [(75, 403, "REALM_DEACTIVATED"), (76, 401, "UNAUTHORIZED")] {
        let mel = Age::at(&server, level).await.user("mel");
        let reply = mel.get("/users/me", json!({})).await.with_status(status);
        reply.error(code, "This organization has been deactivated");
    }
}

#[tokio::test]
async fn wrong_passwords_got_403_before_76() {
    let server = TestServer::start().await;
    for (level, status) in [(75, 403), (76, 401)] {
        let age = Age::at(&server, level).await;
        let login = json!({"username": "mel@chat.test", "password": "wrong"});
        let reply = age.anonymous().post("/fetch_api_key", login).await.with_status(status);
        reply.error("AUTHENTICATION_FAILED", "Your username or password is incorrect");
    }
}

#[tokio::test]
async fn disabled_password_logins_got_403_before_76() {
    let server = TestServer::start().await;
    server.user("olive").patch("/realm", json!({"authentication_methods": {"Email": false}})).await.success();
    for (level, status) in [(75, 403), (76, 401)] {
        let login = json!({"username": "mel@chat.test", "password": "mel-password-7421"});
        let reply = Age::at(&server, level).await.anonymous().post("/fetch_api_key", login).await.with_status(status);
        reply.error("PASSWORD_AUTH_DISABLED", "Password authentication is disabled in this organization");
    }
}

#[tokio::test]
async fn invitation_links_were_for_administrators_before_209() {
    let server = TestServer::start().await;
    let [before, after] = Age::around(&server, 209).await;

    let reply = before.user("mel").post("/invites/multiuse", json!({})).await;
    reply.error("UNAUTHORIZED_PRINCIPAL", "Must be an organization administrator");
    before.user("adam").post("/invites/multiuse", json!({})).await.success();
    after.user("mel").post("/invites/multiuse", json!({})).await.success();

    server.user("mel").post("/invites/multiuse", json!({})).await.success();
    for (level, is_listed) in [(208, false), (209, true)] {
        let listed = Age::at(&server, level).await.user("mel").get("/invites", json!({})).await.success();
        let mut listed = listed["invites"].as_array().expect("a list").iter();
        assert_eq!(listed.any(|invite| invite["is_multiuse"] == true), is_listed, "at {level}");
    }
}

#[tokio::test]
async fn only_administrators_got_invites_changed_before_209() {
    let server = TestServer::start().await;
    for (level, is_sent) in [(208, false), (209, true)] {
        let age = Age::at(&server, level).await;
        let mut at_mel = age.user("mel").events(["invites_changed"]).await;
        let mut at_adam = age.user("adam").events(["invites_changed"]).await;
        let invitation = json!({"invitee_emails": "new@chat.test", "stream_ids": [server.channel("general")]});
        age.user("mel").post("/invites", invitation).await.success();
        at_adam.next().await.is(json!({"type": "invites_changed"}));
        assert_eq!(at_mel.all().await.len(), usize::from(is_sent), "at {level}");
    }
}

#[tokio::test]
async fn invitations_required_channels() {
    let server = TestServer::start().await;
    for (level, is_needed) in [(156, true), (157, false), (158, false), (159, true), (179, true), (180, false)] {
        let invite = json!({"invitee_emails": "new@chat.test", "stream_ids": []});
        let reply = Age::at(&server, level).await.user("olive").post("/invites", invite).await;
        let expected = if is_needed { "stream_ids names no channel" } else { "" };
        assert_eq!(reply.body["msg"], expected, "at {level}");
    }
}

/// When the newest link expires, in days from now.
async fn expiry(age: &Age<'_>, params: Value) -> Option<i64> {
    let olive = age.user("olive");
    olive.post("/invites/multiuse", params).await.success();
    let invites = olive.get("/invites", json!({})).await.success();
    let newest = invites["invites"]
        .as_array()
        .expect("a list")
        .iter()
        .max_by_key(|one| (one["is_multiuse"].as_bool(), one["id"].as_i64()));
    let newest = newest.expect("a link was made");
    newest["expiry_date"].as_i64().map(|at| (at - newest["invited"].as_i64().unwrap_or_default()) / 86_400)
}

#[tokio::test]
async fn invitations_had_fewer_roles() {
    let server = TestServer::start().await;
    let [before, after] = Age::around(&server, 61).await;
    let moderator = json!({"invite_as": 300});

    let message = "Invalid invite_as";
    before.user("olive").post("/invites/multiuse", moderator.clone()).await.error("BAD_REQUEST", message);
    after.user("olive").post("/invites/multiuse", moderator).await.success();

    let [before, after] = Age::around(&server, 20).await;
    let owner = json!({"invite_as": 100});
    before.user("olive").post("/invites/multiuse", owner.clone()).await.error("BAD_REQUEST", message);
    after.user("olive").post("/invites/multiuse", owner).await.success();
}

#[tokio::test]
async fn invitations_expired_in_days_before_126() {
    let server = TestServer::start().await;
    let [before, after] = Age::around(&server, 126).await;
    let (days, minutes) = (json!({"invite_expires_in_days": 3}), json!({"invite_expires_in_minutes": 4320}));

    assert_eq!(expiry(&before, days.clone()).await, Some(3));
    assert_eq!(expiry(&before, minutes.clone()).await, Some(10));
    assert_eq!(expiry(&before, json!({"invite_expires_in_days": null})).await, None);
    assert_eq!(expiry(&after, days.clone()).await, Some(10));
    assert_eq!(expiry(&after, minutes).await, Some(3));
    for (value, message) in [
        (json!("x"), "Argument \"invite_expires_in_days\" is not valid JSON."),
        (json!([]), "invite_expires_in_days is not an integer"),
        (json!(0), "invite_expires_in_days is too small"),
    ] {
        let reply = before.user("olive").post("/invites/multiuse", json!({"invite_expires_in_days": value})).await;
        reply.error("BAD_REQUEST", message);
    }
}

#[tokio::test]
async fn invitations_always_expired_before_117() {
    let server = TestServer::start().await;
    let [before, after] = Age::around(&server, 117).await;
    let never = json!({"invite_expires_in_days": null});

    let reply = before.user("olive").post("/invites/multiuse", never.clone()).await;
    reply.error("BAD_REQUEST", "invite_expires_in_days is not an integer");
    assert_eq!(expiry(&after, never).await, None);
}

#[tokio::test]
async fn nobody_chose_when_invitations_expire_before_96() {
    let server = TestServer::start().await;
    let [before, after] = Age::around(&server, 96).await;
    let days = json!({"invite_expires_in_days": 3});

    assert_eq!(expiry(&before, days.clone()).await, Some(10));
    assert_eq!(expiry(&after, days).await, Some(3));
}

#[tokio::test]
async fn names_had_no_invisible_characters_before_284() {
    let server = TestServer::start().await;
    let [before, after] = Age::around(&server, 284).await;
    for name in ["A\u{202e}B", "A\u{feff}B", "A\u{ad}B", "A\u{e000}B", "A\u{200d}B"] {
        let named = || json!({"full_name": name});
        let own = before.user("mel").patch("/settings", named()).await;
        own.error("BAD_REQUEST", "Invalid characters in name!");
        after.user("mel").patch("/settings", named()).await.success();
        let user = json!({"email": format!("{}@chat.test", name.chars().nth(1).map_or(0, u32::from)), "full_name": name, "password": "correct horse battery 77"});
        before.user("olive").post("/users", user.clone()).await.error("BAD_REQUEST", "Invalid characters in name!");
        after.user("olive").post("/users", user).await.success();
    }
    for name in ["A\u{7}B", "A\u{fdd0}B"] {
        for age in [&before, &after] {
            let refused = age.user("mel").patch("/settings", json!({"full_name": name})).await;
            refused.error("BAD_REQUEST", "Invalid characters in name!");
        }
    }
}
