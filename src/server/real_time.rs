//! Real time: the wall clock, which is read only here, and the task that does what is due in worlds whose clocks run.

use super::connection::wait_for_end;
use crate::time::Timestamp;
use crate::world::blocking::run_blocking;
use crate::world::{RealTime, World, Worlds};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Weak};
use std::time::{Duration, SystemTime, UNIX_EPOCH};
use tokio::sync::watch;

/// How often worlds whose clocks run are checked for due items.
const TICK_INTERVAL: Duration = Duration::from_millis(100);

/// The clock of this machine.
#[derive(Clone, Copy, Debug, Default)]
pub struct WallClock;

impl RealTime for WallClock {
    fn now(&self) -> Timestamp {
        let since_epoch = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        Timestamp::from_micros(i64::try_from(since_epoch.as_micros()).unwrap_or(i64::MAX))
    }
}

/// Worlds in which handling due items panicked. They are compared by identity, because a new world may have the same
/// name.
#[derive(Default)]
struct BrokenWorlds(Vec<Weak<World>>);

impl BrokenWorlds {
    fn contains(&self, world: &Arc<World>) -> bool {
        self.0.iter().any(|weak| Weak::as_ptr(weak) == Arc::as_ptr(world))
    }

    /// Adds a world, and removes those that no longer exist.
    fn add(&mut self, world: &Arc<World>) {
        self.0.retain(|weak| weak.strong_count() > 0);
        self.0.push(Arc::downgrade(world));
    }
}

/// Does what falls due in worlds, and ends abandoned ones, until the server stops.
pub async fn advance_worlds(worlds: Arc<Worlds>, stopped: watch::Receiver<bool>) {
    let shutdown = wait_for_end(stopped);
    tokio::pin!(shutdown);
    let mut interval = tokio::time::interval(TICK_INTERVAL);
    interval.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Skip);
    let mut broken = BrokenWorlds::default();
    loop {
        tokio::select! {
            _ = interval.tick() => {}
            () = &mut shutdown => return,
        }
        // This is checked first, because replacing this thread costs more than the check.
        if worlds.has_abandoned_worlds() {
            run_blocking(|| worlds.end_abandoned());
        }
        for world in worlds.all() {
            if !world.has_due_items() || broken.contains(&world) {
                continue;
            }
            // Taking a snapshot does first what is due. A panic in one world must not stop the others.
            if run_blocking(|| catch_unwind(AssertUnwindSafe(|| world.snapshot()))).is_err() {
                tracing::error!("world {} can't do what is due and no longer advances", world.name());
                broken.add(&world);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::Fixture;
    use crate::time::Clock;
    use crate::world::WorldSettings;

    #[test]
    fn a_world_that_takes_the_place_of_a_broken_one_is_not_broken() {
        let new_world = || {
            let now = Timestamp::from_micros(0);
            let realm = Fixture::built_in("empty").expect("built in").build_realm(now, 0).expect("sound");
            let settings = WorldSettings { feature_level: 0, dialect: Arc::new(crate::dialect::Dialect::neutral()) };
            let clock = Clock::Frozen { at: now };
            Arc::new(World::new("blue".to_owned(), realm, clock, settings, Arc::new(WallClock)))
        };
        let (first_world, mut broken) = (new_world(), BrokenWorlds::default());
        broken.add(&first_world);
        assert!(broken.contains(&first_world));

        let second_world = new_world();

        assert!(!broken.contains(&second_world));
        drop(first_world);
        broken.add(&second_world);
        assert_eq!(broken.0.len(), 1, "worlds that no longer exist are removed");
    }
}
