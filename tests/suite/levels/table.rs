//! The table of changes, row by row, but for fields: what each says is so at its level and not just below it.

use super::Age;
use super::recorded::not_json;
use crate::every_operation::{call, example, handle_for, required};
use crate::support::TestServer;
use chatdouble::api::parameter::RawParameters;
use chatdouble::api::{NEWEST_FEATURE_LEVEL, OPERATIONS, OperationRow};
use chatdouble::feature::{Evidence, FeatureChange, has_entry};
use chatdouble::level::{Behaviour, Change, ChangeKind, changes, emulation};
use chatdouble::realm::Realm;
use chatdouble::realm::event::EventPattern;
use chatdouble::realm::queue::Capabilities;
use serde_json::{Map, Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

fn row_of(route: &str) -> &'static OperationRow {
    let found = OPERATIONS.iter().find(|row| format!("{} {}", row.route.method, row.route.path) == route);
    found.unwrap_or_else(|| panic!("no operation is called {route}"))
}

pub fn realm(server: &TestServer) -> Arc<Realm> {
    server.server().world("default").snapshot()
}

/// The parameters that a request with one parameter has after the way in, and what was set aside.
fn received(
    realm: &Realm,
    level: i64,
    route: &str,
    name: &str,
    value: &str,
) -> (BTreeMap<String, String>, Vec<String>) {
    let mut raw =
        RawParameters { values: Arc::new(BTreeMap::from([(name.to_owned(), value.to_owned())])), ..Default::default() };
    if let Some(emulation) = emulation(level) {
        // Other parameters may be missed; names have been dealt with by then.
        let _ = emulation.upgrade_request(row_of(route), realm, None, &mut raw);
    }
    (Arc::unwrap_or_clone(raw.values), raw.ignored_names)
}

#[test]
fn rows_stand_between_the_first_level_and_the_newest_and_none_twice() {
    let mut seen = BTreeSet::new();
    for listed in chatdouble::level::list_changes() {
        assert!((1..=NEWEST_FEATURE_LEVEL).contains(&listed.level), "{listed:?}");
        assert!(seen.insert(format!("{listed:?}")), "twice: {listed:?}");
    }
    assert!(seen.len() > 400, "{} rows", seen.len());
}

#[test]
fn rows_are_dated_by_evidence() {
    let listed = chatdouble::level::list_changes();
    for row in &listed {
        match row.known_by {
            Evidence::ChangeLog | Evidence::ChangeLogReadOn(_) => {
                assert!(has_entry(row.level), "the change log has no such level: {row:?}")
            }
            Evidence::Between(first, last) => assert!((first..=last).contains(&row.level), "{row:?}"),
            Evidence::Recorded(before, after) => assert!((before + 1..=after).contains(&row.level), "{row:?}"),
            Evidence::Source(_) | Evidence::Documentation => {}
        }
    }
    let stale = chatdouble::level::unused_evidence();
    assert!(stale.is_empty(), "evidence of no row: {stale:?}");
}

#[test]
fn behaviours_and_features_name_their_tests() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/suite/levels");
    let files = std::fs::read_dir(folder).expect("the tests are there").map(|entry| entry.expect("readable").path());
    let tests: String = files.map(|file| std::fs::read_to_string(file).expect("readable")).collect();
    for change in changes() {
        if let ChangeKind::Behaviour(Behaviour { subject: on, description, test, .. })
        | ChangeKind::Feature(_, FeatureChange { subject: on, description, test }) = change.kind
        {
            let is_there = tests.contains(&format!("fn {test}()"));
            assert!(is_there, "level {}, {on}: no test is called {test}", change.level);
            assert!(description.ends_with('.'), "{description}");
        }
    }
}

#[tokio::test]
async fn operations_are_there_from_their_level_on() {
    let server = TestServer::start().await;
    for row in OPERATIONS.iter().filter(|row| row.docs.since > 0) {
        let [before, after] = Age::around(&server, row.docs.since).await;
        let olive = |age: Age<'_>| age.user("olive");
        let (before, after) = (call(&olive(before), row, json!({})).await, call(&olive(after), row, json!({})).await);
        let way = format!("{} {} at {}", row.route.method, row.route.path, row.docs.since);
        assert!(matches!(before.status, 404 | 405), "{way}: {before}");
        assert!(after.body["msg"] != "Unknown path" && after.status != 405, "{way}: {after}");
    }
}

#[tokio::test]
async fn operations_are_there_until_their_level() {
    let server = TestServer::start().await;
    for row in OPERATIONS {
        let Some(until) = row.removed_in else { continue };
        let [before, after] = Age::around(&server, until).await;
        let olive = |age: Age<'_>| age.user("olive");
        let (before, after) = (call(&olive(before), row, json!({})).await, call(&olive(after), row, json!({})).await);
        let way = format!("{} {} at {until}", row.route.method, row.route.path);
        assert!(before.body["msg"] != "Unknown path" && before.status != 405, "{way}: {before}");
        assert!(matches!(after.status, 404 | 405), "{way}: {after}");
        let hint = after.header("x-chatdouble-hint").expect("a hint");
        assert!(hint.contains(&format!("removed at feature level {until};")), "{hint}");
    }
}

#[tokio::test]
async fn parameters_are_set_aside_below_their_level() {
    let server = TestServer::start().await;
    let realm = realm(&server);
    for Change { level, kind } in changes() {
        match *kind {
            ChangeKind::Parameter { route, name } => {
                // A name of before the newest level is a parameter through a later renaming.
                let is_former = changes().iter().any(|other| {
                    matches!(other.kind, ChangeKind::RenamedParameter { route: of, old, .. } if of == route && old == name)
                });
                assert!(is_former || takes(route, name), "{route} takes no {name}");
                let (values, set_aside) = received(&realm, level - 1, route, name, "1");
                assert!(!values.contains_key(name) && set_aside == [name], "{route} {name} at {}", level - 1);
                assert!(received(&realm, *level, route, name, "1").1.is_empty(), "{route} {name} at {level}");
            }
            ChangeKind::RenamedParameter { route, old, since, new } => {
                assert!(takes(route, new) && !takes(route, old), "{route} {old} {new}");
                let (values, set_aside) = received(&realm, level - 1, route, old, "1");
                let is_renamed = values.contains_key(new) && !values.contains_key(old);
                assert!(is_renamed && set_aside.is_empty(), "{route} {old} at {}", level - 1);
                assert_eq!(received(&realm, level - 1, route, new, "1").1, [new]);
                assert!(received(&realm, *level, route, old, "1").0.contains_key(old), "{route} {old} at {level}");
                assert!(
                    received(&realm, since - 1, route, old, "1").0.contains_key(old),
                    "{route} {old} before {since}"
                );
            }
            ChangeKind::RemovedParameter { route, name, since } => {
                assert!(!takes(route, name), "{route} takes {name}");
                for (age, is_taken) in [(level - 1, true), (*level, false), (since, true), (since - 1, false)] {
                    let (values, set_aside) = received(&realm, age, route, name, "1");
                    assert_eq!(values.contains_key(name), !is_taken, "{route} {name} at {age}");
                    assert!(set_aside.is_empty());
                }
            }
            ChangeKind::Capability(name) => {
                assert!(
                    Capabilities::default().by_name_mut().iter().any(|(known, _)| *known == name),
                    "{name} is unknown"
                );
                let sent = json!({name: true}).to_string();
                let has = |level: i64| {
                    received(&realm, level, "POST /register", "client_capabilities", &sent).0["client_capabilities"]
                        .contains(&format!("\"{name}\":true"))
                };
                // Below these levels, the core is made to give linkifiers and groups whatever the client says.
                let is_present = ["linkifier_url_template", "include_deactivated_groups"].contains(&name);
                assert!(!has(level - 1) || is_present, "{name} at {}", level - 1);
                assert!(has(*level), "{name} at {level}");
            }
            _ => {}
        }
    }
}

fn takes(route: &str, name: &str) -> bool {
    row_of(route).parameters.iter().any(|info| info.name == name && !info.is_in_path)
}

/// What an operation requires at a level, by its names of all levels.
fn required_at(row: &OperationRow, level: i64) -> Map<String, Value> {
    let route = format!("{} {}", row.route.method, row.route.path);
    let mut params = required(row);
    for Change { kind, .. } in changes() {
        if let ChangeKind::RenamedParameter { route: of, old, new, .. } = *kind
            && of == route
            && let Some(value) = params.get(new).cloned()
        {
            params.insert(old.to_owned(), value);
        }
    }
    // What older levels required and the newest does not, or by another name with another meaning.
    for (name, value) in [
        ("name", "x"),
        ("description", "y"),
        ("url_format_string", "https://x.test/%(n)s"),
        ("num_before", "0"),
        ("num_after", "0"),
    ] {
        params.entry(name).or_insert_with(|| value.into());
    }
    params.extend(working(&route).as_object().cloned().unwrap_or_default());
    if level < 248 && params.get("type") == Some(&"channel".into()) {
        params.insert("type".into(), "stream".into());
    }
    params
}

/// What requests that succeed take besides, or instead of, what can be made from schemas.
fn working(route: &str) -> Value {
    match route {
        "POST /realm/filters" | "PATCH /realm/filters/{filter_id}" => {
            json!({"pattern": "T(?P<n>[0-9]+)", "url_template": "https://x.test/{n}", "example_input": "", "reverse_template": ""})
        }
        "GET /messages" => json!({"anchor": "newest", "anchor_date": "2026-01-01T00:00:00Z"}),
        "POST /invites" => json!({"invitee_emails": "new@chat.test", "stream_ids": [1]}),
        "POST /reminders" => json!({"message_id": 1, "scheduled_delivery_timestamp": 4_000_000_000_i64}),
        "PATCH /realm" => json!({
            "default_avatar_source": "J",
            "message_edit_history_visibility_policy": "none",
            "topics_policy": "disable_empty_topic",
        }),
        "PATCH /settings"
        | "PATCH /settings/display"
        | "PATCH /settings/notifications"
        | "PATCH /realm/user_settings_defaults" => {
            json!({"resolved_topic_notice_auto_read_policy": "always", "web_animate_image_previews": "always"})
        }
        "POST /channels/create" => json!({"topics_policy": "inherit", "message_retention_days": "unlimited"}),
        "PATCH /users/{user_id}" | "PATCH /users/{email}" => json!({"new_email": "new@chat.test"}),
        _ => json!({}),
    }
}

/// Parameters in text that no request made from schemas succeeds with; that they are set aside is shown above.
const ASKED_ELSEWHERE: &[(&str, &str)] =
    &[("POST /mobile_push/register", "token_id"), ("PATCH /messages/{message_id}", "prev_content_sha256")];

#[tokio::test]
async fn parameters_in_json_are_read_from_their_level_on() {
    let server = TestServer::start().await;
    let mut asked = 0;
    for Change { level, kind } in changes() {
        let ChangeKind::Parameter { route, name } = *kind else { continue };
        let row = row_of(route);
        let Some(info) = row.parameters.iter().find(|info| info.name == name && info.is_json) else { continue };
        let message = format!("{name} is not valid JSON");
        for (age, is_read) in [(level - 1, false), (*level, true)] {
            if age < row.docs.since {
                continue;
            }
            let mut params = required_at(row, age);
            params.insert(info.name.to_owned(), "{".into());
            let user = Age::at(&server, age).await.user(handle_for(row));
            let reply = call(&user, row, params.into()).await;
            let is_refused = reply.body["msg"] == message.as_str() || reply.body["msg"] == not_json(0, name).as_str();
            assert_eq!(is_refused, is_read, "{route} {name} at {age}: {reply}");
            asked += 1;
        }
    }
    assert!(asked > 200, "{asked} requests");
}

#[tokio::test]
async fn refusals_name_parameters_as_their_level_does() {
    let server = TestServer::start().await;
    for Change { level, kind } in changes() {
        let ChangeKind::RenamedParameter { route, old, new, .. } = *kind else { continue };
        let row = row_of(route);
        let is_json = row.parameters.iter().any(|info| info.name == new && info.is_json);
        for (age, name) in [(level - 1, old), (*level, new)].into_iter().filter(|_| is_json) {
            let mut params = required_at(row, age);
            params.insert(name.to_owned(), "{".into());
            let user = Age::at(&server, age).await.user(handle_for(row));
            let reply = call(&user, row, params.into()).await;
            let words = [not_json(0, name), not_json(age.max(261), name)].map(Value::from);
            assert!(words.contains(&reply.body["msg"]), "{route} {name} at {age}: {reply}");
        }
    }
}

#[tokio::test]
async fn parameters_in_text_are_reported_as_unsupported_below_their_level() {
    let server = TestServer::start().await;
    for Change { level, kind } in changes() {
        let ChangeKind::Parameter { route, name } = *kind else { continue };
        let row = row_of(route);
        let Some(info) = row.parameters.iter().find(|info| info.name == name && !info.is_json) else { continue };
        // Below 167 nothing is reported.
        let is_elsewhere = ASKED_ELSEWHERE.contains(&(route, name));
        if *level <= 167.max(row.docs.since) || is_elsewhere {
            continue;
        }
        for (age, is_unknown) in [(level - 1, true), (*level, false)] {
            let user = Age::at(&server, age).await.user(handle_for(row));
            let mut params = required_at(row, age);
            params.entry(name).or_insert_with(|| example(info));
            let reply = call(&user, row, params.into()).await;
            let shown = reply.to_string();
            let ignored = reply.success()["ignored_parameters_unsupported"].take();
            let is_reported = ignored.as_array().is_some_and(|names| names.contains(&name.into()));
            assert_eq!(is_reported, is_unknown, "{route} {name} at {age}: {shown}");
        }
    }
}

#[tokio::test]
async fn narrows_know_words_from_their_level_on() {
    let server = TestServer::start().await;
    for Change { level, kind } in changes() {
        let ChangeKind::NarrowTerm { operator, operand } = *kind else { continue };
        let narrow = json!([{"operator": operator, "operand": operand.unwrap_or("public")}]);
        let params = json!({"anchor": "newest", "num_before": 1, "num_after": 0, "narrow": narrow});
        let [before, after] = Age::around(&server, *level).await;
        let reply = before.user("mel").get("/messages", params.clone()).await;
        let unknown = match operand {
            None => format!("Invalid narrow operator: unknown operator {operator}"),
            Some(operand) if operator == "channels" => {
                format!("Invalid narrow operator: unknown {operator} operand {operand}")
            }
            Some(operand) => format!("Invalid narrow operator: unknown '{operator}' operand {operand}"),
        };
        reply.error("BAD_NARROW", &unknown);
        assert_ne!(after.user("mel").get("/messages", params).await.body["msg"], unknown.as_str());
    }
}

#[test]
fn events_are_withheld_below_their_level() {
    let is_withheld = |level: i64, pattern: EventPattern| {
        emulation(level).is_some_and(|emulation| emulation.queue_level().withheld_events.contains(&pattern))
    };
    for Change { level, kind } in changes() {
        if let ChangeKind::Event(pattern) = *kind {
            assert!(is_withheld(level - 1, pattern) && !is_withheld(*level, pattern), "{pattern:?} around {level}");
        }
    }
}
