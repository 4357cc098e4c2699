//! Event queues, looked at, waited for and lost.

use super::{refused, users, waiting};
use crate::error::Error;
use crate::realm::Realm;
use crate::realm::id::UserId;
use crate::realm::queue::Queue;
use crate::world::World;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};
use std::collections::BTreeSet;

/// The most owners of other queues that an error lists.
const SHOWN_OWNERS: usize = 5;

/// The expected queues.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "AwaitedQueues")]
pub struct Awaited {
    /// The user: an address or its handle; all users by default.
    user: Option<String>,
    /// Whether a poll waits on them; either by default.
    parked: Option<bool>,
    /// The minimum number; 1 by default.
    #[schemars(range(min = 1))]
    count: Option<usize>,
    /// How long to wait, in real time.
    timeout_ms: u64,
}

/// All queues of a world.
pub fn list(world: &World) -> Value {
    let realm = world.snapshot();
    json!({"queues": realm.queues.values().map(|queue| row(&realm, queue)).collect::<Vec<_>>()})
}

/// Events that were not acknowledged.
fn pending(realm: &Realm, queue: &Queue) -> usize {
    let pending: usize = realm.log.from(queue.cursor.entry).map(|(_, entry)| queue.parts(entry).len()).sum();
    pending.saturating_sub(queue.cursor.part)
}

/// Whether a poll waits on a queue. One that has its answer does not wait any more.
pub(super) fn is_parked(realm: &Realm, queue: &Queue) -> bool {
    queue.parked_since.is_some() && pending(realm, queue) == 0
}

fn row(realm: &Realm, queue: &Queue) -> Value {
    let pending = pending(realm, queue);
    let mut capabilities = queue.options.capabilities;
    let capabilities = capabilities.by_name().into_iter().filter(|(_, has)| **has).map(|(name, _)| name);
    json!({
        "queue_id": queue.id,
        "user": realm.user(queue.owner).map(|owner| owner.email.clone()),
        "client": queue.options.client,
        "parked": queue.parked_since.is_some() && pending == 0,
        "pending": pending,
        "last_event_id": queue.acknowledged.saturating_add_unsigned(pending as u64),
        "acknowledged": queue.acknowledged,
        "capabilities": capabilities.collect::<Vec<_>>(),
    })
}

/// Waits until there are so many queues of this kind.
///
/// # Errors
///
/// `ControlRefused`, `VerificationTimedOut`; `UnknownControlWorld` when the world is deleted meanwhile.
pub async fn wait(world: &World, awaited: Awaited) -> Result<Value, Error> {
    let owner = match &awaited.user {
        Some(name) => Some(users::named(&world.snapshot(), name, "$.user")?.id),
        None => None,
    };
    let count = awaited.count.unwrap_or(1);
    if count == 0 {
        return Err(refused("$.count: takes a whole number from 1 on"));
    }
    let check = || {
        let found = found(world, owner, awaited.parked);
        (found.len() >= count).then_some(found)
    };
    match waiting::until(world, awaited.timeout_ms, || world.changed(), check).await? {
        Some(queues) => Ok(json!({"count": queues.len(), "queues": queues})),
        None => {
            let found = found(world, owner, awaited.parked).len();
            let state = match awaited.parked {
                Some(true) => "parked ",
                Some(false) => "not parked ",
                None => "",
            };
            let noun = if count == 1 { "queue" } else { "queues" };
            let whose = awaited.user.as_ref().map(|user| format!(" of {user}")).unwrap_or_default();
            let cause = if found == 0 { cause_of_none(world, owner, awaited.user.as_deref()) } else { String::new() };
            Err(Error::VerificationTimedOut {
                reason: format!("Expected at least {count} {state}{noun}{whose}, found {found}{cause}").into(),
                count: found.into(),
                nearest: self::found(world, owner, None).into(),
            })
        }
    }
}

/// Explains why a user has no queue: often the client logged in as somebody else, or did not register.
fn cause_of_none(world: &World, owner: Option<UserId>, user: Option<&str>) -> String {
    let realm = world.snapshot();
    if realm.queues.values().any(|queue| owner.is_none_or(|owner| queue.owner == owner)) {
        return String::new();
    }
    let Some(user) = user else { return "; no client has registered a queue".to_owned() };
    let owners: BTreeSet<_> =
        realm.queues.values().filter_map(|queue| realm.user(queue.owner)).map(|owner| owner.email.clone()).collect();
    match owners.into_iter().take(SHOWN_OWNERS).collect::<Vec<_>>().join(", ") {
        others if others.is_empty() => format!("; {user} has registered no queue"),
        others => format!("; {user} has registered no queue, but there are queues of {others}"),
    }
}

fn found(world: &World, owner: Option<UserId>, parked: Option<bool>) -> Vec<Value> {
    let realm = world.snapshot();
    let fits = |queue: &&std::sync::Arc<Queue>| {
        owner.is_none_or(|owner| queue.owner == owner) && parked.is_none_or(|parked| is_parked(&realm, queue) == parked)
    };
    realm.queues.values().filter(fits).map(|queue| row(&realm, queue)).collect()
}

/// Loses a queue: its next poll fails with `BAD_EVENT_QUEUE_ID`.
///
/// # Errors
///
/// `ControlNotFound`.
pub fn end(world: &World, id: &str) -> Result<Value, Error> {
    world.commit(|tx| {
        if !tx.queues.contains_key(id) {
            return Err(Error::ControlNotFound { what: format!("There is no queue '{id}'").into() });
        }
        tx.end_queue(id);
        Ok(json!({}))
    })
}
