//! The long poll: it is parked until its queue has events or ends, another request polls the queue, or the account or
//! the organization is deactivated.

use super::context::RequestContext;
use crate::api::events::{self, GetEvents};
use crate::api::parameter::RawParameters;
use crate::api::{ReplyBody, envelope};
use crate::error::Error;
use crate::fault::{POLL_METHOD, POLL_PATH};
use crate::world::ParkedPoll;

/// Records that a fault answered a long poll in place of its queue, so that its client is expected to poll again. Does
/// nothing for other requests.
pub(super) fn record_replaced_poll(context: &RequestContext<'_>) {
    let trace = &context.trace;
    if (&*trace.method, trace.route) != (POLL_METHOD, Some(POLL_PATH)) {
        return;
    }
    let is_blocking = trace.params.get("dont_block").is_none_or(|value| value != "true");
    if let Some(queue) = trace.params.get("queue_id").filter(|_| is_blocking) {
        context.world.record_answered_poll(queue);
    }
}

/// The reply of a parked poll.
pub(super) struct ParkedReply {
    pub reply: Result<ReplyBody, Error>,
    /// Whether the client was offline when the reply became due, so that it does not arrive.
    pub is_lost: bool,
}

/// Waits for the reply of a parked poll. The reply is one of these errors if, while the poll waits:
///
/// - its owner is deactivated: `UserDeactivated`;
/// - the queue is removed, except by its client: `BadEventQueue`;
/// - the organization is deactivated and no events are pending: `RealmDeactivated`.
pub(super) async fn wait_for_reply(context: &RequestContext<'_>, poll: ParkedPoll, raw: &RawParameters) -> ParkedReply {
    let format = context.reply_format();
    // No realm is held while the poll waits: a thousand polls could keep a thousand old realms in memory.
    let current_reply = || {
        let realm = context.world.published_realm();
        let reply = if poll.is_finished() {
            Ok(events::final_reply(&realm, poll.queue()))
        } else {
            events::parked_reply(&realm, poll.queue())?
        };
        Some(reply.map(|mut reply| {
            events::apply_disturbance(&mut reply.events, context.fault.disturbance());
            envelope::<GetEvents>(&reply, raw, format)
        }))
    };
    loop {
        let wake_count = poll.wake_count();
        // A wake-up that answers nothing has no effect on the loss of a later reply.
        let was_woken_offline = poll.take_woken_offline();
        if let Some(reply) = current_reply() {
            if reply.is_ok() {
                poll.record_answer();
            }
            return ParkedReply { reply, is_lost: was_woken_offline || poll.take_woken_offline() };
        }
        poll.wait_for_change(wake_count).await;
    }
}
