//! The two protocols of operations, the API's and that of resumable uploads: how each reads requests and writes replies
//! and refusals.

mod api;
mod tus;

use super::context::{AuthorizedRequest, RequestContext, RoutedRequest};
use super::pending_response::{EarlyResponse, PendingResponse};
use super::{hint, pending_response, session_effects};
use crate::api::parameter::RawParameters;
use crate::api::{OperationRow, Outcome, Protocol};
use crate::error::Error;
use crate::realm::Realm;
use crate::realm::user::User;
use std::borrow::Cow;

pub(super) use api::sends_json;
pub(super) use tus::{PATH_PREFIX as RESUMABLE_PREFIX, is_upload_chunk};

/// What a request leads to.
pub(super) enum Routing {
    Operation(RoutedRequest),
    /// A response without an operation, which a fault may still replace.
    Answer(PendingResponse),
}

/// Reads a request and finds its operation.
///
/// # Errors
///
/// The refusal of a request that is malformed or too large, or that asks for an API key from a host or origin that may
/// not get one (`KeysForbidden`).
pub(super) fn find_routing(context: &mut RequestContext<'_>) -> Result<Routing, EarlyResponse> {
    if let Some(route) = tus::find_routing(context) {
        return Ok(route);
    }
    api::find_routing(context).map_err(|error| Box::new(pending_response::refusal(&error, hint::for_error(&error))))
}

/// Makes the response to a request whose caller had access to the operation; tells the journal what the operation did,
/// and ends or opens sessions.
pub(super) fn finish(
    context: &mut RequestContext<'_>,
    authorized: &AuthorizedRequest<'_>,
    outcome: Outcome,
) -> PendingResponse {
    context.trace.new_events = outcome.events;
    let protocol = authorized.row.protocol;
    match outcome.reply {
        Ok(reply) => {
            context.trace.ignored_parameters = authorized.raw.unsupported_names(authorized.row.parameters);
            let response = match protocol {
                Protocol::Api => api::build_response(context, authorized, reply),
                Protocol::Resumable => tus::build_response(context, authorized, reply),
            };
            session_effects::update_sessions(context, authorized.row, outcome.session_user, response)
        }
        Err(error) => match protocol {
            Protocol::Api => api::build_refusal(context, authorized, error),
            Protocol::Resumable => tus::refusal(&error),
        },
    }
}

/// Reads the parameters of an operation, with their names at the newest level.
///
/// # Errors
///
/// Those of [`crate::level::Emulation::upgrade_request`]; for resumable uploads, the errors of headers:
/// `DeferredLengthNotSupported`, `InvalidTusContentType`, `InvalidTusHeader`.
pub(super) fn read_parameters<'routed>(
    context: &RequestContext<'_>,
    routed: &'routed RoutedRequest,
    realm: &Realm,
    caller: Option<&User>,
) -> Result<Cow<'routed, RawParameters>, Error> {
    match routed.row.protocol {
        Protocol::Api => api::upgrade_parameters(context, routed, realm, caller),
        Protocol::Resumable => tus::read_parameters(context, routed).map(Cow::Owned),
    }
}

/// The response to a caller without access to the operation.
pub(super) fn refuse_caller(context: &RequestContext<'_>, row: &OperationRow, error: Error) -> PendingResponse {
    match row.protocol {
        Protocol::Api => api::refuse_caller(context, row, error),
        Protocol::Resumable => tus::refuse_caller(&error),
    }
}
