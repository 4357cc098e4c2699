//! The words in which servers of 247 and 387 were recorded to refuse requests.

use super::Age;
use crate::support::TestServer;
use serde_json::{Value, json};

/// Who asks for what, and the words at 247, where the operation is there and refuses, and at 387.
type Refused<'text> = (&'text str, &'text str, &'text str, Value, Option<&'text str>, &'text str);

async fn check(server: &TestServer, table: &[Refused<'_>]) {
    let [old, new] = [Age::at(server, 247).await, Age::at(server, 387).await];
    for (handle, method, path, params, was, is) in table {
        for (age, words) in [(&old, *was), (&new, Some(*is))] {
            let (Some(words), user) = (words, age.user(handle)) else { continue };
            let reply = match *method {
                "GET" => user.get(path, params.clone()).await,
                "PATCH" => user.patch(path, params.clone()).await,
                _ => user.post(path, params.clone()).await,
            };
            assert_eq!((&reply.body["msg"], reply.status), (&json!(words), 400), "{method} {path} {params}");
        }
    }
}

#[tokio::test]
async fn values_of_permissions_were_refused_as_no_number_of_a_group() {
    let server = TestServer::start().await;
    let groups = server.user("olive").get("/user_groups", json!({})).await.success();
    let groups = groups["user_groups"].as_array().expect("a list").clone();
    let leads = groups.iter().find(|group| group["name"] == "leads").expect("it is there")["id"].clone();
    let group = format!("/user_groups/{leads}");
    let channel = format!("/streams/{}", server.channel("general"));
    let make = |value: Value| json!({"name": "x", "description": "d", "members": [], "can_mention_group": value});
    let join = |value: &str| json!({"subscriptions": [{"name": "x"}], "can_remove_subscribers_group": value});
    let change = |value: Value| json!({"can_mention_group": value});
    let lone = json!({"direct_members": [], "direct_subgroups": [9_999]});
    let (create, was) = ("/user_groups/create", Some("can_mention_group is not an integer"));
    let (of_new, missing) = (
        "can_mention_group[\"new\"][\"int\"] is not an integer",
        "can_mention_group[\"new\"] field is missing: Field required",
    );
    let (of_int, subscribe) = ("can_mention_group[\"int\"] is not an integer", "/users/me/subscriptions");
    check(
        &server,
        &[
            ("olive", "POST", create, make(json!("1.5")), was, of_int),
            ("olive", "POST", create, make(json!("null")), was, of_int),
            ("olive", "POST", create, make(json!({"direct_members": [1]})), was, of_int),
            ("olive", "PATCH", &group, change(json!({"zzz": 1})), None, missing),
            ("olive", "PATCH", &group, change(json!({"old": 1})), None, missing),
            ("olive", "PATCH", &group, change(json!({"new": {}})), None, of_new),
            ("olive", "PATCH", &group, change(json!({"new": {"direct_members": [1]}})), None, of_new),
            ("olive", "PATCH", &group, change(json!({"new": "x"})), None, of_new),
            ("olive", "POST", create, make(lone.clone()), None, "Invalid user group"),
            ("olive", "PATCH", &group, change(json!({"new": lone.clone()})), None, "Invalid user group"),
            ("olive", "PATCH", "/realm", json!({"can_create_groups": {"new": lone}}), None, "Invalid user group"),
            (
                "olive",
                "POST",
                subscribe,
                join("1.5"),
                Some("can_remove_subscribers_group is not an integer"),
                "can_remove_subscribers_group[\"int\"] is not an integer",
            ),
            (
                "olive",
                "PATCH",
                &channel,
                json!({"can_add_subscribers_group": {"new": null}}),
                None,
                "can_add_subscribers_group[\"new\"][\"int\"] is not an integer",
            ),
            (
                "olive",
                "PATCH",
                "/realm",
                json!({"can_create_groups": {"new": {"direct_members": ["x"], "direct_subgroups": []}}}),
                None,
                "can_create_groups[\"new\"][\"int\"] is not an integer",
            ),
        ],
    )
    .await;
}

#[tokio::test]
async fn settings_were_refused_in_words_of_their_operation() {
    let server = TestServer::start().await;
    let listed = |name: &str| format!("Invalid {name}: Value error, Not in the list of possible values");
    let (view, previews) = (listed("web_home_view"), listed("web_animate_image_previews"));
    let number = Some("digest_weekday is not an integer");
    let period = json!({"email_notifications_batching_period_seconds": "99999999999999999999"});
    let (calls, pictures) =
        (json!({"video_chat_provider": "99999999999999999999"}), json!({"giphy_rating": "99999999999999999999"}));
    let long = "Invalid email batching period: 99999999999999999999 seconds";
    let defaults = "/realm/user_settings_defaults";
    let (gravatar, capabilities) = (
        "client_gravatar is not a boolean",
        "client_capabilities[\"notification_settings_null\"] field is missing: Field required",
    );
    let register =
        |name: &str, value: &str| json!({name: value, "client_capabilities": {"bulk_message_deletion": true}});
    let markdown = "apply_markdown is not a boolean";
    check(
        &server,
        &[
            ("olive", "PATCH", "/realm", json!({"digest_weekday": "1.5"}), number, "Invalid digest_weekday"),
            ("olive", "PATCH", "/realm", json!({"digest_weekday": "null"}), number, "Invalid digest_weekday"),
            (
                "olive",
                "PATCH",
                "/realm",
                json!({"digest_weekday": 7}),
                Some("Invalid digest_weekday"),
                "Invalid digest_weekday",
            ),
            (
                "olive",
                "PATCH",
                "/realm",
                json!({"org_type": [1]}),
                Some("org_type is not an integer"),
                "Invalid org_type",
            ),
            ("olive", "PATCH", "/realm", json!({"org_type": 11}), Some("Invalid org_type"), "Invalid org_type"),
            ("olive", "PATCH", "/realm", calls, None, "Invalid video_chat_provider 99999999999999999999"),
            ("olive", "PATCH", "/realm", pictures, None, "Invalid giphy_rating 99999999999999999999"),
            ("mel", "PATCH", "/settings", period.clone(), None, long),
            ("olive", "PATCH", defaults, period, None, long),
            ("mel", "PATCH", "/settings", json!({"web_home_view": "x"}), Some("Invalid web_home_view"), &view),
            (
                "olive",
                "PATCH",
                defaults,
                json!({"web_home_view": "x"}),
                Some("Invalid web_home_view"),
                "Invalid web_home_view",
            ),
            ("mel", "PATCH", "/settings", json!({"web_animate_image_previews": "x"}), None, &previews),
            (
                "olive",
                "PATCH",
                defaults,
                json!({"web_animate_image_previews": "x"}),
                None,
                "Invalid web_animate_image_previews",
            ),
            ("mel", "POST", "/register", register("apply_markdown", "1"), Some(markdown), markdown),
            ("mel", "POST", "/register", register("apply_markdown", "null"), Some(markdown), markdown),
            ("mel", "POST", "/register", register("client_gravatar", "null"), Some(gravatar), capabilities),
        ],
    )
    .await;
}

#[tokio::test]
async fn the_first_thing_that_was_wrong_was_named() {
    let server = TestServer::start().await;
    let general = server.channel("general");
    let email = format!("/streams/{general}/email_address");
    let narrow = |term: Value| json!({"num_before": 1, "num_after": 1, "anchor": "oldest", "narrow": [term]});
    let property =
        |value: Value| json!({"subscription_data": [{"stream_id": general, "property": "color", "value": value}]});
    let typing = json!({"type": "stream", "op": "start", "topic": "t", "stream_id": "null"});
    let later = json!({"type": "direct", "to": "[\"x\", 1]", "content": "c", "scheduled_delivery_timestamp": 4_102_444_800_i64});
    let report = json!({"report_type": "spam", "description": "y".repeat(1_001)});
    let bot = |name: &str| json!({"full_name": "", "short_name": name, "bot_type": 1});
    let twin = json!({"full_name": "Build Bot", "short_name": "twin", "bot_type": 1});
    let (bad, short) = ("Bad name or username", "Name too short!");
    check(
        &server,
        &[
            (
                "mel",
                "GET",
                "/messages",
                narrow(json!({"operator": 1, "operand": "x"})),
                Some("elem[\"operator\"] is not a string"),
                "narrow[0][\"operator\"] is not a string",
            ),
            (
                "mel",
                "GET",
                "/messages",
                narrow(json!({"operator": "is", "operand": "dm", "negated": "x"})),
                Some("elem[\"negated\"] is not a boolean"),
                "narrow[0][\"negated\"] is not a boolean",
            ),
            (
                "mel",
                "POST",
                "/users/me/subscriptions/properties",
                property(json!(5)),
                Some("subscription_data[0][\"value\"] is not an allowed_type"),
                "subscription_data[0][\"value\"][\"bool\"] is not a boolean",
            ),
            ("mel", "POST", "/typing", typing, Some("stream_id is not an integer"), "Missing 'stream_id' argument"),
            (
                "mel",
                "POST",
                "/scheduled_messages",
                later,
                Some("Recipient list may only contain user IDs"),
                "to[\"int\"] is not an integer",
            ),
            (
                "mel",
                "PATCH",
                "/drafts/1",
                json!({"draft": {"zzz": 1}}),
                None,
                "draft[\"type\"] field is missing: Field required",
            ),
            ("mel", "POST", "/bots", bot(" "), Some(bad), bad),
            ("mel", "POST", "/bots", bot("b"), Some(short), short),
            ("mel", "POST", "/bots", twin, None, "Name is already in use."),
            ("mel", "POST", "/saved_snippets", json!({}), None, "Missing 'title' argument"),
            ("mel", "GET", &email, json!({"sender_id": -1}), None, "sender_id is too small"),
            ("mel", "POST", "/messages/1/report", report, None, "description is too long (limit: 1000 characters)"),
            ("gus", "POST", "/user_groups/999/deactivate", json!({}), None, "Invalid user group"),
        ],
    )
    .await;
}

#[tokio::test]
async fn nobody_learns_of_those_who_are_not_found() {
    let server = TestServer::start().await;
    let new = Age::at(&server, 387).await;
    let mel = new.user("mel");
    let state = mel.register(json!({})).await.state;
    let bot = state["cross_realm_bots"][0]["user_id"].clone();
    let path = format!("/users/{bot}/presence");
    mel.get(&path, json!({})).await.error("BAD_REQUEST", "No such user");
    mel.patch("/settings", json!({"email_address_visibility": 3})).await.success();
    let own = mel.patch("/users/mel@chat.test", json!({"full_name": "Melanie"})).await;
    own.error("BAD_REQUEST", "No such user");
}

#[tokio::test]
async fn unknown_users_of_profile_fields_were_named_one_by_one_before_270() {
    let server = TestServer::start().await;
    let [before, after] = Age::around(&server, 270).await;
    for (age, words) in [(before, "Invalid user ID: 998"), (after, "Invalid user IDs: 998, 999")] {
        let field = json!({"name": "Mentors of mel", "field_type": 6});
        let id = age.user("olive").post("/realm/profile_fields", field).await.success()["id"].clone();
        let data = json!({"data": [{"id": id, "value": [998, 999]}]});
        age.user("mel").patch("/users/me/profile_data", data).await.error("BAD_REQUEST", words);
    }
}

#[tokio::test]
async fn full_summaries_refused_a_paragraph_first() {
    let server = TestServer::start().await;
    let olive = Age::at(&server, 387).await.user("olive");
    let field = |name: &str, kind: i64| json!({"name": name, "field_type": kind, "display_in_profile_summary": true});
    let mut last = olive.post("/realm/profile_fields", field("First", 1)).await;
    for name in ["Second", "Third"] {
        last = olive.post("/realm/profile_fields", field(name, 1)).await;
    }
    let full = "Only 2 custom profile fields can be displayed in the profile summary.";
    last.error("BAD_REQUEST", full);
    olive.post("/realm/profile_fields", field("Essay", 2)).await.error("BAD_REQUEST", full);
}

#[tokio::test]
async fn flags_were_not_changed_by_with_before_497() {
    let server = TestServer::start().await;
    let [before, after] = Age::around(&server, 497).await;
    let params = |id: &Value| {
        let narrow = json!([{"operator": "with", "operand": id}]);
        json!({"anchor": "newest", "num_before": 1, "num_after": 0, "op": "add", "flag": "starred", "narrow": narrow})
    };
    for (age, is_refused) in [(before, true), (after, false)] {
        let mel = age.user("mel");
        let id = super::send_old(&mel, "general", "t", "x").await;
        let reply = mel.post("/messages/flags/narrow", params(&id)).await;
        if is_refused {
            reply.error("BAD_NARROW", "Invalid narrow operator: unknown operator with");
        } else {
            assert_eq!(reply.success()["updated_count"], 1);
        }
    }
}
