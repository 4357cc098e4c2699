//! What was kept at level 247 that is not kept any more, or otherwise.

use super::Age;
use crate::support::{TestServer, User};
use chatdouble::reducer::State;
use serde_json::{Value, json};

const SINCE: i64 = 248;

async fn settings(user: &User) -> Value {
    let capabilities = json!({"notification_settings_null": true, "user_settings_object": true});
    user.register(json!({"client_capabilities": capabilities})).await.state["user_settings"].clone()
}

#[tokio::test]
async fn some_settings_had_other_defaults() {
    let server = TestServer::start().await;
    let [first, second] = Age::around(&server, 274).await;
    let [third, last] = Age::around(&server, 336).await;
    for (age, style, size, height) in
        [(first, 2, 14, 122), (second, 2, 16, 140), (third, 2, 16, 140), (last, 3, 16, 140)]
    {
        let (olive, mel, bot) = (age.user("olive"), age.user("mel"), age.user("build-bot"));
        for user in [&mel, &bot] {
            let own = settings(user).await;
            let shown = (&own["user_list_style"], &own["web_font_size_px"], &own["web_line_height_percent"]);
            assert_eq!(shown, (&json!(style), &json!(size), &json!(height)));
        }
        let defaults = olive.register(json!({})).await.state["realm_user_settings_defaults"].clone();
        assert_eq!(defaults["user_list_style"], style);

        // An unchanged value sends no event; any other does, also the default of other levels.
        let mut queue = mel.events(["user_settings"]).await;
        mel.patch("/settings", json!({"user_list_style": style})).await.success();
        queue.none().await;
        for other in [5 - style, style] {
            mel.patch("/settings", json!({"user_list_style": other})).await.success();
            queue.next().await.has(json!({"property": "user_list_style", "value": other}));
            assert_eq!(settings(&mel).await["user_list_style"], other);
        }
        let mut queue = olive.events(["realm_user_settings_defaults"]).await;
        olive.patch("/realm/user_settings_defaults", json!({"user_list_style": style})).await.success();
        queue.none().await;
        olive.patch("/realm/user_settings_defaults", json!({"user_list_style": 5 - style})).await.success();
        queue.next().await.has(json!({"value": 5 - style}));
    }
}

#[tokio::test]
async fn lists_were_dense_by_choice_before_364() {
    let server = TestServer::start().await;
    let [before, after] = Age::around(&server, 364).await;
    let (olive, mel) = (before.user("olive"), before.user("mel"));
    assert_eq!(settings(&mel).await["dense_mode"], true);
    let mut queue = mel.events(["user_settings"]).await;
    mel.patch("/settings", json!({"dense_mode": 5})).await.error("BAD_REQUEST", "dense_mode is not a boolean");
    mel.patch("/settings", json!({"dense_mode": true})).await.is(json!({}));
    queue.none().await;
    mel.patch("/settings", json!({"dense_mode": false})).await.is(json!({}));
    queue.next().await.is(json!({"type": "user_settings", "op": "update", "property": "dense_mode", "value": false}));
    assert_eq!(settings(&mel).await["dense_mode"], false);
    let legacy = json!({"client_capabilities": {"notification_settings_null": true}});
    assert_eq!(mel.register(legacy.clone()).await.state["dense_mode"], false);

    // New users begin with what the organization says.
    olive.patch("/realm/user_settings_defaults", json!({"dense_mode": false})).await.is(json!({}));
    let defaults = olive.register(json!({})).await.state["realm_user_settings_defaults"].clone();
    assert_eq!(defaults["dense_mode"], false);
    assert_eq!(settings(&olive).await["dense_mode"], true);

    let mel = after.user("mel");
    let ignored = json!({"ignored_parameters_unsupported": ["dense_mode"]});
    mel.patch("/settings", json!({"dense_mode": false})).await.is(ignored);
    assert_eq!(settings(&mel).await.get("dense_mode"), None);
    assert_eq!(mel.register(legacy).await.state.get("dense_mode"), None);
}

async fn flags(user: &User, id: i64) -> Value {
    user.get(&format!("/messages/{id}"), json!({})).await.success()["message"]["flags"].clone()
}

#[tokio::test]
async fn an_edit_marks_the_rows_of_those_outside_too() {
    let server = TestServer::start().await;
    for age in Age::around(&server, SINCE).await {
        let (olive, mel) = (age.user("olive"), age.user("mel"));
        let made = json!({"subscriptions": [{"name": "made"}], "principals": [olive.id()]});
        olive.post("/users/me/subscriptions", made).await.success();
        let group = json!({"name": "crew", "description": "", "members": [mel.id()]});
        olive.post("/user_groups/create", group).await.success();
        let message = json!({"type": "stream", "to": "made", "topic": "t", "content": "plain"});
        let id = olive.post("/messages", message).await.success()["id"].as_i64().expect("an id");
        let path = format!("/messages/{id}");

        // Without a row there is nothing to mark.
        olive.patch(&path, json!({"content": "@**all** @*crew* once"})).await.success();
        assert_eq!(flags(&mel, id).await, json!(["read", "historical"]));

        mel.post(&format!("{path}/reactions"), json!({"emoji_name": "heart"})).await.success();
        let mut queue = mel.events(["update_message"]).await;
        olive.patch(&path, json!({"content": "@**all** @*crew* again"})).await.success();
        let received = queue.next().await.0["flags"].clone();
        let shown = flags(&mel, id).await;
        for flags in [&received, &shown] {
            let flags: Vec<&str> = flags.as_array().expect("a list").iter().filter_map(Value::as_str).collect();
            for flag in ["read", "mentioned", "stream_wildcard_mentioned", "historical"] {
                assert!(flags.contains(&flag), "{flag}: {flags:?}");
            }
        }
        let narrow = json!({"anchor": "newest", "num_before": 5, "num_after": 0, "narrow": [["is", "mentioned"]]});
        let found = mel.get("/messages", narrow).await.success();
        assert!(found["messages"].as_array().expect("a list").iter().any(|message| message["id"] == id));

        // What mentions by name is taken back with the mention; what mentions everybody stays.
        olive.patch(&path, json!({"content": "nobody"})).await.success();
        let shown = flags(&mel, id).await;
        assert!(!shown.as_array().expect("a list").contains(&json!("mentioned")), "{shown}");
        assert!(shown.as_array().expect("a list").contains(&json!("stream_wildcard_mentioned")), "{shown}");
    }
}

#[tokio::test]
async fn bots_have_direct_messages_that_mention_them() {
    let server = TestServer::start().await;
    for age in Age::around(&server, SINCE).await {
        let (olive, mel, bot) = (age.user("olive"), age.user("mel"), age.user("build-bot"));
        let name = bot.get("/users/me", json!({})).await.success()["full_name"].clone();
        let mut queue = bot.events(["message"]).await;
        let content = format!("ask @**{}**", name.as_str().expect("a name"));
        let id = olive.send_direct(&[mel.id()], &content).await;
        assert_eq!(queue.next().await.0["message"]["id"], id);
        assert_eq!(flags(&bot, id).await, json!(["read", "mentioned"]));
        let narrow = json!({"anchor": "newest", "num_before": 5, "num_after": 0, "narrow": [["is", "dm"]]});
        let found = bot.get("/messages", narrow).await.success();
        assert!(found["messages"].as_array().expect("a list").iter().any(|message| message["id"] == id));
        // It is not one of those who talk there: nothing of theirs is unread for it.
        let unread = json!({"messages": [id], "op": "remove", "flag": "read"});
        bot.post("/messages/flags", unread).await.success();
        assert_eq!(flags(&bot, id).await, json!(["read", "mentioned"]));
        // An edit reaches nobody else.
        let id = olive.send_direct(&[mel.id()], "plain").await;
        olive.patch(&format!("/messages/{id}"), json!({"content": content})).await.success();
        bot.get(&format!("/messages/{id}"), json!({})).await.error("BAD_REQUEST", "Invalid message(s)");
    }
}

#[tokio::test]
async fn files_are_sent_before_the_message_that_names_them() {
    let server = TestServer::start().await;
    for age in Age::around(&server, SINCE).await {
        let (olive, mel) = (age.user("olive"), age.user("mel"));
        let uploaded = olive.upload("/user_uploads", "note.txt", "text/plain", b"note").await.success();
        let url = uploaded.get("url").or(uploaded.get("uri")).and_then(Value::as_str).expect("an address").to_owned();
        let mut queue = olive.events(["attachment", "message"]).await;
        olive.send_direct(&[mel.id()], &format!("[note]({url})")).await;
        let received: Vec<Value> = queue.all().await.into_iter().map(|event| event["type"].clone()).collect();
        assert_eq!(received, ["attachment", "message"]);
    }
}

#[tokio::test]
async fn saying_again_that_one_is_here_is_a_sign_of_it() {
    let server = TestServer::start().await;
    for age in Age::around(&server, SINCE).await {
        let (olive, mel) = (age.user("olive"), age.user("mel"));
        let mut queue = olive.events(["presence"]).await;
        mel.post("/users/me/status", json!({"status_text": "busy", "away": false})).await.success();
        assert_eq!(queue.next().await.0["user_id"], mel.id());
        let all = olive.get("/realm/presence", json!({})).await.success();
        assert!(all["presences"].get(mel.email()).is_some(), "{all}");
    }
}

#[tokio::test]
async fn who_caused_a_subscription_has_its_notice_read() {
    let server = TestServer::start().await;
    let [before, _] = Age::around(&server, SINCE).await;
    let (bot, gus) = (before.user("build-bot"), before.user("mel"));
    let general = json!({"subscriptions": [{"name": "general"}], "principals": [gus.id()]});
    gus.delete("/users/me/subscriptions", json!({"subscriptions": ["general"]})).await.success();
    let mut queue = bot.events(["message"]).await;
    bot.post("/users/me/subscriptions", general).await.success();
    // The notice mentions the bot aloud, so that it gets it too.
    assert_eq!(queue.next().await.0["flags"], json!(["read", "mentioned"]));
}

#[tokio::test]
async fn pictures_of_system_bots_were_left_to_clients_before_311() {
    let server = TestServer::start().await;
    let [before, after] = Age::around(&server, 311).await;
    for (age, is_left) in [(before, true), (after, false)] {
        let (olive, mel) = (age.user("olive"), age.user("mel"));
        let mut queue = mel.register(json!({"client_gravatar": true, "event_types": ["message"]})).await;
        let made = json!({"subscriptions": [{"name": "made"}]});
        olive.post("/users/me/subscriptions", made.clone()).await.success();
        let others = json!({"subscriptions": [{"name": "made"}], "principals": [mel.id()]});
        olive.post("/users/me/subscriptions", others).await.success();
        let received = queue.next().await.0["message"]["avatar_url"].clone();
        for (computes, is_null) in [(true, is_left), (false, false)] {
            let query = json!({"anchor": "newest", "num_before": 1, "num_after": 0, "client_gravatar": computes});
            let shown = mel.get("/messages", query).await.success();
            assert_eq!(shown["messages"][0]["avatar_url"].is_null(), is_null, "{shown}");
        }
        assert_eq!(received.is_null(), is_left, "{received}");
    }
}

#[tokio::test]
async fn unread_topics_were_listed_by_each_spelling() {
    let server = TestServer::start().await;
    for (age, topics) in Age::around(&server, 299).await.iter().zip([vec!["Tea", "tea"], vec!["tea"]]) {
        let (max, mel) = (age.user("max"), age.user("mel"));
        let registered = mel.register(json!({})).await;
        let mut state = State::from_register(registered.state.clone());
        let mut queue = registered;
        for topic in ["tea", "Tea", "tea"] {
            let message = json!({"type": "stream", "to": "general", "topic": topic, "content": "hot"});
            max.post("/messages", message).await.success();
        }

        let later = mel.register(json!({})).await.state;

        let rows = later["unread_msgs"]["streams"].as_array().expect("a list").iter();
        let listed: Vec<&str> =
            rows.filter_map(|row| row["topic"].as_str()).filter(|topic| topic.eq_ignore_ascii_case("tea")).collect();
        assert_eq!(listed, topics);
        for event in queue.all().await {
            assert!(state.apply(&event));
        }
        assert_eq!(state.differences(&later), []);
    }
}
