//! The call that resets a world to its initial state.

use super::unknown_word_error;
use crate::error::Error;
use crate::fault::network::Networks;
use crate::fault::rate_limit::RateLimits;
use crate::world::{World, Worlds};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::Deserialize;
use serde_json::{Value, json};

const KEEPABLE_PARTS: [&str; 3] = ["faults", "journal", "report"];

/// What a reset keeps besides snapshots.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Reset {
    /// `faults` (with networks and rate limits), `journal`, `report`; none of them by default.
    #[serde(default)]
    #[schemars(schema_with = "keep_schema")]
    keep: Option<Vec<String>>,
}

fn keep_schema(_: &mut SchemaGenerator) -> Schema {
    json_schema!({"type": ["array", "null"], "items": {"type": "string", "enum": KEEPABLE_PARTS}})
}

/// Resets a world, except for the parts to keep.
///
/// # Errors
///
/// `ControlRefused` for a part that can't be kept.
pub fn reset(world: &World, worlds: &Worlds, reset: &Reset) -> Result<Value, Error> {
    let names = reset.keep.as_deref().unwrap_or_default();
    for (index, name) in names.iter().enumerate() {
        if !KEEPABLE_PARTS.contains(&name.as_str()) {
            let expected = "faults, journal or report (snapshots stay anyway)";
            return Err(unknown_word_error(&format!("$.keep[{index}]"), expected, name, &KEEPABLE_PARTS));
        }
    }
    let keeps = |part: &str| names.iter().any(|name| name == part);
    if !keeps("report") {
        worlds.archive_report(world);
    }
    world.reset();
    if !keeps("faults") {
        let seed = world.snapshot().rng.seed;
        world.faults().lock().reset(seed);
        *world.networks().lock() = Networks::new(seed);
        *world.rate_limits().lock() = RateLimits::default();
    }
    if !keeps("journal") {
        world.journal().clear();
    }
    Ok(json!({}))
}
