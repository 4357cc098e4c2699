//! What is read, and that reading changes nothing.

use super::{loaded, read, requests, server_with};
use crate::support::User;
use serde_json::{Value, json};

const CAPABILITIES: &str = r#"{"notification_settings_null": true, "bulk_message_deletion": true, "user_settings_object": true,
    "linkifier_url_template": true, "include_deactivated_groups": true, "archived_channels": true, "empty_topic_name": true}"#;

#[tokio::test]
async fn a_server_of_an_older_level_is_read_by_its_older_names() {
    for level in [130, 247, 387] {
        let default = chatdouble::fixture::built_in("default").expect("a fixture");
        let origin = loaded(default, |options| options.feature_level = level).await;
        let file = read(&origin.url(), &origin.user("olive"), &format!("level-{level}"), &[]).await;
        let copy = loaded(&file, |_| {}).await;
        let newest = server_with("default").await;
        let [copied, original] = [(&copy, "copy"), (&newest, "original")].map(|(server, _)| server.user("olive"));
        let of_a_channel = json!({"anchor": "newest", "num_before": 100, "num_after": 0,
            "narrow": json!([{"operator": "channel", "operand": 1}]).to_string()});
        for (path, params, keys) in [
            ("/user_groups", json!({}), vec!["user_groups[].members", "user_groups[].direct_subgroup_ids"]),
            ("/realm/linkifiers", json!({}), vec!["linkifiers[].pattern", "linkifiers[].url_template"]),
            (
                "/users/me/subscriptions",
                json!({}),
                vec!["subscriptions[].name", "subscriptions[].color", "subscriptions[].can_send_message_group"],
            ),
            ("/messages", of_a_channel, vec!["messages[].id", "messages[].content", "messages[].flags"]),
        ] {
            let [copied, original] =
                [copied.get(path, params.clone()).await.success(), original.get(path, params).await.success()];
            for key in keys {
                assert_eq!(at(&copied, key), at(&original, key), "{key} of {path} at {level}");
            }
        }
        let [copied, original] = [state(&copied).await, state(&original).await];
        for key in [
            "realm_new_stream_announcements_stream_id",
            "realm_can_invite_users_group",
            "realm_create_multiuse_invite_group",
        ] {
            if level > 130 || key != "realm_create_multiuse_invite_group" {
                assert_eq!(copied[key], original[key], "{key} at {level}");
            }
        }
    }
}

#[tokio::test]
async fn reading_changes_nothing() {
    let origin = server_with("default").await;
    let [mel] = origin.users(["mel"]);
    let before = state(&mel).await["unread_msgs"].clone();
    origin.request("DELETE", "/control/worlds/default/journal", &[("host", "localhost")], "").await.success();
    read(&origin.url(), &mel, "read-only", &["--with-uploads"]).await;

    let requests = requests(&origin).await;
    let changing: Vec<_> = requests.iter().filter(|(method, _)| method != "GET").collect();
    let is = |request: &&(String, String), method: &str, path: &str| request.0 == method && request.1 == path;
    assert!(
        changing.len() == 2 && is(&changing[0], "POST", "/register") && is(&changing[1], "DELETE", "/events"),
        "{changing:?}"
    );
    let queues = origin.request("GET", "/control/worlds/default/queues", &[("host", "localhost")], "").await.success();
    let left: Vec<&Value> = queues["queues"].as_array().expect("a list").iter().collect();
    assert!(
        left.iter().all(|queue| !queue["client"].as_str().is_some_and(|client| client.starts_with("chatdouble"))),
        "{left:?}"
    );
    assert_eq!(state(&mel).await["unread_msgs"], before);
}

#[tokio::test]
async fn messages_of_system_bots_do_not_give_the_subdomain() {
    let origin = server_with("empty").await;
    let [owner] = origin.users(["olive"]);
    let subscriptions = json!([{"name": "announced"}]).to_string();
    owner.post("/users/me/subscriptions", json!({"subscriptions": subscriptions, "announce": true})).await.success();
    let last = owner.get("/messages", json!({"anchor": "newest", "num_before": 1, "num_after": 0})).await.success();
    assert_eq!(last["messages"][0]["sender_realm_str"], "service-internal", "the notification bot has written last");
    let text = read(&origin.url(), &owner, "subdomain", &[]).await;
    let document: Value = serde_json::from_str(&text).expect("JSON");
    assert_eq!(document["organization"]["subdomain"], "");
}

#[tokio::test]
async fn only_the_newest_messages_of_all_feeds_are_read() {
    let origin = server_with("default").await;
    let all = messages(&read(&origin.url(), &origin.user("mel"), "all", &[]).await);
    let newest = messages(&read(&origin.url(), &origin.user("mel"), "newest", &["--messages", "5"]).await);
    assert_eq!(newest, all[all.len() - 5..]);
    let none = read(&origin.url(), &origin.user("mel"), "none", &["--messages", "0"]).await;
    assert!(messages(&none).is_empty());
    loaded(&none, |_| {}).await;
}

#[tokio::test]
async fn a_channel_alone_is_read_with_its_messages() {
    let origin = server_with("default").await;
    let text = read(&origin.url(), &origin.user("mel"), "channel", &["--channel", "Engineering"]).await;
    let document: Value = serde_json::from_str(&text).expect("JSON");
    let names: Vec<&Value> = document["channels"].as_array().expect("a list").iter().map(|one| &one["name"]).collect();
    assert_eq!(names, ["engineering"]);
    let messages = document["messages"].as_array().expect("a list");
    assert!(!messages.is_empty() && messages.iter().all(|one| one["channel"] == "engineering"), "{messages:?}");
    loaded(&text, |_| {}).await;
}

#[tokio::test]
async fn a_server_below_a_path_is_read() {
    let origin = server_with("default").await;
    origin.request("POST", "/control/worlds", &[("host", "localhost")], r#"{"name": "blue"}"#).await.success();
    let url = format!("{}/w/blue/", origin.url());
    let text = read(&url, &origin.user("olive"), "below", &["--with-uploads"]).await;
    assert!(messages(&text).len() > 10 && text.contains("\"uploads\""), "{text}");
}

fn messages(text: &str) -> Vec<i64> {
    let document: Value = serde_json::from_str(text).expect("JSON");
    let messages = document["messages"].as_array().cloned().unwrap_or_default();
    messages.iter().map(|message| message["id"].as_i64().expect("a number")).collect()
}

async fn state(user: &User) -> Value {
    user.post("/register", json!({"client_capabilities": CAPABILITIES})).await.success()
}

/// The values at a place such as `messages[].id`.
fn at(value: &Value, place: &str) -> Vec<Value> {
    let (list, key) = place.split_once("[].").expect("a list");
    value[list].as_array().expect("a list").iter().map(|one| one[key].clone()).collect()
}
