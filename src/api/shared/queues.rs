//! Making event queues.

use crate::api::Call;
use crate::realm::queue::{Cursor, DEFAULT_IDLE_TIMEOUT_SECONDS, Queue, QueueId, QueueOptions};
use crate::realm::tx::Tx;
use crate::realm::user::User;
use crate::record::events::EventOfALaterLevel;
use crate::time::Span;
use std::sync::Arc;

/// Adds a queue of a user's, to whose events nothing was added yet.
pub fn add_queue(tx: &mut Tx, owner: &User, options: QueueOptions, idle_timeout: Span) -> QueueId {
    let id = QueueId::from(tx.realm_mut().chance.uuid());
    let queue = Queue {
        id: id.clone(),
        owner: owner.id,
        options: Arc::new(options),
        acknowledged: -1,
        cursor: Cursor { entry: tx.log.end(), part: 0 },
        idle_timeout,
        idle_since: tx.now,
        parked_since: None,
        has_heartbeat: false,
        poll: 0,
    };
    tx.realm_mut().queues.insert(id.clone(), Arc::new(queue));
    tx.schedule_queue(&id);
    id
}

/// A queue of the caller's that a poll makes which names none: as [`Register`] makes it from these types alone.
pub fn add_plain_queue(tx: &mut Tx, call: &Call<'_>, event_types: Option<Vec<String>>) -> QueueId {
    let options = QueueOptions {
        client: call.client.to_owned(),
        event_types: event_types.map(|types| types.into_iter().collect()),
        level: call.queue_level,
        ..QueueOptions::default()
    };
    let id = add_queue(tx, call.caller(), options, Span::seconds(DEFAULT_IDLE_TIMEOUT_SECONDS));
    begin_with_unknown_event(tx, Some(&id));
    id
}

/// A queue of a world above the newest level begins with an event that no client knows.
pub fn begin_with_unknown_event(tx: &mut Tx, queue: Option<&str>) {
    let queue = queue.and_then(|id| tx.queues.get(id)).filter(|queue| queue.options.gets_unknown_events());
    if let Some(id) = queue.map(|queue| queue.id.clone()) {
        tx.emit_to_queue(id, EventOfALaterLevel {});
    }
}
