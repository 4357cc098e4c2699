//! Read requests about everything that an account knows of.

use crate::support::User;
use chatdouble::api::OPERATIONS;
use serde_json::{Value, json};
use std::collections::BTreeSet;

pub const CAPABILITIES: &str = r#"{"notification_settings_null": true, "bulk_message_deletion": true, "user_settings_object": true,
    "linkifier_url_template": true, "include_deactivated_groups": true, "archived_channels": true, "empty_topic_name": true}"#;

/// Reads that are not asked, each with its reason.
const NOT_ASKED: &[(&str, &str)] = &[
    ("/events", "it needs a queue, and gives what happens from then on"),
    ("/bot_storage", "it is a bot's own"),
    ("/bots/{bot_id}/api_key", "keys are secrets, and are not in the file"),
    ("/messages/summary", "it is refused without a service for summaries"),
    ("/calls/bigbluebutton/create", "it makes a call"),
    ("/thumbnail/status/{realm_id_str}/{*filename}", "it tells how far the server is with thumbnails"),
];

/// A request: method, path and parameters.
pub type Question = (&'static str, String, Value);

/// Asks for a page of the newest messages in a narrow.
fn narrowed(narrow: &Value) -> Question {
    let params = json!({"anchor": "newest", "num_before": 100, "num_after": 0, "narrow": narrow.to_string()});
    ("GET", "/messages".into(), params)
}

fn term(operator: &str, operand: impl Into<Value>) -> Question {
    narrowed(&json!([{"operator": operator, "operand": operand.into()}]))
}

/// Reads of everything that the user knows of.
pub async fn questions(user: &User) -> Vec<Question> {
    let state = user.post("/register", json!({"client_capabilities": CAPABILITIES})).await.success();
    let all = |keys: &[&str], id: &str| -> BTreeSet<i64> {
        let records = keys.iter().flat_map(|key| state[*key].as_array().into_iter().flatten());
        records.filter_map(|record| record[id].as_i64()).collect()
    };
    let users = all(&["realm_users", "realm_non_active_users", "cross_realm_bots"], "user_id");
    let channels = all(&["subscriptions", "unsubscribed", "never_subscribed"], "stream_id");
    let groups = all(&["realm_user_groups"], "id");
    let mut asked = of_organization();
    asked.extend(users.iter().flat_map(|id| of_user(*id)));
    let emails = state["realm_users"].as_array().into_iter().flatten().filter_map(|user| user["email"].as_str());
    asked.extend(emails.map(|email| ("GET", format!("/users/{}", email.replace('@', "%40")), json!({}))));
    for user in all(&["realm_users"], "user_id") {
        asked.extend(channels.iter().map(|channel| get(&format!("/users/{user}/subscriptions/{channel}"))));
        let of_groups = groups.iter().take(12);
        asked.extend(of_groups.map(|group| get(&format!("/user_groups/{group}/members/{user}"))));
    }
    for id in &channels {
        asked.extend(of_channel(user, *id).await);
    }
    for id in groups {
        asked.extend(reads_of(Some(("user_group_id", id))));
        for path in ["members", "subgroups"] {
            asked.push(("GET", format!("/user_groups/{id}/{path}"), json!({"direct_member_only": true})));
        }
    }
    asked.extend(of_messages(user).await);
    asked.extend(of_files(user).await);
    asked.push(("POST", "/register".into(), json!({"client_capabilities": CAPABILITIES, "include_subscribers": true})));
    asked.push(("POST", "/register".into(), json!({"slim_presence": true, "apply_markdown": true})));
    asked.push(("POST", "/register".into(), json!({"client_gravatar": true, "include_subscribers": "partial"})));
    assert_all_operations_asked(&asked);
    asked
}

fn get(path: &str) -> Question {
    ("GET", path.to_owned(), json!({}))
}

/// All reads that need no further parameters: those of the organization, or those whose path has this placeholder alone,
/// with this ID in its place.
fn reads_of(subject: Option<(&str, i64)>) -> Vec<Question> {
    let (placeholder, id) = subject.unwrap_or_default();
    let rows = OPERATIONS.iter().filter(|row| row.route.method == "GET" && !is_left_out(row.route.path));
    let rows = rows.filter(|row| row.parameters.iter().all(|info| info.is_in_path || !info.is_required));
    let paths = rows.map(|row| row.route.path).filter(|path| {
        let names: Vec<&str> = path.split('/').filter_map(|part| part.strip_prefix('{')?.strip_suffix('}')).collect();
        subject.map_or(names.is_empty(), |(name, _)| names == [name])
    });
    paths.map(|path| get(&path.replace(&format!("{{{placeholder}}}"), &id.to_string()))).collect()
}

fn is_left_out(path: &str) -> bool {
    NOT_ASKED.iter().any(|(other, _)| *other == path)
}

fn of_organization() -> Vec<Question> {
    let mut asked = reads_of(None);
    asked.push(get("/realm/subdomain/nowhere"));
    for (path, params) in [
        ("/users", json!({"client_gravatar": true, "include_custom_profile_fields": true})),
        ("/streams", json!({"include_all": true, "include_default": true})),
        ("/streams", json!({"exclude_archived": false, "include_subscribed": true, "include_public": false})),
        ("/user_groups", json!({"include_deactivated_groups": true})),
        ("/users/me/subscriptions", json!({"include_subscribers": true})),
    ] {
        asked.push(("GET", path.into(), params));
    }
    asked
}

fn of_user(id: i64) -> Vec<Question> {
    let presence = get(&format!("/users/{id}/presence"));
    let profile = ("GET", format!("/users/{id}"), json!({"include_custom_profile_fields": true}));
    let messages = [term("sender", id), term("dm", json!([id])), term("dm-including", id)];
    [presence, profile].into_iter().chain(reads_of(Some(("user_id", id)))).chain(messages).collect()
}

async fn of_channel(user: &User, id: i64) -> Vec<Question> {
    let topics = user.get(&format!("/users/me/{id}/topics"), json!({})).await;
    let topics: Vec<String> = topics.body["topics"]
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(|topic| topic["name"].as_str().map(str::to_owned))
        .collect();
    let mut asked = reads_of(Some(("stream_id", id)));
    asked.push(("GET", format!("/users/me/{id}/topics"), json!({"allow_empty_topic_name": true})));
    asked.push(term("channel", id));
    asked.push(narrowed(&json!([{"operator": "channel", "operand": id, "negated": true}])));
    for topic in topics.iter().take(5) {
        let channel = json!({"operator": "channel", "operand": id});
        asked.push(narrowed(&json!([channel, {"operator": "topic", "operand": topic}])));
    }
    if let Some(name) = user.get(&format!("/streams/{id}"), json!({})).await.body["stream"]["name"].as_str() {
        asked.push(("GET", "/get_stream_id".into(), json!({"stream": name})));
    }
    asked
}

async fn of_messages(user: &User) -> Vec<Question> {
    let mut asked = Vec::new();
    for term in [
        "is:starred",
        "is:unread",
        "is:dm",
        "is:mentioned",
        "is:resolved",
        "is:followed",
        "is:muted",
        "is:alerted",
        "has:link",
        "has:image",
        "has:attachment",
        "has:reaction",
        "search:the",
    ] {
        let (operator, operand) = term.split_once(':').expect("two words");
        asked.push(self::term(operator, operand));
        asked.push(narrowed(&json!([{"operator": operator, "operand": operand, "negated": true}])));
    }
    for anchor in ["oldest", "newest", "first_unread"] {
        let page = json!({"anchor": anchor, "num_before": 3, "num_after": 3});
        asked.push(("GET", "/messages".into(), page));
        let text = json!({"anchor": anchor, "num_before": 50, "num_after": 50, "apply_markdown": false, "client_gravatar": true});
        asked.push(("GET", "/messages".into(), text));
    }
    let mut messages = BTreeSet::new();
    for narrow in [json!([]), json!([{"operator": "channels", "operand": "public"}])] {
        let params = json!({"anchor": "newest", "num_before": 1_000, "num_after": 0, "narrow": narrow.to_string()});
        let page = user.get("/messages", params).await;
        let list = page.body["messages"].as_array().into_iter().flatten();
        messages.extend(list.filter_map(|message| message["id"].as_i64()));
    }
    for id in &messages {
        asked.extend(reads_of(Some(("message_id", *id))));
        let params = json!({"apply_markdown": false, "allow_empty_topic_name": true});
        asked.push(("GET", format!("/messages/{id}"), params));
        asked.push(term("id", *id));
        asked.push(term("with", *id));
        let around = json!({"anchor": id, "num_before": 2, "num_after": 2, "include_anchor": false});
        asked.push(("GET", "/messages".into(), around));
    }
    let list: Vec<i64> = messages.into_iter().rev().take(50).collect();
    for narrow in [json!([["is", "unread"]]), json!([["search", "the"]])] {
        let params = json!({"msg_ids": list, "narrow": narrow});
        asked.push(("GET", "/messages/matches_narrow".into(), params));
    }
    asked
}

/// Uploaded files of the user, and a file that there is not.
async fn of_files(user: &User) -> Vec<Question> {
    let own = user.get("/attachments", json!({})).await;
    let paths = own.body["attachments"].as_array().into_iter().flatten().filter_map(|one| one["path_id"].as_str());
    let mut asked = vec![get("/api/v1/user_uploads/2/00/nothing/there.txt")];
    asked.extend(paths.map(|path_id| get(&format!("/user_uploads/{path_id}"))));
    asked
}

fn assert_all_operations_asked(asked: &[Question]) {
    let is_asked = |route: &str| {
        let pattern = regex::escape(route).replace(r"\{\*", r"\{");
        let pattern = regex::Regex::new(r"\\\{[a-z_]+\\\}").expect("well-formed").replace_all(&pattern, "[^/]+(/.*)?");
        let pattern = regex::Regex::new(&format!("^(/api/v1)?{pattern}$")).expect("well-formed");
        asked.iter().any(|(method, path, _)| *method == "GET" && pattern.is_match(path))
    };
    let reads = OPERATIONS.iter().map(|row| &row.route).filter(|route| route.method == "GET").map(|route| route.path);
    let missing: Vec<&str> = reads.filter(|path| !is_left_out(path) && !is_asked(path)).collect();
    assert!(missing.is_empty(), "{missing:?}");
}
