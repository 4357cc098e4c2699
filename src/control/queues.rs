//! The calls that list, await and end event queues.

use super::{arrivals, refusal, unknown_name_in_world_message, users, waiting};
use crate::error::Error;
use crate::fault::{POLL_METHOD, POLL_PATH};
use crate::journal::Filter;
use crate::realm::Realm;
use crate::realm::id::UserId;
use crate::realm::queue::Queue;
use crate::world::{World, Worlds};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};
use std::collections::BTreeSet;

/// The largest number of owners of other queues that an error lists.
const MAX_SHOWN_OWNERS: usize = 5;

/// Which queues to wait for, how many, and how long.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "AwaitedQueues")]
pub struct AwaitedQueues {
    /// The user who registered them, by email address or handle; all users by default.
    user: Option<String>,
    /// true: only queues on which a poll waits; false: only others; all queues by default.
    parked: Option<bool>,
    /// The minimum number of such queues; 1 by default.
    #[schemars(range(min = 1))]
    count: Option<usize>,
    /// How long to wait at most, in milliseconds of real time.
    timeout_ms: u64,
}

/// Lists all queues of a world.
pub fn list(world: &World) -> Value {
    let realm = world.snapshot();
    json!({"queues": realm.queues.values().map(|queue| queue_to_json(&realm, queue)).collect::<Vec<_>>()})
}

/// The number of events that were not acknowledged.
fn count_pending_events(realm: &Realm, queue: &Queue) -> usize {
    let pending_events: usize =
        realm.log.entries_from(queue.cursor.entry).map(|(_, entry)| queue.parts(entry).len()).sum();
    pending_events.saturating_sub(queue.cursor.part)
}

/// Whether a poll waits on the queue. An answered poll no longer waits.
pub(super) fn is_parked(realm: &Realm, queue: &Queue) -> bool {
    queue.parked_since.is_some() && count_pending_events(realm, queue) == 0
}

fn queue_to_json(realm: &Realm, queue: &Queue) -> Value {
    let pending_events = count_pending_events(realm, queue);
    let mut capabilities = queue.options.capabilities;
    let enabled_names = capabilities.by_name().into_iter().filter(|(_, is_enabled)| **is_enabled).map(|(name, _)| name);
    json!({
        "queue_id": queue.id,
        "user": realm.user(queue.owner).map(|owner| owner.email.clone()),
        "client": queue.options.client,
        "parked": queue.parked_since.is_some() && pending_events == 0,
        "pending": pending_events,
        "last_event_id": queue.acknowledged_event.saturating_add_unsigned(pending_events as u64),
        "acknowledged": queue.acknowledged_event,
        "capabilities": enabled_names.collect::<Vec<_>>(),
    })
}

/// Waits until there are as many of the awaited queues as expected, or more.
///
/// # Errors
///
/// `ControlRefused` for an unknown user, a handle that several users have, or a `count` of 0; `VerificationTimedOut`;
/// `UnknownControlWorld` when the world is deleted while waiting.
pub async fn wait(world: &World, worlds: &Worlds, awaited: AwaitedQueues) -> Result<Value, Error> {
    let owner = match &awaited.user {
        Some(name) => Some(users::find_user(&world.snapshot(), name, "$.user")?.id),
        None => None,
    };
    let count = awaited.count.unwrap_or(1);
    if count == 0 {
        return Err(refusal("$.count: takes a whole number from 1 on"));
    }
    let check = || {
        let queues = queue_records(world, owner, awaited.parked);
        (queues.len() >= count).then_some(queues)
    };
    match waiting::wait_until(world, awaited.timeout_ms, || world.changed(), check).await? {
        Some(queues) => Ok(json!({"count": queues.len(), "queues": queues})),
        None => {
            let actual_count = queue_records(world, owner, awaited.parked).len();
            let state = match awaited.parked {
                Some(true) => "parked ",
                Some(false) => "not parked ",
                None => "",
            };
            let noun = if count == 1 { "queue" } else { "queues" };
            let owner_note = awaited.user.as_ref().map(|user| format!(" of {user}")).unwrap_or_default();
            let user = awaited.user.as_deref();
            let cause = match actual_count {
                0 if has_queues(&world.snapshot(), owner) => not_parked_clause(world, owner, awaited.parked),
                0 => {
                    no_queue_clause(world, user)
                        + &arrivals::no_requests_clause(world, worlds, &filter_of_owner(world, owner))
                }
                _ => String::new(),
            };
            Err(Error::VerificationTimedOut {
                reason: format!("Expected at least {count} {state}{noun}{owner_note}, found {actual_count}{cause}")
                    .into(),
                count: actual_count.into(),
                nearest: queue_records(world, owner, None).into(),
            })
        }
    }
}

/// A filter for the requests of a user, or of all users if `owner` is None.
fn filter_of_owner(world: &World, owner: Option<UserId>) -> Filter {
    let user = owner.and_then(|owner| Some(world.snapshot().user(owner)?.email.to_string()));
    Filter { user, ..Filter::default() }
}

/// The number of parked polls of the user that a filter names, or of all users. Other conditions are ignored.
pub(super) fn count_parked(world: &World, filter: &Filter) -> usize {
    let realm = world.snapshot();
    let is_of_user = |queue: &Queue| match &filter.user {
        Some(user) => realm.user(queue.owner).is_some_and(|owner| owner.email.eq_ignore_ascii_case(user)),
        None => true,
    };
    queues_of(&realm, None).filter(|queue| is_parked(&realm, queue) && is_of_user(queue)).count()
}

/// The queues of a user; all queues if `owner` is None.
fn queues_of(realm: &Realm, owner: Option<UserId>) -> impl Iterator<Item = &Queue> {
    realm
        .queues
        .values()
        .map(AsRef::as_ref)
        .filter(move |queue: &&Queue| owner.is_none_or(|owner| queue.owner == owner))
}

fn has_queues(realm: &Realm, owner: Option<UserId>) -> bool {
    queues_of(realm, owner).next().is_some()
}

/// An addition to the message if parked queues are awaited and there are queues, but no poll waits: how many queues
/// there are, and how or when the last poll ended.
fn not_parked_clause(world: &World, owner: Option<UserId>, parked: Option<bool>) -> String {
    if parked != Some(true) {
        return String::new();
    }
    let realm = world.snapshot();
    let queues = match queues_of(&realm, owner).count() {
        1 => "there is 1 queue, but no poll waits on it".to_owned(),
        count => format!("there are {count} queues, but no poll waits on them"),
    };
    let last_poll = queues_of(&realm, owner).filter(|queue| queue.poll_count > 0).map(|queue| queue.idle_since).max();
    match (failed_poll_clause(world, owner), last_poll) {
        (Some(failed_poll), _) => format!("; {queues}: {failed_poll}"),
        (None, Some(at)) => format!("; {queues}: the last poll ended at {}", at.to_rfc3339()),
        (None, None) => format!("; {queues}: no client has polled"),
    }
}

/// How the user's last poll failed: its status and its fault. None if there was no poll, or the last one was answered
/// with 200.
fn failed_poll_clause(world: &World, owner: Option<UserId>) -> Option<String> {
    let user = filter_of_owner(world, owner).user;
    let filter = Filter { method: Some(POLL_METHOD.into()), path: Some(POLL_PATH.into()), user, ..Filter::default() };
    let entries = world.journal().all();
    let entry = entries.iter().rev().find(|entry| filter.matches(entry)).filter(|entry| entry.status != 200)?;
    let fault = entry.fault.as_ref().map(|fault| format!(" ({fault})")).unwrap_or_default();
    Some(match entry.status {
        0 => format!("the last poll got no reply{fault}"),
        status => format!("the last poll was answered with {status}{fault}"),
    })
}

/// An addition to the message if there is no queue at all, or none of the user: often the client logged in as another
/// user, or did not register.
fn no_queue_clause(world: &World, user: Option<&str>) -> String {
    let realm = world.snapshot();
    let Some(user) = user else { return "; no client has registered a queue".to_owned() };
    let owners: BTreeSet<_> =
        realm.queues.values().filter_map(|queue| realm.user(queue.owner)).map(|owner| owner.email.clone()).collect();
    match owners.into_iter().take(MAX_SHOWN_OWNERS).collect::<Vec<_>>().join(", ") {
        others if others.is_empty() => format!("; {user} has registered no queue"),
        others => format!("; {user} has registered no queue, but there are queues of {others}"),
    }
}

fn queue_records(world: &World, owner: Option<UserId>, parked: Option<bool>) -> Vec<Value> {
    let realm = world.snapshot();
    let matches = |queue: &&Queue| parked.is_none_or(|parked| is_parked(&realm, queue) == parked);
    queues_of(&realm, owner).filter(matches).map(|queue| queue_to_json(&realm, queue)).collect()
}

/// Removes a queue, so that its next poll fails with `BAD_EVENT_QUEUE_ID`.
///
/// # Errors
///
/// `ControlNotFound` for an ID that no queue of the world has.
pub fn end(world: &World, id: &str) -> Result<Value, Error> {
    world.commit(|tx| {
        if !tx.queues.contains_key(id) {
            let ids: Vec<&str> = tx.queues.keys().map(AsRef::as_ref).collect();
            return Err(Error::ControlNotFound { message: unknown_name_in_world_message("queue", id, &ids).into() });
        }
        tx.end_queue(id);
        Ok(json!({}))
    })
}
