//! Standing faults: faults that every world of a server has from its creation.

use super::Server;
use crate::control::faults;
use crate::error::Error;
use crate::fault::Fault;
use crate::world::World;
use serde_json::Value;
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

/// Faults for all worlds of one or more servers. Each world counts for itself how many requests passed and how often
/// each fault fired.
#[derive(Debug, Default)]
pub struct StandingFaults {
    faults: Vec<Value>,
    /// How often each fault fired, in all worlds together.
    fired_counts: Vec<Arc<AtomicU64>>,
    are_installed: AtomicBool,
    /// The reasons for which worlds refused faults, by the position of the fault. Only the first refusal of each fault
    /// is recorded.
    refusals: Mutex<BTreeMap<usize, String>>,
}

impl StandingFaults {
    /// Creates standing faults from the JSON form that `POST /control/worlds/NAME/faults` takes.
    pub fn new(faults: Vec<Value>) -> Self {
        let fired_counts = faults.iter().map(|_| Arc::default()).collect();
        Self { faults, fired_counts, ..Self::default() }
    }

    pub fn count(&self) -> usize {
        self.faults.len()
    }

    /// The positions of the faults that never fired, each with the reason why a world refused it, if one did. Empty
    /// before the faults are installed.
    pub fn unfired_faults(&self) -> Vec<(usize, Option<String>)> {
        if !self.are_installed.load(Ordering::Relaxed) {
            return Vec::new();
        }
        let refusals = self.refusals.lock().unwrap_or_else(PoisonError::into_inner);
        let unfired = self.fired_counts.iter().enumerate().filter(|(_, count)| count.load(Ordering::Relaxed) == 0);
        unfired.map(|(position, _)| (position, refusals.get(&position).cloned())).collect()
    }

    /// The faults as a world reads them; an error for each that it refuses, such as one for a user who does not exist
    /// there.
    fn read_faults(&self, world: &World) -> Vec<Result<Fault, Error>> {
        let read_fault = |(fault, fired_count): (&Value, &Arc<AtomicU64>)| {
            let fault = faults::read(world, fault.clone())?;
            Ok(Fault { fire_count_in_all_worlds: fired_count.clone(), ..fault })
        };
        self.faults.iter().zip(&self.fired_counts).map(read_fault).collect()
    }

    /// Installs the faults in a world, and records those that it refuses.
    fn install(&self, world: &World) {
        for (position, fault) in self.read_faults(world).into_iter().enumerate() {
            match fault {
                Ok(fault) => world.faults().lock().install_permanent(fault),
                Err(error) => {
                    let mut refusals = self.refusals.lock().unwrap_or_else(PoisonError::into_inner);
                    refusals.entry(position).or_insert_with(|| format!("world {}: {}", world.name(), error.message()));
                }
            }
        }
    }
}

impl Server {
    /// Installs standing faults in all worlds, and in each world that is added later. Only the first call has an effect
    /// on later worlds.
    ///
    /// # Errors
    ///
    /// The position of a fault that an existing world refuses, and the reason.
    pub(crate) fn install_standing_faults(&self, faults: &Arc<StandingFaults>) -> Result<(), (usize, String)> {
        let worlds = self.worlds().all();
        for world in &worlds {
            for (position, fault) in faults.read_faults(world).into_iter().enumerate() {
                fault.map_err(|error| (position, error.message()))?;
            }
        }
        worlds.iter().for_each(|world| faults.install(world));
        faults.are_installed.store(true, Ordering::Relaxed);
        let standing_faults = faults.clone();
        self.worlds().initialize_with(move |world| standing_faults.install(world));
        Ok(())
    }
}
