//! The long poll: parked until its queue has something, was replaced or ended.

use crate::api::events::{self, GetEvents};
use crate::api::parameter::RawParameters;
use crate::api::{ReplyBytes, envelope};
use crate::error::Error;
use crate::fault::Disturbance;
use crate::world::{ParkedPoll, World};

/// Waits for the reply of a parked poll.
///
/// # Errors
///
/// `BadEventQueue` when the queue is lost meanwhile, `UserDeactivated`, `RealmDeactivated`.
pub async fn reply(
    world: &World,
    poll: ParkedPoll,
    raw: &RawParameters,
    disturbance: Option<Disturbance>,
) -> Result<ReplyBytes, Error> {
    // A realm is not held while waiting: the polls of a thousand clients would keep a thousand of them.
    let looked = || {
        let realm = world.published();
        let reply = if poll.is_finished() {
            Ok(events::last(&realm, poll.queue()))
        } else {
            events::parked_reply(&realm, poll.queue())?
        };
        Some(reply.map(|mut reply| {
            events::disturb(&mut reply.events, disturbance);
            envelope::<GetEvents>(&reply, raw)
        }))
    };
    loop {
        if let Some(reply) = looked() {
            if reply.is_ok() {
                poll.note_answer();
            }
            return reply;
        }
        poll.notified().await;
    }
}
