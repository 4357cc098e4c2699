//! Faults that every world of a server has from its beginning.

use super::Server;
use crate::control::faults;
use crate::error::Error;
use crate::fault::Rule;
use crate::world::World;
use serde_json::Value;
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

/// Rules for all worlds of one server or several. Each world counts for itself how many requests a rule lets pass and how
/// often it fires.
#[derive(Debug, Default)]
pub struct StandingFaults {
    rules: Vec<Value>,
    /// How often each rule fired, in all worlds together.
    fired: Vec<Arc<AtomicU64>>,
    is_installed: AtomicBool,
    /// For rules that do not fit a world that was added later, the reason of the first world.
    refused: Mutex<BTreeMap<usize, String>>,
}

impl StandingFaults {
    /// Rules as `POST W/faults` takes them.
    pub fn new(rules: Vec<Value>) -> Self {
        let fired = rules.iter().map(|_| Arc::default()).collect();
        Self { rules, fired, ..Self::default() }
    }

    /// Their number.
    pub fn count(&self) -> usize {
        self.rules.len()
    }

    /// The positions of the rules that never fired, each with the reason why a world does not have it, if there is one; none
    /// before they are installed.
    pub fn unfired(&self) -> Vec<(usize, Option<String>)> {
        if !self.is_installed.load(Ordering::Relaxed) {
            return Vec::new();
        }
        let refused = self.refused.lock().unwrap_or_else(PoisonError::into_inner);
        let unfired = self.fired.iter().enumerate().filter(|(_, fired)| fired.load(Ordering::Relaxed) == 0);
        unfired.map(|(at, _)| (at, refused.get(&at).cloned())).collect()
    }

    fn read(&self, world: &World) -> Vec<Result<Rule, Error>> {
        let counted = |(rule, fired): (&Value, &Arc<AtomicU64>)| {
            let rule = faults::read(world, rule.clone())?;
            Ok(Rule { fired_anywhere: fired.clone(), ..rule })
        };
        self.rules.iter().zip(&self.fired).map(counted).collect()
    }

    /// Installs the rules that fit a world.
    fn install(&self, world: &World) {
        for (at, rule) in self.read(world).into_iter().enumerate() {
            match rule {
                Ok(rule) => world.faults().lock().install_standing(rule),
                Err(error) => {
                    let mut refused = self.refused.lock().unwrap_or_else(PoisonError::into_inner);
                    refused.entry(at).or_insert_with(|| format!("world {}: {}", world.name(), error.message()));
                }
            }
        }
    }
}

impl Server {
    /// Installs rules in all worlds, and in each that is added later, where they fit it. Only the first list counts.
    ///
    /// # Errors
    ///
    /// The position and the reason of a rule that does not fit one of the worlds that there are.
    pub(crate) fn install_standing_faults(&self, faults: &Arc<StandingFaults>) -> Result<(), (usize, String)> {
        let worlds = self.worlds().all();
        for world in &worlds {
            for (at, rule) in faults.read(world).into_iter().enumerate() {
                rule.map_err(|error| (at, error.message()))?;
            }
        }
        worlds.iter().for_each(|world| faults.install(world));
        faults.is_installed.store(true, Ordering::Relaxed);
        let later = faults.clone();
        self.worlds().equip(move |world| later.install(world));
        Ok(())
    }
}
