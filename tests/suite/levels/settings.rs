//! Settings of users and of the organization, playgrounds.

use super::Age;
use crate::support::TestServer;
use serde_json::{Value, json};

#[tokio::test]
async fn changed_names_were_returned_before_78() {
    let server = TestServer::start().await;
    let change = json!({"full_name": "Olive Oil", "email": "oil@chat.test", "nonsense": 1});
    let reply = json!({"full_name": "Olive Oil", "account_email": "The new address has to be confirmed."});
    for (level, expected) in [(77, reply), (78, json!({"ignored_parameters_unsupported": ["nonsense"]}))] {
        let olive = Age::at(&server, level).await.user("olive");
        olive.patch("/settings", change.clone()).await.is(expected);
        // Nothing of it is new any more.
        let again = olive.patch("/settings", json!({"full_name": "Olive Oil", "email": "olive@chat.test"})).await;
        again.is(json!({}));
    }
}

#[tokio::test]
async fn settings_were_changed_at_three_addresses_before_80() {
    let server = TestServer::start().await;
    let [before, after] = Age::around(&server, 80).await;
    let addresses = ["/settings", "/settings/display", "/settings/notifications"];
    for (own, change) in [
        ("/settings", json!({"full_name": "Max M."})),
        ("/settings/display", json!({"color_scheme": 2})),
        ("/settings/notifications", json!({"enable_sounds": false})),
    ] {
        let name = change.as_object().and_then(|change| change.keys().next()).expect("one");
        for address in addresses {
            let reply = before.user("max").patch(address, change.clone()).await.success();
            let is_ignored = reply["ignored_parameters_unsupported"] == json!([name]);
            assert_eq!(is_ignored, address != own, "{name} at {address}: {reply}");
            after.user("max").patch(address, change.clone()).await.is(json!({}));
        }
        for age in [&before, &after] {
            let types = ["realm_user", "update_display_settings", "update_global_notifications"];
            let state = age.user("max").register(json!({"event_types": types})).await.state;
            assert_eq!(state[name], change[name], "{name}");
        }
    }
}

#[tokio::test]
async fn texts_of_settings_were_json() {
    let server = TestServer::start().await;
    for (level, address, name, value) in [
        (64, "/settings/display", "emojiset", "text"),
        (64, "/settings/display", "timezone", "Asia/Tokyo"),
        (64, "/settings/display", "default_view", "all_messages"),
        (63, "/settings/display", "default_language", "de"),
        (63, "/settings/notifications", "notification_sound", "ding"),
    ] {
        let [before, after] = Age::around(&server, level).await;
        for (age, taken) in [(before, format!("\"{value}\"")), (after, value.to_owned())] {
            let mel = age.user("mel");
            let refused = mel.patch(address, json!({name: if taken == value { "\"x\"" } else { value }})).await;
            assert_eq!(refused.body["result"], "error", "{name}: {refused}");
            mel.patch(address, json!({name: taken})).await.success();
            let state =
                mel.register(json!({"event_types": ["update_display_settings", "update_global_notifications"]}));
            assert_eq!(state.await.state[name], value);
        }
    }
}

#[tokio::test]
async fn settings_of_the_organization_had_other_names() {
    let server = TestServer::start().await;
    let quiet = server.channel("quiet");
    for (level, old, new, value) in [
        (453, "giphy_rating", "gif_rating_policy", json!(3)),
        (241, "notifications_stream_id", "new_stream_announcements_stream_id", json!(quiet)),
        (241, "signup_notifications_stream_id", "signup_announcements_stream_id", json!(quiet)),
    ] {
        for (level, name, other) in [(level - 1, old, new), (level, new, old)] {
            let age = Age::at(&server, level).await;
            let mut queue = age.user("mel").events(["realm"]).await;
            let adam = age.user("adam");
            let ignored = adam.patch("/realm", json!({other: value})).await;
            ignored.is(json!({"ignored_parameters_unsupported": [other]}));
            adam.patch("/realm", json!({name: value})).await.is(json!({name: value}));
            queue.next().await.is(json!({"type": "realm", "op": "update", "property": name, "value": value}));
            let state = adam.register(json!({"event_types": ["realm"]})).await.state;
            assert_eq!(state[format!("realm_{name}")], value, "{name} at {level}");
        }
    }
}

#[tokio::test]
async fn authentication_methods_were_booleans_before_243() {
    let server = TestServer::start().await;
    let record = |is_on: bool| json!({"enabled": is_on, "available": true});
    let switches = json!({"Email": false, "Dev": true});
    for (level, value) in
        [(200, switches.clone()), (242, switches.clone()), (243, json!({"Email": record(false), "Dev": record(true)}))]
    {
        let age = Age::at(&server, level).await;
        let mut queue = age.user("mel").events(["realm"]).await;
        let off = json!({"authentication_methods": {"Email": {"enabled": false}}});
        age.user("olive").patch("/realm", off).await.is(json!({"authentication_methods": switches}));
        queue.next().await.has(json!({"op": "update_dict", "data": {"authentication_methods": value}}));
        let state = age.user("mel").register(json!({"event_types": ["realm"]})).await.state;
        assert_eq!(
            (&state["realm_authentication_methods"], &state["realm_email_auth_enabled"]),
            (&value, &json!(false))
        );
    }
}

#[tokio::test]
async fn limits_of_the_organization_were_0_without_limit() {
    let server = TestServer::start().await;
    let limited = json!({"message_content_edit_limit_seconds": 60, "message_content_delete_limit_seconds": 60});
    server.user("adam").patch("/realm", limited).await.success();
    server.user("adam").patch("/realm", json!({"default_code_block_language": "rust"})).await.success();
    for (level, name, old, new) in [
        (138, "message_content_edit_limit_seconds", "0", "unlimited"),
        (100, "message_content_delete_limit_seconds", "0", "unlimited"),
    ] {
        for (level, taken, refused, value) in [(level - 1, old, new, json!(0)), (level, new, old, Value::Null)] {
            let age = Age::at(&server, level).await;
            let (adam, mut queue) = (age.user("adam"), age.user("mel").events(["realm"]).await);
            let (code, problem) = match refused {
                "0" => ("REQUEST_VARIABLE_INVALID", format!("Bad value for '{name}': 0")),
                _ => ("BAD_REQUEST", format!("{name} is not an integer")),
            };
            adam.patch("/realm", json!({name: refused})).await.error(code, &problem);
            adam.patch("/realm", json!({name: taken})).await.is(json!({name: value}));
            let is_data = name == "message_content_edit_limit_seconds";
            let change_of =
                if is_data { json!({"data": {name: value}}) } else { json!({"property": name, "value": value}) };
            queue.next().await.has(change_of);
        }
    }
    for (level, value) in [(21, Value::Null), (22, json!(-1))] {
        let age = Age::at(&server, level).await;
        let (olive, mut queue) = (age.user("olive"), age.user("mel").events(["realm"]).await);
        olive.patch("/realm", json!({"message_retention_days": 30})).await.is(json!({"message_retention_days": 30}));
        queue.next().await.has(json!({"property": "message_retention_days", "value": 30}));
        let for_ever = json!({"message_retention_days": "forever"});
        olive.patch("/realm", for_ever).await.is(json!({"message_retention_days": value}));
        queue.next().await.has(json!({"property": "message_retention_days", "value": value}));
    }
    for (level, replied, value) in [(194, Value::Null, Value::Null), (195, json!("updated"), json!(""))] {
        let age = Age::at(&server, level).await;
        let mut queue = age.user("mel").events(["realm"]).await;
        let none = json!({"default_code_block_language": ""});
        age.user("adam").patch("/realm", none).await.is(json!({"default_code_block_language": replied}));
        queue.next().await.has(json!({"property": "default_code_block_language", "value": value}));
    }
}

#[tokio::test]
async fn administrators_changed_sign_up_settings_before_143() {
    let server = TestServer::start().await;
    let [before, after] = Age::around(&server, 143).await;
    let (domain, closed) = (json!({"domain": "x.test", "allow_subdomains": true}), json!({"invite_required": true}));

    before.user("adam").post("/realm/domains", domain.clone()).await.success();
    before.user("adam").patch("/realm/domains/x.test", json!({"allow_subdomains": false})).await.success();
    before.user("adam").delete("/realm/domains/x.test", json!({})).await.success();
    before.user("adam").patch("/realm", closed.clone()).await.success();
    before.user("adam").patch("/realm", json!({"waiting_period_threshold": 5})).await.success();
    let refused = before.user("mel").post("/realm/domains", domain.clone()).await;
    refused.error("UNAUTHORIZED_PRINCIPAL", "Must be an organization administrator");
    let message = "Must be an organization owner";
    after.user("adam").post("/realm/domains", domain).await.error("UNAUTHORIZED_PRINCIPAL", message);
    after.user("adam").patch("/realm", closed).await.error("UNAUTHORIZED_PRINCIPAL", message);
    for age in [before, after] {
        let logins = json!({"authentication_methods": {"Dev": false}});
        age.user("adam").patch("/realm", logins).await.error("UNAUTHORIZED_PRINCIPAL", message);
    }
}

#[tokio::test]
async fn texts_of_the_organization_were_json() {
    let server = TestServer::start().await;
    let group = json!({"group_name": "first", "description": "x", "stream_names": ["quiet"]});
    server.user("olive").post("/default_stream_groups/create", group).await.success();
    let state = server.user("olive").register(json!({"event_types": ["default_stream_groups"]})).await.state;
    let groups = state["realm_default_stream_groups"].as_array().expect("a list").iter();
    let group = groups.clone().find(|group| group["name"] == "first").expect("it was made");
    let group = format!("/default_stream_groups/{}", group["id"]);
    for (level, method, path, name) in [
        (63, "POST", "/realm/domains", "domain"),
        (63, "PATCH", &group, "new_group_name"),
        (63, "PATCH", &group, "new_description"),
        (52, "PATCH", "/realm", "name"),
        (52, "PATCH", "/realm", "description"),
    ] {
        let [before, after] = Age::around(&server, level).await;
        let ask = async |age: &Age<'_>, text: &str| {
            let params = json!({name: text, "allow_subdomains": false});
            let olive = age.user("olive");
            if method == "POST" { olive.post(path, params).await } else { olive.patch(path, params).await }
        };
        ask(&before, "plain.test").await.error("BAD_REQUEST", &super::recorded::not_json(0, name));
        ask(&before, "\"plain.test\"").await.success();
        ask(&after, "plain.test").await.success();
    }
}

#[tokio::test]
async fn playgrounds_had_prefixes_before_196() {
    let server = TestServer::start().await;
    let [before, after] = Age::around(&server, 196).await;
    let old = json!({"name": "Play", "pygments_language": "Rust", "url_prefix": "https://x.test/{}?code="});
    let new = json!({"name": "Play", "pygments_language": "Rust", "url_template": "https://x.test/?code={code}&x=1"});
    for (age, taken, refused, missing, shown) in [
        (&before, &old, &new, "url_prefix", "https://x.test/%7B%7D?code="),
        (&after, &new, &old, "url_template", "https://x.test/?code={code}&x=1"),
    ] {
        let mut queue = age.user("mel").events(["realm_playgrounds"]).await;
        let reply = age.user("adam").post("/realm/playgrounds", refused.clone()).await;
        reply.error("REQUEST_VARIABLE_MISSING", &format!("Missing '{missing}' argument"));
        let id = age.user("adam").post("/realm/playgrounds", taken.clone()).await.success()["id"].take();
        let all = json!([{"id": id, "name": "Play", "pygments_language": "Rust", missing: shown}]);
        queue.next().await.is(json!({"type": "realm_playgrounds", "realm_playgrounds": all}));
        let state = age.user("mel").register(json!({"event_types": ["realm_playgrounds"]})).await.state;
        assert_eq!(state["realm_playgrounds"], all);
    }
    // What the newest level's template has behind the code is lost.
    server.user("adam").post("/realm/playgrounds", new).await.success();
    let old = Age::at(&server, 195).await.user("mel").register(json!({"event_types": ["realm_playgrounds"]})).await;
    assert_eq!(old.state["realm_playgrounds"][0]["url_prefix"], "https://x.test/?code=");
}

#[tokio::test]
async fn defaults_of_users_had_the_values_of_their_level() {
    let server = TestServer::start().await;
    for (level, name, value, shown, refused) in [
        (453, "web_home_view", json!("recent_topics"), json!("recent_topics"), json!("recent")),
        (218, "default_view", json!("all_messages"), json!("all_messages"), json!("recent")),
        (226, "desktop_icon_count_display", json!(3), json!(3), json!(4)),
        (407, "twenty_four_hour_time", json!(true), json!(true), Value::Null),
    ] {
        let age = Age::at(&server, level).await;
        let (olive, mut queue) = (age.user("olive"), age.user("mel").events(["realm_user_settings_defaults"]).await);
        let path = "/realm/user_settings_defaults";
        let reply = olive.patch(path, json!({name: refused})).await;
        assert_eq!(reply.status, 400, "{name} at {level}: {reply}");
        olive.patch(path, json!({name: value})).await.success();
        queue.next().await.has(json!({"property": name, "value": shown}));
        let state = olive.register(json!({"event_types": ["realm_user_settings_defaults"]})).await.state;
        assert_eq!(state["realm_user_settings_defaults"][name], shown, "at {level}");
    }
}

#[tokio::test]
async fn the_name_in_notifications_was_true_or_false_before_168() {
    const OLD: &str = "realm_name_in_notifications";
    const NEW: &str = "realm_name_in_email_notifications_policy";
    let server = TestServer::start().await;
    let [before, after] = Age::around(&server, 168).await;

    for (age, name, other, sent, refused, why) in [
        (&before, OLD, NEW, json!(true), json!(2), "is not a boolean"),
        (&after, NEW, OLD, json!(2), json!(1.5), "is not an integer"),
    ] {
        let (mel, olive) = (age.user("mel"), age.user("olive"));
        let mut events = mel.register(json!({"event_types": ["user_settings", "update_global_notifications"]})).await;
        mel.patch("/settings", json!({name: refused})).await.error("BAD_REQUEST", &format!("{name} {why}"));
        mel.patch("/settings", json!({other: sent, "enable_sounds": true})).await.success();
        mel.patch("/settings", json!({name: sent})).await.success();
        events.next().await.has(json!({"type": "user_settings", "property": name, "value": sent}));
        events.next().await.has(json!({"notification_name": name, "setting": sent}));
        olive.patch("/realm/user_settings_defaults", json!({name: sent})).await.success();

        let state = mel.register(json!({"client_capabilities": {}})).await.state;
        for settings in [&state, &state["user_settings"], &state["realm_user_settings_defaults"]] {
            assert_eq!(settings[name], sent);
            assert_eq!(settings.get(other), None);
        }
    }
    // What only newer levels know is the older ones' false.
    server.user("mel").patch("/settings", json!({NEW: 3})).await.success();
    let state = Age::at(&server, 167).await.user("mel").register(json!({})).await.state;
    assert_eq!(state["user_settings"][OLD], false);
}

#[tokio::test]
async fn the_color_scheme_was_night_mode_before_21() {
    let server = TestServer::start().await;
    let [before, after] = Age::around(&server, 21).await;
    for (age, name, other, sent, refused, why) in [
        (&before, "night_mode", "color_scheme", json!(true), json!(2), "is not a boolean"),
        (&after, "color_scheme", "night_mode", json!(2), json!(1.5), "is not an integer"),
    ] {
        let max = age.user("max");
        let mut events = max.events(["update_display_settings"]).await;
        let path = "/settings/display";
        max.patch(path, json!({name: refused})).await.error("BAD_REQUEST", &format!("{name} {why}"));
        max.patch(path, json!({other: sent})).await.success();
        max.patch(path, json!({name: sent})).await.success();
        events.next().await.has(json!({"setting_name": name, "setting": sent}));
        events.none().await;

        let state = max.register(json!({})).await.state;
        assert_eq!((&state[name], state.get(other)), (&sent, None));
    }
    let max = before.user("max");
    max.patch("/settings/display", json!({"night_mode": false})).await.success();
    assert_eq!(max.register(json!({})).await.state["night_mode"], false);
}

#[tokio::test]
async fn enter_sends_had_an_address_of_its_own_before_81() {
    let server = TestServer::start().await;
    let [before, after] = Age::around(&server, 81).await;
    let (path, on) = ("/users/me/enter-sends", json!({"enter_sends": true}));
    let mel = before.user("mel");
    let mut events = mel.events(["update_display_settings"]).await;

    mel.post(path, json!({})).await.error("REQUEST_VARIABLE_MISSING", "Missing 'enter_sends' argument");
    mel.post(path, on.clone()).await.success();
    events.next().await.has(json!({"setting_name": "enter_sends", "setting": true}));
    assert_eq!(mel.register(json!({})).await.state["enter_sends"], true);
    let _ = after.user("mel").post(path, on).await.with_status(404);
}

#[tokio::test]
async fn policies_of_the_organization_were_booleans() {
    let server = TestServer::start().await;
    let (topics, history) = ("topics_policy", "message_edit_history_visibility_policy");
    for (level, old, is_on, new, word) in [
        (50, "mandatory_topics", true, topics, "disable_empty_topic"),
        (391, "mandatory_topics", true, topics, "disable_empty_topic"),
        (50, "allow_edit_history", false, history, "none"),
        (357, "allow_edit_history", false, history, "none"),
    ] {
        let age = Age::at(&server, level).await;
        let (adam, key) = (age.user("adam"), format!("realm_{old}"));
        let mut events = age.user("mel").events(["realm"]).await;
        let refused = adam.patch("/realm", json!({old: word})).await;
        refused.error("BAD_REQUEST", &super::recorded::not_json(level, old));
        adam.patch("/realm", json!({new: word})).await.success();
        events.none().await;
        for value in [is_on, !is_on] {
            adam.patch("/realm", json!({old: value})).await.is(json!({old: value}));
            events.next().await.is(json!({"type": "realm", "op": "update", "property": old, "value": value}));
            assert_eq!(adam.register(json!({"event_types": ["realm"]})).await.state[&key], value, "at {level}");
        }
    }
    for (level, old, new, word) in
        [(392, "mandatory_topics", topics, "disable_empty_topic"), (358, "allow_edit_history", history, "none")]
    {
        let age = Age::at(&server, level).await;
        let adam = age.user("adam");
        let mut events = age.user("mel").events(["realm"]).await;
        adam.patch("/realm", json!({old: true})).await.is(json!({"ignored_parameters_unsupported": [old]}));
        let returned = if new == history { json!(3) } else { json!(word) };
        adam.patch("/realm", json!({new: word})).await.is(json!({new: returned}));
        let event = events.next().await.0;
        assert!(event["property"] == new || event["data"][new] == word, "{event}");
    }
}
