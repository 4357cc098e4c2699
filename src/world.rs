//! Worlds: a realm each, published whole, with a clock and the polls that hang on it. The only locks.
//!
//! Readers take a [`World::snapshot`] and never wait. Writers take turns in [`World::commit`]: each changes a
//! private copy, which is published when the change succeeds and dropped when it fails or panics.

mod parking;

use crate::error::Error;
use crate::realm::Realm;
use crate::realm::change::Tx;
use crate::realm::timer::Due;
use crate::time::{Clock, Timestamp};
use arc_swap::ArcSwap;
use dashmap::DashMap;
use parking_lot::Mutex;
use std::sync::Arc;

pub use parking::Parking;

/// Where real time comes from: the server's wall clock, or a test's.
pub trait RealTime: Send + Sync {
    /// Real time now.
    fn now(&self) -> Timestamp;
}

/// One realm with its clock, its polls and what it emulates.
pub struct World {
    name: String,
    settings: WorldSettings,
    real_time: Arc<dyn RealTime>,
    clock: Mutex<Clock>,
    realm: ArcSwap<Realm>,
    writer: Mutex<()>,
    parking: Parking,
}

/// What a world emulates.
#[derive(Clone, Debug)]
pub struct WorldSettings {
    /// The feature level.
    pub feature_level: i64,
    /// Names on the wire.
    pub dialect: Arc<crate::dialect::Dialect>,
}

impl World {
    /// A world around a realm.
    pub fn new(
        name: String,
        realm: Realm,
        clock: Clock,
        settings: WorldSettings,
        real_time: Arc<dyn RealTime>,
    ) -> Self {
        Self {
            name,
            settings,
            real_time,
            clock: Mutex::new(clock),
            realm: ArcSwap::from_pointee(realm),
            writer: Mutex::new(()),
            parking: Parking::default(),
        }
    }

    /// Its name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// What it emulates.
    pub fn settings(&self) -> &WorldSettings {
        &self.settings
    }

    /// The polls that hang on it.
    pub fn parking(&self) -> &Parking {
        &self.parking
    }

    /// The world's time.
    pub fn now(&self) -> Timestamp {
        let clock = *self.clock.lock();
        clock.now(self.real_time.now())
    }

    /// The realm as it is, with all done that is due. Never waits for a writer unless something is due.
    pub fn snapshot(&self) -> Arc<Realm> {
        let realm = self.realm.load_full();
        if realm.agenda.next().is_none_or(|(at, _)| *at > self.now()) {
            return realm;
        }
        self.tick();
        self.realm.load_full()
    }

    /// Does what is due by now; gives what was done.
    pub fn tick(&self) -> Vec<(Timestamp, Due)> {
        let _turn = self.writer.lock();
        let now = self.now();
        self.run_due(now)
    }

    /// Changes the realm: what is due is done first, then `change` works on a private copy. Ok publishes it and wakes
    /// the polls that it concerns; an error leaves no trace.
    ///
    /// # Errors
    ///
    /// What `change` refuses.
    pub fn commit<T>(&self, change: impl FnOnce(&mut Tx) -> Result<T, Error>) -> Result<T, Error> {
        let _turn = self.writer.lock();
        let now = self.now();
        self.run_due(now);
        let mut realm = Realm::clone(&self.realm.load());
        realm.now = realm.now.max(now);
        let mut tx = Tx::new(realm);
        let value = change(&mut tx)?;
        self.publish(tx);
        Ok(value)
    }

    /// Moves the clock on to a later time, doing all that falls due on the way, each at its own time.
    pub fn advance_to(&self, at: Timestamp) -> Vec<(Timestamp, Due)> {
        let _turn = self.writer.lock();
        {
            let mut clock = self.clock.lock();
            *clock = match *clock {
                Clock::Frozen { .. } => Clock::Frozen { at },
                Clock::Running { .. } => Clock::Running { ahead: at.since(self.real_time.now()) },
            };
        }
        self.run_due(at)
    }

    fn run_due(&self, now: Timestamp) -> Vec<(Timestamp, Due)> {
        let realm = self.realm.load();
        if realm.agenda.next().is_none_or(|(at, _)| *at > now) {
            return Vec::new();
        }
        let mut tx = Tx::new(Realm::clone(&realm));
        let fired = tx.run_due(now);
        self.publish(tx);
        fired
    }

    fn publish(&self, mut tx: Tx) {
        let first_entry = tx.first_entry();
        let touched = std::mem::take(tx.touched_queues_mut());
        let realm = Arc::new(tx.into_realm());
        self.realm.store(realm.clone());
        self.parking.wake(&realm, first_entry, &touched);
    }
}

/// All worlds, by name.
#[derive(Default)]
pub struct Worlds {
    by_name: DashMap<String, Arc<World>>,
}

impl Worlds {
    /// The name of the world that exists from the start.
    pub const DEFAULT: &'static str = "default";

    /// The world with this name.
    pub fn get(&self, name: &str) -> Option<Arc<World>> {
        self.by_name.get(name).map(|world| world.clone())
    }

    /// Adds a world; false when the name is taken.
    pub fn add(&self, world: Arc<World>) -> bool {
        match self.by_name.entry(world.name().to_owned()) {
            dashmap::Entry::Occupied(_) => false,
            dashmap::Entry::Vacant(vacant) => {
                vacant.insert(world);
                true
            }
        }
    }

    /// All worlds, in the order of their names.
    pub fn all(&self) -> Vec<Arc<World>> {
        let mut worlds: Vec<_> = self.by_name.iter().map(|world| world.clone()).collect();
        worlds.sort_by(|one, other| one.name().cmp(other.name()));
        worlds
    }

    /// Whether a text can be a world's name: 1 to 63 of a-z, 0-9 and '-', not at either end.
    pub fn is_name(name: &str) -> bool {
        (1..=63).contains(&name.len())
            && name.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-')
            && !name.starts_with('-')
            && !name.ends_with('-')
    }
}
