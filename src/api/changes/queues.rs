//! Creating event queues, the event of an unknown type that they may start with, and the parameter `event_types`.

use crate::api::OperationContext;
use crate::api::parameter::{FromJson, Parameter, json_parameter};
use crate::error::Error;
use crate::realm::queue::{Cursor, DEFAULT_IDLE_TIMEOUT_SECONDS, Queue, QueueId, QueueOptions};
use crate::realm::text::check_length;
use crate::realm::tx::Tx;
use crate::realm::user::User;
use crate::record::events::LaterLevelEvent;
use crate::time::Span;
use schemars::{Schema, SchemaGenerator};
use std::collections::BTreeSet;
use std::sync::Arc;

/// Longest `event_types` and longest narrow of a queue, in code points of the JSON text (A-450 in docs/assumptions.md).
pub const MAX_QUEUE_TEXT_LENGTH: usize = 10_000;

/// The parameter `event_types`, limited in length because queues store it.
#[derive(Clone, Debug)]
pub struct EventTypes(pub BTreeSet<String>);

impl Parameter for EventTypes {
    fn from_text(text: &str, name: &str) -> Result<Self, Error> {
        check_length(text, name, MAX_QUEUE_TEXT_LENGTH)?;
        json_parameter::<Vec<String>>(text, name).map(|types| Self(types.into_iter().collect()))
    }

    fn schema(generator: &mut SchemaGenerator) -> Schema {
        Vec::<String>::json_schema(generator)
    }
}

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
    add_unknown_event(tx, Some(&id));
    id
}

/// Emits an event of an unknown type to a new queue, to test that clients ignore such events: if the world is above the
/// newest level and the queue is not limited to certain types. Without a queue, it does nothing.
pub fn add_unknown_event(tx: &mut Tx, queue: Option<&str>) {
    let queue = queue.and_then(|id| tx.queues.get(id)).filter(|queue| queue.options.receives_unknown_events());
    if let Some(id) = queue.map(|queue| queue.id.clone()) {
        tx.emit_to_queue(id, LaterLevelEvent {});
    }
}
