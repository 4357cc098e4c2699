//! Snapshots of a world, by name.

use super::{refused, unknown_of};
use crate::error::Error;
use crate::world::World;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

/// The name of a snapshot.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "SnapshotName")]
pub struct Keep {
    /// Not empty and without slashes.
    #[schemars(regex(pattern = "^[^/]+$"))]
    name: String,
}

/// All of them.
pub fn list(world: &World) -> Value {
    let snapshots = world.snapshots();
    let record = |one: &crate::world::SnapshotInfo| json!({"name": one.name, "at": one.at.fractional_seconds()});
    json!({"snapshots": snapshots.iter().map(record).collect::<Vec<_>>()})
}

/// Keeps the world as it is.
///
/// # Errors
///
/// `ControlRefused` for an empty name.
pub fn keep(world: &World, keep: Keep) -> Result<Value, Error> {
    if keep.name.is_empty() || keep.name.contains('/') {
        return Err(refused("$.name: takes a text without slashes, not empty"));
    }
    world.keep_snapshot(&keep.name);
    Ok(json!({}))
}

/// Restores a snapshot.
///
/// # Errors
///
/// `ControlNotFound`.
pub fn restore(world: &World, name: &str) -> Result<Value, Error> {
    let moment = world.snapshot_named(name).ok_or_else(|| missing(world, name))?;
    world.go_to(&moment, Some(name));
    Ok(json!({}))
}

/// Forgets a snapshot.
///
/// # Errors
///
/// `ControlNotFound`.
pub fn forget(world: &World, name: &str) -> Result<Value, Error> {
    if world.forget_snapshot(name) { Ok(json!({})) } else { Err(missing(world, name)) }
}

fn missing(world: &World, name: &str) -> Error {
    Error::ControlNotFound { what: unknown(world, name).into() }
}

/// Says that a world has no such snapshot, and names the nearest.
pub fn unknown(world: &World, name: &str) -> String {
    let snapshots = world.snapshots();
    unknown_of("snapshot", name, &snapshots.iter().map(|one| one.name.as_str()).collect::<Vec<_>>())
}
