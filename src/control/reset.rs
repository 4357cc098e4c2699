//! Going back to how a world was made.

use super::refused;
use crate::error::Error;
use crate::fault::network::Networks;
use crate::fault::rate_limit::RateLimits;
use crate::world::World;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::Deserialize;
use serde_json::{Value, json};

/// What can be kept.
const KEPT: [&str; 3] = ["faults", "journal", "report"];

/// What to keep.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Reset {
    /// `faults` (with networks and rate limits), `journal`, `report`.
    #[serde(default)]
    #[schemars(schema_with = "kept_schema")]
    keep: Option<Vec<String>>,
}

fn kept_schema(_: &mut SchemaGenerator) -> Schema {
    json_schema!({"type": ["array", "null"], "items": {"type": "string", "enum": KEPT}})
}

/// Brings a world back to how it was made, but for what is kept.
///
/// # Errors
///
/// `ControlRefused` for something else to be kept.
pub fn reset(world: &World, reset: &Reset) -> Result<Value, Error> {
    let names = reset.keep.as_deref().unwrap_or_default();
    for (at, name) in names.iter().enumerate() {
        if !KEPT.contains(&name.as_str()) {
            return Err(refused(format!("$.keep[{at}]: takes faults, journal or report; snapshots stay anyway")));
        }
    }
    let keeps = |what: &str| names.iter().any(|name| name == what);
    world.reset();
    if !keeps("faults") {
        let seed = world.snapshot().chance.seed;
        world.faults().lock().reset(seed);
        *world.networks().lock() = Networks::new(seed);
        *world.rate_limits().lock() = RateLimits::default();
    }
    if !keeps("journal") {
        world.journal().clear();
    }
    if !keeps("report") {
        world.report().clear();
    }
    Ok(json!({}))
}
