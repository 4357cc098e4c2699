//! Going back to how a world was made.

use super::refused;
use crate::error::Error;
use crate::fault::Faults;
use crate::world::World;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

/// What to keep.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Reset {
    /// `faults`, `journal`.
    #[serde(default)]
    keep: Vec<String>,
}

/// Brings a world back to how it was made, but for what is kept.
///
/// # Errors
///
/// `ControlRefused` for something else to be kept.
pub fn reset(world: &World, reset: &Reset) -> Result<Value, Error> {
    for (at, name) in reset.keep.iter().enumerate() {
        if !matches!(name.as_str(), "faults" | "journal") {
            return Err(refused(format!("$.keep[{at}]: takes faults or journal; snapshots stay anyway")));
        }
    }
    let keeps = |what: &str| reset.keep.iter().any(|name| name == what);
    world.reset();
    if !keeps("faults") {
        *world.faults().lock() = Faults::new(world.snapshot().chance.seed);
    }
    if !keeps("journal") {
        world.journal().clear();
    }
    Ok(json!({}))
}
