//! What probes created is removed: at the end, when the user interrupts, and when a server fails.

use super::{ACCOUNTS, accounts, compare, comparing, deviating, ended, written};
use crate::support::TestServer;
use serde_json::{Map, Value, json};
use std::process::{Command, Stdio};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

const CAPABILITIES: &str = r#"{"notification_settings_null": true, "user_settings_object": true,
    "include_deactivated_groups": true, "archived_channels": true, "empty_topic_name": true}"#;

/// What each account sees of the organization, without what no account can remove: archived and deactivated things of
/// probes, the messages in which the server tells of them, presence and counters.
async fn state(server: &TestServer) -> Value {
    let mut state = Map::new();
    for (_, handle) in ACCOUNTS {
        let user = server.user(handle);
        let params = json!({"client_capabilities": CAPABILITIES, "include_subscribers": true});
        let register = user.post("/register", params).await.success();
        let mut lists = Map::new();
        for path in ["/attachments", "/drafts", "/scheduled_messages", "/realm/domains", "/users/me/alert_words"] {
            lists.insert(path.to_owned(), user.get(path, json!({})).await.success());
        }
        let params = json!({"anchor": "newest", "num_before": 1_000, "num_after": 0});
        lists.insert("/messages".to_owned(), user.get("/messages", params).await.success());
        lists.insert("register".to_owned(), register);
        state.insert(handle.to_owned(), Value::Object(lists));
    }
    let mut state = Value::Object(state);
    let mut removed = Vec::new();
    note_removed("", &state, &mut removed);
    without("", &mut state, &removed);
    state
}

const OF_THE_MOMENT: [&str; 12] = [
    "queue_id",
    "last_event_id",
    "presences",
    "presence_last_update_id",
    "server_timestamp",
    "max_message_id",
    "realm_date_created",
    "stream_weekly_traffic",
    "recent_private_conversations",
    "unread_msgs",
    "is_recently_active",
    "subscriber_count",
];

fn is_removed_probe(value: &Value) -> bool {
    let name = ["name", "full_name"].iter().find_map(|key| value[*key].as_str());
    let is_removed = value["is_archived"] == true || value["deactivated"] == true || value["is_active"] == false;
    name.is_some_and(|name| name.contains("probe")) && is_removed
}

/// The users that probes made and deactivated, who remain in lists of members.
fn note_removed(key: &str, value: &Value, removed: &mut Vec<Value>) {
    match value {
        Value::Array(items) => {
            for item in items {
                let is_of_probe = item["full_name"].as_str().is_some_and(|name| name.contains("probe"));
                if key == "realm_non_active_users" && is_of_probe {
                    removed.push(item["user_id"].clone());
                }
                note_removed(key, item, removed);
            }
        }
        Value::Object(object) => object.iter().for_each(|(key, item)| note_removed(key, item, removed)),
        _ => {}
    }
}

fn without(key: &str, value: &mut Value, removed: &[Value]) {
    let is_of_users = key.contains("members") || key.contains("subscribers");
    match value {
        Value::Array(items) => {
            let is_of_server = |item: &Value| item["sender_email"] == "notification-bot@chat.test";
            let is_of_removed =
                |item: &Value| (is_of_users && removed.contains(item)) || removed.contains(&item["user_id"]);
            items.retain(|item| !is_removed_probe(item) && !is_of_server(item) && !is_of_removed(item));
            items.iter_mut().for_each(|item| without(key, item, removed));
        }
        Value::Object(object) => {
            object.retain(|key, item| !OF_THE_MOMENT.contains(&key.as_str()) && !is_removed_probe(item));
            object.iter_mut().for_each(|(key, item)| without(key, item, removed));
        }
        _ => {}
    }
}

/// The places at which two states differ, with both values.
fn differences(one: &Value, other: &Value, place: &str, found: &mut Vec<String>) {
    match (one, other) {
        (Value::Object(first), Value::Object(second)) => {
            for key in first.keys().chain(second.keys().filter(|key| !first.contains_key(*key))) {
                let [first, second] = [first, second].map(|all| all.get(key).unwrap_or(&Value::Null));
                differences(first, second, &format!("{place}.{key}"), found);
            }
        }
        (Value::Array(first), Value::Array(second)) if first.len() == second.len() => {
            for (first, second) in first.iter().zip(second) {
                differences(first, second, &format!("{place}[]"), found);
            }
        }
        _ if one == other => {}
        _ => found.push(format!("{place}: {one} → {other}").chars().take(400).collect()),
    }
}

fn assert_unchanged(what: &str, before: &Value, after: &Value) {
    let mut found = Vec::new();
    differences(before, after, "", &mut found);
    assert!(found.is_empty(), "{what}: {found:#?}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn nothing_of_probes_is_left_at_the_end() {
    let [first, second] = [TestServer::start().await, TestServer::start().await];
    let before = [state(&first).await, state(&second).await];
    let (status, said, errors) = compare(&first.url(), &second.url(), &[]).await;
    assert_eq!((status, errors.as_str()), (Some(0), ""), "{said}");
    assert!(!said.contains("left       "), "{said}");
    assert_unchanged("first", &before[0], &state(&first).await);
    assert_unchanged("second", &before[1], &state(&second).await);
}

/// Requests after which the user interrupts: method, path, and the probes that are played.
const INTERRUPTED: &[(&str, &str, &str)] = &[
    ("POST", "/user_uploads", "Uploads"),
    ("POST", "/messages", "reactions"),
    ("POST", "/drafts", "/drafts"),
    ("POST", "/saved_snippets", "/saved_snippets"),
    ("POST", "/scheduled_messages", "/scheduled_messages"),
    ("POST", "/channels/create", "A channel is created"),
    ("POST", "/users/me/subscriptions", "A channel is made"),
    ("POST", "/users/me/subscriptions", "Subscriptions"),
    ("POST", "/default_streams", "Default channels"),
    ("POST", "/channel_folders/create", "Channel folders"),
    ("POST", "/user_groups/create", "A group is made"),
    ("POST", "/bots", "A bot is made"),
    ("POST", "/realm/filters", "Linkifiers"),
    ("POST", "/realm/playgrounds", "Playgrounds"),
    ("POST", "/realm/profile_fields", "Profile fields"),
    ("POST", "/realm/domains", "Domains"),
    ("POST", "/users/me/alert_words", "Alert words"),
    ("POST", "/users/me/status", "Status and presence"),
    ("PATCH", "/settings", "personal.md"),
    ("POST", "/register", "Queues"),
];

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_interrupted_probe_undoes_what_it_changed() {
    for (method, path, only) in INTERRUPTED {
        let [first, second] = [TestServer::start().await, TestServer::start().await];
        let before = [state(&first).await, state(&second).await];
        let process: Arc<Mutex<Option<u32>>> = Arc::default();
        let id = process.clone();
        let interrupts = move |at_method: &str, at_path: &str, status: &mut u16, _: &mut Value| {
            // The registrations before a probe are the program's own.
            let is_of_probe = at_path != "/register" || *status != 200;
            if (at_method, at_path) == (*method, *path)
                && is_of_probe
                && let Some(id) = id.lock().expect("not poisoned").take()
            {
                signal(id);
            }
        };
        let proxy = deviating(second.url(), Arc::new(interrupts)).await;
        let (status, errors) = interrupted(&first.url(), &proxy, only, &process).await;
        assert_eq!(status, Some(130), "{method} {path}: {errors}");
        assert_eq!(
            errors,
            "interrupted: takes away what the last probe made; interrupt again to end at once\n\
             error: interrupted before all was compared\n",
            "{method} {path}"
        );
        assert_unchanged(&format!("{method} {path} on the first"), &before[0], &state(&first).await);
        assert_unchanged(&format!("{method} {path} on the second"), &before[1], &state(&second).await);
    }
}

/// Compares two servers, one of which interrupts the process that it finds in `process`: the exit status and standard
/// error.
async fn interrupted(first: &str, second: &str, only: &str, process: &Mutex<Option<u32>>) -> (Option<i32>, String) {
    let mut command = comparing(first, second, accounts());
    let child = command.args(["--only", only]).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn();
    let child = child.expect("it starts");
    *process.lock().expect("not poisoned") = Some(child.id());
    let output = tokio::task::spawn_blocking(move || child.wait_with_output()).await.expect("it ends");
    let output = output.expect("it ends");
    (output.status.code(), String::from_utf8_lossy(&output.stderr).into_owned())
}

pub(super) fn signal(process: u32) {
    let status = Command::new("kill").args(["-INT", &process.to_string()]).status();
    assert!(status.expect("kill is there").success());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_second_interruption_ends_at_once() {
    const WITHHELD: Duration = Duration::from_secs(4);
    let [first, second] = [TestServer::start().await, TestServer::start().await];
    let process: Arc<Mutex<Option<u32>>> = Arc::default();
    let again: Arc<Mutex<Option<Instant>>> = Arc::default();
    let (id, interrupted_again) = (process.clone(), again.clone());
    let interrupts = move |method: &str, path: &str, _: &mut u16, _: &mut Value| {
        if (method, path) == ("POST", "/drafts")
            && let Some(id) = id.lock().expect("not poisoned").take()
        {
            signal(id);
            std::thread::sleep(Duration::from_millis(500));
            // The program may end before this thread goes on.
            *interrupted_again.lock().expect("not poisoned") = Some(Instant::now());
            signal(id);
            std::thread::sleep(WITHHELD);
        }
    };
    let proxy = deviating(second.url(), Arc::new(interrupts)).await;
    let output = interrupted(&first.url(), &proxy, "/drafts", &process).await;
    let ended = again.lock().expect("not poisoned").expect("interrupted").elapsed();
    assert!(ended < WITHHELD, "{ended:?}");
    assert_eq!(
        output,
        (
            Some(130),
            "interrupted: takes away what the last probe made; interrupt again to end at once\n\
             error: interrupted twice: what the last probe made is left behind\n"
                .to_owned()
        )
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_a_probe_changed_is_undone_after_replies_of_another_status() {
    let [first, second] = [TestServer::start().await, TestServer::start().await];
    let before = [state(&first).await, state(&second).await];
    let fails = |method: &str, path: &str, status: &mut u16, _: &mut Value| {
        if (method, path) == ("PATCH", "/settings") || (method, path) == ("POST", "/realm/domains") {
            *status = 404;
        }
    };
    let proxy = deviating(second.url(), Arc::new(fails)).await;
    for only in ["Settings", "Domains"] {
        let (status, said, errors) = compare(&first.url(), &proxy, &["--only", only]).await;
        assert_eq!((status, errors.as_str()), (Some(1), ""), "{said}");
    }
    assert_unchanged("first", &before[0], &state(&first).await);
    assert_unchanged("second", &before[1], &state(&second).await);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_was_created_on_the_other_server_is_removed_when_one_fails() {
    let [first, second] = [TestServer::start().await, TestServer::start().await];
    let before = state(&first).await;
    let faults = "/control/worlds/default/faults";
    for effect in [json!({"drop": "before"}), json!({"truncate_at": 10}), json!({"delay_ms": 5_000})] {
        second.request("DELETE", faults, &[("host", "localhost")], "").await.success();
        let rule = json!({"match": {"path": "/bots/{bot_id}", "method": "PATCH"}, "effect": effect});
        second.request("POST", faults, &[("host", "localhost")], &rule.to_string()).await.success();
        let mut command = comparing(&first.url(), &second.url(), accounts());
        command.args(["--only", "A bot is made", "--timeout", "1", "-o"]).arg(written("failed.txt", ""));
        let (status, said, errors) = ended(command).await;
        assert_eq!(status, Some(2), "{effect}: {errors}");
        assert!(said.starts_with("incomplete: ended after 1 of 1 probe: PATCH "), "{effect}: {said}");
        let is_named = errors.starts_with(&format!("error: PATCH {}/api/v1/bots/", second.url()));
        assert!(is_named && errors.lines().count() == 1, "{effect}: {errors}");
        assert_unchanged(&effect.to_string(), &before, &state(&first).await);
    }
}
