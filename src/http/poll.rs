//! The long poll: parked until its queue has something, was replaced or ended.

use super::context::RequestContext;
use crate::api::events::{self, GetEvents};
use crate::api::parameter::RawParameters;
use crate::api::{ReplyBody, envelope};
use crate::error::Error;
use crate::world::ParkedPoll;

/// Waits for the reply of a parked poll.
///
/// # Errors
///
/// `BadEventQueue` when the queue is lost meanwhile, `UserDeactivated`, `RealmDeactivated`.
pub(super) async fn reply(
    context: &RequestContext<'_>,
    poll: ParkedPoll,
    raw: &RawParameters,
) -> Result<ReplyBody, Error> {
    let form = context.reply_form();
    // A realm is not held while waiting: the polls of a thousand clients would keep a thousand of them.
    let answer = || {
        let realm = context.world.published();
        let reply = if poll.is_finished() {
            Ok(events::last(&realm, poll.queue()))
        } else {
            events::parked_reply(&realm, poll.queue())?
        };
        Some(reply.map(|mut reply| {
            events::disturb(&mut reply.events, context.fault.disturbance());
            envelope::<GetEvents>(&reply, raw, form)
        }))
    };
    loop {
        if let Some(reply) = answer() {
            if reply.is_ok() {
                poll.note_answer();
            }
            return reply;
        }
        poll.notified().await;
    }
}
