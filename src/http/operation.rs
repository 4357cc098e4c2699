//! Performs an operation in stages, from the warnings about its client to the response.

use super::context::{OperationProgress, RequestContext};
use super::fault::Fault;
use super::pending_response::{EarlyResponse, PendingResponse};
use super::permit::{self, Permit};
use super::poll::{self, ParkedReply};
use super::protocol::{self, Routing};
use super::{report, run};
use crate::api::Outcome;
use crate::api::parameter::RawParameters;
use crate::world::ParkedPoll;

/// Performs the operation that a request is for, or answers the request without one. `permit` is released when a poll
/// begins to wait.
pub(super) async fn perform_operation(context: &mut RequestContext<'_>, mut permit: Option<Permit>) -> PendingResponse {
    context.edge.setup_warnings.warn_of_dialect(context.incoming, &context.settings.dialect, context.world.name());
    let routing_result: Result<_, EarlyResponse> = permit::run_with_permit(permit.as_ref(), || {
        let routing = protocol::find_routing(context)?;
        context.fault = Fault::fire(context.world, &mut context.trace);
        match (context.fault.replacement_response(context.emulation, context.world.now()), routing) {
            (Some(response), _) => {
                poll::record_replaced_poll(context);
                Err(response.into())
            }
            (None, Routing::Answer(response)) => Err(response.into()),
            (None, Routing::Operation(routed_request)) => Ok(routed_request),
        }
    });
    let routed_request = match routing_result {
        Ok(routed_request) => routed_request,
        Err(response) => return *response,
    };
    let (authorized_request, progress) =
        match permit::run_with_permit(permit.as_ref(), || run::run_operation(context, &routed_request)) {
            Ok(result) => result,
            Err(error) => return protocol::refuse_caller(context, routed_request.row, error),
        };
    let outcome = match progress {
        OperationProgress::Done(outcome) => outcome,
        OperationProgress::Waiting(parked_poll) => {
            permit = None;
            // Boxed, so that requests that don't wait reserve no memory for it: their future is moved several times.
            Box::pin(wait_for_outcome(context, parked_poll, &authorized_request.raw)).await
        }
    };
    permit::run_with_permit(permit.as_ref(), || protocol::finish(context, &authorized_request, outcome))
}

async fn wait_for_outcome(
    context: &mut RequestContext<'_>,
    mut parked_poll: ParkedPoll,
    raw: &RawParameters,
) -> Outcome {
    context.trace.poll = parked_poll.take_unjournaled();
    // If the client closes the connection, dropping the first tells the report, and dropping the second the journal.
    let reported_poll = report::report_waiting_poll(context);
    let observed_poll = context.trace.observe_poll(context.world);
    let ParkedReply { reply, is_lost } = poll::wait_for_reply(context, parked_poll, raw).await;
    context.is_reply_lost = is_lost;
    reported_poll.record_answer();
    observed_poll.record_answer();
    Outcome::unchanged(reply)
}
