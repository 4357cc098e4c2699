//! Fields of objects and of events, at every level and place.

use super::Age;
use super::table::realm;
use super::tour;
use crate::documented::Documented;
use crate::support::TestServer;
use chatdouble::api::parameter::RawParameters;
use chatdouble::api::{NEWEST_FEATURE_LEVEL, OPERATIONS, Route};
use chatdouble::feature::has_changes_of;
use chatdouble::level::objects::ObjectKind;
use chatdouble::level::place::{Place, Source, Step, visit_objects};
use chatdouble::level::{Change, ChangeKind, Emulation, changes, emulation};
use chatdouble::realm::Realm;
use serde_json::{Value, json};
use std::ops::Range;

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
    let (method, path, mut reply) = match place.source {
        Source::Reply(method, path) => (method, path, whole),
        Source::EveryReply => ("GET", "/users", whole),
        Source::Event(kind, op) => {
            whole["type"] = kind.into();
            whole["op"] = op.into();
            ("GET", "/events", json!({"events": [whole]}))
        }
    };
    let row = OPERATIONS
        .iter()
        .find(|row| row.route == Route::new(method, path))
        .expect("places are in replies of operations");
    let answer =
        |emulation: &Emulation| emulation.downgrade_reply(row, realm, None, &RawParameters::default(), &mut reply);
    emulation(level).map(answer);
    let mut whole = if matches!(place.source, Source::Event(..)) { reply["events"][0].take() } else { reply };
    let mut found = Value::Null;
    visit_objects(&mut whole, &place.path, &mut |object| found = Value::Object(object.clone()));
    found
}

#[tokio::test]
async fn fields_come_and_go_at_every_place() {
    let server = TestServer::start().await;
    let realm = realm(&server);
    let each = |object: &'static ObjectKind, check: &dyn Fn(&Place)| {
        object.places.iter().for_each(|place| check(&Place::parse(place)));
    };
    for Change { level, kind } in changes() {
        match *kind {
            ChangeKind::Field { object, name } => each(object, &|place| {
                let has = |level| shown(&realm, level, place, &json!({name: 1})).get(name).is_some();
                // A name of former levels is no field of the newest.
                let is_former = changes().iter().any(|other| {
                    matches!(other.kind, ChangeKind::RenamedField { object: of, old, .. } if std::ptr::eq(of, object) && old == name)
                });
                // The object around it may be younger than the field.
                let is_hidden = shown(&realm, *level, place, &json!({name: 1})).is_null();
                // One reply may have got it later than its like.
                let is_later = changes().iter().any(|other| {
                    let is_here = |of: &ObjectKind| of.places.iter().any(|other| Place::parse(other) == *place);
                    let is_same = matches!(other.kind, ChangeKind::Field { object: of, name: same } if same == name && is_here(of));
                    is_same && other.level > *level
                });
                let has_now = is_former || is_hidden || is_later || has(*level);
                assert!(!has(level - 1) && has_now, "{place:?} {name} around {level}");
            }),
            ChangeKind::RenamedField { object, old, new } => each(object, &|place| {
                let before = shown(&realm, level - 1, place, &json!({new: 1}));
                assert!(before.get(new).is_none(), "{place:?} {new} at {}: {before}", level - 1);
                let after = shown(&realm, *level, place, &json!({new: 1}));
                assert!(after.get(old).is_none(), "{place:?} {old} at {level}: {after}");
            }),
            ChangeKind::RemovedField { object, name, since, .. } => each(object, &|place| {
                let shown = |level| shown(&realm, level, place, &json!({"user_id": 1, "realm_name": "x"}));
                let has = |level| shown(level).get(name).is_some();
                // What it stood in may be younger than the field.
                let was_there = has(since) || shown(since).is_null();
                let was_there = was_there && (has(level - 1) || shown(level - 1).is_null());
                assert!(was_there && !has(*level), "{place:?} {name} around {level}");
                assert!(since == 0 || !has(since - 1), "{place:?} {name} before {since}");
            }),
            _ => {}
        }
    }
}

/// Levels of the worlds that are gone round in.
const TOURS: &[i64] = &[0, 100, 170, 200, 260, 345, 400, 480, 501, NEWEST_FEATURE_LEVEL];

/// Fields that the tour does not show, each with its reason, and at which levels.
const FIELDS_NOT_SHOWN: &[(&str, &str, Range<i64>)] = &[
    ("partial_subscribers", "takes a channel with 250 subscribers", 0..i64::MAX),
    ("use_for_user_matching", "is left out unless true, which the tour does not make it", 0..i64::MAX),
    ("stream", "is left out of histories without a move between channels", 0..i64::MAX),
    ("prev_stream", "is left out of histories without a move between channels", 0..i64::MAX),
    ("still_url", "is of animated emoji below 113, of which the double has none", 0..113),
];

/// Events that the tour does not meet, by type and name, each with its reason.
const EVENTS_NOT_MET: &[(&str, &str, &str)] = &[("stream", "is_recently_active", "takes half a year of silence")];

/// The level at which the objects' field got another name.
fn renamed_at(object: &ObjectKind, name: &str) -> i64 {
    let renaming = |change: &Change| match change.kind {
        ChangeKind::RenamedField { object: of, old, .. } if std::ptr::eq(of, object) && old == name => {
            Some(change.level)
        }
        _ => None,
    };
    changes().iter().find_map(renaming).unwrap_or(i64::MAX)
}

/// The level that the objects' field came with, by this name.
fn came_at(object: &ObjectKind, name: &str) -> i64 {
    let coming = |change: &Change| match change.kind {
        ChangeKind::Field { object: of, name: other } if std::ptr::eq(of, object) && other == name => {
            Some(change.level)
        }
        ChangeKind::RenamedField { object: of, new, .. } if std::ptr::eq(of, object) && new == name => {
            Some(change.level)
        }
        _ => None,
    };
    changes().iter().find_map(coming).unwrap_or(0)
}

#[tokio::test]
async fn what_a_level_has_is_met_in_its_worlds_and_nothing_younger() {
    let server = TestServer::start().await;
    let mut faults = Vec::new();
    for at in TOURS {
        let mut seen = tour::take(&Age::at(&server, *at).await).await;
        let undocumented = seen.undocumented(&Documented::at(*at));
        faults.extend(undocumented.into_iter().map(|fault| format!("at {at}, not as documented: {fault}")));
        let mut expect = |is_expected: bool, is_seen: bool, what: String| {
            if is_expected != is_seen {
                faults.push(format!("at {at}, {}: {what}", if is_seen { "too early or late" } else { "missing" }));
            }
        };
        for Change { level, kind } in changes() {
            match *kind {
                ChangeKind::Field { object, name } => {
                    let is_excused =
                        FIELDS_NOT_SHOWN.iter().any(|(not, _, levels)| *not == name && levels.contains(at));
                    // The object around it may be younger than the field; the newest level has all objects.
                    let is_shown = seen.shows(object) || *at == NEWEST_FEATURE_LEVEL;
                    let is_there = is_shown && has_changes_of(*at, *level) && *at < renamed_at(object, name);
                    expect(is_there && !is_excused, seen.has(object, name), format!("{name} of {}", object.name));
                }
                ChangeKind::RenamedField { object, old, new } => {
                    let is_new = seen.shows(object) && (*level..renamed_at(object, new)).contains(at);
                    expect(is_new, seen.has(object, new), format!("{new} of {}", object.name));
                    // The object around it may be younger than the name.
                    let is_old = seen.shows(object) && (came_at(object, old)..*level).contains(at);
                    expect(is_old, seen.has(object, old), format!("{old} of {}", object.name));
                }
                ChangeKind::RemovedField { object, name, since, .. } => {
                    expect((since..*level).contains(at), seen.has(object, name), format!("{name} of {}", object.name));
                }
                ChangeKind::Event(pattern) => {
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
