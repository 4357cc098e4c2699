//! Checks the caller of an operation, reads its parameters and runs it.

use super::context::{AuthorizedRequest, OperationProgress, RequestContext, RoutedRequest};
use super::{authorize, protocol};
use crate::api::parameter::RawParameters;
use crate::api::{OperationContext, Outcome, PollOutcome, RunFunction, WriteError};
use crate::error::Error;
use crate::level::Emulation;
use crate::realm::user::User;
use chat_markdown::emoji::EXTRA_EMOJI;
use http::header;
use std::borrow::Cow;
use std::sync::Arc;

/// In code points; longer client names are truncated, as by real servers.
const MAX_CLIENT_LENGTH: usize = 30;

/// Checks the caller, reads the parameters and runs the operation: a read on the same realm, a write or a poll on the
/// present one. If the caller or the level has changed before a write can start, everything is repeated.
///
/// # Errors
///
/// The errors of [`authorize::authorize`]. A refusal of the parameters or by the operation is an outcome and not an
/// error.
pub(super) fn run_operation<'routed>(
    context: &mut RequestContext<'_>,
    routed: &'routed RoutedRequest,
) -> Result<(AuthorizedRequest<'routed>, OperationProgress), Error> {
    let row = routed.row;
    loop {
        let realm = context.world.snapshot();
        let caller = authorize::authorize(context, routed, &realm)?;
        if let Some(caller) = &caller {
            context.fault.lose_queues(context.world, caller);
        }
        let raw = match protocol::read_parameters(context, routed, &realm, caller.as_deref()) {
            Ok(raw) => raw,
            Err(error) => {
                let raw = Cow::Borrowed(&routed.raw);
                return Ok((
                    AuthorizedRequest { row, caller, raw, realm: Some(realm) },
                    OperationProgress::refused(error),
                ));
            }
        };
        let operation_context = new_operation_context(context, &raw, caller);
        let progress = match row.run {
            RunFunction::Read(read) => {
                OperationProgress::Done(Outcome::unchanged(read(&realm, &operation_context, &raw)))
            }
            RunFunction::Poll(poll) => match poll(context.world, &operation_context, &raw) {
                Ok(PollOutcome::Parked(parked)) => OperationProgress::Waiting(parked),
                Ok(PollOutcome::Answered(reply)) => OperationProgress::Done(Outcome::unchanged(Ok(reply))),
                Err(error) => OperationProgress::refused(error),
            },
            RunFunction::Write(write) => match write(context.world, &realm, &operation_context, &raw) {
                Ok(outcome) => OperationProgress::Done(outcome),
                Err(WriteError::Refused(error)) => OperationProgress::refused(error),
                Err(WriteError::Outdated) => {
                    context.reload_settings();
                    continue;
                }
            },
        };
        let caller = operation_context.caller;
        let realm = matches!(row.run, RunFunction::Read(_)).then_some(realm);
        return Ok((AuthorizedRequest { row, caller, raw, realm }, progress));
    }
}

fn new_operation_context<'a>(
    context: &'a RequestContext<'_>,
    raw: &'a RawParameters,
    caller: Option<Arc<User>>,
) -> OperationContext<'a> {
    let incoming = context.incoming;
    OperationContext {
        caller,
        origin: context.origin,
        client: truncate(raw.client().unwrap_or(&context.trace.client), MAX_CLIENT_LENGTH),
        user_agent: incoming.header(header::USER_AGENT).unwrap_or_default(),
        now: context.world.now(),
        server_start: context.world.started_at(),
        feature_level: context.settings.feature_level,
        queue_level: context.emulation.map(Emulation::queue_level).unwrap_or_default(),
        legacy_values: &raw.legacy_values,
        files: &raw.files,
        headers: &raw.headers,
        push_relay_failure: context.fault.push_relay_failure(),
        disturbance: context.fault.disturbance(),
        extra_emoji: context.settings.dialect.vendor_value("emoji_name", EXTRA_EMOJI.name),
        reply_format: context.reply_format(),
    }
}

/// `max_length` is in code points.
fn truncate(text: &str, max_length: usize) -> &str {
    text.char_indices().nth(max_length).map_or(text, |(end, _)| &text[..end])
}
