//! What changed between servers that were recorded at 247 and 387, and what the newest has otherwise than both.

use super::Age;
use crate::support::TestServer;
use serde_json::{Value, json};

#[tokio::test]
async fn replies_about_flags_always_named_ignored_channels_before_497() {
    let server = TestServer::start().await;
    for (level, ignored) in [(354, Value::Null), (355, json!([])), (496, json!([])), (497, Value::Null)] {
        let mel = Age::at(&server, level).await.user("mel");
        let star = json!({"op": "add", "flag": "starred", "messages": []});
        let reply = mel.post("/messages/flags", star).await.success();
        assert_eq!(reply["ignored_because_not_subscribed_channels"], ignored, "at {level}");
    }
}

#[tokio::test]
async fn new_holders_of_a_permission_were_returned_as_given_before_497() {
    let server = TestServer::start().await;
    let mel = server.user("mel").id();
    for (level, count) in [(496, 2), (497, 1)] {
        let olive = Age::at(&server, level).await.user("olive");
        let group = json!({"new": {"direct_members": [mel, mel], "direct_subgroups": []}});
        let reply = olive.patch("/realm", json!({"can_create_groups": group})).await.success();
        assert_eq!(reply["can_create_groups"]["direct_members"], json!(vec![mel; count]), "at {level}");
    }
}

#[tokio::test]
async fn the_edit_history_policy_is_returned_as_a_number_from_358_on() {
    let server = TestServer::start().await;
    let olive = Age::at(&server, 358).await.user("olive");
    for (word, number) in [("all", 1), ("moves", 2), ("none", 3), ("none", 3)] {
        let policy = json!({"message_edit_history_visibility_policy": word});
        let expected = json!({"message_edit_history_visibility_policy": number});
        olive.patch("/realm", policy).await.is(expected);
    }
    let before = Age::at(&server, 357).await.user("olive");
    before.patch("/realm", json!({"allow_edit_history": true})).await.is(json!({}));
}

#[tokio::test]
async fn active_bots_are_not_reactivated_from_248_on() {
    let server = TestServer::start().await;
    let bot = server.user("build-bot");
    let [before, after] = Age::around(&server, 248).await;
    let path = format!("/users/{}/reactivate", bot.id());
    before.user("olive").post(&path, json!({})).await.success();
    let refused = after.user("olive").post(&path, json!({})).await.with_status(400);
    let text = refused.body["msg"].as_str().unwrap_or_default();
    assert!(text.starts_with("There is already an active bot named"), "{text}");
}

#[tokio::test]
async fn an_address_is_found_by_those_whose_role_may_see_it() {
    let server = TestServer::start().await;
    server.user("mel").patch("/settings", json!({"email_address_visibility": 3})).await.success();
    let path = "/users/mel@chat.test";
    for level in [302, 387, 497] {
        let age = Age::at(&server, level).await;
        age.user("mel").get(path, json!({})).await.error("BAD_REQUEST", "No such user");
        age.user("adam").get(path, json!({})).await.success();
    }
}

#[tokio::test]
async fn all_administrators_learn_of_exports_from_295_on() {
    let server = TestServer::start().await;
    let [before, after] = Age::around(&server, 295).await;
    for (age, is_sent) in [(before, false), (after, true)] {
        let mut queue = age.user("adam").events(["realm_export"]).await;
        age.user("olive").post("/export/realm", json!({})).await.success();
        assert_eq!(!queue.all().await.is_empty(), is_sent);
    }
}

#[tokio::test]
async fn times_of_exports_had_fractions_before_299() {
    let server = TestServer::start().await;
    server.user("olive").post("/export/realm", json!({})).await.success();
    let [before, after] = Age::around(&server, 299).await;
    for (age, is_whole) in [(before, false), (after, true)] {
        let reply = age.user("olive").get("/export/realm", json!({})).await.success();
        assert_eq!(reply["exports"][0]["export_time"].is_i64(), is_whole, "{reply:#}");
    }
}

#[tokio::test]
async fn emoji_are_named_as_pictures_from_270_on() {
    let server = TestServer::start().await;
    let pixel = b"GIF89a\x01\0\x01\0\x80\0\0\0\0\0\xff\xff\xff,\0\0\0\0\x01\0\x01\0\0\x02\x02D\x01\0;";
    let [before, after] = Age::around(&server, 270).await;
    let path = "/realm/emoji/dot";
    before.user("olive").upload(path, "pixel.gif", "application/octet-stream", pixel).await.success();
    let refused = after.user("olive").upload(path, "pixel.gif", "application/octet-stream", pixel).await;
    refused.error("BAD_IMAGE", "Invalid image format");
    after.user("olive").upload(path, "pixel.gif", "image/gif", pixel).await.success();
}

#[tokio::test]
async fn names_of_groups_are_trimmed_from_388_on() {
    let server = TestServer::start().await;
    let [before, after] = Age::around(&server, 388).await;
    for (age, name) in [(before, " crew "), (after, "crew")] {
        let olive = age.user("olive");
        let group = json!({"name": " crew ", "description": "", "members": []});
        let id = olive.post("/user_groups/create", group).await.success()["group_id"].take();
        let groups = olive.get("/user_groups", json!({})).await.success();
        let groups = groups["user_groups"].as_array().expect("a list");
        let created = groups.iter().find(|group| group["id"] == id).expect("it was made");
        assert_eq!(created["name"], name);
        let blank = json!({"name": "  ", "description": "", "members": []});
        olive.post("/user_groups/create", blank).await.error("BAD_REQUEST", "User group name can't be empty!");
    }
}

#[tokio::test]
async fn numbers_of_policies_stay_among_those_that_they_had() {
    let server = TestServer::start().await;
    let olive = Age::at(&server, 387).await.user("olive");
    for group in ["role:owners", "role:nobody"] {
        let groups = olive.get("/user_groups", json!({})).await.success();
        let groups = groups["user_groups"].as_array().expect("a list");
        let id = &groups.iter().find(|row| row["name"] == group).expect("a system group")["id"];
        olive.patch("/realm", json!({"can_create_public_channel_group": {"new": id}})).await.success();
        let state = olive.register(json!({"fetch_event_types": ["realm"]})).await.state;
        assert_eq!(state["realm_create_public_stream_policy"], 1, "{group}");
    }
}

#[tokio::test]
async fn summaries_need_a_model() {
    let server = TestServer::start().await;
    let path = "/messages/summary";
    let [before, after] = Age::around(&server, 350).await;
    let _ = before.user("mel").get(path, json!({})).await.with_status(404);
    let mel = after.user("mel");
    mel.get(path, json!({})).await.error("BAD_REQUEST", "AI features are not enabled on this server.");
    mel.get(path, json!({"narrow": "{}"})).await.error("BAD_REQUEST", "narrow is not a list");
}

#[tokio::test]
async fn taken_subdomains_were_reported_without_a_verb_before_361() {
    let server = TestServer::start_in(|fixture| fixture["organization"]["subdomain"] = "double".into()).await;
    let [before, after] = Age::around(&server, 361).await;
    for (age, text) in [(before, "Subdomain already in use."), (after, "Subdomain is already in use.")] {
        let reply = age.anonymous().get("/realm/subdomain/double", json!({})).await.with_status(200);
        let said = reply.body["msg"].as_str().unwrap_or_default();
        assert!(said.starts_with(text), "{said}");
    }
}

#[tokio::test]
async fn permissions_are_looked_at_where_no_channel_is_made() {
    let server = TestServer::start().await;
    for level in [387, 497] {
        let olive = Age::at(&server, level).await.user("olive");
        let params = json!({"subscriptions": [{"name": "general"}], "can_remove_subscribers_group": 999});
        olive.post("/users/me/subscriptions", params).await.error("BAD_REQUEST", "Invalid user group");
    }
}

#[tokio::test]
async fn names_had_two_characters_before_388() {
    let server = TestServer::start().await;
    let [before, after] = Age::around(&server, 388).await;
    let bot = json!({"full_name": "b", "short_name": "b"});
    before.user("olive").post("/bots", bot.clone()).await.error("BAD_REQUEST", "Name too short!");
    after.user("olive").post("/bots", bot).await.success();
}
