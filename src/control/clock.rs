//! The calls for a world's clock: showing it with its agenda, and changing it.

use super::refusal;
use super::times::{SpanInput, TimestampInput};
use crate::api::events::parked_reply;
use crate::error::Error;
use crate::realm::Realm;
use crate::realm::agenda::AgendaItem;
use crate::realm::queue::Queue;
use crate::realm::tx::Tx;
use crate::time::{Clock, Span, Timestamp};
use crate::world::{JumpPolicy, MAX_POLL_PAUSE, World};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value, json};
use std::sync::Arc;

/// The longest time by which a clock can be moved at once.
const MAX_JUMP: Span = Span::from_days(36_525);

/// A change of the clock: exactly one of `advance_seconds`, `set`, `to_next` and `running`, perhaps with a wait.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "ClockChange", extend("minProperties" = 1, "maxProperties" = 2))]
pub struct ClockChange {
    /// Advances by this time: seconds, or a span such as "1d2h30m"; at most 100 years.
    advance_seconds: Option<SpanInput>,
    /// Advances to this time, not in the past, and at most 100 years ahead.
    set: Option<TimestampInput>,
    /// true: advances to the next item of the agenda that replies show, if there is one.
    to_next: Option<bool>,
    /// true: runs with real time; false: is frozen.
    running: Option<bool>,
    /// Milliseconds of real time to wait at most for clients that are between two polls; 1,000 by default.
    wait_for_clients_ms: Option<u64>,
}

pub fn show(world: &World) -> Value {
    clock_reply(world, &world.snapshot())
}

/// The realm after all answered polls have sent their replies. From then on, their queues can expire.
fn with_answered_polls_ended(realm: &Realm) -> Realm {
    let mut tx = Tx::new(realm.clone());
    let has_answer = |queue: &&Arc<Queue>| {
        queue.parked_since.is_some()
            && realm.log.entries_from(queue.cursor.entry).any(|(_, entry)| queue.receives(entry))
    };
    for queue in realm.queues.values().filter(has_answer) {
        tx.end_poll(queue, realm.now);
    }
    tx.into_realm()
}

fn clock_reply(world: &World, realm: &Realm) -> Value {
    let listed_items = realm.agenda.iter().filter(|(_, item)| item.is_listed());
    json!({
        "now": world.now().fractional_seconds(),
        "running": matches!(world.clock(), Clock::Running { .. }),
        "agenda": listed_items.map(|(at, item)| agenda_item_to_json(*at, item)).collect::<Vec<_>>(),
    })
}

/// Moves, freezes or unfreezes the clock. A jump first waits for clients that are between two polls. The call then
/// waits until the journal has the polls that the jump answered, but not longer than a second.
///
/// # Errors
///
/// `ControlRefused` unless the change is exactly one, and for a time that is in the past or too far ahead.
pub async fn change(world: &World, change: ClockChange) -> Result<Value, Error> {
    let client_timeout = change.client_timeout();
    let step = change.step()?;
    let jump = world.with_clients_parked(client_timeout, |policy| step.apply(world, policy)).await?;
    let realm = world.snapshot();
    let mut reply = clock_reply(world, &with_answered_polls_ended(&realm));
    let answered_polls = world.polls_to_journal(|parked| parked_reply(&realm, parked).is_some());
    // A call that waits holds no realm.
    drop(realm);
    world.wait_until_journaled(&answered_polls).await;
    reply["waited_ms"] = (jump.waited.micros() / 1_000).into();
    reply["not_parked"] = json!(jump.unparked_queues);
    let listed_items = jump.value.iter().filter(|(_, item)| item.is_listed());
    reply["fired"] = listed_items.map(|(at, item)| agenda_item_to_json(*at, item)).collect::<Vec<_>>().into();
    Ok(reply)
}

#[derive(Clone, Copy)]
enum ClockStep {
    By(Span),
    To(Timestamp),
    ToNext,
    SetRunning(bool),
}

impl ClockChange {
    fn client_timeout(&self) -> Span {
        match self.wait_for_clients_ms {
            Some(milliseconds) => {
                Span::from_micros(i64::try_from(milliseconds.saturating_mul(1_000)).unwrap_or(i64::MAX))
            }
            None => MAX_POLL_PAUSE,
        }
    }

    fn step(&self) -> Result<ClockStep, Error> {
        match (self.advance_seconds, self.set, self.to_next, self.running) {
            (Some(SpanInput(span)), None, None, None) if span.micros() < 0 => {
                Err(refusal("$.advance_seconds: takes seconds from 0 on"))
            }
            (Some(SpanInput(span)), None, None, None) => Ok(ClockStep::By(span)),
            (None, Some(TimestampInput(time)), None, None) => Ok(ClockStep::To(time)),
            (None, None, Some(true), None) => Ok(ClockStep::ToNext),
            (None, None, None, Some(is_running)) => Ok(ClockStep::SetRunning(is_running)),
            _ => Err(refusal("$: takes exactly one of advance_seconds, set, to_next (true) and running")),
        }
    }
}

impl ClockStep {
    /// Applies the change, and returns the items that fell due; None, with the clock unchanged, if a jump has to wait
    /// for a client.
    fn apply(self, world: &World, policy: &JumpPolicy) -> Result<Option<Vec<(Timestamp, AgendaItem)>>, Error> {
        match self {
            ClockStep::By(span) => world.advance(policy, |now| check_distance(now, now.plus(span))),
            ClockStep::To(time) => world.advance(policy, |now| {
                if time < now {
                    return Err(refusal("$.set: the clock can't go back; restore a snapshot instead"));
                }
                check_distance(now, time)
            }),
            ClockStep::ToNext => world.advance_to_next(policy, check_distance),
            ClockStep::SetRunning(is_running) => {
                world.set_clock_running(is_running);
                Ok(Some(Vec::new()))
            }
        }
    }
}

/// Returns `time`, unless it is too far ahead of `now` for a jump.
///
/// # Errors
///
/// `ControlRefused`, if it is more than [`MAX_JUMP`] ahead.
fn check_distance(now: Timestamp, time: Timestamp) -> Result<Timestamp, Error> {
    if time > now.plus(MAX_JUMP) { Err(refusal("$: the clock can be moved by 100 years at most")) } else { Ok(time) }
}

/// An item of the agenda, as replies and frames show it.
pub fn agenda_item_to_json(at: Timestamp, item: &AgendaItem) -> Value {
    let (kind, key, id): (&str, &str, Value) = match item {
        AgendaItem::Reminder(id) => ("reminder", "reminder_id", id.0.into()),
        AgendaItem::ScheduledMessage(id) => ("scheduled_message", "scheduled_message_id", id.0.into()),
        AgendaItem::InviteLink(id) => ("invite_expired", "invite_id", id.0.into()),
        AgendaItem::Invite(id) => ("invite_expired", "invite_id", id.0.into()),
        AgendaItem::Queue(id) => ("queue_expired", "queue_id", id.as_ref().into()),
        AgendaItem::Heartbeat(id) => ("heartbeat", "queue_id", id.as_ref().into()),
        AgendaItem::Export(id) => ("export", "export_id", id.0.into()),
        AgendaItem::Thumbnails(path_id) => ("thumbnails", "path_id", path_id.as_str().into()),
        AgendaItem::PagePreviews(id) => ("page_previews", "message_id", id.0.into()),
        AgendaItem::FullMember(id) => ("full_member", "user_id", id.0.into()),
    };
    let mut record = Map::new();
    record.insert("kind".into(), kind.into());
    record.insert("at".into(), at.fractional_seconds().into());
    record.insert(key.into(), id);
    record.into()
}
