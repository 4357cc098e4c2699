//! What was read, loaded again, answers its reader as the origin did, but for what a reader cannot see.

use super::{account, loaded, read, requests, server_with};
use crate::support::{TestServer, User};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};

/// Differences that follow from what an account cannot see: the end of the place in a reply, and why.
const UNSEEN: &[(&str, &str)] = &[
    ("/attachments: upload_space_used", "files of others that no message links are not seen"),
    ("/invites: invites[].link_url", "the keys of invitations let anyone in, and are not in the file"),
    ("/read_receipts: user_ids", "what others have read is not seen"),
    (".avatar_url", "the picture of a hidden address follows from the address"),
    ("avatar_url_medium", "the picture of a hidden address follows from the address"),
    ("first_message_id", "messages of channels that the account does not read are not seen"),
    ("stream_weekly_traffic", "messages of channels that the account does not read are not seen"),
    ("/channels: subscribed_channel_ids", "subscriptions of deactivated users are not seen"),
    ("services[].token", "tokens of bots are secrets, and are not in the file"),
    (".api_key", "keys are secrets, and are not in the file"),
    (": is_subscribed", "subscriptions of deactivated users are not seen"),
    ("recipient_id", "it counts channels and conversations that the account does not see"),
    ("push_token_id", "tokens of devices are not in the file"),
    ("realm_moderation_request_channel_id", "the account does not see the channel"),
];

const CAPABILITIES: &str = r#"{"notification_settings_null": true, "bulk_message_deletion": true, "user_settings_object": true,
    "linkifier_url_template": true, "include_deactivated_groups": true, "archived_channels": true, "empty_topic_name": true}"#;

#[tokio::test]
async fn what_an_owner_reads_of_the_built_in_organization_answers_as_the_origin() {
    let origin = server_with("default").await;
    assert_same_answers(&origin, "olive", "round-default", 380).await;
}

#[tokio::test]
async fn what_an_owner_reads_of_a_hostile_organization_answers_as_the_origin() {
    let origin = server_with("hostile").await;
    assert_same_answers(&origin, "olive", "round-hostile", 900).await;
}

#[tokio::test]
async fn what_an_owner_reads_of_a_generated_organization_answers_as_the_origin() {
    use chatdouble::fixture::generate::{Size, document, text};
    let made = text(&document(Size { users: 40, channels: 12, messages: 60 }, 7, &mut |_| {}));
    let origin = loaded(&made, |_| {}).await;
    assert_same_answers(&origin, "olive", "round-generated", 500).await;
}

#[tokio::test]
async fn what_a_member_reads_has_the_members_own_things() {
    let origin = server_with("default").await;
    assert_same_answers(&origin, "mel", "round-mel", 380).await;
}

#[tokio::test]
async fn a_server_of_an_older_level_is_read_by_its_older_names() {
    for level in [130, 247, 387] {
        let default = chatdouble::fixture::builtin("default").expect("a fixture");
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

/// Reads as a user, loads what was read, and asks both the same.
async fn assert_same_answers(origin: &TestServer, handle: &str, name: &str, least: usize) {
    let reader = origin.user(handle);
    let text = read(&origin.url(), &reader, name, &["--with-uploads"]).await;
    let copy = loaded(&text, |_| {}).await;
    let copied = account(&copy, reader.email()).await;
    let asked = questions(&reader).await;
    assert!(asked.len() >= least, "{} requests", asked.len());
    let mut differences = BTreeMap::new();
    for (method, path, params) in asked {
        let [mut one, mut other] = [
            answer(&reader, method, &path, &params, &origin.url()).await,
            answer(&copied, method, &path, &params, &copy.url()).await,
        ];
        for reply in [&mut one, &mut other] {
            reply.as_object_mut().map(|reply| reply.shift_remove("queue_id"));
        }
        let shown = format!("{method} {path}");
        differ(&one, &other, &mut format!("{shown}: "), &mut differences);
    }
    let unexplained: BTreeMap<_, _> =
        differences.iter().filter(|(place, _)| !UNSEEN.iter().any(|(end, _)| place_matches(place, end))).collect();
    assert!(unexplained.is_empty(), "{unexplained:#?}");
}

fn place_matches(place: &str, end: &str) -> bool {
    let place = place.trim_end_matches("[]").trim_end_matches("[#]");
    place.ends_with(end)
}

async fn answer(user: &User, method: &str, path: &str, params: &Value, url: &str) -> Value {
    let reply = match method {
        "GET" => user.get(path, params.clone()).await,
        _ => user.post(path, params.clone()).await,
    };
    let text = reply.body.to_string().replace(url, "URL");
    serde_json::from_str(&text).expect("JSON")
}

/// Reads of everything that the user knows of.
async fn questions(user: &User) -> Vec<(&'static str, String, Value)> {
    let state = user.post("/register", json!({"client_capabilities": CAPABILITIES})).await.success();
    let numbers = |key: &str, id: &str| -> Vec<i64> {
        state[key].as_array().into_iter().flatten().filter_map(|one| one[id].as_i64()).collect()
    };
    let mut asked: Vec<(&'static str, String, Value)> = Vec::new();
    let narrow = |operator: &str, operand: Value| {
        json!({"anchor": "newest", "num_before": 100, "num_after": 0,
               "narrow": json!([{"operator": operator, "operand": operand}]).to_string()})
    };
    for id in
        ["realm_users", "realm_non_active_users", "cross_realm_bots"].iter().flat_map(|key| numbers(key, "user_id"))
    {
        asked.push(("GET", format!("/users/{id}"), json!({"include_custom_profile_fields": true})));
        for what in ["presence", "status", "channels"] {
            asked.push(("GET", format!("/users/{id}/{what}"), json!({})));
        }
        asked.push(("GET", "/messages".into(), narrow("sender", json!(id))));
        asked.push(("GET", "/messages".into(), narrow("dm", json!([id]))));
    }
    let channels: BTreeSet<i64> = ["subscriptions", "unsubscribed", "never_subscribed"]
        .iter()
        .flat_map(|key| numbers(key, "stream_id"))
        .collect();
    for user in numbers("realm_users", "user_id") {
        for channel in &channels {
            asked.push(("GET", format!("/users/{user}/subscriptions/{channel}"), json!({})));
        }
    }
    for id in channels {
        for path in [format!("/streams/{id}"), format!("/streams/{id}/members"), format!("/users/me/{id}/topics")] {
            asked.push(("GET", path, json!({})));
        }
        asked.push(("GET", "/messages".into(), narrow("channel", json!(id))));
    }
    let mut messages = BTreeSet::new();
    for narrow in [json!([]), json!([{"operator": "channels", "operand": "public"}])] {
        let params = json!({"anchor": "newest", "num_before": 1_000, "num_after": 0, "narrow": narrow.to_string()});
        let page = user.get("/messages", params).await.success();
        messages.extend(page["messages"].as_array().expect("a list").iter().filter_map(|one| one["id"].as_i64()));
    }
    for id in messages {
        asked.push(("GET", format!("/messages/{id}"), json!({})));
        asked.push(("GET", format!("/messages/{id}"), json!({"apply_markdown": false})));
        asked.push(("GET", "/messages".into(), narrow("id", json!(id))));
        asked.push(("GET", format!("/messages/{id}/history"), json!({})));
        asked.push(("GET", format!("/messages/{id}/read_receipts"), json!({})));
    }
    for term in [
        "is:starred",
        "is:unread",
        "is:dm",
        "is:mentioned",
        "has:link",
        "has:image",
        "has:attachment",
        "is:resolved",
        "is:followed",
        "is:muted",
        "search:the",
        "has:reaction",
        "is:alerted",
    ] {
        let (operator, operand) = term.split_once(':').expect("two words");
        asked.push(("GET", "/messages".into(), narrow(operator, json!(operand))));
    }
    for id in numbers("realm_user_groups", "id") {
        asked.push(("GET", format!("/user_groups/{id}/members"), json!({})));
        asked.push(("GET", format!("/user_groups/{id}/subgroups"), json!({})));
    }
    for path in [
        "/users",
        "/streams",
        "/user_groups",
        "/realm/emoji",
        "/realm/linkifiers",
        "/realm/profile_fields",
        "/realm/presence",
        "/attachments",
        "/drafts",
        "/scheduled_messages",
        "/reminders",
        "/saved_snippets",
        "/navigation_views",
        "/channel_folders",
        "/users/me",
        "/users/me/subscriptions",
        "/invites",
        "/bots",
        "/server_settings",
        "/users/me/alert_words",
        "/realm/domains",
    ] {
        asked.push(("GET", path.into(), json!({})));
    }
    asked.push(("POST", "/register".into(), json!({"client_capabilities": CAPABILITIES, "include_subscribers": true})));
    asked
}

/// The places at which two replies differ, numbers left out, each with an example.
fn differ(one: &Value, other: &Value, place: &mut String, found: &mut BTreeMap<String, String>) {
    let length = place.len();
    match (one, other) {
        (Value::Object(first), Value::Object(second)) => {
            for key in first.keys().chain(second.keys()).collect::<BTreeSet<_>>() {
                let dot = if place.ends_with(": ") { "" } else { "." };
                place.push_str(&format!("{dot}{key}"));
                differ(first.get(key).unwrap_or(&Value::Null), second.get(key).unwrap_or(&Value::Null), place, found);
                place.truncate(length);
            }
        }
        (Value::Array(first), Value::Array(second)) if first.len() == second.len() => {
            for (first, second) in first.iter().zip(second) {
                place.push_str("[]");
                differ(first, second, place, found);
                place.truncate(length);
            }
        }
        _ if one == other => {}
        _ => _ = found.insert(place.clone(), format!("{one} → {other}").chars().take(300).collect()),
    }
}
