//! Performs an operation in stages, from the warnings about its client to the response.

use super::context::{Progress, RequestContext};
use super::draft::{Draft, EarlyDraft};
use super::fault::Fault;
use super::permit::{self, Permit};
use super::protocol::{self, Route};
use super::{poll, report, run};
use crate::api::Outcome;

/// Performs the operation that a request is for, or answers the request without one. `permit` is released while a poll
/// waits.
pub(super) async fn perform(context: &mut RequestContext<'_>, mut permit: Option<Permit>) -> Draft {
    context.edge.setup_warnings.warn_of_dialect(context.incoming, &context.settings.dialect, context.world.name());
    let routed: Result<_, EarlyDraft> = permit::run(permit.as_ref(), || {
        let route = protocol::find(context)?;
        context.fault = Fault::fire(context.world, &mut context.trace);
        match (context.fault.replacement_reply(context.emulation, context.world.now()), route) {
            (Some(draft), _) | (None, Route::Answer(draft)) => Err(draft.into()),
            (None, Route::Operation(routed)) => Ok(routed),
        }
    });
    let routed = match routed {
        Ok(routed) => routed,
        Err(draft) => return *draft,
    };
    let (authorized, progress) = match permit::run(permit.as_ref(), || run::carry_out(context, &routed)) {
        Ok(result) => result,
        Err(error) => return protocol::refuse_caller(context, routed.row, error),
    };
    let outcome = match progress {
        Progress::Done(outcome) => outcome,
        Progress::Waiting(mut parked) => {
            permit = None;
            context.trace.poll = parked.take_unjournaled();
            let reported_poll = report::report_waiting_poll(context);
            let reply = poll::reply(context, parked, &authorized.raw).await;
            reported_poll.mark_answered();
            Outcome::unchanged(reply)
        }
    };
    permit::run(permit.as_ref(), || protocol::finish(context, &authorized, outcome))
}
