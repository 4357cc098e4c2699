//! The table of changes, row by row: what each says is so at its level and not just below it.

use super::Age;
use super::tour;
use crate::support::{TestServer, User, form};
use chatdouble::api::parameter::RawParameters;
use chatdouble::api::{NEWEST_FEATURE_LEVEL, OPERATIONS, Route, Row};
use chatdouble::level::objects::Object;
use chatdouble::level::place::{Place, Source, Step, visit};
use chatdouble::level::{Change, Emulation, Touch, changes, emulation};
use chatdouble::realm::Realm;
use chatdouble::realm::event::EventPattern;
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

fn row_of(route: &str) -> &'static Row {
    let found = OPERATIONS.iter().find(|row| format!("{} {}", row.route.method, row.route.path) == route);
    found.unwrap_or_else(|| panic!("no operation is called {route}"))
}

fn realm(server: &TestServer) -> Arc<Realm> {
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
    let mut raw = RawParameters { values: BTreeMap::from([(name.to_owned(), value.to_owned())]), ..Default::default() };
    if let Some(emulation) = emulation(level) {
        // Other parameters may be missed; names have been dealt with by then.
        let _ = emulation.receive(row_of(route).route, realm, None, &mut raw);
    }
    (raw.values, raw.set_aside)
}

#[test]
fn rows_stand_between_the_first_level_and_the_newest_and_none_twice() {
    let mut seen = BTreeSet::new();
    for listed in chatdouble::level::listed() {
        assert!((1..=NEWEST_FEATURE_LEVEL).contains(&listed.level), "{listed:?}");
        assert!(seen.insert(format!("{listed:?}")), "twice: {listed:?}");
    }
    assert!(seen.len() > 400, "{} rows", seen.len());
}

#[test]
fn behaviours_name_their_tests() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/suite/levels");
    let files = std::fs::read_dir(folder).expect("the tests are there").map(|entry| entry.expect("readable").path());
    let tests: String = files.map(|file| std::fs::read_to_string(file).expect("readable")).collect();
    for change in changes() {
        if let Touch::Behaviour(behaviour) = change.touch {
            let is_there = tests.contains(&format!("fn {}()", behaviour.test));
            assert!(is_there, "level {}, {}: no test is called {}", change.level, behaviour.on, behaviour.test);
            assert!(behaviour.words.ends_with('.'), "{}", behaviour.words);
        }
    }
}

#[tokio::test]
async fn operations_are_there_from_their_level_on() {
    let server = TestServer::start().await;
    for row in OPERATIONS.iter().filter(|row| row.about.since > 0) {
        let [before, after] = Age::around(&server, row.about.since).await;
        let [before, after] = [call(&before.user("olive"), row).await, call(&after.user("olive"), row).await];
        let way = format!("{} {} at {}", row.route.method, row.route.path, row.about.since);
        assert!(matches!(before.0, 404 | 405), "{way}: {before:?}");
        assert!(after.1 != "Unknown path" && after.0 != 405, "{way}: {after:?}");
    }
}

/// The operation's path with something in the place of placeholders.
fn path_of(row: &Row) -> String {
    let mut path = row.route.path.replace("{email}", "mel%40chat.test");
    while let (Some(start), Some(end)) = (path.find('{'), path.find('}')) {
        path.replace_range(start..=end, "1");
    }
    path
}

/// The status and message of a call without parameters.
async fn call(user: &User, row: &Row) -> (u16, String) {
    let path = format!("/api/v1{}", path_of(row));
    let reply = user.send(row.route.method, &path, &json!({}), Vec::new(), None).await;
    (reply.status, reply.body["msg"].as_str().unwrap_or_default().to_owned())
}

#[tokio::test]
async fn parameters_are_set_aside_below_their_level() {
    let server = TestServer::start().await;
    let realm = realm(&server);
    for Change { level, touch } in changes() {
        match *touch {
            Touch::Parameter { route, name } => {
                // A name of before the newest level is a parameter through a later renaming.
                let is_former = changes().iter().any(|other| {
                    matches!(other.touch, Touch::RenamedParameter { route: of, old, .. } if of == route && old == name)
                });
                assert!(is_former || takes(route, name), "{route} takes no {name}");
                let (values, set_aside) = received(&realm, level - 1, route, name, "1");
                assert!(!values.contains_key(name) && set_aside == [name], "{route} {name} at {}", level - 1);
                assert!(received(&realm, *level, route, name, "1").1.is_empty(), "{route} {name} at {level}");
            }
            Touch::RenamedParameter { route, old, since, new } => {
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
            Touch::Capability(name) => {
                let sent = json!({name: true}).to_string();
                let has = |level: i64| {
                    received(&realm, level, "POST /register", "client_capabilities", &sent).0["client_capabilities"]
                        .contains(&format!("\"{name}\":true"))
                };
                // Below 176 the core is told to give linkifiers whatever the client says.
                assert!(!has(level - 1) || name == "linkifier_url_template", "{name} at {}", level - 1);
                assert!(has(*level), "{name} at {level}");
            }
            _ => {}
        }
    }
}

fn takes(route: &str, name: &str) -> bool {
    row_of(route).parameters.iter().any(|info| info.name == name && !info.is_in_path)
}

#[tokio::test]
async fn parameters_in_json_are_read_from_their_level_on() {
    let server = TestServer::start().await;
    for Change { level, touch } in changes() {
        let Touch::Parameter { route, name } = *touch else { continue };
        let row = row_of(route);
        let Some(info) = row.parameters.iter().find(|info| info.name == name) else { continue };
        // Operations that ask for more have tests of their own; what counts here is that the name is looked at.
        if !info.is_json || row.parameters.iter().any(|info| info.is_required && !info.is_in_path) {
            continue;
        }
        let message = format!("{name} is not valid JSON");
        for (age, is_read) in [(level - 1, false), (*level, true)] {
            if age < row.about.since {
                continue;
            }
            let user = Age::at(&server, age).await.user("olive");
            let path = path_of(row);
            let body = form(&json!({name: "{", "name": "x", "description": "y"}));
            let is_get = row.route.method == "GET";
            let path = if is_get { format!("/api/v1{path}?{body}") } else { format!("/api/v1{path}") };
            let kind = (!is_get).then_some("application/x-www-form-urlencoded");
            let reply = user.send(row.route.method, &path, &json!({name: "{"}), body.into_bytes(), kind).await;
            assert_eq!(reply.body["msg"] == message.as_str(), is_read, "{route} {name} at {age}: {reply}");
        }
    }
}

#[tokio::test]
async fn narrows_know_words_from_their_level_on() {
    let server = TestServer::start().await;
    for Change { level, touch } in changes() {
        let Touch::NarrowTerm { operator, operand } = *touch else { continue };
        let narrow = json!([{"operator": operator, "operand": operand.unwrap_or("public")}]);
        let params = json!({"anchor": "newest", "num_before": 1, "num_after": 0, "narrow": narrow});
        let [before, after] = Age::around(&server, *level).await;
        let reply = before.user("mel").get("/messages", params.clone()).await;
        let unknown = match operand {
            None => format!("Invalid narrow operator: unknown operator {operator}"),
            Some(operand) => format!("Invalid narrow operator: unknown '{operator}' operand {operand}"),
        };
        reply.error("BAD_NARROW", &unknown);
        assert_ne!(after.user("mel").get("/messages", params).await.body["msg"], unknown.as_str());
    }
}

/// A reply or event with an object that has these fields at a place.
fn with_object(place: &Place, object: &Value) -> Value {
    place.path.iter().rev().fold(object.clone(), |inner, step| match step {
        Step::Key(key) => json!({ *key: inner }),
        Step::Each => json!([inner]),
    })
}

/// The object at a place of a reply or event, after the way out at a level.
fn shown(realm: &Realm, level: i64, place: &Place, object: &Value) -> Value {
    let mut whole = with_object(place, object);
    let (route, mut reply) = match place.source {
        Source::Reply(method, path) => (Route { method, path }, whole),
        Source::EveryReply => (Route::get("/users/me"), whole),
        Source::Event(kind, op) => {
            whole["type"] = kind.into();
            whole["op"] = op.into();
            (Route::get("/events"), json!({"events": [whole]}))
        }
    };
    let answer = |emulation: &Emulation| emulation.answer(route, realm, None, &BTreeMap::new(), &mut reply);
    emulation(level).map(answer);
    let mut whole = if matches!(place.source, Source::Event(..)) { reply["events"][0].take() } else { reply };
    let mut found = Value::Null;
    visit(&mut whole, &place.path, &mut |object| found = Value::Object(object.clone()));
    found
}

#[tokio::test]
async fn fields_come_and_go_at_every_place() {
    let server = TestServer::start().await;
    let realm = realm(&server);
    let each = |object: &'static Object, check: &dyn Fn(&Place)| {
        object.places.iter().for_each(|place| check(&Place::parse(place)));
    };
    for Change { level, touch } in changes() {
        match *touch {
            Touch::Field { object, name } => each(object, &|place| {
                let has = |level| shown(&realm, level, place, &json!({name: 1})).get(name).is_some();
                // A name of former levels is no field of the newest.
                let is_former = changes().iter().any(|other| {
                    matches!(other.touch, Touch::RenamedField { object: of, old, .. } if std::ptr::eq(of, object) && old == name)
                });
                // What it stands in may be younger than the field.
                let is_hidden = shown(&realm, *level, place, &json!({name: 1})).is_null();
                assert!(!has(level - 1) && (is_former || is_hidden || has(*level)), "{place:?} {name} around {level}");
            }),
            Touch::RenamedField { object, old, new } => each(object, &|place| {
                let before = shown(&realm, level - 1, place, &json!({new: 1}));
                assert!(before.get(new).is_none(), "{place:?} {new} at {}: {before}", level - 1);
                let after = shown(&realm, *level, place, &json!({new: 1}));
                assert!(after.get(old).is_none(), "{place:?} {old} at {level}: {after}");
            }),
            Touch::GoneField { object, name, since, .. } => each(object, &|place| {
                let shown = |level| shown(&realm, level, place, &json!({"user_id": 1}));
                let has = |level| shown(level).get(name).is_some();
                // What it stood in may be younger than the field.
                let was_there = has(since) || shown(since).is_null();
                assert!(has(level - 1) && !has(*level) && was_there, "{place:?} {name} around {level}");
                assert!(since == 0 || !has(since - 1), "{place:?} {name} before {since}");
            }),
            _ => {}
        }
    }
}

/// Levels of the worlds that are gone round in.
const TOURS: &[i64] = &[0, 100, 170, 200, 260, 345, 400, 480, NEWEST_FEATURE_LEVEL];

/// Fields that the tour does not show, each with its reason.
const FIELDS_NOT_SHOWN: &[(&str, &str)] = &[
    ("partial_subscribers", "takes a channel with 250 subscribers"),
    ("use_for_user_matching", "is left out unless true, which no operation makes it"),
    ("stream", "is left out of histories without a move between channels"),
    ("prev_stream", "is left out of histories without a move between channels"),
];

/// Events that the tour does not meet, by type and name, each with its reason.
const EVENTS_NOT_MET: &[(&str, &str, &str)] = &[
    ("realm_user_settings_defaults", "", "no operation that is served changes the defaults"),
    ("stream", "is_recently_active", "takes half a year of silence"),
];

/// The level at which the objects' field got another name.
fn renamed_at(object: &Object, name: &str) -> i64 {
    let renaming = |change: &Change| match change.touch {
        Touch::RenamedField { object: of, old, .. } if std::ptr::eq(of, object) && old == name => Some(change.level),
        _ => None,
    };
    changes().iter().find_map(renaming).unwrap_or(i64::MAX)
}

/// The level that the objects' field came with, by this name.
fn came_at(object: &Object, name: &str) -> i64 {
    let coming = |change: &Change| match change.touch {
        Touch::Field { object: of, name: other } if std::ptr::eq(of, object) && other == name => Some(change.level),
        Touch::RenamedField { object: of, new, .. } if std::ptr::eq(of, object) && new == name => Some(change.level),
        _ => None,
    };
    changes().iter().find_map(coming).unwrap_or(0)
}

#[tokio::test]
async fn what_a_level_has_is_met_in_its_worlds_and_nothing_younger() {
    let server = TestServer::start().await;
    let mut faults = Vec::new();
    for at in TOURS {
        let seen = tour::take(&Age::at(&server, *at).await).await;
        let mut expect = |is_expected: bool, is_seen: bool, what: String| {
            if is_expected != is_seen {
                faults.push(format!("at {at}, {}: {what}", if is_seen { "too early or late" } else { "missing" }));
            }
        };
        for Change { level, touch } in changes() {
            match *touch {
                Touch::Field { object, name } => {
                    let is_excused = FIELDS_NOT_SHOWN.iter().any(|(not, _)| *not == name);
                    // What it stands in may be younger than the field; the newest level has all.
                    let is_shown = seen.shows(object) || *at == NEWEST_FEATURE_LEVEL;
                    let is_there = is_shown && (*level..renamed_at(object, name)).contains(at);
                    expect(is_there && !is_excused, seen.has(object, name), format!("{name} of {}", object.name));
                }
                Touch::RenamedField { object, old, new } => {
                    let is_new = seen.shows(object) && (*level..renamed_at(object, new)).contains(at);
                    expect(is_new, seen.has(object, new), format!("{new} of {}", object.name));
                    // What it stands in may be younger than the name.
                    let is_old = seen.shows(object) && (came_at(object, old)..*level).contains(at);
                    expect(is_old, seen.has(object, old), format!("{old} of {}", object.name));
                }
                Touch::GoneField { object, name, since, .. } => {
                    expect((since..*level).contains(at), seen.has(object, name), format!("{name} of {}", object.name));
                }
                Touch::Event(pattern) => {
                    let is_met = seen.events.iter().any(|event| tour::fits(pattern, event));
                    let name = pattern.carries.map_or("", |(_, name)| name);
                    let is_excused = EVENTS_NOT_MET.iter().any(|(kind, of, _)| (*kind, *of) == (pattern.kind, name));
                    expect(level <= at && !is_excused, is_met, format!("{pattern:?}"));
                }
                _ => {}
            }
        }
    }
    assert!(faults.is_empty(), "not as the table says:\n{}", faults.join("\n"));
}

#[test]
fn events_are_withheld_below_their_level() {
    let is_withheld = |level: i64, pattern: EventPattern| {
        emulation(level).is_some_and(|emulation| emulation.queue_level().withheld.contains(&pattern))
    };
    for Change { level, touch } in changes() {
        if let Touch::Event(pattern) = *touch {
            assert!(is_withheld(level - 1, pattern) && !is_withheld(*level, pattern), "{pattern:?} around {level}");
        }
    }
}
