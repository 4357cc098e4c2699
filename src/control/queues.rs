//! Event queues, looked at and lost.

use crate::error::Error;
use crate::world::World;
use serde_json::{Value, json};

/// All queues of a world.
pub fn list(world: &World) -> Value {
    let realm = world.snapshot();
    let record = |queue: &std::sync::Arc<crate::realm::queue::Queue>| {
        let pending: usize = realm.log.from(queue.cursor.entry).map(|(_, entry)| queue.parts(entry)).sum();
        json!({
            "queue_id": queue.id,
            "user": realm.user(queue.owner).map(|owner| owner.email.clone()),
            "parked": queue.parked_since.is_some(),
            "pending": pending.saturating_sub(queue.cursor.part),
        })
    };
    json!({"queues": realm.queues.values().map(record).collect::<Vec<_>>()})
}

/// Loses a queue: its next poll fails with `BAD_EVENT_QUEUE_ID`.
///
/// # Errors
///
/// `ControlNotFound`.
pub fn end(world: &World, id: &str) -> Result<Value, Error> {
    world.commit(|tx| {
        if !tx.queues.contains_key(id) {
            return Err(Error::ControlNotFound { what: format!("There is no queue '{id}'").into() });
        }
        tx.end_queue(id);
        Ok(json!({}))
    })
}
