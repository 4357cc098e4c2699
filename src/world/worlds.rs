//! The worlds of a server, by name.

use super::{WebhookSender, World};
use crate::report::{EndedReports, Summary};
use dashmap::DashMap;
use foldhash::fast::RandomState;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};

/// All worlds, by name.
#[derive(Default)]
pub struct Worlds {
    by_name: DashMap<String, Arc<World>, RandomState>,
    named: AtomicU64,
    added: AtomicU64,
    outlet: OnceLock<WebhookSender>,
    ended_reports: EndedReports,
    witness: OnceLock<Box<Witness>>,
    equipment: OnceLock<Box<Witness>>,
}

/// Is called with a world.
type Witness = dyn Fn(&World) + Send + Sync;

impl Worlds {
    /// The name of the world that exists from the start.
    pub const DEFAULT: &'static str = "default";

    /// The world with this name.
    pub fn get(&self, name: &str) -> Option<Arc<World>> {
        self.by_name.get(name).map(|world| world.clone())
    }

    /// Has the calls of all worlds' bots posted, of those that are added from now on. Only the first outlet counts.
    pub fn post_through(&self, outlet: WebhookSender) {
        // The server sets it before it adds worlds.
        let _ = self.outlet.set(outlet);
    }

    /// Has each world seen when it has ended, and before its journal is emptied. Only the first witness counts.
    pub fn witness_ends(&self, witness: impl Fn(&World) + Send + Sync + 'static) {
        let _ = self.witness.set(Box::new(witness));
    }

    /// Has each world that is added from now on equipped before requests reach it. Only the first equipment counts.
    pub fn equip(&self, equipment: impl Fn(&World) + Send + Sync + 'static) {
        let _ = self.equipment.set(Box::new(equipment));
    }

    /// Shows a world to the witness.
    pub fn observe(&self, world: &World) {
        self.witness.get().into_iter().for_each(|observe| observe(world));
    }

    fn connect(&self, world: &Arc<World>) {
        self.equipment.get().into_iter().for_each(|equip| equip(world));
        self.outlet.get().into_iter().for_each(|outlet| world.post_through(outlet.clone()));
    }

    /// Adds a world; false when the name is taken.
    pub fn add(&self, world: Arc<World>) -> bool {
        self.number(&world);
        match self.by_name.entry(world.name().to_owned()) {
            dashmap::Entry::Occupied(_) => false,
            dashmap::Entry::Vacant(vacant) => {
                self.connect(&world);
                vacant.insert(world);
                true
            }
        }
    }

    fn number(&self, world: &World) {
        world.sessions.number(self.added.fetch_add(1, Ordering::Relaxed) + 1);
    }

    fn end(&self, world: &World) {
        world.end();
        self.ended_reports.add(world.report().summary().of_world(world.name()));
        self.observe(world);
    }

    /// The clients of all worlds, those of ended ones first, each with the name of its world.
    pub fn report(&self) -> Summary {
        let mut summary = self.ended_reports.summary();
        self.all().iter().for_each(|world| summary.extend(world.report().summary().of_world(world.name())));
        summary
    }

    /// Forgets what is known of the clients of all worlds.
    pub fn clear_reports(&self) {
        self.ended_reports.clear();
        self.all().iter().for_each(|world| world.report().clear());
    }

    /// Removes a world; its parked polls are answered. None when there is none.
    pub fn remove(&self, name: &str) -> Option<Arc<World>> {
        let (_, world) = self.by_name.remove(name)?;
        self.end(&world);
        Some(world)
    }

    /// Adds a world in the place of one of the same name, which ends; its parked polls are answered.
    pub fn replace(&self, world: Arc<World>) {
        self.number(&world);
        self.connect(&world);
        if let Some(former) = self.by_name.insert(world.name().to_owned(), world) {
            self.end(&former);
        }
    }

    /// Whether there is a world that nobody used for as long as it is kept.
    pub fn have_abandoned(&self) -> bool {
        self.by_name.iter().any(|world| world.is_abandoned())
    }

    /// Ends the worlds that nobody used for as long as they are kept; their names.
    pub fn end_abandoned(&self) -> Vec<String> {
        let abandoned: Vec<String> =
            self.by_name.iter().filter(|world| world.is_abandoned()).map(|world| world.name().to_owned()).collect();
        let remove = |name: &String| self.by_name.remove_if(name, |_, world| world.is_abandoned());
        abandoned
            .into_iter()
            .filter(|name| {
                remove(name).is_some_and(|(_, world)| {
                    self.end(&world);
                    true
                })
            })
            .collect()
    }

    /// A name that nobody chose and that was not given before: those who still know a world that is gone reach no other.
    pub fn free_name(&self) -> String {
        loop {
            let name = format!("world-{}", self.named.fetch_add(1, Ordering::Relaxed) + 1);
            if self.get(&name).is_none() {
                return name;
            }
        }
    }

    /// Their number.
    pub fn count(&self) -> usize {
        self.by_name.len()
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
