//! Carrying an operation out, for a caller who may call it.

use super::context::{Admitted, Progress, RequestContext, Routed};
use super::{authorize, protocol};
use crate::api::parameter::RawParameters;
use crate::api::{Call, NotDone, Outcome, Poll, Run};
use crate::error::Error;
use crate::level::Emulation;
use crate::realm::user::User;
use chat_markdown::emoji::EXTRA_EMOJI;
use http::header;
use std::borrow::Cow;
use std::sync::Arc;

/// What a client calls itself is cut here, in code points, as real servers do.
const MAX_CLIENT_LENGTH: usize = 30;

/// Checks the caller and runs the operation, both on one realm; a write looks again at the realm that it changes.
///
/// # Errors
///
/// Those of [`authorize::caller`]: the caller is not let in. What the operation refuses is its outcome.
pub(super) fn carry_out<'routed>(
    context: &mut RequestContext<'_>,
    routed: &'routed Routed,
) -> Result<(Admitted<'routed>, Progress), Error> {
    let row = routed.row;
    loop {
        let realm = context.world.snapshot();
        let caller = authorize::caller(context, routed, &realm)?;
        if let Some(caller) = &caller {
            context.fault.lose_queues(context.world, caller);
        }
        let raw = match protocol::receive(context, routed, &realm, caller.as_deref()) {
            Ok(raw) => raw,
            Err(error) => {
                let raw = Cow::Borrowed(&routed.raw);
                return Ok((Admitted { row, caller, raw, realm: Some(realm) }, Progress::refused(error)));
            }
        };
        let call = call(context, &raw, caller);
        let progress = match row.run {
            Run::Read(read) => Progress::Done(Outcome::unchanged(read(&realm, &call, &raw))),
            Run::Poll(poll) => match poll(context.world, &call, &raw) {
                Ok(Poll::Parked(parked)) => Progress::Waiting(parked),
                Ok(Poll::Answered(reply)) => Progress::Done(Outcome::unchanged(Ok(reply))),
                Err(error) => Progress::refused(error),
            },
            Run::Write(write) => match write(context.world, &realm, &call, &raw) {
                Ok(outcome) => Progress::Done(outcome),
                Err(NotDone::Refused(error)) => Progress::refused(error),
                Err(NotDone::Outdated) => {
                    context.begin_again();
                    continue;
                }
            },
        };
        let caller = call.caller;
        let realm = matches!(row.run, Run::Read(_)).then_some(realm);
        return Ok((Admitted { row, caller, raw, realm }, progress));
    }
}

/// The request as its operation sees it.
fn call<'call>(
    context: &'call RequestContext<'_>,
    raw: &'call RawParameters,
    caller: Option<Arc<User>>,
) -> Call<'call> {
    let incoming = context.incoming;
    Call {
        caller,
        origin: context.origin,
        client: beginning(raw.client().unwrap_or_else(|| incoming.client_name()), MAX_CLIENT_LENGTH),
        user_agent: incoming.header(header::USER_AGENT).unwrap_or_default(),
        now: context.world.now(),
        server_start: context.world.started_at(),
        feature_level: context.settings.feature_level,
        queue_level: context.emulation.map(Emulation::queue_level).unwrap_or_default(),
        former: &raw.former,
        files: &raw.files,
        headers: &raw.headers,
        bouncer: context.fault.bouncer(),
        disturbance: context.fault.disturbance(),
        extra_emoji: context.settings.dialect.vendor_value("emoji_name", EXTRA_EMOJI.name),
        reply_form: context.reply_form(),
    }
}

/// The beginning of a text, of at most so many code points.
fn beginning(text: &str, limit: usize) -> &str {
    text.char_indices().nth(limit).map_or(text, |(end, _)| &text[..end])
}
