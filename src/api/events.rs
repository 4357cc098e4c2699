//! Polling and deleting event queues (specification, "Events"; reference behaviour, long polling).

use super::parameter::{Parameters, RawParameters};
use super::{OperationContext, PollOutcome, ReplyBody, Success, Write, envelope, operation};
use crate::api::changes::queues::add_queue_for_poll;
use crate::api::parameter::types::event_types::EventTypes;
use crate::error::Error;
use crate::fault::Disturbance;
use crate::feature::Feature;
use crate::realm::Realm;
use crate::realm::queue::{Cursor, Queue};
use crate::realm::tx::Tx;
use crate::record::event::{EventRecord, render_events};
use crate::record::events::LaterLevelEvent;
use crate::world::World;
use schemars::JsonSchema;
use serde::Serialize;
use std::ops::ControlFlow;
use std::sync::Arc;

operation! {
    /// Waits for events of a queue.
    pub GetEvents = GET "/events", for User;
    params {
        /// ID of a queue of the caller's. Without one and with `dont_block`, a queue is created.
        queue_id: Option<String>,
        /// ID of the newest event received, -1 at first: it and all earlier events are acknowledged.
        last_event_id: Option<i64>,
        /// Reply immediately, even without events.
        dont_block: bool = false,
        /// The types of events of a created queue; all by default.
        event_types: Option<EventTypes>,
    }
    reply EventsReply<'static>;
    errors [MissingQueueId, MissingLastEventId, BadEventQueue, EventPruned, EventNotInQueue];
    events [Heartbeat];
    is fast;
}

/// The events of a queue that are not acknowledged yet.
#[derive(Debug, Serialize, JsonSchema)]
pub struct EventsReply<'a> {
    /// In order of their IDs.
    #[schemars(with = "Vec<serde_json::Value>", extend("items" = {"$ref": "#/components/schemas/Event"}))]
    pub events: Vec<EventRecord<'a>>,
    /// ID of the polled or created queue; below level 497 only if the request created it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub queue_id: Option<&'a str>,
}

/// Polls a queue. Replies at once if the queue has events or the client does not want to wait; otherwise parks the
/// poll.
///
/// # Errors
///
/// Those of the operation's declaration, and those of the parameters.
pub fn poll(
    world: &Arc<World>,
    context: &OperationContext<'_>,
    raw_params: &RawParameters,
) -> Result<PollOutcome, Error> {
    let params = GetEvents::read(raw_params)?;
    let blocking_queue = params.queue_id.as_deref().filter(|_| !params.dont_block);
    Ok(match world.start_poll(blocking_queue, |tx| acknowledge_and_collect(tx, context, &params, raw_params))? {
        ControlFlow::Break(reply) => PollOutcome::Answered(reply),
        ControlFlow::Continue(queue) => PollOutcome::Parked(world.park(queue)),
    })
}

/// Acknowledges events, ends an older poll of the queue, and collects the pending events. `Continue` means that there
/// are none and the poll has to wait. Without `queue_id`, creates a queue.
///
/// # Errors
///
/// In this order: `MissingQueueId`, `MissingLastEventId`, `BadEventQueue`, `EventPruned`, `EventNotInQueue`.
fn acknowledge_and_collect(
    tx: &mut Tx,
    context: &OperationContext<'_>,
    params: &GetEvents,
    raw_params: &RawParameters,
) -> Result<ControlFlow<ReplyBody, Arc<Queue>>, Error> {
    let Some(id) = params.queue_id.as_deref() else {
        if !params.dont_block {
            return Err(Error::MissingQueueId);
        }
        let id = add_queue_for_poll(tx, context, params.event_types.clone());
        let reply = EventsReply { events: Vec::new(), queue_id: Some(&id) };
        return Ok(ControlFlow::Break(envelope::<GetEvents>(&reply, raw_params, context.reply_format)));
    };
    let last_event_id = params.last_event_id.ok_or(Error::MissingLastEventId)?;
    let queue = find_own_queue(tx, context, id)?;
    let cursor = cursor_after_event(tx, &queue, last_event_id)?;

    let now = tx.now;
    let previous_queue = queue;
    let mut queue = previous_queue.as_ref().clone();
    queue.acknowledged_event = last_event_id;
    queue.cursor = cursor;
    queue.poll_count += 1;
    queue.parked_since = None;
    queue.has_heartbeat = false;
    queue.idle_since = now;
    tx.wake_poll(&queue.id);
    if context.disturbance == Some(Disturbance::Unknown) {
        tx.emit_to_queue(queue.id.clone(), LaterLevelEvent {});
    }
    let mut events = match context.disturbance {
        Some(Disturbance::Repeat) => pending_events(tx, &previous_queue),
        _ => pending_events(tx, &queue),
    };
    let is_waiting = events.is_empty() && !params.dont_block;
    apply_disturbance(&mut events, context.disturbance);
    let reply = (!is_waiting).then(|| {
        let reply = EventsReply { events, queue_id: queue_id_for_reply(&queue) };
        envelope::<GetEvents>(&reply, raw_params, context.reply_format)
    });
    if is_waiting {
        queue.parked_since = Some(now);
        // The log up to here has no events for the queue, so the next poll can skip it.
        queue.cursor = Cursor { entry: tx.log.end(), acknowledged_parts: 0 };
    }
    let queue = Arc::new(queue);
    tx.realm_mut().queues.insert(queue.id.clone(), queue.clone());
    tx.schedule_queue(&queue.id);
    tx.trim_log();
    Ok(reply.map_or(ControlFlow::Continue(queue), ControlFlow::Break))
}

/// Removes the events that a fault keeps out of a reply.
pub fn apply_disturbance(events: &mut Vec<EventRecord<'_>>, disturbance: Option<Disturbance>) {
    match disturbance {
        Some(Disturbance::Hold) => events.clear(),
        Some(Disturbance::OneByOne) => events.truncate(1),
        Some(Disturbance::Repeat | Disturbance::Unknown) | None => {}
    }
}

/// The reply to a parked poll: its events (possibly none, if a newer poll replaces it), or an error if the queue was
/// removed, if its owner was deactivated, or if the organization was deactivated and there are no events. None if the
/// poll has to go on waiting.
pub fn parked_reply<'a>(realm: &'a Realm, parked_queue: &'a Queue) -> Option<Result<EventsReply<'a>, Error>> {
    if !realm.is_active(parked_queue.owner) {
        return Some(Err(Error::UserDeactivated));
    }
    let Some(queue) = realm.queues.get(&parked_queue.id) else {
        return Some(Err(Error::BadEventQueue { queue_id: parked_queue.id.to_string().into() }));
    };
    let events = pending_events(realm, parked_queue);
    if events.is_empty() && realm.organization.is_deactivated {
        return Some(Err(Error::RealmDeactivated));
    }
    let is_replaced = queue.poll_count != parked_queue.poll_count;
    (is_replaced || !events.is_empty()).then(|| Ok(EventsReply { events, queue_id: queue_id_for_reply(parked_queue) }))
}

/// The reply to a parked poll whose queue is being deleted: the pending events.
pub fn final_reply<'a>(realm: &'a Realm, parked_queue: &'a Queue) -> EventsReply<'a> {
    EventsReply { events: pending_events(realm, parked_queue), queue_id: queue_id_for_reply(parked_queue) }
}

/// The ID for the reply to a poll of an existing queue; None at levels whose replies do not have it.
fn queue_id_for_reply(queue: &Queue) -> Option<&str> {
    (queue.options.level.has(Feature::EveryPollReturnsQueueId)).then_some(&queue.id)
}

fn find_own_queue(realm: &Realm, context: &OperationContext<'_>, id: &str) -> Result<Arc<Queue>, Error> {
    let queue = realm.queues.get(id).filter(|queue| queue.owner == context.caller().id);
    queue.cloned().ok_or_else(|| Error::BadEventQueue { queue_id: id.into() })
}

/// The position in the log after the event with this ID.
///
/// # Errors
///
/// `EventPruned` for an event before the newest acknowledged one, `EventNotInQueue` for one that the queue does not
/// have yet.
fn cursor_after_event(realm: &Realm, queue: &Queue, last_event_id: i64) -> Result<Cursor, Error> {
    if last_event_id < queue.acknowledged_event {
        return Err(Error::EventPruned { event_id: last_event_id.into() });
    }
    let mut remaining_count =
        usize::try_from(last_event_id.saturating_sub(queue.acknowledged_event)).unwrap_or(usize::MAX);
    if remaining_count == 0 {
        return Ok(queue.cursor);
    }
    for (position, entry) in realm.log.entries_from(queue.cursor.entry) {
        let skipped_count = if position == queue.cursor.entry { queue.cursor.acknowledged_parts } else { 0 };
        let part_count = queue.parts(entry).len().saturating_sub(skipped_count);
        if remaining_count < part_count {
            return Ok(Cursor { entry: position, acknowledged_parts: skipped_count + remaining_count });
        }
        remaining_count -= part_count;
        if remaining_count == 0 {
            return Ok(Cursor { entry: position + 1, acknowledged_parts: 0 });
        }
    }
    Err(Error::EventNotInQueue { event_id: last_event_id.into() })
}

/// All events of the queue after the acknowledged ones, with their IDs.
fn pending_events<'a>(realm: &'a Realm, queue: &Queue) -> Vec<EventRecord<'a>> {
    let mut events = Vec::new();
    let mut id = queue.acknowledged_event;
    for (position, entry) in realm.log.entries_from(queue.cursor.entry) {
        let skipped_count = if position == queue.cursor.entry { queue.cursor.acknowledged_parts } else { 0 };
        for mut event in render_events(realm, queue.reader(), entry, &queue.parts(entry)).skip(skipped_count) {
            id += 1;
            event.id = Some(id);
            events.push(event);
        }
    }
    events
}

operation! {
    /// Deletes an event queue; a poll that waits on it ends.
    pub DeleteQueue = DELETE "/events", for User;
    params {
        /// ID of a queue of the caller's.
        queue_id: String,
    }
    errors [BadEventQueue];
    is fast;
}

impl Write for DeleteQueue {
    fn run(tx: &mut Tx, context: &OperationContext<'_>, params: Self::Params) -> Result<Success, Error> {
        let queue = find_own_queue(tx, context, &params.queue_id)?;

        tx.finish_poll(&queue.id);
        tx.remove_queue(&queue.id);
        Ok(Success {})
    }
}
