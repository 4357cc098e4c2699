//! The organization's settings, and the settings that new users begin with.

use crate::support::{Reply, TestServer, User};
use chatdouble::reducer::State;
use serde_json::{Value, json};

pub async fn change(user: &User, params: Value) -> Reply {
    user.patch("/realm", params).await
}

pub async fn state(user: &User, kinds: Value) -> Value {
    user.register(json!({ "fetch_event_types": kinds })).await.state
}

fn group(server: &TestServer, name: &str) -> i64 {
    let realm = server.server().world("default").snapshot();
    realm.groups.values().find(|group| group.name == name).unwrap_or_else(|| panic!("no group {name}")).id.0
}

#[tokio::test]
async fn what_changes_is_echoed_sent_and_there_from_then_on() {
    let server = TestServer::start().await;
    let [olive, gus] = server.users(["olive", "gus"]);
    let mut queue = gus.events(["realm"]).await;
    let quiet = server.channel("quiet");

    let reply = change(
        &olive,
        json!({
            "name": "Double",
            "description": "Now **bold**",
            "allow_message_editing": true,
            "message_content_edit_limit_seconds": "unlimited",
            "message_content_delete_limit_seconds": 60,
            "message_retention_days": 30,
            "digest_weekday": 3,
            "jitsi_server_url": "\"https://meet.example.com\"",
            "topics_policy": "disable_empty_topic",
            "new_stream_announcements_stream_id": quiet,
            "service_update_announcements_stream_id": quiet,
            "signup_announcements_stream_id": -1,
            "can_create_groups": {"new": group(&server, "role:moderators"), "old": group(&server, "role:members")},
        }),
    );
    // In the order of the events.
    let changed = json!({
        "message_content_edit_limit_seconds": null,
        "name": "Double",
        "description": "Now **bold**",
        "topics_policy": "disable_empty_topic",
        "digest_weekday": 3,
        "message_retention_days": 30,
        "message_content_delete_limit_seconds": 60,
        "jitsi_server_url": "https://meet.example.com",
        "can_create_groups": group(&server, "role:moderators"),
        "new_stream_announcements_stream_id": quiet,
        "signup_announcements_stream_id": -1,
        "service_update_announcements_stream_id": quiet,
    });
    reply.await.is(changed.clone());

    let after = state(&gus, json!(["realm"])).await;
    for (name, value) in changed.as_object().into_iter().flatten() {
        assert_eq!(&after[format!("realm_{name}")], value, "{name}");
        let event = queue.next().await;
        let data = match name.as_str() {
            "can_create_groups" | "message_content_edit_limit_seconds" => json!({ name: value }),
            "topics_policy" => json!({"topics_policy": value, "mandatory_topics": true}),
            "description" => {
                json!({"description": value, "rendered_description": "<p>Now <strong>bold</strong></p>"})
            }
            _ => {
                event.is(json!({"type": "realm", "op": "update", "property": name, "value": value}));
                continue;
            }
        };
        event.is(json!({"type": "realm", "op": "update_dict", "property": "default", "data": data}));
    }
    queue.none().await;
    let settings = server.anonymous().get("/server_settings", json!({})).await.success();
    let shown = (&settings["realm_name"], &settings["realm_description"]);
    assert_eq!(shown, (&json!("Double"), &json!("<p>Now <strong>bold</strong></p>")));
    let no_number = "message_content_edit_limit_seconds[\"int\"] is not an integer";
    change(&olive, json!({"message_content_edit_limit_seconds": null})).await.error("BAD_REQUEST", no_number);
    change(&olive, json!({"name": "Double", "digest_weekday": 3})).await.is(json!({}));
    queue.none().await;
    change(&olive, json!({"message_retention_days": "unlimited", "jitsi_server_url": "\"default\""}))
        .await
        .is(json!({"message_retention_days": -1, "jitsi_server_url": null}));
    change(&olive, json!({"allow_message_editing": false})).await.success();
    queue.next().await.has(json!({"op": "update", "property": "jitsi_server_url", "value": null}));
    queue.next().await.has(json!({"op": "update", "property": "message_retention_days", "value": -1}));
    queue.next().await.has(json!({"op": "update_dict", "data": {"allow_message_editing": false}}));
}

#[tokio::test]
async fn limits_of_time_may_be_as_long_as_numbers_are() {
    let server = TestServer::start().await;
    let [adam, mel] = server.users(["adam", "mel"]);
    let limits = ["content_edit", "content_delete"].map(|what| format!("message_{what}_limit_seconds"));
    let moves = ["between", "within"].map(|what| {
        let channels = if what == "between" { "streams" } else { "stream" };
        format!("move_messages_{what}_{channels}_limit_seconds")
    });
    for limit in limits.iter().chain(&moves) {
        change(&adam, json!({ limit: i64::MAX })).await.success();
    }

    let id = mel.send_to("general", "t", "one").await;
    mel.patch(&format!("/messages/{id}"), json!({"content": "two", "topic": "other"})).await.success();
    let elsewhere = json!({"stream_id": server.channel("engineering")});
    mel.patch(&format!("/messages/{id}"), elsewhere).await.success();
    mel.delete(&format!("/messages/{id}"), json!({})).await.success();
}

#[tokio::test]
async fn names_and_descriptions_are_kept_with_their_blanks() {
    let server = TestServer::start().await;
    let olive = server.user("olive");

    for (name, text) in [("name", ""), ("name", "   "), ("description", "   "), ("description", " two \n")] {
        change(&olive, json!({ name: text })).await.is(json!({ name: text }));
        assert_eq!(state(&olive, json!(["realm"])).await[&format!("realm_{name}")], text);
    }
    change(&olive, json!({"name": "   "})).await.is(json!({}));
}

#[tokio::test]
async fn settings_decide_what_others_may_do_from_then_on() {
    let server = TestServer::start().await;
    let [adam, mel, olive] = server.users(["adam", "mel", "olive"]);
    let id = mel.send_to("general", "t", "one").await;
    let edit = async |text: &str| mel.patch(&format!("/messages/{id}"), json!({ "content": text })).await;
    let nobody = json!({ "new": group(&server, "role:nobody") });

    change(&adam, json!({"message_content_edit_limit_seconds": 60})).await.success();
    server.advance(81).await;
    edit("two").await.error("BAD_REQUEST", "The time limit for editing this message has passed");
    change(&adam, json!({"message_content_edit_limit_seconds": "unlimited"})).await.success();
    edit("two").await.success();
    change(&adam, json!({"allow_message_editing": false})).await.success();
    edit("three").await.error("BAD_REQUEST", "Your organization has turned off message editing");
    change(&adam, json!({"direct_message_permission_group": nobody})).await.success();
    let direct = json!({"type": "direct", "to": [olive.id()], "content": "Hi"});
    mel.post("/messages", direct).await.error("BAD_REQUEST", "Direct messages are disabled in this organization.");
    let rights = async || {
        let state = adam.register(json!({})).await.state;
        ["can_create_web_public_streams", "can_create_streams"].map(|right| state[right] == true)
    };
    change(&adam, json!({"can_create_web_public_channel_group": {"new": group(&server, "role:administrators")}}))
        .await
        .success();
    assert_eq!(rights().await, [true, true]);
    change(&adam, json!({"enable_spectator_access": false})).await.success();
    assert_eq!(rights().await, [false, true]);
    let refused = server.anonymous().get("/users", json!({})).await.with_status(401);
    refused.error("UNAUTHORIZED", "Not logged in: API authentication or user session required");
}

#[tokio::test]
async fn a_change_that_is_refused_changes_nothing() {
    let server = TestServer::start().await;
    let [adam, mel, olive] = server.users(["adam", "mel", "olive"]);
    let mut queue = mel.events(["realm"]).await;
    let members = group(&server, "role:members");
    let refused = async |params: Value, code: &str, message: &str| {
        let mut params = params;
        params["digest_weekday"] = json!(5);
        change(&olive, params).await.error(code, message);
    };

    let admins = "Must be an organization administrator";
    change(&mel, json!({"name": "x"})).await.error("UNAUTHORIZED_PRINCIPAL", admins);
    let owner = "Must be an organization owner";
    for params in [
        json!({"invite_required": false}),
        json!({"waiting_period_threshold": 3}),
        json!({"message_retention_days": 0}),
        json!({"can_create_groups": {"new": 999}}),
        json!({"can_invite_users_group": {"new": members}}),
        json!({"can_manage_all_groups": {"new": members}}),
        json!({"can_manage_billing_group": {"new": members}}),
        json!({"create_multiuse_invite_group": {"new": members}}),
        json!({"string_id": "elsewhere"}),
    ] {
        change(&adam, params).await.error("UNAUTHORIZED_PRINCIPAL", owner);
    }
    for (params, message) in [
        (json!({"name": "é".repeat(41)}), "name is too long (limit: 40 characters)"),
        (json!({"description": "é".repeat(1_001)}), "description is too long (limit: 1000 characters)"),
        (json!({"jitsi_server_url": "https://meet.example.com"}), "jitsi_server_url is not valid JSON"),
        (json!({"jitsi_server_url": 7}), "jitsi_server_url is not a string"),
        (json!({"jitsi_server_url": "\"meet\""}), "jitsi_server_url is not an allowed_type"),
        (json!({"org_type": 11}), "Invalid org_type"),
        (json!({"topics_policy": "inherit"}), "Invalid topics_policy"),
        (json!({"waiting_period_threshold": -1}), "waiting_period_threshold is too small"),
        (json!({"waiting_period_threshold": 2_147_483_648_i64}), "waiting_period_threshold is too large"),
        (json!({"default_language": "xx"}), "Invalid language 'xx'"),
        (json!({"video_chat_provider": 99}), "Invalid video_chat_provider 99"),
        (json!({"gif_rating_policy": 99}), "Invalid gif_rating_policy 99"),
        (json!({"string_id": "elsewhere"}), "Must be a demo organization."),
        (json!({"signup_announcements_stream_id": 999}), "Invalid channel ID"),
        (json!({"signup_announcements_stream_id": server.channel("attic")}), "Invalid channel ID"),
        (
            json!({"moderation_request_channel_id": server.channel("general")}),
            "Moderation request channel must be private.",
        ),
        (json!({"can_create_groups": members}), "can_create_groups does not have the expected format"),
        (json!({"can_create_groups": {"new": 999}}), "Invalid user group"),
        (
            json!({"can_create_groups": {"new": group(&server, "role:everyone")}}),
            "'can_create_groups' setting cannot be set to 'role:everyone' group.",
        ),
    ] {
        refused(params, "BAD_REQUEST", message).await;
    }
    for (name, value) in [
        ("message_content_edit_limit_seconds", json!(0)),
        ("move_messages_within_stream_limit_seconds", json!("\"never\"")),
        ("message_retention_days", json!(-1)),
    ] {
        let said = value.as_str().map_or_else(|| value.to_string(), |text| text.trim_matches('"').to_owned());
        let message = format!("Bad value for '{name}': {said}");
        refused(json!({ name: value }), "REQUEST_VARIABLE_INVALID", &message).await;
    }
    let stale = json!({"can_create_groups": {"new": members, "old": group(&server, "role:owners")}});
    refused(stale, "EXPECTATION_MISMATCH", "'old' value does not match the expected value.").await;
    let not_system = json!({"can_access_all_users_group": {"new": group(&server, "engineers")}});
    refused(not_system, "SYSTEM_GROUP_REQUIRED", "'can_access_all_users_group' must be a system user group.").await;

    assert_eq!(state(&mel, json!(["realm"])).await["realm_digest_weekday"], 1);
    queue.none().await;
    change(&olive, json!({"invite_required": false})).await.is(json!({"invite_required": false}));
}

#[tokio::test]
async fn the_older_number_of_who_may_mention_many_is_everyone_where_none_fits() {
    let server = TestServer::start().await;
    let [olive, mel] = server.users(["olive", "mel"]);
    let few = json!({"direct_members": [mel.id()], "direct_subgroups": []});
    let mut queue = mel.register(json!({})).await;
    let mut folded = State::from_register(queue.state.clone());

    for (holders, number) in [
        (json!(group(&server, "engineers")), 1),
        (json!(group(&server, "role:moderators")), 7),
        (json!(group(&server, "role:owners")), 1),
        (few, 1),
        (json!(group(&server, "role:everyone")), 1),
    ] {
        change(&olive, json!({"can_mention_many_users_group": {"new": holders}})).await.success();
        assert_eq!(state(&mel, json!(["realm"])).await["realm_wildcard_mention_policy"], number, "{holders}");
        assert!(queue.all().await.iter().all(|event| folded.apply(event)));
        assert_eq!(folded.value()["realm_wildcard_mention_policy"], number, "{holders}");
    }
    for name in ["role:owners", "role:nobody", "role:fullmembers", "engineers", "role:members"] {
        let holders = group(&server, name);
        change(&olive, json!({"can_create_public_channel_group": {"new": holders}})).await.success();
        assert!(queue.all().await.iter().all(|event| folded.apply(event)));
        let key = "realm_create_public_stream_policy";
        assert_eq!(folded.value()[key], state(&mel, json!(["realm"])).await[key], "{name}");
    }
}

#[tokio::test]
async fn the_language_of_code_has_a_limit() {
    let server = TestServer::start().await;
    let [olive, mel] = server.users(["olive", "mel"]);
    let [fits, long] = [20_000, 20_001].map(|length| "é".repeat(length));

    let refused = olive.patch("/realm", json!({"default_code_block_language": long})).await;
    refused.error("BAD_REQUEST", "default_code_block_language is too long (limit: 20000 characters)");
    assert_eq!(state(&mel, json!(["realm"])).await["realm_default_code_block_language"], "");
    change(&olive, json!({"default_code_block_language": fits})).await.success();
    assert_eq!(state(&mel, json!(["realm"])).await["realm_default_code_block_language"], fits);
}

#[tokio::test]
async fn the_waiting_period_decides_who_is_a_full_member() {
    let server = TestServer::start().await;
    let [olive, adam, mel, nora] = server.users(["olive", "adam", "mel", "nora"]);
    let full = group(&server, "role:fullmembers");
    let mut queue = mel.events(["user_group"]).await;
    let is_full = async |user: &User| {
        let path = format!("/user_groups/{full}/members/{}", user.id());
        adam.get(&path, json!({"direct_member_only": true})).await.success()["is_user_group_member"].clone()
    };

    assert_eq!((is_full(&mel).await, is_full(&nora).await), (json!(true), json!(false)));
    change(&olive, json!({"waiting_period_threshold": 95})).await.success();
    let event = queue.next().await.has(json!({"op": "remove_members", "group_id": full}));
    assert!(event["user_ids"].as_array().is_some_and(|ids| !ids.contains(&json!(mel.id()))), "she joined 100 days ago");
    change(&olive, json!({"waiting_period_threshold": 0})).await.success();
    assert_eq!((is_full(&mel).await, is_full(&nora).await), (json!(true), json!(true)));
    let event = queue.next().await.has(json!({"op": "add_members", "group_id": full}));
    assert!(event["user_ids"].as_array().is_some_and(|ids| ids.contains(&json!(nora.id()))), "{event}");
    change(&olive, json!({"waiting_period_threshold": 1})).await.success();
    queue
        .next()
        .await
        .is(json!({"type": "user_group", "op": "remove_members", "group_id": full, "user_ids": [nora.id()]}));
    let mut later = mel.register(json!({"event_types": ["user_group"], "idle_queue_timeout": 172_800})).await;
    server.advance(86_400).await;
    later
        .next()
        .await
        .is(json!({"type": "user_group", "op": "add_members", "group_id": full, "user_ids": [nora.id()]}));
}

#[tokio::test]
async fn new_members_may_wait_beyond_the_end_of_the_calendar() {
    let server = TestServer::start().await;
    let olive = server.user("olive");
    let full = group(&server, "role:fullmembers");
    let path = format!("/user_groups/{full}/members/{}", server.user("mel").id());

    change(&olive, json!({"waiting_period_threshold": i32::MAX})).await.success();
    server.advance(86_400 * 36_500).await;
    let reply = olive.get(&path, json!({"direct_member_only": true})).await.success();
    assert_eq!(reply["is_user_group_member"], false);
}

#[tokio::test]
async fn new_users_begin_with_the_settings_that_administrators_chose() {
    let server = TestServer::start().await;
    let [olive, adam, mel] = server.users(["olive", "adam", "mel"]);
    let mut queue = mel.events(["realm_user_settings_defaults", "user_settings"]).await;
    let path = "/realm/user_settings_defaults";

    let admins = "Must be an organization administrator";
    mel.patch(path, json!({"color_scheme": 2})).await.error("UNAUTHORIZED_PRINCIPAL", admins);
    let long = json!({"color_scheme": 2, "email_notifications_batching_period_seconds": 0});
    adam.patch(path, long).await.error("BAD_REQUEST", "Invalid email batching period: 0 seconds");
    let params = json!({"color_scheme": 2, "email_address_visibility": 4, "enter_sends": false});
    adam.patch(path, params).await.is(json!({}));

    for (property, value) in [("color_scheme", 2), ("email_address_visibility", 4)] {
        let event = json!({"type": "realm_user_settings_defaults", "op": "update"});
        let event = queue.next().await.has(event);
        assert_eq!((&event["property"], &event["value"]), (&json!(property), &json!(value)));
    }
    queue.none().await;
    let defaults = state(&mel, json!(["realm_user_settings_defaults"])).await["realm_user_settings_defaults"].clone();
    assert_eq!((&defaults["color_scheme"], &defaults["email_address_visibility"]), (&json!(2), &json!(4)));
    let zoe = json!({"email": "zoe@chat.test", "password": "correct horse battery", "full_name": "Zoe"});
    let zoe = olive.post("/users", zoe).await.success()["user_id"].clone();
    let row = adam.get(&format!("/users/{zoe}"), json!({})).await.success();
    assert_eq!(row["user"]["delivery_email"], Value::Null);
}

#[tokio::test]
async fn notices_are_seen_once() {
    let server = TestServer::start().await;
    let mel = server.user("mel");
    let mut queue = mel.events(["onboarding_steps"]).await;
    let path = "/users/me/onboarding_steps";

    mel.post(path, json!({"onboarding_step": "intro_inbox_view_modal"})).await.is(json!({}));
    let unknown = "Unknown onboarding_step: dance";
    mel.post(path, json!({"onboarding_step": "dance"})).await.error("BAD_REQUEST", unknown);

    let left = state(&mel, json!(["onboarding_steps"])).await["onboarding_steps"].clone();
    let names: Vec<_> = left.as_array().into_iter().flatten().map(|step| step["name"].clone()).collect();
    assert!(names.contains(&json!("intro_recent_view_modal")) && !names.contains(&json!("intro_inbox_view_modal")));
    queue.next().await.is(json!({"type": "onboarding_steps", "onboarding_steps": left}));
    queue.none().await;
}

#[tokio::test]
async fn a_welcome_text_is_tried_on_whoever_asks() {
    let server = TestServer::start().await;
    let [adam, bot] = server.users(["adam", "notification-bot"]);
    let path = "/realm/test_welcome_bot_custom_message";
    let mut queue = adam.events(["message"]).await;
    let attempt = async |text: &str| adam.post(path, json!({"welcome_message_custom_text": text})).await;

    let id = attempt("Make *yourself* at home").await.success()["message_id"].clone();

    let message = json!({"id": id, "sender_id": bot.id(), "type": "private", "content": "Make *yourself* at home"});
    queue.next().await.has(json!({"type": "message", "message": message}));
    attempt(" ").await.error("BAD_REQUEST", "Message must not be empty");
    let too_long = "welcome_message_custom_text is too long (limit: 8000 characters)";
    attempt(&"x".repeat(8_001)).await.error("BAD_REQUEST", too_long);
    queue.none().await;
}

#[tokio::test]
async fn a_purpose_that_no_channel_has_can_be_taken_away_again() {
    let server = TestServer::start().await;
    let [olive, mel] = server.users(["olive", "mel"]);
    let mut queue = mel.events(["realm"]).await;
    for _ in 0..2 {
        let params = json!({"signup_announcements_stream_id": -1});
        olive.patch("/realm", params.clone()).await.is(params);
        queue.next().await.has(json!({"property": "signup_announcements_stream_id", "value": -1}));
    }
}
