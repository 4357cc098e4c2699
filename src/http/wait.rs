//! The long poll: parked on a waker until the queue has something, was replaced or ended.

use crate::api::events::{self, GetEvents};
use crate::api::parameter::{Parameters, RawParameters};
use crate::api::{Call, ReplyBytes, envelope};
use crate::error::Error;
use crate::fault::Disturbance;
use crate::world::{Place, World};
use std::sync::Arc;

/// How GET /events begins.
pub enum Begun {
    /// There is something already.
    Answered(ReplyBytes),
    /// It waits here.
    Parked(Place),
}

/// Begins GET /events.
///
/// # Errors
///
/// Those of [`events::begin`].
pub fn begin(world: &Arc<World>, call: &Call<'_>, raw: &RawParameters) -> Result<Begun, Error> {
    let params = GetEvents::read(raw)?;
    let begun = world
        .poll(params.queue_id.as_deref().filter(|_| !params.dont_block), |tx| events::begin(tx, call, &params, raw))?;
    Ok(match begun {
        events::Begun::Answer(reply) => Begun::Answered(reply),
        events::Begun::Park(queue) => Begun::Parked(world.park(queue)),
    })
}

/// Waits for what a parked poll is to be told.
///
/// # Errors
///
/// `BadEventQueue` when the queue is lost meanwhile.
pub async fn woken(
    world: &World,
    place: Place,
    raw: &RawParameters,
    disturbance: Option<Disturbance>,
) -> Result<ReplyBytes, Error> {
    // A realm is not held while waiting: the polls of a thousand clients would keep a thousand of them.
    let answered = || {
        let realm = world.published();
        let reply = if place.is_finished() {
            Ok(events::last(&realm, place.queue()))
        } else {
            events::look(&realm, place.queue())?
        };
        Some(reply.map(|mut reply| {
            events::disturb(&mut reply.events, disturbance);
            envelope::<GetEvents>(&reply, raw)
        }))
    };
    loop {
        if let Some(outcome) = answered() {
            if outcome.is_ok() {
                place.note_answer();
            }
            return outcome;
        }
        place.woken().await;
    }
}
