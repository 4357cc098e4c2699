//! Linkifiers, emoji, settings.

use super::Age;
use crate::support::TestServer;
use serde_json::{Value, json};

#[tokio::test]
async fn linkifiers_had_format_strings_before_176() {
    let server = TestServer::start().await;
    let [before, after] = Age::around(&server, 176).await;
    let old = json!({"pattern": "R(?P<n>[0-9]+)", "url_format_string": "https://x.test/%(n)s"});
    let new = json!({"pattern": "R(?P<n>[0-9]+)", "url_template": "https://x.test/{n}"});

    let olive = before.user("olive");
    let mut events = olive.register(json!({"event_types": ["realm_linkifiers"], "client_capabilities": {}})).await;
    let missing = "Missing 'url_format_string' argument";
    olive.post("/realm/filters", new.clone()).await.error("REQUEST_VARIABLE_MISSING", missing);
    let id = olive.post("/realm/filters", old.clone()).await.success()["id"].clone();
    let row = json!({"id": id, "pattern": "R(?P<n>[0-9]+)", "url_format_string": "https://x.test/%(n)s"});
    assert_eq!(events.next().await.0["realm_linkifiers"][2], row);
    let listed = olive.get("/realm/linkifiers", json!({})).await.success();
    assert_eq!(listed["linkifiers"][2], row);
    let changed = json!({"pattern": "R(?P<n>[0-9]+)", "url_format_string": "https://y.test/%(n)s"});
    olive.patch(&format!("/realm/filters/{id}"), changed).await.success();
    let rendered = olive.post("/messages/render", json!({"content": "R7"})).await.success();
    assert_eq!(rendered["rendered"], "<p><a href=\"https://y.test/7\">R7</a></p>");

    let olive = after.user("olive");
    let missing = "Missing 'url_template' argument";
    olive.post("/realm/filters", old).await.error("REQUEST_VARIABLE_MISSING", missing);
    olive.post("/realm/filters", new).await.success();
    let listed = olive.get("/realm/linkifiers", json!({})).await.success();
    let row = json!({"id": id, "pattern": "R(?P<n>[0-9]+)", "url_template": "https://x.test/{n}"});
    assert_eq!(listed["linkifiers"][2], row);
}

#[tokio::test]
async fn linkifiers_were_for_all_clients_before_176() {
    let server = TestServer::start().await;
    for (level, count) in [(175, 2), (176, 0)] {
        let mel = Age::at(&server, level).await.user("mel");
        let state = mel.register(json!({"client_capabilities": {}})).await.state;
        assert_eq!(state["realm_linkifiers"].as_array().map(Vec::len), Some(count), "at {level}");
    }
}

#[tokio::test]
async fn realm_filters_held_linkifiers_before_176() {
    let server = TestServer::start().await;
    let first = json!(["#(?P<id>[0-9]+)", "https://tracker.example.com/issues/%(id)s", 1]);
    for (level, expected) in [(175, Some(&first)), (176, None)] {
        let age = Age::at(&server, level).await;
        let state = age.user("mel").register(json!({})).await.state;
        assert_eq!(state["realm_filters"].get(0), expected, "at {level}");

        let mut events = age.user("mel").events(["realm_filters"]).await;
        age.user("olive").delete("/realm/filters/2", json!({})).await.success();
        let received: Vec<Value> =
            events.all().await.into_iter().map(|mut event| event["realm_filters"].take()).collect();
        assert_eq!(received, expected.map(|first| json!([first])).into_iter().collect::<Vec<_>>(), "at {level}");
    }
}

#[tokio::test]
async fn an_unknown_emoji_was_400_before_190() {
    let server = TestServer::start().await;
    for (level, status) in [(189, 400), (190, 404)] {
        let olive = Age::at(&server, level).await.user("olive");
        let reply = olive.delete("/realm/emoji/nothing", json!({})).await.with_status(status);
        reply.error("BAD_REQUEST", "Emoji 'nothing' does not exist");
    }
}

#[tokio::test]
async fn the_recent_view_was_called_recent_topics_before_454() {
    let server = TestServer::start().await;
    for (level, name, other) in [(453, "recent_topics", "recent"), (454, "recent", "recent_topics")] {
        let mel = Age::at(&server, level).await.user("mel");
        mel.patch("/settings", json!({"web_home_view": "all_messages"})).await.success();
        let mut events = mel.events(["user_settings"]).await;
        let refused = mel.patch("/settings", json!({"web_home_view": other})).await;
        assert_eq!(refused.status, 400, "at {level}: {refused}");
        mel.patch("/settings", json!({"web_home_view": name})).await.success();
        events.next().await.has(json!({"property": "web_home_view", "value": name}));
        let state = mel.register(json!({})).await.state;
        assert_eq!(state["user_settings"]["web_home_view"], name);
    }
}

#[tokio::test]
async fn legacy_settings_events_were_sent_before_439() {
    let server = TestServer::start().await;
    let change = json!({"high_contrast_mode": true, "enable_sounds": false, "default_language": "de"});
    for (level, knows, expected) in [
        (439, false, vec!["user_settings", "user_settings", "user_settings"]),
        (438, true, vec!["user_settings", "user_settings", "user_settings"]),
        (88, true, vec!["update_display_settings", "update_display_settings", "update_global_notifications"]),
    ] {
        let mel = Age::at(&server, level).await.user("mel");
        let capabilities = json!({"user_settings_object": knows});
        let mut events = mel.register(json!({"client_capabilities": capabilities})).await;
        mel.patch("/settings", change.clone()).await.success();
        let mut kinds: Vec<String> =
            events.all().await.iter().map(|event| event["type"].as_str().unwrap_or_default().to_owned()).collect();
        kinds.sort();
        assert_eq!(kinds, expected, "at {level}, knowing: {knows}");
        assert_eq!(events.state.get("high_contrast_mode").is_some(), level < 439 && (!knows || level < 89));
    }
    let mel = Age::at(&server, 438).await.user("mel");
    let mut events = mel.register(json!({})).await;
    mel.patch("/settings", json!({"default_language": "de"})).await.success();
    mel.patch("/settings", json!({"enable_sounds": false})).await.success();
    events.next().await.has(json!({"type": "user_settings", "property": "default_language"}));
    events.next().await.is(json!({
        "type": "update_display_settings", "user": "mel@chat.test", "setting_name": "default_language",
        "setting": "de", "language_name": "Deutsch",
    }));
    events.next().await.has(json!({"type": "user_settings", "property": "enable_sounds", "id": 2}));
    events.next().await.is(json!({
        "type": "update_global_notifications", "user": "mel@chat.test", "notification_name": "enable_sounds",
        "setting": false,
    }));
    let mut named = mel.events(["update_global_notifications"]).await;
    mel.patch("/settings", json!({"enable_sounds": true, "high_contrast_mode": true})).await.success();
    assert_eq!(named.all().await.len(), 1);
    assert_eq!(named.state.get("enable_sounds"), None);
}

#[tokio::test]
async fn home_views_were_default_views_before_219() {
    let server = TestServer::start().await;
    for (level, name) in [(218, "default_view"), (219, "web_home_view")] {
        let mel = Age::at(&server, level).await.user("mel");
        let mut events = mel.register(json!({})).await;
        mel.patch("/settings", json!({name: "all_messages"})).await.success();
        events.next().await.has(json!({"type": "user_settings", "property": name, "value": "all_messages"}));
        events.next().await.has(json!({"type": "update_display_settings", "setting_name": name}));
        assert!(events.state["user_settings"].get(name).is_some());
        assert!(events.state.get(name).is_some());
    }
}

#[tokio::test]
async fn register_had_only_what_was_fetched_at_older_levels_too() {
    let server = TestServer::start().await;
    let worlds = [Age::around(&server, 468).await, Age::around(&server, 200).await];
    for age in worlds.iter().flatten() {
        let params = json!({"event_types": ["message"], "fetch_event_types": []});
        let state = age.user("mel").post("/register", params).await.success();
        let keys = state.as_object().into_iter().flatten().map(|(key, _)| key.as_str());
        let more: Vec<&str> = keys.filter(|key| key.starts_with("realm_") || *key == "push_devices").collect();
        assert!(more.is_empty(), "{more:?}");
    }
    let [before, _] = &worlds[0];
    let state = before.user("mel").post("/register", json!({"fetch_event_types": ["push_device"]})).await.success();
    let devices = state["push_devices"].as_object().expect("devices by their numbers");
    assert!(devices.values().all(|device| device.get("error_code") == Some(&Value::Null)), "{devices:?}");
    let [before, _] = &worlds[1];
    let state = before.user("mel").post("/register", json!({"fetch_event_types": ["realm"]})).await.success();
    assert!(state["realm_invite_to_realm_policy"].is_i64(), "{state}");
}

#[tokio::test]
async fn choices_of_settings_stood_at_the_top_before_439() {
    let server = TestServer::start().await;
    let [before, after] = Age::around(&server, 439).await;
    let fetched = |kinds: &[&str]| json!({"fetch_event_types": kinds});
    let both = ["update_display_settings", "update_global_notifications"];
    let state = before.user("mel").post("/register", fetched(&both)).await.success();
    assert!(state["emojiset_choices"][0]["key"].is_string(), "{state}");
    assert!(state["available_notification_sounds"][0].is_string(), "{state}");
    let state = before.user("mel").post("/register", fetched(&both[..1])).await.success();
    assert!(state.get("emojiset_choices").is_some() && state.get("available_notification_sounds").is_none());
    let state = after.user("mel").post("/register", fetched(&both)).await.success();
    assert_eq!(state.get("emojiset_choices"), None);
}

#[tokio::test]
async fn pronouns_were_no_kind_of_field_before_151() {
    let server = TestServer::start().await;
    let [before, after] = Age::around(&server, 151).await;
    let params = json!({"fetch_event_types": ["custom_profile_fields"]});
    for (age, has) in [(&before, false), (&after, true)] {
        let state = age.user("mel").post("/register", params.clone()).await.success();
        assert_eq!(state["custom_profile_field_types"].get("PRONOUNS").is_some(), has);
        let fields = state["custom_profile_fields"].as_array().expect("a list");
        assert_eq!(fields.iter().any(|field| field["type"] == 8), has, "{state}");
        let reply = age.user("olive").post("/realm/profile_fields", json!({"name": "They", "field_type": 8})).await;
        if has { _ = reply.success() } else { _ = reply.error("BAD_REQUEST", "Invalid field type.") }
    }
}

#[tokio::test]
async fn notices_had_no_type_before_233() {
    let server = TestServer::start().await;
    let [before, after] = Age::around(&server, 233).await;
    let state = before.user("mel").post("/register", json!({})).await.success();
    assert!(state["hotspots"][0]["name"].is_string() && state["hotspots"][0].get("type").is_none(), "{state}");
    let state = after.user("mel").post("/register", json!({})).await.success();
    assert_eq!(state["onboarding_steps"][0]["type"], "one_time_notice");
}

#[tokio::test]
async fn events_of_profile_fields_had_an_op_before_45() {
    let server = TestServer::start().await;
    for (age, op) in Age::around(&server, 45).await.iter().zip([json!("add"), Value::Null]) {
        let mut events = age.user("mel").events(["custom_profile_fields"]).await;
        age.user("olive").post("/realm/profile_fields", json!({"name": "New", "field_type": 1})).await.success();
        assert_eq!(events.next().await.0["op"], op);
    }
}

#[tokio::test]
async fn what_is_gone_is_made_of_what_came_at_the_same_level() {
    let server = TestServer::start().await;
    let invites = Age::at(&server, 21).await.user("olive").get("/invites", json!({})).await.success();
    let invites = invites["invites"].as_array().expect("a list");
    assert!(
        invites.iter().all(|invite| invite["ref"].as_str().is_some_and(|email| email.contains('@'))),
        "{invites:?}"
    );
    let users = Age::at(&server, 0).await.user("olive").get("/users", json!({})).await.success();
    let owner = |name: &str| {
        let mut members = users["members"].as_array().into_iter().flatten();
        members.find(|user| user["full_name"] == name).map(|user| user["bot_owner"].clone())
    };
    assert_eq!((owner("Build Bot"), owner("Legacy Bot")), (Some(json!("mel@chat.test")), Some(Value::Null)));
}

#[tokio::test]
async fn settings_with_other_names_came_with_their_levels_too() {
    let server = TestServer::start().await;
    for (level, name) in [(107, "escape_navigates_to_default_view"), (42, "default_view")] {
        for (age, has) in Age::around(&server, level).await.iter().zip([false, true]) {
            let state = age.user("mel").post("/register", json!({})).await.success();
            let is_there = state.get(name).is_some() || state["user_settings"].get(name).is_some();
            assert_eq!(is_there, has, "{name} around {level}");
        }
    }
}

#[tokio::test]
async fn descriptions_of_the_organization_were_sent_alone_before_464() {
    let server = TestServer::start().await;
    let rendered = "<p>We <em>chat</em>.</p>";
    let update = json!({"type": "realm", "op": "update", "property": "description", "value": "We *chat*."});
    let mut with_html = update.clone();
    with_html["rendered_description"] = rendered.into();
    let data = json!({"description": "We *chat*.", "rendered_description": rendered});
    let together = json!({"type": "realm", "op": "update_dict", "property": "default", "data": data});
    for (level, expected) in [(461, &update), (462, &with_html), (463, &with_html), (464, &together)] {
        let age = Age::at(&server, level).await;
        let mut events = age.user("mel").events(["realm"]).await;
        age.user("olive").patch("/realm", json!({"description": "We *chat*."})).await.success();
        events.next().await.is(expected.clone());
        events.none().await;
    }
}

#[tokio::test]
async fn export_types_were_numbers_before_449() {
    let server = TestServer::start().await;
    let [before, after] = Age::around(&server, 449).await;
    let (old, new) = (before.user("olive"), after.user("olive"));
    let params = |kind: Value| json!({ "export_type": kind });

    old.post("/export/realm", params("public".into())).await.error("BAD_REQUEST", "export_type is not valid JSON");
    let quoted = old.post("/export/realm", params("\"public\"".into())).await;
    quoted.error("BAD_REQUEST", "export_type is not an integer");
    for kind in [json!(2), json!("public"), json!("full_with_consent"), json!("\"full_with_consent\"")] {
        new.post("/export/realm", params(kind)).await.success();
    }
    let exports = new.get("/export/realm", json!({})).await.success()["exports"].take();
    let kinds: Vec<&Value> = exports.as_array().expect("a list").iter().map(|export| &export["export_type"]).collect();
    assert_eq!(kinds, [2, 1, 2, 2]);
    let refused = new.post("/export/realm", params("full_without_consent".into())).await;
    refused.error("BAD_REQUEST", "Invalid export_type: Value error, Not in the list of possible values");
}

#[tokio::test]
async fn exports_were_public_before_304() {
    let server = TestServer::start().await;
    for (level, kinds) in [(303, json!([])), (304, json!([2]))] {
        let olive = Age::at(&server, level).await.user("olive");
        let mut queue = olive.events(["realm_export"]).await;
        // Only a public one can be asked for below.
        olive.post("/export/realm", json!({"export_type": 2})).await.success();
        let listed = olive.get("/export/realm", json!({})).await.success();
        let received = queue.next().await.0;
        for exports in [&listed["exports"], &received["exports"]] {
            let exports = exports.as_array().expect("a list");
            assert_eq!(exports.len(), 1);
            let found: Vec<_> = exports.iter().filter_map(|export| export.get("export_type")).collect();
            assert_eq!(json!(found), kinds);
        }
    }
    // One that a later level made is not listed.
    server.user("olive").post("/export/realm", json!({"export_type": 2})).await.success();
    for (level, count) in [(303, 0), (304, 1)] {
        let olive = Age::at(&server, level).await.user("olive");
        let listed = olive.get("/export/realm", json!({})).await.success();
        assert_eq!(listed["exports"].as_array().map(Vec::len), Some(count));
    }
}

#[tokio::test]
async fn the_second_code_host_came_with_level_1() {
    let server = TestServer::start().await;
    for (age, has) in Age::around(&server, 1).await.iter().zip([false, true]) {
        let settings = age.user("mel").get("/server_settings", json!({})).await.success();
        let methods = &settings["authentication_methods"];
        assert!(methods.get("code_host_a").is_some() && methods.get("code_host_b").is_some() == has, "{methods}");
    }
}
