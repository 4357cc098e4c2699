//! The stages of a request for an operation.

use super::context::{Progress, RequestContext};
use super::draft::{Draft, EarlyDraft};
use super::fault::Fault;
use super::permit::{self, Permit};
use super::protocol::{self, Found};
use super::{poll, report, run};
use crate::api::Outcome;

/// Answers a request for an operation.
pub(super) async fn perform(context: &mut RequestContext<'_>, mut permit: Option<Permit>) -> Draft {
    context.edge.setup_warnings.warn_of_dialect(context.incoming, &context.settings.dialect, context.world.name());
    let routed: Result<_, EarlyDraft> = permit::work(permit.as_ref(), || {
        let found = protocol::find(context)?;
        context.fault = Fault::fire(context.world, &mut context.trace);
        match (context.fault.instead(context.emulation, context.world.now()), found) {
            (Some(draft), _) | (None, Found::Answer(draft)) => Err(draft.into()),
            (None, Found::Operation(routed)) => Ok(routed),
        }
    });
    let routed = match routed {
        Ok(routed) => routed,
        Err(draft) => return *draft,
    };
    let (admitted, progress) = match permit::work(permit.as_ref(), || run::carry_out(context, &routed)) {
        Ok(carried_out) => carried_out,
        Err(error) => return protocol::refuse_caller(context, routed.row, error),
    };
    let outcome = match progress {
        Progress::Done(outcome) => outcome,
        Progress::Waiting(parked) => {
            permit = None;
            let waiting = report::waiting(context);
            let reply = poll::reply(context, parked, &admitted.raw).await;
            waiting.answered();
            Outcome::unchanged(reply)
        }
    };
    permit::work(permit.as_ref(), || protocol::conclude(context, &admitted, outcome))
}
