//! The calls that list, take, restore and remove snapshots of a world.

use super::{refusal, unknown_name_in_world_message};
use crate::error::Error;
use crate::world::{Restoration, World};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

/// The snapshot to take; it replaces an earlier one of this name.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "SnapshotName")]
pub struct SnapshotName {
    /// Not empty and without slashes.
    #[schemars(regex(pattern = "^[^/]+$"))]
    name: String,
}

pub fn list(world: &World) -> Value {
    let snapshots = world.snapshots();
    let to_record =
        |snapshot: &crate::world::SnapshotInfo| json!({"name": snapshot.name, "at": snapshot.at.fractional_seconds()});
    json!({"snapshots": snapshots.iter().map(to_record).collect::<Vec<_>>()})
}

/// Takes a snapshot of the world, which replaces an earlier one of this name.
///
/// # Errors
///
/// `ControlRefused` for an empty name, or one with a slash.
pub fn take(world: &World, snapshot: SnapshotName) -> Result<Value, Error> {
    if snapshot.name.is_empty() || snapshot.name.contains('/') {
        return Err(refusal("$.name: takes a text without slashes, not empty"));
    }
    world.take_snapshot(&snapshot.name);
    Ok(json!({}))
}

/// Returns to the state of a snapshot. Queues and sessions end.
///
/// # Errors
///
/// `ControlNotFound` if the world has no snapshot of this name.
pub fn restore(world: &World, name: &str) -> Result<Value, Error> {
    let checkpoint = world.find_snapshot(name).ok_or_else(|| not_found_error(world, name))?;
    world.restore(&checkpoint, Restoration::Snapshot(name.to_owned()));
    Ok(json!({}))
}

/// Removes a snapshot.
///
/// # Errors
///
/// `ControlNotFound` if the world has no snapshot of this name.
pub fn remove(world: &World, name: &str) -> Result<Value, Error> {
    if world.delete_snapshot(name) { Ok(json!({})) } else { Err(not_found_error(world, name)) }
}

fn not_found_error(world: &World, name: &str) -> Error {
    Error::ControlNotFound { message: unknown_snapshot_message(world, name).into() }
}

/// The message for an unknown snapshot, which names the nearest one and lists those of the world.
pub fn unknown_snapshot_message(world: &World, name: &str) -> String {
    let snapshots = world.snapshots();
    let names: Vec<&str> = snapshots.iter().map(|snapshot| snapshot.name.as_str()).collect();
    unknown_name_in_world_message("snapshot", name, &names)
}
