//! What operations declare and no test saw: errors that they refuse with, and events that they send. The tests of `suite`
//! note what they see (`tests/suite/declared.rs`); Cargo runs this after them.

use chatdouble::api::{OPERATIONS, OperationRow};
use std::collections::BTreeSet;
use std::path::Path;

/// An operation, what it declares and no test sees, and why.
type Excuse = (&'static str, &'static str, &'static str);

/// Why what follows from sending is looked at once.
const SENDS_ALIKE: &str = "`POST /messages` has it, which sends in the same way";
const DELIVER: &str = "POST /external/{integration}";

const ERRORS_NOT_PROVOKED: &[Excuse] = &[
    ("PATCH /users/me/subscriptions", "TooManySubscriptions", "takes a world with a million channels"),
    (DELIVER, "MessageEmpty", "no service has a message without a text"),
    (DELIVER, "ChannelNameTooLong", SENDS_ALIKE),
    (DELIVER, "ChannelNameInvalidCharacter", SENDS_ALIKE),
    (DELIVER, "MayNotCreateTopic", SENDS_ALIKE),
    (DELIVER, "EmptyTopicNotAllowed", SENDS_ALIKE),
    (DELIVER, "OnlyEmptyTopicAllowed", SENDS_ALIKE),
    (DELIVER, "RecipientDeactivated", SENDS_ALIKE),
    (DELIVER, "RecipientsInaccessible", SENDS_ALIKE),
    (DELIVER, "DirectMessagesDisabled", SENDS_ALIKE),
    (DELIVER, "NoAuthorizingParticipant", SENDS_ALIKE),
    (DELIVER, "MayNotInitiateDirect", SENDS_ALIKE),
    (DELIVER, "UnableToRender", SENDS_ALIKE),
    (DELIVER, "ChannelWildcardNotAllowed", SENDS_ALIKE),
    (DELIVER, "TopicWildcardNotAllowed", SENDS_ALIKE),
    (DELIVER, "MayNotMentionGroup", SENDS_ALIKE),
];

const EVENTS_NOT_PROVOKED: &[Excuse] = &[
    (DELIVER, "realm_user add", SENDS_ALIKE),
    ("GET /events", "heartbeat", "no request causes it; `events` moves the clock for it"),
    ("DELETE /streams/{stream_id}", "realm update", "only worlds below 331 have it; `levels` has such"),
    ("PATCH /users/me/subscriptions", "realm_user add", "gone at the newest level; `audience` has it"),
    ("PATCH /users/me/subscriptions", "stream create", "gone at the newest level; `audience` has it"),
    ("PATCH /users/me/subscriptions", "subscription add", "gone at the newest level; `audience` has it"),
    ("PATCH /users/me/subscriptions", "subscription peer_add", "gone at the newest level; `audience` has it"),
    ("PATCH /users/me/subscriptions", "message", "gone at the newest level; `audience` has it"),
    ("PATCH /users/me/subscriptions", "subscription peer_remove", "gone at the newest level; `audience` has it"),
    ("PATCH /users/me/subscriptions", "subscription remove", "gone at the newest level; `audience` has it"),
    ("PATCH /users/me/subscriptions", "stream delete", "gone at the newest level; `audience` has it"),
    ("PATCH /users/me/subscriptions", "update_message_flags add", "gone at the newest level; `audience` has it"),
    ("PATCH /users/me/subscriptions", "realm_user remove", "gone at the newest level; `audience` has it"),
    ("DELETE /user_groups/{user_group_id}", "user_group remove", "gone at the newest level; `levels` has it"),
    ("POST /message_edit_typing", "typing_edit_message start", "gone at the newest level; `levels` has it"),
    ("POST /message_edit_typing", "typing_edit_message stop", "gone at the newest level; `levels` has it"),
    ("POST /users/me/enter-sends", "user_settings update", "gone at the newest level; `levels` has it"),
    (
        "PATCH /messages/{message_id}",
        "stream update",
        "only where a notice that is taken back is a channel's first message",
    ),
];

/// Pairs of an operation and what it declares, or did.
type Pairs = BTreeSet<(String, String)>;

/// What the last run of `suite` saw.
fn seen(file: &str) -> Pairs {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(file);
    let text = std::fs::read_to_string(path).unwrap_or_default();
    let is_of_all_tests = !text.is_empty() && !text.starts_with("filtered");
    assert!(is_of_all_tests, "no whole run of `suite` left {file}: run `cargo test`");
    let pair = |line: &str| line.split_once('\t').map(|(way, what)| (way.to_owned(), what.to_owned()));
    text.lines().filter_map(pair).collect()
}

fn declared(of: fn(&'static OperationRow) -> Vec<&'static str>) -> Pairs {
    let pairs = |row: &'static OperationRow| {
        let way = format!("{} {}", row.route.method, row.route.path);
        of(row).into_iter().map(move |what| (way.clone(), what.to_owned()))
    };
    OPERATIONS.iter().flat_map(pairs).collect()
}

fn check(file: &str, declared: &Pairs, excuses: &[Excuse]) {
    let seen = seen(file);
    let excused: Pairs = excuses.iter().map(|(way, what, _)| ((*way).to_owned(), (*what).to_owned())).collect();

    let missing: Vec<_> = declared.iter().filter(|pair| !seen.contains(*pair) && !excused.contains(*pair)).collect();
    assert!(missing.is_empty(), "declared, and seen by no test of the last run of `suite`: {missing:#?}");
    let needless: Vec<_> = excused.iter().filter(|pair| seen.contains(*pair) || !declared.contains(*pair)).collect();
    assert!(needless.is_empty(), "excused without need: {needless:#?}");
}

#[test]
fn every_declared_error_is_provoked_or_says_why_not() {
    let errors = |row: &'static OperationRow| -> Vec<&'static str> {
        row.docs.errors.iter().map(|kind| kind.row().name).collect()
    };
    check("refusals.txt", &declared(errors), ERRORS_NOT_PROVOKED);
}

#[test]
fn every_declared_event_is_sent_or_says_why_not() {
    let events =
        |row: &'static OperationRow| -> Vec<&'static str> { row.docs.events.iter().map(|kind| kind.text()).collect() };
    check("events.txt", &declared(events), EVENTS_NOT_PROVOKED);
}
