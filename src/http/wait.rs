//! The long poll: parked on a waker until the queue has something, was replaced or ended.

use crate::api::events::{self, Begun, GetEventsParams};
use crate::api::parameter::{Parameters, RawParameters};
use crate::api::{Call, ReplyBytes, envelope};
use crate::error::Error;
use crate::realm::queue::Queue;
use crate::world::World;
use std::sync::Arc;
use tokio::sync::Notify;

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
    let place = Place { world: world.clone(), waker: world.parking().enter(queue.clone()), queue };
    loop {
        let realm = world.snapshot();
        if let Some(outcome) = events::look(&realm, &place.queue) {
            drop(place);
            return Ok(envelope::<GetEventsParams>(outcome?, raw));
        }
        place.waker.notified().await;
    }
}

/// A parked poll's place; leaving it, also when the client goes away, ends the poll.
struct Place {
    world: Arc<World>,
    waker: Arc<Notify>,
    queue: Arc<Queue>,
}

impl Drop for Place {
    fn drop(&mut self) {
        self.world.parking().leave(self.queue.owner, &self.waker);
        let _ = self.world.commit(|tx| {
            events::end(tx, &self.queue);
            Ok(())
        });
    }
}
