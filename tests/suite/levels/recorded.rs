//! What a server of level 247 was recorded to do otherwise.

use super::{Age, send_old};
use crate::support::{TestServer, User};
use chatdouble::api::NEWEST_FEATURE_LEVEL;
use serde_json::{Value, json};

const SINCE: i64 = 248;

/// How PATCH /realm refuses JSON that is none at a level.
pub fn not_json(level: i64, name: &str) -> String {
    if level < 261 { format!("Argument \"{name}\" is not valid JSON.") } else { format!("{name} is not valid JSON") }
}

async fn registered(user: &User) -> Value {
    user.register(json!({"client_gravatar": true, "client_capabilities": {"notification_settings_null": true}}))
        .await
        .state
}

#[tokio::test]
async fn refusals_said_stream() {
    let server = TestServer::start().await;
    let [before, after] = Age::around(&server, 255).await;
    for (age, word) in [(before, "stream"), (after, "channel")] {
        let mel = age.user("mel");
        mel.get("/streams/999999", json!({})).await.error("BAD_REQUEST", &format!("Invalid {word} ID"));
        let reply = mel.get("/get_stream_id", json!({"stream": "{channel_name}"})).await;
        reply.error("BAD_REQUEST", &format!("Invalid {word} name '{{channel_name}}'"));
    }
    let [before, after] = Age::around(&server, 249).await;
    let narrow = json!({"anchor": "newest", "num_before": 1, "num_after": 0, "narrow": r#"[["stream", "nowhere"]]"#});
    for (age, word) in [(before, "stream"), (after, "channel")] {
        let reply = age.user("mel").get("/messages", narrow.clone()).await;
        let body = reply.error("BAD_NARROW", &format!("Invalid narrow operator: unknown {word} nowhere"));
        assert_eq!(body["desc"], format!("unknown {word} nowhere"));
    }
}

#[tokio::test]
async fn malformed_parameters_were_refused_in_other_words() {
    let server = TestServer::start().await;
    let [before, after] = Age::at_both(&server, 247, NEWEST_FEATURE_LEVEL).await;
    let (old, new) = (before.user("adam"), after.user("adam"));
    let limit = "message_content_edit_limit_seconds";
    for (path, params, was, is) in [
        (
            "/settings",
            json!({"color_scheme": "x"}),
            "Argument \"color_scheme\" is not valid JSON.",
            "color_scheme is not valid JSON",
        ),
        (
            "/settings",
            json!({"color_scheme": 9}),
            "Invalid color_scheme",
            "Invalid color_scheme: Value error, Not in the list of possible values",
        ),
        (
            "/settings",
            json!({"timezone": "Nowhere"}),
            "timezone is not a recognized time zone",
            "Invalid timezone: Value error, Not a recognized time zone",
        ),
        (
            "/realm",
            json!({limit: "1.5"}),
            "message_content_edit_limit_seconds is not a string or integer",
            "message_content_edit_limit_seconds[\"int\"] is not an integer",
        ),
    ] {
        old.patch(path, params.clone()).await.error("BAD_REQUEST", was);
        new.patch(path, params).await.error("BAD_REQUEST", is);
    }
    // Some operations read their parameters as now.
    let reply = old.post("/users/me/presence", json!({"status": "active", "ping_only": "x"})).await;
    reply.error("BAD_REQUEST", "ping_only is not valid JSON");
}

#[tokio::test]
async fn some_refusals_had_other_messages() {
    let server = TestServer::start().await;
    let [before, after] = Age::around(&server, 497).await;
    for (age, name, code) in
        [(before, "Name too short!", "Invalid emoji code."), (after, "Name must not be empty!", "Invalid emoji code")]
    {
        let mel = age.user("mel");
        mel.patch("/settings", json!({"full_name": ""})).await.error("BAD_REQUEST", name);
        let message = send_old(&mel, "general", "t", "x").await;
        let reaction = json!({"emoji_name": "octopus", "emoji_code": "nope", "reaction_type": "unicode_emoji"});
        mel.post(&format!("/messages/{message}/reactions"), reaction).await.error("BAD_REQUEST", code);
    }
}

#[tokio::test]
async fn messages_that_both_recorded_levels_have_apply_below_497() {
    let server = TestServer::start().await;
    let drafts = json!({"drafts": r#"[{"x": 1, "type": "", "to": [], "topic": "", "content": "c"}]"#});
    for (level, command_message, draft_message) in [
        (387, "There should be a leading slash in the zcommand.", "Argument \"x\" at drafts[0][\"x\"] is unexpected"),
        (496, "There should be a leading slash in the zcommand.", "Argument \"x\" at drafts[0][\"x\"] is unexpected"),
        (497, "A command begins with a slash.", "Argument \"x\" at drafts[0] is unexpected"),
    ] {
        let mel = Age::at(&server, level).await.user("mel");
        mel.post("/zcommand", json!({"command": "ping"})).await.error("BAD_REQUEST", command_message);
        mel.post("/drafts", drafts.clone()).await.error("BAD_REQUEST", draft_message);
    }
}

#[tokio::test]
async fn refused_credentials_had_one_code() {
    let server = TestServer::start().await;
    for (level, invalid, deactivated) in
        [(387, "UNAUTHORIZED", "UNAUTHORIZED"), (497, "INVALID_API_KEY", "USER_DEACTIVATED")]
    {
        let age = Age::at(&server, level).await;
        let mel = age.user("mel");
        mel.with_key(&"x".repeat(32))
            .get("/users/me", json!({}))
            .await
            .with_status(401)
            .error(invalid, "Invalid API key");
        mel.with_key("x").get("/users/me", json!({})).await.with_status(401).error(invalid, "Malformed API key");
        let reply = age.user("dana").get("/users/me", json!({})).await.with_status(401);
        reply.error(deactivated, "Account is deactivated");
        // Where a key is asked for, the code was the same.
        let reply = age.anonymous().post("/dev_fetch_api_key", json!({"username": "dana@chat.test"})).await;
        reply.error("USER_DEACTIVATED", "Account is deactivated");
    }
}

#[tokio::test]
async fn human_users_had_no_bot_fields() {
    let server = TestServer::start().await;
    let [before, after] = Age::around(&server, 497).await;
    let of = |user: &Value| [user.get("bot_type").cloned(), user.get("bot_owner_id").cloned()];
    let (mel, bot) = (before.user("mel"), before.user("build-bot"));
    for (age, people) in [(&before, [None, None]), (&after, [Some(Value::Null), Some(Value::Null)])] {
        let reader = age.user("max");
        let found = reader.get(&format!("/users/{}", mel.id()), json!({})).await.success();
        assert_eq!(of(&found["user"]), people);
        let found = reader.get(&format!("/users/{}", bot.id()), json!({})).await.success();
        assert_eq!(of(&found["user"]), [Some(json!(1)), Some(json!(mel.id()))]);
    }
    assert_eq!(of(&bot.get("/users/me", json!({})).await.success()), [Some(json!(1)), Some(json!(mel.id()))]);
    assert_eq!(of(&after.user("build-bot").get("/users/me", json!({})).await.success()), [None, None]);
}

#[tokio::test]
async fn avatars_were_left_to_clients_if_everyone_saw_the_address() {
    let server = TestServer::start().await;
    let [before, after] = Age::around(&server, 497).await;
    // Visible to members: to everybody but guests, not to everybody.
    for (age, is_sent) in [(before, true), (after, false)] {
        let (mel, olive) = (age.user("max"), age.user("olive"));
        for (visibility, is_sent) in [(1, false), (2, is_sent)] {
            mel.patch("/settings", json!({"email_address_visibility": visibility})).await.success();
            let user = olive.get(&format!("/users/{}", mel.id()), json!({})).await.success();
            assert_eq!(user["user"]["avatar_url"].is_string(), is_sent, "{visibility}: {user:#}");
            let message = send_old(&mel, "general", "t", "x").await;
            let message = olive.get(&format!("/messages/{message}"), json!({})).await.success();
            assert_eq!(message["message"]["avatar_url"].is_string(), is_sent, "{visibility}");
        }
    }
}

#[tokio::test]
async fn todo_lists_started_empty() {
    let server = TestServer::start().await;
    let [before, after] = Age::around(&server, 249).await;
    let nothing = r#"{"widget_type": "todo", "extra_data": null}"#;
    let tasks =
        r#"{"widget_type": "todo", "extra_data": {"task_list_title": "", "tasks": [{"task": "a", "desc": ""}]}}"#;
    for (age, content) in [(before, nothing), (after, tasks)] {
        let mel = age.user("mel");
        let message = send_old(&mel, "general", "t", "/todo\na").await;
        let message = mel.get(&format!("/messages/{message}"), json!({})).await.success();
        assert_eq!(message["message"]["submessages"][0]["content"], content);
    }
}

#[tokio::test]
async fn there_were_fewer_one_time_notices() {
    let server = TestServer::start().await;
    for (level, count) in [
        (252, 3),
        (253, 4),
        (261, 4),
        (262, 5),
        (272, 5),
        (273, 7),
        (280, 7),
        (281, 8),
        (301, 8),
        (302, 9),
        (367, 9),
        (368, 10),
    ] {
        let max = Age::at(&server, level).await.user("max");
        let mut queue = max.register(json!({})).await;
        assert_eq!(queue.state["onboarding_steps"].as_array().map(Vec::len), Some(count));
        max.post("/users/me/onboarding_steps", json!({"onboarding_step": "intro_inbox_view_modal"})).await.success();
        let event = queue.next().await.has(json!({"type": "onboarding_steps"}));
        assert_eq!(event["onboarding_steps"].as_array().map(Vec::len), Some(count - 1));
    }
}

#[tokio::test]
async fn group_creators_had_another_name_before_299() {
    let server = TestServer::start().await;
    let [before, after] = Age::around(&server, 299).await;
    for (age, creator) in [(before, "stream_creator_or_nobody"), (after, "group_creator")] {
        let state = registered(&age.user("mel")).await;
        let settings = &state["server_supported_permission_settings"];
        assert_eq!(settings["group"]["can_manage_group"]["default_group_name"], creator);
        assert_eq!(settings["group"]["can_manage_group"]["default_for_system_groups"], "role:nobody");
        assert_eq!(settings["realm"]["can_access_all_users_group"]["default_for_system_groups"], Value::Null);
        assert_eq!(settings["stream"]["can_remove_subscribers_group"]["default_for_system_groups"], Value::Null);
    }
}

#[tokio::test]
async fn some_permissions_required_system_groups() {
    let server = TestServer::start().await;
    for (level, kind, name) in
        [(320, "stream", "can_remove_subscribers_group"), (314, "realm", "create_multiuse_invite_group")]
    {
        let [before, after] = Age::around(&server, level).await;
        for (age, is_required) in [(before, true), (after, false)] {
            let state = registered(&age.user("mel")).await;
            let setting = &state["server_supported_permission_settings"][kind][name];
            assert_eq!(setting["require_system_group"], is_required, "{name}: {setting}");
        }
    }

    // A channel that there is already is not changed, but the group is looked at.
    let [before, after] = Age::around(&server, SINCE).await;
    let [still, _] = Age::around(&server, 320).await;
    let olive = before.user("olive");
    let groups = olive.get("/user_groups", json!({})).await.success();
    let of = |name: &str| {
        let all = groups["user_groups"].as_array().expect("a list");
        all.iter().find(|group| group["name"] == name).expect("there")["id"].clone()
    };
    let own = olive.post("/user_groups/create", json!({"name": "own", "description": "", "members": []})).await;
    own.success();
    let groups_then = olive.get("/user_groups", json!({})).await.success();
    let own = groups_then["user_groups"].as_array().expect("a list").last().expect("one")["id"].clone();
    let start = "'can_remove_subscribers_group'";
    for (group, words) in [
        (of("role:internet"), format!("{start} setting cannot be set to 'role:internet' group.")),
        (of("role:nobody"), format!("{start} setting cannot be set to 'role:nobody' group.")),
        (own.clone(), format!("{start} must be a system user group.")),
    ] {
        let params = json!({"subscriptions": [{"name": "general"}], "can_remove_subscribers_group": group});
        olive.post("/users/me/subscriptions", params.clone()).await.error("BAD_REQUEST", &words);
        let channel = format!("/streams/{}", server.channel("general"));
        let change = json!({"can_remove_subscribers_group": group});
        olive.patch(&channel, change).await.error("BAD_REQUEST", &words);
    }
    let words = "'create_multiuse_invite_group' must be a system user group.";
    olive.patch("/realm", json!({"create_multiuse_invite_group": own})).await.error("BAD_REQUEST", words);
    // The code came before the groups did.
    for (age, code) in [(after, "BAD_REQUEST"), (still, "SYSTEM_GROUP_REQUIRED")] {
        let olive = age.user("olive");
        let own = json!({"name": "own", "description": "", "members": []});
        olive.post("/user_groups/create", own).await.success();
        let groups = olive.get("/user_groups", json!({})).await.success();
        let own = groups["user_groups"].as_array().expect("a list").last().expect("one")["id"].clone();
        let params = json!({"subscriptions": [{"name": "general"}], "can_remove_subscribers_group": own});
        let words = format!("{start} must be a system user group.");
        olive.post("/users/me/subscriptions", params).await.error(code, &words);
    }
}

#[tokio::test]
async fn the_capability_for_null_settings_was_required() {
    let server = TestServer::start().await;
    let [before, after] = Age::around(&server, 497).await;
    for capabilities in [json!({}), json!({"bulk_message_deletion": true})] {
        let params = json!({"client_capabilities": capabilities, "event_types": "no list"});
        let message = "client_capabilities[\"notification_settings_null\"] field is missing: Field required";
        before.user("mel").post("/register", params.clone()).await.error("BAD_REQUEST", message);
        after.user("mel").post("/register", params).await.error("BAD_REQUEST", "event_types is not valid JSON");
    }
    before.user("mel").post("/register", json!({})).await.success();
}

#[tokio::test]
async fn some_malformed_parameters_were_shown_as_they_were_sent() {
    let server = TestServer::start().await;
    let [before, after] = Age::at_both(&server, 247, NEWEST_FEATURE_LEVEL).await;
    for (name, sent, is) in [
        ("num_before", "abc", "num_before is not valid JSON"),
        ("num_after", "-1", "num_after is too small"),
        ("narrow", "{}", "narrow is not a list"),
        ("narrow", r#"[["stream", 1]]"#, "Invalid narrow[0]: Value error, element is not a string pair"),
    ] {
        let mut params = json!({"anchor": "newest", "num_before": 1, "num_after": 1});
        params[name] = sent.into();
        let message = format!("Bad value for '{name}': {sent}");
        let body =
            before.user("mel").get("/messages", params.clone()).await.error("REQUEST_VARIABLE_INVALID", &message);
        assert_eq!((&body["var_name"], &body["bad_value"]), (&json!(name), &json!(sent)));
        after.user("mel").get("/messages", params).await.error("BAD_REQUEST", is);
    }
    let term = |term: Value| json!({"anchor": "newest", "num_before": 1, "num_after": 1, "narrow": [term]});
    for (narrow, was) in [
        (term(json!({"operator": "sender"})), "operand key is missing from elem"),
        (term(json!({"operator": 5, "operand": "x"})), "elem[\"operator\"] is not a string"),
        (term(json!({"operator": "topic", "operand": 5})), "elem[\"operand\"] is not a string"),
    ] {
        before.user("mel").get("/messages", narrow).await.error("BAD_REQUEST", was);
    }
    let threshold = json!({"waiting_period_threshold": "x"});
    let reply = before.user("olive").patch("/realm", threshold.clone()).await;
    reply.error("REQUEST_VARIABLE_INVALID", "Bad value for 'waiting_period_threshold': x");
    after
        .user("olive")
        .patch("/realm", threshold)
        .await
        .error("BAD_REQUEST", "waiting_period_threshold is not valid JSON");
}

#[tokio::test]
async fn new_texts_of_the_organization_were_returned_as_updated() {
    let server = TestServer::start().await;
    let [before, after] = Age::around(&server, 497).await;
    let params = json!({"description": "News", "invite_required": false});
    before
        .user("olive")
        .patch("/realm", params.clone())
        .await
        .is(json!({"description": "updated", "invite_required": false}));
    after.user("olive").patch("/realm", params).await.is(json!({"description": "News", "invite_required": false}));
}

#[tokio::test]
async fn booleans_were_accepted_as_numbers() {
    let server = TestServer::start().await;
    let [before, after] = Age::at_both(&server, 247, NEWEST_FEATURE_LEVEL).await;
    let params = json!({"stream_id": true, "topic": "t", "visibility_policy": true});
    before.user("mel").post("/user_topics", params.clone()).await.success();
    let state = registered(&before.user("mel")).await;
    let topics = state["user_topics"].as_array().expect("a list");
    assert!(topics.iter().any(|topic| topic["topic_name"] == "t" && topic["visibility_policy"] == 1), "{topics:?}");
    after.user("mel").post("/user_topics", params).await.error("BAD_REQUEST", "stream_id is not an integer");

    // The reply of a change of the organization gives them as they were given, whatever is kept.
    let olive = before.user("olive");
    for name in ["giphy_rating", "edit_topic_policy", "message_content_edit_limit_seconds"] {
        let reply = olive.patch("/realm", json!({name: true})).await.success();
        assert_eq!(reply[name], true, "{reply}");
        assert_eq!(registered(&olive).await[format!("realm_{name}")], 1);
        let reply = olive.patch("/realm", json!({name: 2})).await.success();
        assert_eq!(reply[name], 2, "{reply}");
    }
}

#[tokio::test]
async fn switches_were_numbers_in_lists_too() {
    let server = TestServer::start().await;
    let [before, after] = Age::at_both(&server, 247, NEWEST_FEATURE_LEVEL).await;
    let (old, new) = (before.user("mel"), after.user("mel"));
    let flags = json!({"messages": "[true]", "flag": "starred"});
    old.post("/messages/flags", flags.clone()).await.error("REQUEST_VARIABLE_MISSING", "Missing 'op' argument");
    new.post("/messages/flags", flags).await.error("BAD_REQUEST", "messages[0] is not an integer");
    let fields = json!({"data": "[false]"});
    old.delete("/users/me/profile_data", fields.clone()).await.error("BAD_REQUEST", "Field id 0 not found.");
    new.delete("/users/me/profile_data", fields).await.error("BAD_REQUEST", "data[0] is not an integer");

    // Numbers inside of objects, and switches that are wanted as such.
    let color = json!({"subscription_data": r##"[{"stream_id": true, "property": "color", "value": "#c2c2c2"}]"##});
    old.post("/users/me/subscriptions/properties", color.clone()).await.success();
    let refused = new.post("/users/me/subscriptions/properties", color).await;
    refused.error("BAD_REQUEST", "subscription_data[0][\"stream_id\"] is not an integer");
    let muted = json!({"subscription_data": r#"[{"stream_id": 1, "property": "is_muted", "value": true}]"#});
    old.post("/users/me/subscriptions/properties", muted).await.success();

    // These read theirs as now.
    let draft = json!({"drafts": r#"[{"type": "stream", "to": [true], "topic": "t", "content": "c"}]"#});
    old.post("/drafts", draft).await.error("BAD_REQUEST", "drafts[0][\"to\"][0] is not an integer");
}
