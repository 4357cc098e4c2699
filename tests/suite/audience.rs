//! The audience of each event of each operation: exactly the accounts that get it.
//!
//! A [`Case`] is a request in a fresh world in which accounts of all kinds listen. It names every event that follows,
//! and everybody who gets it; what else anybody gets is a fault. Together the cases hold every event that the table of
//! operations lists.

mod accounts;
mod case;
mod channels;
mod groups;
mod logins;
mod messages;
mod organization;
mod personal;
mod subscriptions;
mod times;

use crate::support::TestServer;
use case::Case;
use chatdouble::api::OPERATIONS;
use serde_json::json;
use std::collections::BTreeSet;

/// Events that no case provokes, each with its reason.
const NOT_PROVOKED: &[(&str, &str, &str)] = &[
    ("GET /events", "heartbeat", "no request causes it; `events` moves the clock for it"),
    ("DELETE /streams/{stream_id}", "realm update", "only worlds below 331 have it; `levels` has such"),
    ("DELETE /user_groups/{user_group_id}", "user_group remove", "gone at the newest level; `levels` has it"),
    ("POST /message_edit_typing", "typing_edit_message start", "gone at the newest level; `levels` has it"),
    ("POST /message_edit_typing", "typing_edit_message stop", "gone at the newest level; `levels` has it"),
    ("POST /users/me/enter-sends", "user_settings update", "gone at the newest level; `levels` has it"),
    (
        "PATCH /messages/{message_id}",
        "stream update",
        "only where a notice that is taken back is a channel's first message",
    ),
    ("POST /users/{user_id}/reactivate", "stream update", "only for guests who may not know of the user then either"),
    ("POST /users/me/api_key/regenerate", "device remove", "the key that polls ends with it; `push` has some"),
    ("POST /external/{integration}", "realm_user add", "`POST /messages` has it, which sends in the same way"),
    ("POST /realm/deactivate", "realm deactivated", "only polls that hang get it; `organization_end` has some"),
];

fn cases() -> Vec<Case> {
    let all = [
        accounts::cases(),
        channels::cases(),
        groups::cases(),
        logins::cases(),
        messages::cases(),
        organization::cases(),
        personal::cases(),
        subscriptions::cases(),
        subscriptions::former_cases(),
    ];
    all.into_iter().flatten().collect()
}

async fn play(cases: Vec<Case>) {
    play_on(&TestServer::start().await, cases).await;
}

async fn play_on(server: &TestServer, cases: Vec<Case>) {
    let mut faults = Vec::new();
    for case in cases {
        case::control(server, "reset", json!({})).await;
        faults.extend(case.play(server).await);
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

#[tokio::test]
async fn changes_of_accounts_are_sent_to_those_who_may_know_of_them() {
    play(accounts::cases()).await;
}

#[tokio::test]
async fn changes_of_channels_are_sent_to_those_who_see_them() {
    play(channels::cases()).await;
}

#[tokio::test]
async fn changes_of_groups_are_sent_to_everyone() {
    play(groups::cases()).await;
}

#[tokio::test]
async fn changes_of_messages_are_sent_to_those_who_have_or_follow_them() {
    play(messages::cases()).await;
}

#[tokio::test]
async fn changes_of_the_organization_are_sent_to_everyone() {
    play(organization::cases()).await;
}

#[tokio::test]
async fn personal_data_is_sent_only_to_its_user() {
    play(personal::cases()).await;
}

#[tokio::test]
async fn changes_of_subscriptions_are_sent_to_subscribers_and_those_who_see_them() {
    play(subscriptions::cases()).await;
}

#[tokio::test]
async fn changes_of_subscriptions_in_one_request_were_sent_likewise() {
    let server = TestServer::start_with(|options| options.feature_level = 511).await;
    play_on(&server, subscriptions::former_cases()).await;
}

#[tokio::test]
async fn what_falls_due_is_sent_like_what_is_done() {
    play(times::cases()).await;
}

#[test]
fn every_event_of_every_operation_is_provoked_or_says_why_not() {
    let listed = OPERATIONS.iter().flat_map(|row| {
        let way = format!("{} {}", row.route.method, row.route.path);
        row.docs.events.iter().map(move |event| (way.clone(), event.text().to_owned()))
    });
    let listed: BTreeSet<_> = listed.collect();
    let provoked: BTreeSet<_> = cases().iter().flat_map(Case::provokes).collect();
    let excused: BTreeSet<_> =
        NOT_PROVOKED.iter().map(|(way, event, _)| ((*way).to_owned(), (*event).to_owned())).collect();
    let missing: Vec<_> = listed.difference(&provoked).filter(|pair| !excused.contains(pair)).collect();
    assert!(missing.is_empty(), "no case provokes {missing:#?}");
    let unlisted: Vec<_> = provoked.difference(&listed).collect();
    assert!(unlisted.is_empty(), "the table of operations does not list {unlisted:#?}");
    let needless: Vec<_> = excused.iter().filter(|pair| provoked.contains(pair) || !listed.contains(pair)).collect();
    assert!(needless.is_empty(), "excused without need: {needless:#?}");
}
