//! A world's whole state, out and in.

use super::refused;
use crate::error::Error;
use crate::fixture::state;
use crate::realm::Realm;
use crate::time::Clock;
use crate::world::{Moment, World};
use serde_json::{Value, json};
use std::sync::Arc;

/// The world as a document.
pub fn show(world: &World) -> Value {
    json!({"state": state::dump(&world.snapshot(), world.clock())})
}

/// Puts a document in the place of what is. Queues end.
///
/// # Errors
///
/// `ControlRefused` with the document's faults.
pub fn put(world: &World, document: Value) -> Result<Value, Error> {
    // What GET gave may be sent back as it came.
    let document = match document {
        Value::Object(mut whole) if whole.get("state").is_some_and(Value::is_object) => {
            whole.remove("state").unwrap_or_default()
        }
        other => other,
    };
    let (realm, clock) = read(world, document)?;
    world.go_to(&Moment { realm: Arc::new(realm), clock });
    Ok(json!({}))
}

fn read(world: &World, document: Value) -> Result<(Realm, Clock), Error> {
    let real = world.real_time().now();
    let told = |faults: Vec<crate::fixture::Fault>| {
        refused(faults.iter().map(ToString::to_string).collect::<Vec<_>>().join("; "))
    };
    if state::is_state(&document) {
        return state::read(document, real).map_err(told);
    }
    let realm = crate::fixture::read(&document.to_string(), world.now(), world.snapshot().chance.seed).map_err(told)?;
    Ok((realm, world.clock()))
}
