//! Performs an operation in stages, from the warnings about its client to the response.

use super::context::{OperationProgress, RequestContext};
use super::fault::Fault;
use super::pending_response::{EarlyResponse, PendingResponse};
use super::permit::{self, Permit};
use super::poll::{self, ParkedReply};
use super::protocol::{self, Route};
use super::{report, run};
use crate::api::Outcome;
use crate::api::parameter::RawParameters;
use crate::world::ParkedPoll;

/// Performs the operation that a request is for, or answers the request without one. `permit` is released when a poll
/// begins to wait.
pub(super) async fn perform_operation(context: &mut RequestContext<'_>, mut permit: Option<Permit>) -> PendingResponse {
    context.edge.setup_warnings.warn_of_dialect(context.incoming, &context.settings.dialect, context.world.name());
    let routed: Result<_, EarlyResponse> = permit::run_with_permit(permit.as_ref(), || {
        let route = protocol::find_route(context)?;
        context.fault = Fault::fire(context.world, &mut context.trace);
        match (context.fault.replacement_reply(context.emulation, context.world.now()), route) {
            (Some(response), _) => {
                poll::record_replaced_reply(context);
                Err(response.into())
            }
            (None, Route::Answer(response)) => Err(response.into()),
            (None, Route::Operation(routed)) => Ok(routed),
        }
    });
    let routed = match routed {
        Ok(routed) => routed,
        Err(response) => return *response,
    };
    let (authorized, progress) = match permit::run_with_permit(permit.as_ref(), || run::run_operation(context, &routed))
    {
        Ok(result) => result,
        Err(error) => return protocol::refuse_caller(context, routed.row, error),
    };
    let outcome = match progress {
        OperationProgress::Done(outcome) => outcome,
        OperationProgress::Waiting(parked) => {
            permit = None;
            // Boxed, so that requests that don't wait reserve no memory for it: their future is moved several times.
            Box::pin(wait_for_outcome(context, parked, &authorized.raw)).await
        }
    };
    permit::run_with_permit(permit.as_ref(), || protocol::finish(context, &authorized, outcome))
}

async fn wait_for_outcome(context: &mut RequestContext<'_>, mut parked: ParkedPoll, raw: &RawParameters) -> Outcome {
    context.trace.poll = parked.take_unjournaled();
    let reported_poll = report::report_waiting_poll(context);
    let observed_poll = context.trace.observe_poll(context.world);
    let ParkedReply { reply, is_lost } = poll::wait_for_reply(context, parked, raw).await;
    context.is_reply_lost = is_lost;
    reported_poll.record_answer();
    observed_poll.record_answer();
    Outcome::unchanged(reply)
}
