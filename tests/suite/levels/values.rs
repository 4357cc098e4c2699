//! Values that meant or were called something else.

use super::{Age, send_old};
use crate::support::{TestServer, User};
use serde_json::{Value, json};

#[tokio::test]
async fn values_of_settings_came_with_their_levels() {
    let server = TestServer::start().await;
    // Level, setting, the value now, as it was shown, as it was sent; none: it could not be.
    for (level, name, now, shown, sent) in [
        (408, "twenty_four_hour_time", json!(null), json!(false), None),
        (401, "web_channel_default_view", json!(4), json!(1), None),
        (383, "web_channel_default_view", json!(3), json!(1), None),
        (227, "desktop_icon_count_display", json!(3), json!(2), Some(json!(2))),
        (227, "desktop_icon_count_display", json!(4), json!(3), Some(json!(3))),
        (227, "desktop_icon_count_display", json!(2), json!(2), None),
    ] {
        server.user("mel").patch("/settings", json!({name: now})).await.success();
        for (level, expected) in [(level - 1, &shown), (level, &now)] {
            let mel = Age::at(&server, level).await.user("mel");
            let state = mel.register(json!({"client_capabilities": {}})).await.state;
            assert_eq!(state["user_settings"][name], *expected, "{name} at {level}");
            if let Some(legacy) = state.get(name) {
                assert_eq!(legacy, expected, "{name} at {level}");
            }
        }
        server
            .user("mel")
            .patch("/settings", json!({name: if now.is_null() { json!(true) } else { json!(1) }}))
            .await
            .success();
        let [before, after] = Age::around(&server, level).await;
        let mut events = before.user("mel").register(json!({"event_types": ["user_settings", "update_display_settings", "update_global_notifications"], "client_capabilities": {}})).await;
        match sent {
            None if name == "desktop_icon_count_display" => {
                let reply = before.user("mel").patch("/settings", json!({name: 4})).await;
                reply.error("BAD_REQUEST", &format!("Invalid {name}"));
            }
            None => {
                let problem =
                    if now.is_null() { format!("{name} is not a boolean") } else { format!("Invalid {name}") };
                let reply = before.user("mel").patch("/settings", json!({name: now})).await;
                reply.error("BAD_REQUEST", &problem);
            }
            Some(sent) => {
                before.user("mel").patch("/settings", json!({name: sent})).await.success();
                for event in events.all().await {
                    let value = event.get("value").or(event.get("setting"));
                    assert_eq!(value, Some(&shown), "{event}");
                }
            }
        }
        after.user("mel").patch("/settings", json!({name: now})).await.success();
    }
}

#[tokio::test]
async fn values_of_the_organization_came_with_their_levels() {
    let server = TestServer::start_in(|fixture| {
        let settings = &mut fixture["organization"]["settings"];
        settings["message_content_edit_limit_seconds"] = Value::Null;
        settings["message_content_delete_limit_seconds"] = Value::Null;
        settings["upload_quota_mib"] = json!(2);
    })
    .await;
    for (level, key, before, after) in [
        (251, "realm_upload_quota_mib", json!(2_097_152), json!(2)),
        (195, "realm_default_code_block_language", json!(null), json!("")),
        (138, "realm_message_content_edit_limit_seconds", json!(0), json!(null)),
        (100, "realm_message_content_delete_limit_seconds", json!(0), json!(null)),
        (22, "realm_message_retention_days", json!(null), json!(-1)),
    ] {
        for (level, expected) in [(level - 1, before), (level, after)] {
            let state = Age::at(&server, level).await.user("mel").register(json!({})).await.state;
            assert_eq!(state.get(key), Some(&expected), "{key} at {level}");
        }
    }
    let methods = |state: &Value| state["realm_authentication_methods"]["Email"].clone();
    let [before, after] = Age::around(&server, 243).await;
    assert_eq!(methods(&before.user("mel").register(json!({})).await.state), true);
    assert_eq!(methods(&after.user("mel").register(json!({})).await.state)["enabled"], true);
}

#[tokio::test]
async fn policies_that_permissions_replaced_are_those_of_their_holders() {
    let server = TestServer::start().await;
    let state = Age::at(&server, 40).await.user("mel").register(json!({})).await.state;
    let shown: Vec<&Value> =
        ["realm_invite_by_admins_only", "realm_add_emoji_by_admins_only", "realm_allow_message_deleting"]
            .iter()
            .map(|key| &state[*key])
            .collect();
    assert_eq!(shown, [false, false, true]);
    let state = Age::at(&server, 260).await.user("mel").register(json!({})).await.state;
    assert_eq!((&state["realm_edit_topic_policy"], &state["realm_bot_creation_policy"]), (&json!(5), &json!(1)));
    assert_eq!(
        (&state["realm_private_message_policy"], &state["realm_invite_to_realm_policy"]),
        (&json!(1), &json!(1))
    );
}

#[tokio::test]
async fn paragraphs_were_not_in_summaries_before_476() {
    let server = TestServer::start().await;
    // There is room for two.
    let fields = server.user("olive").get("/realm/profile_fields", json!({})).await.success();
    for field in fields["custom_fields"].as_array().expect("a list") {
        let path = format!("/realm/profile_fields/{}", field["id"]);
        server.user("olive").patch(&path, json!({"display_in_profile_summary": false})).await.success();
    }
    let [before, after] = Age::around(&server, 476).await;
    let paragraph = json!({"name": "About", "field_type": 2, "display_in_profile_summary": true});
    let refused = "Field type not supported for display in profile summary.";

    before.user("olive").post("/realm/profile_fields", paragraph.clone()).await.error("BAD_REQUEST", refused);
    let hidden = json!({"name": "About", "field_type": 2});
    let id = before.user("olive").post("/realm/profile_fields", hidden).await.success()["id"].clone();
    let path = format!("/realm/profile_fields/{id}");
    let show = json!({"display_in_profile_summary": true});
    before.user("olive").patch(&path, show).await.error("BAD_REQUEST", refused);
    after.user("olive").post("/realm/profile_fields", paragraph).await.success();
}

#[tokio::test]
async fn omitted_values_of_profile_fields_were_cleared_before_252() {
    let server = TestServer::start().await;
    let [before, after] = Age::around(&server, 252).await;
    for (age, blank) in [(&before, true), (&after, false)] {
        let olive = age.user("olive");
        let made = json!({"name": "Drink", "hint": "Hot", "field_type": 1, "required": true, "display_in_profile_summary": false});
        let id = olive.post("/realm/profile_fields", made).await.success()["id"].clone();
        let choices = json!({"name": "Tea", "field_type": 3, "field_data": {"0": {"text": "Green", "order": "1"}}});
        let choice = olive.post("/realm/profile_fields", choices).await.success()["id"].clone();

        let nameless = olive.patch(&format!("/realm/profile_fields/{id}"), json!({"hint": "new"})).await;
        let choiceless = olive.patch(&format!("/realm/profile_fields/{choice}"), json!({"name": "Teas"})).await;
        olive.patch(&format!("/realm/profile_fields/{id}"), json!({"name": "Drinks"})).await.success();

        if blank {
            nameless.error("BAD_REQUEST", "Label cannot be blank.");
            choiceless.error("BAD_REQUEST", "Field must have at least one choice.");
        } else {
            nameless.success();
            choiceless.success();
        }
        let fields = olive.get("/realm/profile_fields", json!({})).await.success();
        let field = fields["custom_fields"].as_array().expect("a list").iter().find(|field| field["id"] == id);
        let field = field.expect("the field").clone();
        let hint = if blank { "" } else { "new" };
        assert_eq!(
            (&field["name"], &field["hint"], &field["required"]),
            (&json!("Drinks"), &json!(hint), &json!(!blank))
        );
    }
}

#[tokio::test]
async fn unanimated_emoji_had_no_still_url_before_113() {
    let server = TestServer::start().await;
    for (level, expected) in [(112, None), (113, Some(Value::Null))] {
        let reply = Age::at(&server, level).await.user("mel").get("/realm/emoji", json!({})).await.success();
        let emoji = reply["emoji"].as_object().expect("by ID").values().next().expect("one").clone();
        assert_eq!(emoji.get("still_url"), expected.as_ref(), "at {level}");
    }
}

#[tokio::test]
async fn anchors_were_no_dates_before_445() {
    let server = TestServer::start().await;
    let [before, after] = Age::around(&server, 445).await;
    let params = json!({"anchor": "date", "anchor_date": "2026-01-01T00:00:00Z", "num_before": 1, "num_after": 0});

    before.user("mel").get("/messages", params.clone()).await.error("BAD_REQUEST", "Invalid anchor");
    after.user("mel").get("/messages", params).await.success();
}

/// A message as a user gets it.
async fn message(user: &User, id: &Value) -> Value {
    let params = json!({"anchor": id, "num_before": 0, "num_after": 0});
    user.get("/messages", params).await.success()["messages"][0].take()
}

#[tokio::test]
async fn moves_were_edits_before_365() {
    let server = TestServer::start().await;
    let mel = server.user("mel");
    let id = json!(mel.send_to("general", "t", "x").await);
    mel.patch(&format!("/messages/{id}"), json!({"topic": "elsewhere"})).await.success();
    for (level, is_edited) in [(364, true), (365, false)] {
        let shown = message(&Age::at(&server, level).await.user("mel"), &id).await;
        assert_eq!(shown.get("last_edit_timestamp").is_some(), is_edited, "at {level}: {shown}");
        assert_eq!(shown.get("last_moved_timestamp").is_some(), !is_edited, "at {level}: {shown}");
    }
}

#[tokio::test]
async fn wildcard_mentions_had_one_flag_before_224() {
    let server = TestServer::start().await;
    for (level, flags) in
        [(223, vec!["wildcard_mentioned"]), (224, vec!["stream_wildcard_mentioned", "wildcard_mentioned"])]
    {
        let age = Age::at(&server, level).await;
        let max = age.user("max");
        let mut events = max.events(["message"]).await;
        let id = send_old(&age.user("olive"), "general", "t", "@**all** tea").await;
        assert_eq!(events.next().await.has(json!({"type": "message"}))["flags"], json!(flags), "at {level}");
        assert_eq!(message(&max, &id).await["flags"], json!(flags), "at {level}");
    }
}

#[tokio::test]
async fn edits_named_no_channel_before_112() {
    let server = TestServer::start().await;
    for (level, is_named) in [(111, false), (112, true)] {
        let age = Age::at(&server, level).await;
        let (mel, mut events) = (age.user("mel"), age.user("max").events(["update_message"]).await);
        let id = send_old(&mel, "general", "t", "x").await;
        mel.patch(&format!("/messages/{id}"), json!({"content": "y"})).await.success();
        mel.patch(&format!("/messages/{id}"), json!({"topic": "elsewhere"})).await.success();
        let received: Vec<bool> = events.all().await.iter().map(|event| event.get("stream_id").is_some()).collect();
        assert_eq!(received, [is_named, true], "at {level}");
    }
}

#[tokio::test]
async fn narrows_named_messages_in_text_before_194() {
    let server = TestServer::start().await;
    let id = server.user("mel").send_to("general", "t", "x").await;
    let [before, after] = Age::around(&server, 194).await;
    let params = |operand: Value| {
        let narrow = json!([{"operator": "id", "operand": operand}]);
        json!({"anchor": "newest", "num_before": 1, "num_after": 0, "narrow": narrow})
    };

    before.user("mel").get("/messages", params(json!(id.to_string()))).await.success();
    let message = "elem[\"operand\"] is not a string";
    before.user("mel").get("/messages", params(json!(id))).await.error("BAD_REQUEST", message);
    after.user("mel").get("/messages", params(json!(id))).await.success();
}

#[tokio::test]
async fn receipts_included_muted_users_before_144() {
    let server = TestServer::start().await;
    let (mel, max) = (server.user("mel"), server.user("max"));
    let id = mel.send_to("general", "t", "x").await;
    max.post("/messages/flags", json!({"messages": [id], "op": "add", "flag": "read"})).await.success();
    mel.post(&format!("/users/me/muted_users/{}", max.id()), json!({})).await.success();
    for (level, is_listed) in [(143, true), (144, false)] {
        let mel = Age::at(&server, level).await.user("mel");
        let read = mel.get(&format!("/messages/{id}/read_receipts"), json!({})).await.success();
        let ids = read["user_ids"].as_array().expect("a list");
        assert_eq!(ids.contains(&json!(max.id())), is_listed, "at {level}");
    }
}

#[tokio::test]
async fn typing_was_to_addresses_before_11() {
    let server = TestServer::start().await;
    let [before, after] = Age::around(&server, 11).await;
    let typing = |to: &str| json!({"op": "start", "to": [to]});
    let mut events = before.user("max").events(["typing"]).await;

    before.user("mel").post("/typing", typing("max@chat.test")).await.success();
    events.next().await.has(json!({"op": "start", "sender": {"email": "mel@chat.test"}}));
    before.user("mel").post("/typing", typing("nobody@chat.test")).await.error("BAD_REQUEST", "No such user");
    let _ = after.user("mel").post("/typing", typing("max@chat.test")).await.with_status(400);
}

#[tokio::test]
async fn anchors_were_no_words_before_1() {
    let server = TestServer::start().await;
    let [before, after] = Age::around(&server, 1).await;
    let newest = json!({"anchor": "newest", "num_before": 1, "num_after": 0});

    before.user("mel").get("/messages", newest.clone()).await.error("BAD_REQUEST", "Invalid anchor");
    let by_id = json!({"anchor": 10, "num_before": 1, "num_after": 0});
    before.user("mel").get("/messages", by_id).await.success();
    after.user("mel").get("/messages", newest).await.success();
}
