//! The long poll: parked on a waker until the queue has something, was replaced or ended.

use crate::api::events::{self, GetEventsParams};
use crate::api::parameter::{Parameters, RawParameters};
use crate::api::{Call, ReplyBytes, envelope};
use crate::error::Error;
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
    let params = GetEventsParams::read(raw)?;
    Ok(match world.commit(|tx| events::begin(tx, call, &params, raw))? {
        events::Begun::Answer(reply) => Begun::Answered(reply),
        events::Begun::Park(queue) => Begun::Parked(world.park(queue)),
    })
}

/// Waits for what a parked poll is to be told.
///
/// # Errors
///
/// `BadEventQueue` when the queue is lost meanwhile.
pub async fn woken(world: &World, place: Place, raw: &RawParameters) -> Result<ReplyBytes, Error> {
    // A realm is not held while waiting: the polls of a thousand clients would keep a thousand of them.
    let answered = || {
        let realm = world.published();
        let reply = if place.is_finished() {
            Ok(events::last(&realm, place.queue()))
        } else {
            events::look(&realm, place.queue())?
        };
        Some(reply.map(|reply| envelope::<GetEventsParams>(&reply, raw)))
    };
    loop {
        if let Some(outcome) = answered() {
            return outcome;
        }
        place.woken().await;
    }
}
