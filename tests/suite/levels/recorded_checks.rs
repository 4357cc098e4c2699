//! In which order a server of level 247 looked at requests, and what it said where it refused them.

use super::{Age, send_old};
use crate::support::TestServer;
use chatdouble::api::NEWEST_FEATURE_LEVEL;
use serde_json::json;

const SINCE: i64 = 248;

#[tokio::test]
async fn switches_of_a_registration_were_read_before_capabilities() {
    let server = TestServer::start().await;
    let [before, after] = Age::at_both(&server, 247, NEWEST_FEATURE_LEVEL).await;
    let params = json!({"client_capabilities": "{}", "slim_presence": "x"});
    let message = "Argument \"slim_presence\" is not valid JSON.";
    before.user("mel").post("/register", params.clone()).await.error("BAD_REQUEST", message);
    after.user("mel").post("/register", params).await.error("BAD_REQUEST", "slim_presence is not valid JSON");
}

#[tokio::test]
async fn refusals_of_posting_said_who_may_post() {
    let server = TestServer::start().await;
    let [oldest, before] = Age::at_both(&server, 247, 332).await;
    for (age, word) in [(oldest, "stream"), (before, "channel")] {
        let olive = age.user("olive");
        let public = json!({"subscriptions": [{"name": "press"}], "is_web_public": true});
        olive.post("/users/me/subscriptions", public).await.success();
        let id = olive.get("/get_stream_id", json!({"stream": "press"})).await.success()["stream_id"].clone();
        for (policy, who, words) in [
            (2, "mel", "Only organization administrators can send to this {word}."),
            (4, "mel", "Only organization administrators and moderators can send to this {word}."),
            (4, "gus", "Only organization administrators and moderators can send to this {word}."),
            (3, "gus", "Guests cannot send to this {word}."),
        ] {
            olive.patch(&format!("/streams/{id}"), json!({"stream_post_policy": policy})).await.success();
            let message = json!({"type": "stream", "to": "press", "topic": "t", "content": "x"});
            let refused = age.user(who).post("/messages", message).await;
            refused.error("BAD_REQUEST", &words.replace("{word}", word));
        }
    }
}

#[tokio::test]
async fn channels_were_checked_before_values_before_274() {
    let server = TestServer::start().await;
    let [before, after] = Age::around(&server, 274).await;
    let (old, new) = (before.user("mel"), after.user("mel"));
    let color = json!({"property": "color", "value": "blue"});
    old.patch("/users/me/subscriptions/99999", color.clone()).await.error("BAD_REQUEST", "Invalid channel ID");
    let reply = new.patch("/users/me/subscriptions/99999", color).await;
    assert!(reply.body["msg"].to_string().contains("color is not a valid hex color code"), "{:#}", reply.body);

    let change = |channel: i64, property: &str, value: serde_json::Value| json!({"stream_id": channel, "property": property, "value": value});
    let general = server.channel("general");
    for (data, was) in [
        (json!([change(general, "color", json!(5))]), "subscription_data[0][\"value\"] is not an allowed_type"),
        (json!([change(99999, "nope", json!(true))]), "Unknown subscription property: nope"),
        (json!([change(99999, "is_muted", json!("x"))]), "Invalid channel ID"),
        (
            json!([change(general, "is_muted", json!("x")), change(99999, "color", json!("x"))]),
            "is_muted is not a boolean",
        ),
    ] {
        let params = json!({"subscription_data": data});
        old.post("/users/me/subscriptions/properties", params).await.error("BAD_REQUEST", was);
    }
}

#[tokio::test]
async fn presence_is_found_by_addresses_of_the_api_alone() {
    let server = TestServer::start().await;
    for level in [247, 387, NEWEST_FEATURE_LEVEL] {
        let age = Age::at(&server, level).await;
        let (olive, mel) = (age.user("olive"), age.user("mel"));
        mel.patch("/settings", json!({"email_address_visibility": 3})).await.success();
        mel.post("/users/me/presence", json!({"status": "active"})).await.success();
        let dummy = olive.get(&format!("/users/{}", mel.id()), json!({})).await.success()["user"]["email"].clone();
        let dummy = dummy.as_str().expect("an address");
        olive.get(&format!("/users/{dummy}/presence"), json!({})).await.success();
        for user in [olive, mel] {
            let reply = user.get("/users/mel@chat.test/presence", json!({})).await;
            reply.error("BAD_REQUEST", "No such user");
        }
    }
}

#[tokio::test]
async fn others_could_request_bot_deletion_before_497() {
    let server = TestServer::start().await;
    let [before, after] = Age::around(&server, 497).await;
    for (who, was, is) in [
        ("gus", "No such bot", "Not allowed for guest users"),
        ("build-bot", "No such bot", "This endpoint does not accept bot requests."),
    ] {
        before.user(who).delete("/bots/99999", json!({})).await.error("BAD_REQUEST", was);
        after.user(who).delete("/bots/99999", json!({})).await.error("BAD_REQUEST", is);
    }
}

#[tokio::test]
async fn bots_were_refused_as_makers_of_groups_whatever_their_rights() {
    let server = TestServer::start().await;
    let [before, after] = Age::around(&server, SINCE).await;
    for age in [&before, &after] {
        let nobody = age.user("olive").get("/user_groups", json!({})).await.success();
        let groups = nobody["user_groups"].as_array().expect("a list").clone();
        let nobody = groups.iter().find(|group| group["name"] == "role:nobody").expect("there")["id"].clone();
        let policy = json!({"user_group_edit_policy": 2});
        let permission = json!({"can_create_groups": {"new": nobody}});
        age.user("olive").patch("/realm", policy).await.success();
        age.user("olive").patch("/realm", permission).await.success();
    }
    let group = json!({"name": "crew", "description": "", "members": []});
    let words = "This endpoint does not accept bot requests.";
    before.user("build-bot").post("/user_groups/create", group.clone()).await.error("BAD_REQUEST", words);
    before.user("mel").post("/user_groups/create", group).await.error("BAD_REQUEST", "Insufficient permission");
}

#[tokio::test]
async fn more_operations_refused_in_other_words() {
    let server = TestServer::start().await;
    let [before, _] = Age::around(&server, SINCE).await;
    let olive = before.user("olive");
    let principals = json!({"subscriptions": "[{\"name\": \"general\"}]", "principals": "[\"x\", 1, null]"});
    olive.post("/users/me/subscriptions", principals).await.error("BAD_REQUEST", "principals is not an allowed_type");
    let words = "Invalid stream ID 99999. No invites were sent.";
    olive.post("/invites/multiuse", json!({"stream_ids": [99999]})).await.error("BAD_REQUEST", words);
    olive.patch("/realm", json!({"giphy_rating": -1})).await.error("BAD_REQUEST", "Invalid giphy_rating -1");
    let token = json!({"appid": "com.x", "token": "y".repeat(5000)});
    olive.post("/users/me/platform_device_token", token).await.error("BAD_REQUEST", "Empty or invalid length token");
    let later = json!({"type": "direct", "to": [olive.id()], "content": "x", "scheduled_delivery_timestamp": true});
    let words = "Scheduled delivery time must be in the future.";
    olive.post("/scheduled_messages", later).await.error("BAD_REQUEST", words);
}

#[tokio::test]
async fn the_form_of_an_address_was_looked_at_with_the_form_of_others() {
    let server = TestServer::start().await;
    let [before, _] = Age::around(&server, SINCE).await;
    let (adam, bot) = (before.user("adam"), before.user("build-bot"));
    let path = format!("/bots/{}", bot.id());
    for (params, words) in [
        (json!({"service_payload_url": "\"x\"", "role": 7}), "Invalid role"),
        (json!({"service_payload_url": "\"x\"", "bot_owner_id": true}), "service_payload_url is not a URL"),
    ] {
        adam.patch(&path, params).await.error("BAD_REQUEST", words);
    }
}

#[tokio::test]
async fn a_wrong_type_was_seen_before_an_unknown_queue() {
    let server = TestServer::start().await;
    let [before, _] = Age::around(&server, SINCE).await;
    let mel = before.user("mel");
    for (last, code, words) in [
        ("x", "BAD_REQUEST", "Argument \"last_event_id\" is not valid JSON."),
        ("1.5", "BAD_REQUEST", "last_event_id is not an integer"),
        // A switch is a number there.
        ("true", "BAD_EVENT_QUEUE_ID", "Bad event queue ID: nope"),
    ] {
        let poll = json!({"queue_id": "nope", "last_event_id": last, "dont_block": true});
        mel.get("/events", poll).await.error(code, words);
    }
}

#[tokio::test]
async fn archived_web_public_channels_accepted_messages_before_315() {
    let server = TestServer::start().await;
    let [before, after] = Age::around(&server, 315).await;
    for (age, is_taken) in [(before, true), (after, false)] {
        let (olive, gus) = (age.user("olive"), age.user("gus"));
        let public = json!({"subscriptions": [{"name": "press"}], "is_web_public": true});
        olive.post("/users/me/subscriptions", public).await.success();
        let id = olive.get("/get_stream_id", json!({"stream": "press"})).await.success()["stream_id"].clone();
        send_old(&olive, "press", "t", "first").await;
        let later = json!({"type": "stream", "to": id, "topic": "t", "content": "x", "scheduled_delivery_timestamp": 4_000_000_000_i64});
        let scheduled = gus.post("/scheduled_messages", later).await.success()["scheduled_message_id"].clone();
        olive.delete(&format!("/streams/{id}"), json!({})).await.success();

        let changed = gus.patch(&format!("/scheduled_messages/{scheduled}"), json!({"content": "y"})).await;
        let sent = gus.post("/messages", json!({"type": "stream", "to": id, "topic": "t", "content": "z"})).await;
        for reply in [changed, sent] {
            assert_eq!(reply.status == 200, is_taken, "{:#}", reply.body);
        }
    }
}
