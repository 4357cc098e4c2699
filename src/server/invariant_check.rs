//! Checks the invariants of all worlds, for the end of a test or of a run of the program.

use crate::realm::Realm;
use crate::realm::invariants;
use crate::world::{World, Worlds};
use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::mpsc;
use tokio::time::{Instant, timeout_at};

/// The result of a check of all worlds within a time limit.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CheckOutcome {
    /// Broken invariants, one line each.
    pub violations: Vec<String>,
    /// Number of worlds that were not checked in time.
    pub unfinished: usize,
}

/// A realm and the worlds that share it: unchanged forks share the realm of their origin.
pub(super) struct SharedRealm {
    realm: Arc<Realm>,
    worlds: Vec<Arc<World>>,
}

/// The realms of all worlds without duplicates, in the order of the worlds' names.
pub(super) fn shared_realms(worlds: &Worlds) -> Vec<SharedRealm> {
    group_by_realm(worlds.all())
}

fn group_by_realm(worlds: Vec<Arc<World>>) -> Vec<SharedRealm> {
    let mut shared_realms: Vec<SharedRealm> = Vec::new();
    let mut positions: HashMap<*const Realm, usize> = HashMap::new();
    for world in worlds {
        // If handling the due items panics, the published state is checked instead.
        let realm = catch_unwind(AssertUnwindSafe(|| world.snapshot())).unwrap_or_else(|_| world.published_realm());
        match positions.entry(Arc::as_ptr(&realm)) {
            Entry::Occupied(position) => shared_realms[*position.get()].worlds.push(world),
            Entry::Vacant(vacant) => {
                vacant.insert(shared_realms.len());
                shared_realms.push(SharedRealm { realm, worlds: vec![world] });
            }
        }
    }
    shared_realms
}

/// The broken invariants of a realm, one line for each violation and world.
pub(super) fn violations(shared_realm: &SharedRealm) -> Vec<String> {
    let violations = invariants::all_violations(&shared_realm.realm);
    let lines_of = |world: &Arc<World>| {
        let line = |violation: &invariants::Violation| format!("world {} breaks {violation}", world.name());
        violations.iter().map(line).collect::<Vec<_>>()
    };
    shared_realm.worlds.iter().flat_map(lines_of).collect()
}

/// Checks all worlds on another thread, and returns what was found within the time limit.
pub(super) async fn check_within(worlds: &Worlds, limit: Duration) -> CheckOutcome {
    let worlds = worlds.all();
    let mut outcome = CheckOutcome { violations: Vec::new(), unfinished: worlds.len() };
    let (sender, mut receiver) = mpsc::unbounded_channel();
    tokio::task::spawn_blocking(move || {
        for shared_realm in group_by_realm(worlds) {
            // The receiver is dropped when the time is up.
            if sender.send((violations(&shared_realm), shared_realm.worlds.len())).is_err() {
                return;
            }
        }
    });
    let deadline = Instant::now() + limit;
    while Instant::now() < deadline
        && let Ok(Some((violations, count))) = timeout_at(deadline, receiver.recv()).await
    {
        outcome.violations.extend(violations);
        outcome.unfinished -= count;
    }
    outcome
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::realm::id::ChannelId;
    use crate::server::Server;
    use crate::time::{Clock, Span, Timestamp};

    fn add_world(server: &Server, name: &str, realm: Realm) {
        let world_time = realm.now;
        add_world_at(server, name, realm, world_time);
    }

    fn add_world_at(server: &Server, name: &str, realm: Realm, world_time: Timestamp) {
        let origin = server.world("default");
        let clock = Clock::Frozen { at: world_time };
        let world =
            World::new(name.into(), realm, clock, origin.settings().as_ref().clone(), origin.real_time().clone());
        assert!(server.worlds().add(Arc::new(world)));
    }

    #[tokio::test]
    async fn a_check_names_the_broken_world() {
        let server = Server::start().await.expect("a port is free");
        assert_eq!(server.violations_within(Duration::from_mins(1)).await, CheckOutcome::default());

        let mut broken = Realm::clone(&server.world("default").snapshot());
        broken.channels_by_name.insert("nowhere".into(), ChannelId(999));
        add_world(&server, "broken", broken);

        let outcome = server.violations_within(Duration::from_mins(1)).await;
        assert_eq!(outcome.unfinished, 0);
        let [line] = outcome.violations.try_into().expect("one line");
        assert!(line.starts_with("world broken breaks channels-by-name: "), "{line}");
    }

    #[tokio::test]
    async fn a_world_whose_due_items_panic_does_not_affect_others() {
        let server = Server::start().await.expect("a port is free");
        let mut exhausted = Realm::clone(&server.world("default").snapshot());
        exhausted.counters.message = i64::MAX;
        let later = exhausted.now.plus(Span::from_days(30));
        add_world_at(&server, "exhausted", exhausted, later);
        assert!(catch_unwind(AssertUnwindSafe(|| server.world("exhausted").snapshot())).is_err());

        assert_eq!(server.violations_within(Duration::from_mins(1)).await.unfinished, 0);
    }

    #[tokio::test]
    async fn a_check_that_runs_out_of_time_counts_unfinished_worlds() {
        let server = Server::start().await.expect("a port is free");
        add_world(&server, "other", Realm::clone(&server.world("default").snapshot()));

        let outcome = server.violations_within(Duration::ZERO).await;

        assert_eq!(outcome, CheckOutcome { violations: Vec::new(), unfinished: 2 });
    }
}
