//! The invariants of all worlds, checked when a server's run ends.

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

/// What an examination came to before its time was up.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CheckReport {
    /// What is broken, a line each.
    pub violations: Vec<String>,
    /// How many worlds were not checked to the end.
    pub unfinished: usize,
}

/// A realm and the worlds that have this very one: forks that nothing was done in share their origin's.
pub(super) struct Shared {
    realm: Arc<Realm>,
    worlds: Vec<Arc<World>>,
}

/// The realms of all worlds, each once, in the order of the worlds' names.
pub(super) fn worlds_by_realm(worlds: &Worlds) -> Vec<Shared> {
    by_realm(worlds.all())
}

fn by_realm(worlds: Vec<Arc<World>>) -> Vec<Shared> {
    let mut all: Vec<Shared> = Vec::new();
    let mut positions: HashMap<*const Realm, usize> = HashMap::new();
    for world in worlds {
        // As it was published, should it not be able to do what is due.
        let realm = catch_unwind(AssertUnwindSafe(|| world.snapshot())).unwrap_or_else(|_| world.published());
        match positions.entry(Arc::as_ptr(&realm)) {
            Entry::Occupied(position) => all[*position.get()].worlds.push(world),
            Entry::Vacant(vacant) => {
                vacant.insert(all.len());
                all.push(Shared { realm, worlds: vec![world] });
            }
        }
    }
    all
}

/// What is broken, a line for each world.
pub(super) fn violations(shared: &Shared) -> Vec<String> {
    let broken = invariants::check(&shared.realm);
    let of = |world: &Arc<World>| {
        let line = |violation: &invariants::Violation| format!("world {} breaks {violation}", world.name());
        broken.iter().map(line).collect::<Vec<_>>()
    };
    shared.worlds.iter().flat_map(of).collect()
}

/// Examines worlds on a thread of its own, for so long and no longer.
pub(super) async fn within(worlds: &Worlds, limit: Duration) -> CheckReport {
    let worlds = worlds.all();
    let mut examined = CheckReport { violations: Vec::new(), unfinished: worlds.len() };
    let (sender, mut receiver) = mpsc::unbounded_channel();
    tokio::task::spawn_blocking(move || {
        for shared in by_realm(worlds) {
            // Nobody listens any more once the time is up.
            if sender.send((violations(&shared), shared.worlds.len())).is_err() {
                return;
            }
        }
    });
    let deadline = Instant::now() + limit;
    while Instant::now() < deadline
        && let Ok(Some((violations, count))) = timeout_at(deadline, receiver.recv()).await
    {
        examined.violations.extend(violations);
        examined.unfinished -= count;
    }
    examined
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::realm::id::ChannelId;
    use crate::server::Server;
    use crate::time::{Clock, Span, Timestamp};

    fn add(server: &Server, name: &str, realm: Realm) {
        let at = realm.now;
        add_at(server, name, realm, at);
    }

    fn add_at(server: &Server, name: &str, realm: Realm, at: Timestamp) {
        let origin = server.world("default");
        let clock = Clock::Frozen { at };
        let world =
            World::new(name.into(), realm, clock, origin.settings().as_ref().clone(), origin.real_time().clone());
        assert!(server.worlds().add(Arc::new(world)));
    }

    #[tokio::test]
    async fn an_examination_names_the_broken_world() {
        let server = Server::start().await.expect("a port is free");
        assert_eq!(server.violations_within(Duration::from_mins(1)).await, CheckReport::default());

        let mut broken = Realm::clone(&server.world("default").snapshot());
        broken.channels_by_name.insert("nowhere".into(), ChannelId(999));
        add(&server, "broken", broken);

        let examined = server.violations_within(Duration::from_mins(1)).await;
        assert_eq!(examined.unfinished, 0);
        let [line] = examined.violations.try_into().expect("one line");
        assert!(line.starts_with("world broken breaks channels-by-name: "), "{line}");
    }

    #[tokio::test]
    async fn a_world_that_cannot_do_what_is_due_harms_no_other() {
        let server = Server::start().await.expect("a port is free");
        let mut exhausted = Realm::clone(&server.world("default").snapshot());
        exhausted.counters.message = i64::MAX;
        let later = exhausted.now.plus(Span::days(30));
        add_at(&server, "exhausted", exhausted, later);
        assert!(catch_unwind(AssertUnwindSafe(|| server.world("exhausted").snapshot())).is_err());

        assert_eq!(server.violations_within(Duration::from_mins(1)).await.unfinished, 0);
    }

    #[tokio::test]
    async fn an_examination_whose_time_is_up_says_what_was_left() {
        let server = Server::start().await.expect("a port is free");
        add(&server, "other", Realm::clone(&server.world("default").snapshot()));

        let examined = server.violations_within(Duration::ZERO).await;

        assert_eq!(examined, CheckReport { violations: Vec::new(), unfinished: 2 });
    }
}
