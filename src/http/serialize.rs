//! The last stage of a response: it gets its final headers and is serialized.

use super::context::RequestContext;
use super::pending_response::{PendingBody, PendingResponse};
use super::{Response, rate_limit, reply};
use crate::dialect::Dialect;
use http::HeaderValue;

/// Translates a refusal to the dialect, adds the headers for authentication and rate limit, and serializes the
/// response.
pub(super) fn finish_response(context: &RequestContext<'_>, response: PendingResponse) -> Response {
    let dialect = &context.settings.dialect;
    let needs_translation = response.status().is_client_error() && !dialect.is_neutral();
    let mut response = if needs_translation { translate_refusal(response, dialect) } else { response };
    if context.requires_session {
        reply::ask_for_session(&mut response);
    }
    reply::set_auth_realm(&mut response, dialect.auth_realm());
    if let Some(budget) = &context.trace.budget {
        rate_limit::add_headers(budget, &mut response);
    }
    serialize(response)
}

pub(super) fn serialize(response: PendingResponse) -> Response {
    response.map(PendingBody::into_bytes)
}

/// Replaces neutral names in the body and the hint of a refusal by those of the dialect.
fn translate_refusal(response: PendingResponse, dialect: &Dialect) -> PendingResponse {
    let (mut head, body) = response.into_parts();
    let PendingBody::Json { mut value, .. } = body else { return PendingResponse::from_parts(head, body) };
    dialect.translate_refusal(&mut value);
    let hint = head.headers.get(reply::HINT_HEADER).and_then(|hint| hint.to_str().ok());
    if let Some(hint) = hint.and_then(|hint| HeaderValue::try_from(dialect.translate_text(hint)).ok()) {
        head.headers.insert(reply::HINT_HEADER, hint);
    }
    PendingResponse::from_parts(head, PendingBody::json_line(value))
}
