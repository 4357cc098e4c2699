//! POST /register: the state that each user gets.

use crate::support::TestServer;
use serde_json::{Value, json};

fn keys(value: &Value) -> Vec<&str> {
    value.as_object().into_iter().flatten().map(|(key, _)| key.as_str()).collect()
}

#[tokio::test]
async fn state_comes_for_the_types_that_were_asked_for_and_no_others() {
    let server = TestServer::start().await;
    let mel = server.user("mel");
    for (types, expected) in [
        (json!([]), vec![]),
        (json!(["alert_words"]), vec!["alert_words"]),
        (json!(["message"]), vec!["max_message_id"]),
        (json!(["message", "update_message_flags"]), vec!["max_message_id", "unread_msgs"]),
        (json!(["presence"]), vec!["presences", "presence_last_update_id", "server_timestamp"]),
        (json!(["subscription"]), vec!["subscriptions", "unsubscribed", "never_subscribed"]),
        (json!(["no such type"]), vec![]),
    ] {
        let reply = mel.post("/register", json!({"fetch_event_types": types})).await.success();
        let always = [
            "queue_id",
            "last_event_id",
            "service_feature_level",
            "service_version",
            "service_merge_base",
            "idle_queue_timeout_secs",
        ];
        let found: Vec<&str> = keys(&reply).into_iter().filter(|key| !always.contains(key)).collect();
        assert_eq!(found, expected, "{types}");
        assert!(always.iter().all(|key| reply.get(*key).is_some()), "{reply:#}");
    }
}

#[tokio::test]
async fn event_types_stand_for_fetch_event_types_when_these_are_absent() {
    let server = TestServer::start().await;
    let reply = server.user("mel").post("/register", json!({"event_types": ["muted_users"]})).await.success();

    assert!(reply.get("muted_users").is_some());
    assert!(reply.get("realm_users").is_none());
}

#[tokio::test]
async fn everything_comes_without_a_choice() {
    let server = TestServer::start().await;
    let reply = server.user("mel").post("/register", json!({})).await.success();

    // What a current mobile client can't do without.
    for key in [
        "alert_words",
        "custom_profile_fields",
        "max_stream_name_length",
        "max_topic_length",
        "server_presence_ping_interval_seconds",
        "server_presence_offline_threshold_seconds",
        "muted_users",
        "presences",
        "realm_emoji",
        "realm_user_groups",
        "recent_private_conversations",
        "subscriptions",
        "unread_msgs",
        "starred_messages",
        "streams",
        "user_status",
        "user_settings",
        "user_topics",
        "realm_wildcard_mention_policy",
        "realm_name",
        "realm_waiting_period_threshold",
        "realm_allow_message_editing",
        "realm_enable_read_receipts",
        "realm_icon_url",
        "realm_presence_disabled",
        "realm_default_external_accounts",
        "max_file_upload_size_mib",
        "server_emoji_data_url",
        "event_queue_longpoll_timeout_seconds",
        "realm_users",
        "realm_non_active_users",
        "cross_realm_bots",
        "saved_snippets",
        "channel_folders",
        "devices",
        "realm_empty_topic_display_name",
        "realm_topics_policy",
        "navigation_views",
        "realm_linkifiers",
        "server_report_message_types",
    ] {
        assert!(reply.get(key).is_some(), "{key} is missing");
    }
}

#[tokio::test]
async fn a_new_message_is_in_the_state_of_the_next_registration() {
    let server = TestServer::start().await;
    let [mel, max] = server.users(["mel", "max"]);
    let id = mel.send_direct(&[max.id()], "@**Max Mercer** hello").await;

    let types = json!(["message", "update_message_flags", "recent_private_conversations"]);
    let reply = max.post("/register", json!({"fetch_event_types": types})).await.success();

    assert_eq!(reply["max_message_id"], id);
    assert_eq!(reply["recent_private_conversations"][0], json!({"max_message_id": id, "user_ids": [mel.id()]}));
    let from_mel =
        reply["unread_msgs"]["pms"].as_array().and_then(|all| all.iter().find(|one| one["other_user_id"] == mel.id()));
    assert_eq!(from_mel.expect("unread from mel")["unread_message_ids"], json!([id]));
    assert!(reply["unread_msgs"]["mentions"].as_array().is_some_and(|ids| ids.contains(&json!(id))));
}

#[tokio::test]
async fn a_visitor_gets_the_public_part_and_no_queue() {
    let server = TestServer::start().await;
    let reply = server.anonymous().post("/register", json!({})).await.success();

    assert_eq!(reply["queue_id"], Value::Null);
    assert!(reply.get("last_event_id").is_none() && reply.get("idle_queue_timeout_secs").is_none());
    let names: Vec<&str> =
        reply["streams"].as_array().into_iter().flatten().filter_map(|one| one["name"].as_str()).collect();
    assert_eq!(names, ["town-square"]);
    let is_bare =
        |user: &Value| user["delivery_email"].is_null() != (user["is_bot"] == true) && user.get("timezone").is_none();
    assert!(reply["realm_users"].as_array().is_some_and(|users| users.iter().all(is_bare)));
}

#[tokio::test]
async fn a_visitor_is_a_guest_without_an_account() {
    let server = TestServer::start().await;
    let [visitor, mel] = [server.anonymous(), server.user("mel")];
    let wish = json!({"fetch_event_types": ["realm_user", "user_settings"], "event_types": []});
    let (theirs, hers) =
        (visitor.post("/register", wish.clone()).await.success(), mel.post("/register", wish).await.success());

    let only_hers: Vec<&String> = hers.as_object().into_iter().flatten().map(|(key, _)| key).collect();
    let missing = only_hers.into_iter().filter(|key| theirs.get(key.as_str()).is_none());
    assert_eq!(missing.collect::<Vec<_>>(), ["last_event_id", "idle_queue_timeout_secs"]);
    let keys = |reply: &Value| reply["user_settings"].as_object().map(|all| all.keys().cloned().collect::<Vec<_>>());
    assert_eq!(keys(&theirs), keys(&hers));
    assert_eq!((&theirs["is_guest"], &theirs["user_id"]), (&json!(true), &json!(0)));
    assert_eq!((&theirs["full_name"], &theirs["delivery_email"]), (&json!("Anonymous User"), &json!("")));
}

#[tokio::test]
async fn the_service_s_bots_say_that_they_are_active() {
    let server = TestServer::start().await;
    let state = server.user("mel").register(json!({"event_types": ["realm_user"]})).await.state;

    let bots = state["cross_realm_bots"].as_array().expect("a list");
    assert!(!bots.is_empty() && bots.iter().all(|bot| bot["is_active"] == true), "{bots:?}");
    assert_eq!(state["realm_users"][0].get("is_active"), None);
}

#[tokio::test]
async fn a_visitor_may_not_ask_for_what_needs_an_account() {
    let server = TestServer::start().await;
    let visitor = server.anonymous();

    for (params, key) in [
        (json!({"client_gravatar": true}), "client_gravatar"),
        (json!({"include_subscribers": "true"}), "include_subscribers"),
    ] {
        let message = format!("Invalid '{key}' parameter for anonymous request");
        visitor.post("/register", params).await.error("BAD_REQUEST", &message);
    }
}

#[tokio::test]
async fn visitors_are_turned_away_without_public_access() {
    let server = TestServer::start_with(|options| {
        options.fixture = chatdouble::fixture::built_in("empty").expect("built in").into();
    })
    .await;
    let message = "Not logged in: API authentication or user session required";

    server.anonymous().post("/register", json!({})).await.with_status(401).error("UNAUTHORIZED", message);
    server.anonymous().get("/users", json!({})).await.with_status(401).error("UNAUTHORIZED", message);
}

#[tokio::test]
async fn subscribers_come_as_asked_for() {
    let server = TestServer::start().await;
    let mel = server.user("mel");
    let fetch = |include: &'static str| {
        let mel = mel.clone();
        async move {
            let params = json!({"fetch_event_types": ["subscription"], "include_subscribers": include});
            mel.post("/register", params).await.success()["subscriptions"][0].clone()
        }
    };

    assert!(fetch("false").await.get("subscribers").is_none());
    assert!(fetch("true").await["subscribers"].is_array());
    let partial = fetch("partial").await;
    assert!(partial["subscribers"].is_array() && partial.get("partial_subscribers").is_none(), "few subscribers: all");
    let wrong = json!({"include_subscribers": "some"});
    mel.post("/register", wrong).await.error("BAD_REQUEST", "Invalid include_subscribers");
}

#[tokio::test]
async fn capabilities_decide_on_null_settings_groups_and_linkifiers() {
    let server = TestServer::start().await;
    let mel = server.user("mel");
    let types = json!(["subscription", "realm_user_groups", "realm_linkifiers", "stream"]);
    let plain = mel.post("/register", json!({"fetch_event_types": types, "client_capabilities": {}})).await.success();
    let capable = mel.register(json!({"fetch_event_types": types})).await.state;

    assert_eq!(plain["subscriptions"][0]["desktop_notifications"], false);
    assert_eq!(capable["subscriptions"][0]["desktop_notifications"], Value::Null);
    let has_deactivated = |reply: &Value| {
        reply["realm_user_groups"]
            .as_array()
            .is_some_and(|groups| groups.iter().any(|group| group["deactivated"] == true))
    };
    assert!(!has_deactivated(&plain) && has_deactivated(&capable));
    assert_eq!(plain["realm_linkifiers"], json!([]));
    assert!(capable["realm_linkifiers"].as_array().is_some_and(|all| all.len() >= 2));
    let has_archived = |reply: &Value| {
        reply["streams"].as_array().is_some_and(|streams| streams.iter().any(|stream| stream["name"] == "attic"))
    };
    assert!(!has_archived(&plain) && has_archived(&capable));
    let wrong = json!({"client_capabilities": {"bulk_message_deletion": 1}});
    let message = "client_capabilities[\"bulk_message_deletion\"] is not a boolean";
    mel.post("/register", wrong).await.error("BAD_REQUEST", message);
}

#[tokio::test]
async fn an_unknown_capability_is_ignored() {
    let server = TestServer::start().await;
    let params = json!({"client_capabilities": {"telepathy": true}, "fetch_event_types": []});
    server.user("mel").post("/register", params).await.success();
}

#[tokio::test]
async fn the_generation_is_the_time_at_which_the_world_was_made() {
    let server = TestServer::start().await;
    server.advance(60).await;

    let state = server.user("mel").register(json!({"fetch_event_types": ["realm"]})).await.state;

    assert_eq!(state["server_generation"], 1_767_268_800);
}
