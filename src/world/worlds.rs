//! The worlds of a server by name: adding, replacing and ending them.

use super::{WebhookSender, World};
use crate::report::{EndedReports, Summary};
use dashmap::DashMap;
use foldhash::fast::RandomState;
use parking_lot::Mutex;
use std::collections::VecDeque;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};

/// The worlds of a server, and the reports of those that ended.
#[derive(Default)]
pub struct Worlds {
    worlds_by_name: DashMap<String, Arc<World>, RandomState>,
    last_generated_number: AtomicU64,
    last_ordinal: AtomicU64,
    webhook_sender: OnceLock<WebhookSender>,
    ended_reports: EndedReports,
    /// The names of the latest worlds that ended, for hints.
    ended_names: Mutex<VecDeque<String>>,
    end_observer: OnceLock<Box<Callback>>,
    initializer: OnceLock<Box<Callback>>,
}

/// Maximum number of names of ended worlds that are stored.
const MAX_ENDED_NAMES: usize = 1_000;

type Callback = dyn Fn(&World) + Send + Sync;

impl Worlds {
    /// The name of the world that exists from the start, unless the server is started without it.
    pub const DEFAULT: &'static str = "default";

    /// The path that selects a world; "" for the default one.
    pub(crate) fn prefix(name: &str) -> String {
        if name == Self::DEFAULT { String::new() } else { format!("/w/{name}") }
    }

    pub fn get(&self, name: &str) -> Option<Arc<World>> {
        self.worlds_by_name.get(name).map(|world| world.clone())
    }

    /// Sets the sender of webhook calls for worlds that are added later. A second sender is ignored.
    pub fn set_webhook_sender(&self, sender: WebhookSender) {
        let _ = self.webhook_sender.set(sender);
    }

    /// Sets a function that is called with each world that has ended, and with a world that control resets or whose
    /// journal it clears, before it does so. A second function is ignored.
    pub fn observe_ends(&self, observer: impl Fn(&World) + Send + Sync + 'static) {
        let _ = self.end_observer.set(Box::new(observer));
    }

    /// Sets a function that is called with each world that is added later, before requests reach it. A second function
    /// is ignored.
    pub fn initialize_with(&self, initializer: impl Fn(&World) + Send + Sync + 'static) {
        let _ = self.initializer.set(Box::new(initializer));
    }

    /// Calls the function of [`Worlds::observe_ends`].
    pub fn notify_end_observer(&self, world: &World) {
        self.end_observer.get().into_iter().for_each(|observer| observer(world));
    }

    fn initialize(&self, world: &Arc<World>) {
        self.initializer.get().into_iter().for_each(|initializer| initializer(world));
        self.webhook_sender.get().into_iter().for_each(|sender| world.set_webhook_sender(sender.clone()));
    }

    /// Adds a world. Returns false, without adding it, if the name is in use.
    pub fn add(&self, world: Arc<World>) -> bool {
        self.set_ordinal(&world);
        match self.worlds_by_name.entry(world.name().to_owned()) {
            dashmap::Entry::Occupied(_) => false,
            dashmap::Entry::Vacant(vacant) => {
                self.initialize(&world);
                vacant.insert(world);
                true
            }
        }
    }

    fn set_ordinal(&self, world: &World) {
        world.sessions.set_ordinal(self.last_ordinal.fetch_add(1, Ordering::Relaxed) + 1);
    }

    fn end(&self, world: &World) {
        world.end();
        self.ended_reports.add(world.labelled_summary());
        self.notify_end_observer(world);
        let mut ended_names = self.ended_names.lock();
        if ended_names.len() >= MAX_ENDED_NAMES {
            ended_names.pop_front();
        }
        ended_names.push_back(world.name().to_owned());
    }

    /// Whether one of the latest worlds that ended had this name.
    pub fn has_ended(&self, name: &str) -> bool {
        self.ended_names.lock().iter().any(|ended| ended == name)
    }

    /// The reports of all worlds together, ended worlds first. Each client has the name of its world.
    pub fn summary(&self) -> Summary {
        let mut summary = self.ended_reports.summary();
        self.all().iter().for_each(|world| summary.extend(world.labelled_summary()));
        summary
    }

    /// Moves a world's report to those of ended worlds. Its queues are judged as at the end of the world.
    pub fn archive_report(&self, world: &World) {
        let have_clients_ended = false;
        world.close_report(have_clients_ended);
        self.ended_reports.add(world.labelled_summary());
        world.report().clear();
    }

    pub fn clear_reports(&self) {
        self.ended_reports.clear();
        self.all().iter().for_each(|world| world.report().clear());
    }

    /// Removes and ends a world, which answers its parked polls. None if no world has this name.
    pub fn remove(&self, name: &str) -> Option<Arc<World>> {
        let (_, world) = self.worlds_by_name.remove(name)?;
        self.end(&world);
        Some(world)
    }

    /// Adds a world. A world with the same name ends, which answers its parked polls.
    pub fn replace(&self, world: Arc<World>) {
        self.set_ordinal(&world);
        self.initialize(&world);
        if let Some(replaced_world) = self.worlds_by_name.insert(world.name().to_owned(), world) {
            self.end(&replaced_world);
        }
    }

    /// Whether a world was unused for its time limit.
    pub fn has_abandoned_worlds(&self) -> bool {
        self.worlds_by_name.iter().any(|world| world.is_abandoned())
    }

    /// Ends the worlds that were unused for their time limits, and returns their names.
    pub fn end_abandoned(&self) -> Vec<String> {
        let abandoned_names: Vec<String> = self
            .worlds_by_name
            .iter()
            .filter(|world| world.is_abandoned())
            .map(|world| world.name().to_owned())
            .collect();
        let mut ended_names = Vec::new();
        for name in abandoned_names {
            // A request may have used the world in the meantime.
            if let Some((_, world)) = self.worlds_by_name.remove_if(&name, |_, world| world.is_abandoned()) {
                self.end(&world);
                ended_names.push(name);
            }
        }
        ended_names
    }

    /// Generates a name that is not in use and was not generated before, so that clients of an ended world don't reach
    /// another one.
    pub fn generate_name(&self) -> String {
        loop {
            let name = format!("world-{}", self.last_generated_number.fetch_add(1, Ordering::Relaxed) + 1);
            if self.get(&name).is_none() {
                return name;
            }
        }
    }

    pub fn count(&self) -> usize {
        self.worlds_by_name.len()
    }

    /// The worlds in the order of their names.
    pub fn all(&self) -> Vec<Arc<World>> {
        let mut worlds: Vec<_> = self.worlds_by_name.iter().map(|world| world.clone()).collect();
        worlds.sort_by(|a, b| a.name().cmp(b.name()));
        worlds
    }

    /// Whether a text can be a world's name: 1 to 63 characters of a-z, 0-9 and '-', without '-' at either end.
    pub fn is_valid_name(name: &str) -> bool {
        (1..=63).contains(&name.len())
            && name.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-')
            && !name.starts_with('-')
            && !name.ends_with('-')
    }
}
