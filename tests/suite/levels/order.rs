//! Of several parameters that are wrong, the one is named that a server of level 247 read first.

use super::Age;
use crate::support::{Reply, TestServer, User};
use serde_json::{Value, json};

const SINCE: i64 = 248;
/// A time to send at.
const LATER: i64 = 4_102_444_800;

/// A request, and what is said of it before and now.
type Case<'path> = (&'static str, &'path str, Value, &'static str, &'static str);

async fn ask(user: &User, method: &str, path: &str, params: &Value) -> Reply {
    match method {
        "GET" => user.get(path, params.clone()).await,
        "PATCH" => user.patch(path, params.clone()).await,
        _ => user.post(path, params.clone()).await,
    }
}

async fn check(ages: &[Age<'_>; 2], handle: &str, cases: &[Case<'_>]) {
    for (method, path, params, was, is) in cases {
        for (age, message) in ages.iter().zip([was, is]) {
            let reply = ask(&age.user(handle), method, path, params).await;
            assert_eq!(reply.body["msg"], *message, "{method} {path} {params}");
        }
    }
}

#[tokio::test]
async fn range_parameters_were_checked_in_another_order() {
    let server = TestServer::start().await;
    let ages = Age::at_both(&server, 247, 265).await;
    let range = "/messages/flags/narrow";
    let matching = "/messages/matches_narrow";
    let (needed, other) = ("Missing 'num_before' argument", "Missing 'num_after' argument");
    let (not_json, no_json) = ("Argument \"include_anchor\" is not valid JSON.", "include_anchor is not valid JSON");
    let (bad_narrow, no_narrow) = ("Bad value for 'narrow': x", "narrow is not valid JSON");
    let malformed = json!({"include_anchor": "x", "narrow": "x", "num_before": 1, "num_after": 1});
    let dated = json!({"anchor": "date", "num_before": 1, "num_after": 1, "apply_markdown": "x"});
    let no_markdown = "Argument \"apply_markdown\" is not valid JSON.";
    check(
        &ages,
        "mel",
        &[
            ("GET", "/messages", json!({"include_anchor": "x"}), not_json, needed),
            ("GET", "/messages", json!({"narrow": "x"}), needed, needed),
            ("GET", "/messages", json!({"num_before": "x"}), "Bad value for 'num_before': x", other),
            ("GET", "/messages", json!({"narrow": "x", "num_before": 1}), other, other),
            ("GET", "/messages", malformed, not_json, no_json),
            ("GET", "/messages", dated, no_markdown, "apply_markdown is not valid JSON"),
            ("POST", range, json!({"narrow": "x"}), "Missing 'anchor' argument", "Missing 'anchor' argument"),
            ("POST", range, json!({"anchor": "x", "narrow": "x", "include_anchor": "x"}), not_json, no_json),
            ("POST", range, json!({"anchor": "x", "narrow": "x", "num_before": 1}), other, other),
            (
                "POST",
                range,
                json!({"anchor": "x", "narrow": "x", "num_before": 1, "num_after": 1}),
                bad_narrow,
                no_narrow,
            ),
            ("GET", matching, json!({"narrow": "x"}), "Missing 'msg_ids' argument", "Missing 'msg_ids' argument"),
            ("GET", matching, json!({"narrow": "x", "msg_ids": 1}), "msg_ids is not a list", "msg_ids is not a list"),
            ("GET", matching, json!({"narrow": "x", "msg_ids": [1]}), bad_narrow, no_narrow),
            ("GET", matching, json!({"msg_ids": [1]}), "Missing 'narrow' argument", "Missing 'narrow' argument"),
        ],
    )
    .await;
    // What takes the anchor's place is looked at instead of it.
    let unread = json!({"anchor": "date", "use_first_unread_anchor": true, "num_before": 1, "num_after": 1});
    ages[0].user("mel").get("/messages", unread).await.success();
}

#[tokio::test]
async fn recipients_were_checked_last() {
    let server = TestServer::start().await;
    let ages = Age::at_both(&server, 247, 283).await;
    let (path, nowhere) = ("/scheduled_messages", "/scheduled_messages/9999");
    let to = server.channel("general");
    let first =
        json!({"type": "stream", "to": to, "topic": "t", "content": "x", "scheduled_delivery_timestamp": LATER});
    let mut ids = Vec::new();
    for age in &ages {
        let reply = age.user("mel").post(path, first.clone()).await.success();
        ids.push(reply["scheduled_message_id"].clone());
    }
    assert_eq!(ids[0], ids[1]);
    let own = format!("{path}/{}", ids[0]);

    let content = "Missing 'content' argument";
    let malformed = "to is not valid JSON";
    let listed = "Invalid type: Value error, Not in the list of possible values";
    let missing = "Scheduled message does not exist";
    let late = "Scheduled delivery time must be in the future.";
    let needs_time = "Missing 'scheduled_delivery_timestamp' argument";
    let needs_topic = "Topic required when updating scheduled message type to stream.";
    let no_recipients = "Invalid data type for recipients";
    let no_ids = "Recipient list may only contain user IDs";
    let not_read = json!({"type": "direct", "to": 5, "read_by_sender": "x"});
    let at =
        |seconds: i64| json!({"type": "direct", "to": "x", "content": "x", "scheduled_delivery_timestamp": seconds});
    check(
        &ages,
        "mel",
        &[
            ("POST", "/messages", json!({"type": "direct"}), content, content),
            ("POST", "/messages", json!({"type": "direct", "to": 5}), content, no_recipients),
            ("POST", "/messages", not_read, content, "read_by_sender is not valid JSON"),
            ("POST", "/messages", json!({"type": "x"}), "Invalid type", "Invalid type"),
            ("POST", path, json!({"type": "direct", "to": "x"}), content, malformed),
            ("POST", path, json!({"type": "direct", "to": "x", "content": "x"}), needs_time, malformed),
            ("POST", path, at(5), late, malformed),
            ("POST", path, at(LATER), no_recipients, malformed),
            ("PATCH", nowhere, json!({"to": "x", "content": "x"}), missing, malformed),
            ("PATCH", nowhere, json!({"to": "x", "type": "x"}), "Invalid type", listed),
            ("PATCH", nowhere, json!({"to": "x", "type": "channel"}), "Invalid type", malformed),
            ("PATCH", nowhere, json!({"to": "x", "type": "stream"}), needs_topic, malformed),
            ("PATCH", nowhere, json!({"to": "x", "scheduled_delivery_timestamp": 5}), late, malformed),
            ("PATCH", &own, json!({"to": "x"}), "Invalid data type for stream ID", malformed),
            ("PATCH", &own, json!({"to": "[\"x\"]", "type": "direct"}), no_ids, "to[\"int\"] is not an integer"),
            ("PATCH", &own, json!({"to": "x", "type": "direct"}), no_recipients, malformed),
        ],
    )
    .await;
}

#[tokio::test]
async fn a_scheduled_message_was_found_before_its_topic_was_looked_at() {
    let server = TestServer::start().await;
    let old = Age::at(&server, SINCE - 1).await.user("mel");
    let path = "/scheduled_messages";
    let nowhere = old.patch("/scheduled_messages/9999", json!({"topic": "", "content": "x"})).await;
    nowhere.with_status(404).error("BAD_REQUEST", "Scheduled message does not exist");
    let channel = server.channel("general");
    for (kind, to, refusal) in
        [("stream", json!(channel), Some("Topic can't be empty!")), ("direct", json!([old.id()]), None)]
    {
        let params =
            json!({"type": kind, "to": to, "topic": "t", "content": "x", "scheduled_delivery_timestamp": LATER});
        let id = old.post(path, params).await.success()["scheduled_message_id"].clone();
        let reply = old.patch(&format!("{path}/{id}"), json!({"topic": ""})).await;
        match refusal {
            Some(message) => _ = reply.error("BAD_REQUEST", message),
            None => _ = reply.success(),
        }
    }
}

#[tokio::test]
async fn some_parameters_were_checked_in_another_order() {
    let server = TestServer::start().await;
    let ages = Age::at_both(&server, 247, 284).await;
    let token = "/users/me/platform_device_token";
    let no_app = "Missing 'appid' argument";
    let no_token = "Invalid APNS token";
    let no_profile = "Argument \"include_profile\" is not valid JSON.";
    check(
        &ages,
        "olive",
        &[
            ("POST", "/jwt/fetch_api_key", json!({"include_profile": "x"}), no_profile, "Missing 'token' argument"),
            ("POST", token, json!({"token": "q"}), no_app, no_app),
            ("POST", token, json!({"token": "q", "appid": "?"}), "Invalid app ID", "appid has invalid format"),
            ("POST", token, json!({"token": "q", "appid": "a"}), no_token, no_token),
            ("POST", token, json!({"token": "é", "appid": "a"}), no_token, no_token),
        ],
    )
    .await;
    let old = ages[0].user("olive");
    let group = json!({"name": "n", "members": [], "can_mention_group": "{}"});
    let reply = Age::at(&server, 258).await.user("olive").post("/user_groups/create", group).await;
    reply.error("REQUEST_VARIABLE_MISSING", "Missing 'description' argument");
    let path = format!("/streams/{}", server.channel("general"));
    let reply = old.patch(&path, json!({"stream_post_policy": "x", "is_private": "5"})).await;
    reply.error("BAD_REQUEST", "is_private is not a boolean");
    let mut channels = json!({"stream_post_policy": "x", "is_web_public": "x"});
    let reply = old.post("/users/me/subscriptions", channels.clone()).await;
    reply.error("REQUEST_VARIABLE_MISSING", "Missing 'subscriptions' argument");
    channels["subscriptions"] = json!([{"name": "press"}]);
    let reply = old.post("/users/me/subscriptions", channels).await;
    reply.error("BAD_REQUEST", "Argument \"is_web_public\" is not valid JSON.");
}

#[tokio::test]
async fn subscribers_were_checked_before_channels_before_342() {
    let server = TestServer::start().await;
    let [before, after] = Age::around(&server, 342).await;
    let params = |principals: Value| json!({"subscriptions": [{"name": ""}], "principals": principals});
    let path = "/users/me/subscriptions";
    let unknown = params(json!(["nobody@example.com"]));
    before.user("mel").post(path, unknown.clone()).await.error("BAD_REQUEST", "No such user");
    after.user("mel").post(path, unknown).await.error("BAD_REQUEST", "Channel name can't be empty.");

    // Before them, whether one may subscribe others at all.
    let before = Age::at(&server, 247).await;
    before.user("olive").patch("/realm", json!({"invite_to_stream_policy": 2})).await.success();
    let reply = before.user("mel").post(path, params(json!([99999]))).await;
    reply.error("BAD_REQUEST", "Insufficient permission");
}

#[tokio::test]
async fn retention_was_a_text_or_a_number() {
    let server = TestServer::start().await;
    let old = Age::at(&server, SINCE - 1).await.user("olive");
    let path = format!("/streams/{}", server.channel("general"));
    let message = "message_retention_days is not a string or integer";
    for value in ["null", "1.5"] {
        old.patch(&path, json!({"message_retention_days": value})).await.error("BAD_REQUEST", message);
    }
}

#[tokio::test]
async fn the_older_of_two_policies_of_posting_counted() {
    let server = TestServer::start().await;
    let old = Age::at(&server, SINCE - 1).await.user("olive");
    let path = format!("/streams/{}", server.channel("general"));
    old.patch(&path, json!({"is_announcement_only": true, "stream_post_policy": 1})).await.success();
    assert_eq!(old.get(&path, json!({})).await.success()["stream"]["stream_post_policy"], 2);
    // Though the younger has to be one.
    let unknown = json!({"is_announcement_only": true, "stream_post_policy": 5});
    old.patch(&path, unknown).await.error("BAD_REQUEST", "Invalid stream_post_policy");
}
