//! The long poll: parked on a waker until the queue has something, was replaced or ended.

use crate::api::events::{self, Begun, GetEventsParams};
use crate::api::parameter::{Parameters, RawParameters};
use crate::api::{Call, ReplyBytes, envelope};
use crate::error::Error;
use crate::world::World;
use std::sync::Arc;

/// Carries out GET /events.
///
/// # Errors
///
/// Those of [`events::begin`]; `BadEventQueue` when the queue ends meanwhile.
pub async fn poll(world: &Arc<World>, call: &Call<'_>, raw: &RawParameters) -> Result<ReplyBytes, Error> {
    let params = GetEventsParams::read(raw)?;
    let queue = match world.commit(|tx| events::begin(tx, call, &params))? {
        Begun::Answer(reply) => return Ok(envelope::<GetEventsParams>(reply, raw)),
        Begun::Park(queue) => queue,
    };
    let place = world.park(queue);
    loop {
        let realm = world.published();
        if let Some(outcome) = events::look(&realm, place.queue()) {
            drop(place);
            return Ok(envelope::<GetEventsParams>(outcome?, raw));
        }
        place.woken().await;
    }
}
