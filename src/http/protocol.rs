//! The protocols that operations are called by: how a request is read, refused and replied to.

mod api;
mod tus;

use super::context::{Admitted, RequestContext, Routed};
use super::draft::{Draft, EarlyDraft};
use super::{draft, effects, hint};
use crate::api::parameter::RawParameters;
use crate::api::{Outcome, Protocol, Row};
use crate::error::Error;
use crate::realm::Realm;
use crate::realm::user::User;
use std::borrow::Cow;

pub(super) use api::sends_json;
pub(super) use tus::{PATH_PREFIX as RESUMABLE_PREFIX, is_chunk};

/// What a request leads to.
pub(super) enum Found {
    /// An operation that is to be carried out.
    Operation(Routed),
    /// An answer, unless a fault replaces it: no operation is called.
    Answer(Draft),
}

/// Reads a request as far as faults and the journal see it. Err is the response to one that can't be read.
pub(super) fn find(context: &mut RequestContext<'_>) -> Result<Found, EarlyDraft> {
    if let Some(found) = tus::find(context) {
        return Ok(found);
    }
    api::find(context).map_err(|error| Box::new(draft::failure(&error, hint::for_error(&error))))
}

/// The response to a request that was carried out.
pub(super) fn conclude(context: &mut RequestContext<'_>, admitted: &Admitted<'_>, outcome: Outcome) -> Draft {
    context.trace.new_events = outcome.events;
    let protocol = admitted.row.protocol;
    match outcome.reply {
        Ok(reply) => {
            let draft = match protocol {
                Protocol::Api => api::reply(context, admitted, reply),
                Protocol::Resumable => tus::reply(context, admitted, reply),
            };
            effects::with_sessions(context, admitted.row, outcome.session, draft)
        }
        Err(error) => match protocol {
            Protocol::Api => api::refuse(context, admitted, error),
            Protocol::Resumable => tus::refusal(&error),
        },
    }
}

/// The parameters of an operation whose caller is known, as the newest level names them.
///
/// # Errors
///
/// What the world's level refuses and the newest would take, and what is wrong with headers.
pub(super) fn receive<'routed>(
    context: &RequestContext<'_>,
    routed: &'routed Routed,
    realm: &Realm,
    caller: Option<&User>,
) -> Result<Cow<'routed, RawParameters>, Error> {
    match routed.row.protocol {
        Protocol::Api => api::receive(context, routed, realm, caller),
        Protocol::Resumable => tus::parameters(context, routed).map(Cow::Owned),
    }
}

/// The response to a caller who is not let in.
pub(super) fn refuse_caller(context: &RequestContext<'_>, row: &Row, error: Error) -> Draft {
    match row.protocol {
        Protocol::Api => api::refuse_caller(context, row, error),
        Protocol::Resumable => tus::refuse_caller(&error),
    }
}
