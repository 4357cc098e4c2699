//! Creating event queues, and the event of an unknown type that they may start with.

use crate::api::OperationContext;
use crate::api::parameter::types::event_types::EventTypes;
use crate::realm::queue::{Cursor, DEFAULT_IDLE_TIMEOUT_SECONDS, Queue, QueueId, QueueOptions};
use crate::realm::tx::Tx;
use crate::realm::user::User;
use crate::record::events::LaterLevelEvent;
use crate::time::Span;
use std::sync::Arc;

/// Adds a queue without events. It expires after `idle_timeout` without a poll.
pub fn add_queue(tx: &mut Tx, owner: &User, options: QueueOptions, idle_timeout: Span) -> QueueId {
    let id = QueueId::from(tx.realm_mut().rng.uuid());
    let queue = Queue {
        id: id.clone(),
        owner: owner.id,
        options: Arc::new(options),
        acknowledged_event: -1,
        cursor: Cursor { entry: tx.log.end(), acknowledged_parts: 0 },
        idle_timeout,
        idle_since: tx.now,
        parked_since: None,
        has_heartbeat: false,
        poll_count: 0,
    };
    tx.realm_mut().queues.insert(id.clone(), Arc::new(queue));
    tx.schedule_queue(&id);
    id
}

/// Adds a queue for a poll without `queue_id`, as `POST /register` does for a request with no other parameter than
/// `event_types`.
pub fn add_queue_for_poll(tx: &mut Tx, context: &OperationContext<'_>, event_types: Option<EventTypes>) -> QueueId {
    let options = QueueOptions {
        client: context.client.to_owned(),
        event_types: event_types.map(|types| types.0),
        level: context.queue_level,
        ..QueueOptions::default()
    };
    let id = add_queue(tx, context.caller(), options, Span::from_seconds(DEFAULT_IDLE_TIMEOUT_SECONDS));
    emit_later_level_event(tx, Some(&id));
    id
}

/// Emits an event of an unknown type to a new queue, to test that clients ignore such events. Does nothing without a
/// queue, and unless the world is above the newest level and the queue is not limited to certain types.
pub fn emit_later_level_event(tx: &mut Tx, queue: Option<&str>) {
    let queue = queue.and_then(|id| tx.queues.get(id)).filter(|queue| queue.options.receives_unknown_events());
    if let Some(id) = queue.map(|queue| queue.id.clone()) {
        tx.emit_to_queue(id, LaterLevelEvent {});
    }
}
