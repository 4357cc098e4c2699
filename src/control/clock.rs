//! The clock: where it is, what is to come, and moving it.

use super::refused;
use super::times::{Instant, Seconds};
use crate::error::Error;
use crate::realm::Realm;
use crate::realm::agenda::Due;
use crate::realm::queue::Queue;
use crate::realm::tx::Tx;
use crate::time::{Clock, Span, Timestamp};
use crate::world::{ALIVE, Clients, World};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value, json};
use std::sync::Arc;

/// The furthest that a clock can be moved.
const FURTHEST: Span = Span::days(36_525);

/// A change of the clock: exactly one of `advance_seconds`, `set`, `to_next` and `running`.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "ClockChange", extend("minProperties" = 1, "maxProperties" = 2))]
pub struct Change {
    /// Advances by this time.
    advance_seconds: Option<Seconds>,
    /// Advances to this time.
    set: Option<Instant>,
    /// Advances to the next item of the agenda.
    to_next: Option<bool>,
    /// Runs with real time, or is frozen.
    running: Option<bool>,
    /// How long to wait for clients that are between two polls, in real time; 1,000 by default.
    wait_for_clients_ms: Option<u64>,
}

/// Where the clock is and what is to come.
pub fn show(world: &World) -> Value {
    shown(world, &world.snapshot())
}

/// A realm as it will be when the polls that have their answer have sent it: from then on their queues can expire.
fn with_polls_ended(realm: &Realm) -> Realm {
    let mut tx = Tx::new(realm.clone());
    let has_answer = |queue: &&Arc<Queue>| {
        queue.parked_since.is_some() && realm.log.from(queue.cursor.entry).any(|(_, entry)| queue.gets(entry))
    };
    for queue in realm.queues.values().filter(has_answer) {
        tx.end_poll(queue, realm.now);
    }
    tx.into_realm()
}

fn shown(world: &World, realm: &Realm) -> Value {
    let reported = realm.agenda.iter().filter(|(_, due)| due.is_reported());
    json!({
        "now": world.now().fractional_seconds(),
        "running": matches!(world.clock(), Clock::Running { .. }),
        "agenda": reported.map(|(at, due)| item(*at, due)).collect::<Vec<_>>(),
    })
}

/// Moves the clock, or lets it run or freezes it.
///
/// # Errors
///
/// `ControlRefused`.
pub async fn change(world: &World, change: Change) -> Result<Value, Error> {
    let patience = change.patience();
    let step = change.step()?;
    let jump = world.with_clients_parked(patience, |clients| step.carry_out(world, clients)).await?;
    let mut reply = shown(world, &with_polls_ended(&world.snapshot()));
    reply["waited_ms"] = (jump.waited.micros() / 1_000).into();
    reply["not_parked"] = json!(jump.not_parked);
    let reported = jump.value.iter().filter(|(_, due)| due.is_reported());
    reply["fired"] = reported.map(|(at, due)| item(*at, due)).collect::<Vec<_>>().into();
    Ok(reply)
}

/// What is done with the clock.
#[derive(Clone, Copy)]
enum Step {
    By(Span),
    To(Timestamp),
    ToNext,
    Run(bool),
}

impl Change {
    fn patience(&self) -> Span {
        match self.wait_for_clients_ms {
            Some(millis) => Span::from_micros(i64::try_from(millis.saturating_mul(1_000)).unwrap_or(i64::MAX)),
            None => ALIVE,
        }
    }

    fn step(&self) -> Result<Step, Error> {
        match (self.advance_seconds, self.set, self.to_next, self.running) {
            (Some(Seconds(span)), None, None, None) if span.micros() < 0 => {
                Err(refused("$.advance_seconds: takes seconds from 0 on"))
            }
            (Some(Seconds(span)), None, None, None) => Ok(Step::By(span)),
            (None, Some(Instant(at)), None, None) => Ok(Step::To(at)),
            (None, None, Some(true), None) => Ok(Step::ToNext),
            (None, None, None, Some(runs)) => Ok(Step::Run(runs)),
            _ => Err(refused("$: takes exactly one of advance_seconds, set, to_next (true) and running")),
        }
    }
}

impl Step {
    fn carry_out(self, world: &World, clients: &Clients) -> Result<Option<Vec<(Timestamp, Due)>>, Error> {
        match self {
            Step::By(span) => world.advance(clients, |now| within_reach(now, now.plus(span))),
            Step::To(at) => world.advance(clients, |now| {
                if at < now {
                    return Err(refused("$.set: the clock can't go back; restore a snapshot instead"));
                }
                within_reach(now, at)
            }),
            Step::ToNext => world.advance_to_next(clients, within_reach),
            Step::Run(runs) => {
                world.run_clock(runs);
                Ok(Some(Vec::new()))
            }
        }
    }
}

fn within_reach(now: Timestamp, at: Timestamp) -> Result<Timestamp, Error> {
    if at > now.plus(FURTHEST) { Err(refused("$: the clock can be moved by 100 years at most")) } else { Ok(at) }
}

/// A thing on the agenda, as control tells it.
pub fn item(at: Timestamp, due: &Due) -> Value {
    let (kind, key, id): (&str, &str, Value) = match due {
        Due::Reminder(id) => ("reminder", "reminder_id", id.0.into()),
        Due::ScheduledMessage(id) => ("scheduled_message", "scheduled_message_id", id.0.into()),
        Due::InviteLink(id) => ("invite_expired", "invite_id", id.0.into()),
        Due::Invite(id) => ("invite_expired", "invite_id", id.0.into()),
        Due::Queue(id) => ("queue_expired", "queue_id", id.as_ref().into()),
        Due::Heartbeat(id) => ("heartbeat", "queue_id", id.as_ref().into()),
        Due::Export(id) => ("export", "export_id", id.0.into()),
        Due::Thumbnails(path_id) => ("thumbnails", "path_id", path_id.as_str().into()),
        Due::PageCards(id) => ("page_previews", "message_id", id.0.into()),
        Due::FullMember(id) => ("full_member", "user_id", id.0.into()),
    };
    let mut item = Map::new();
    item.insert("kind".into(), kind.into());
    item.insert("at".into(), at.fractional_seconds().into());
    item.insert(key.into(), id);
    item.into()
}
