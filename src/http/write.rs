//! The last stage of a response: it gets its final headers and is serialized.

use super::context::RequestContext;
use super::draft::{Draft, DraftBody};
use super::{Response, rate_limit, reply};
use crate::dialect::Dialect;
use http::HeaderValue;

/// Translates a refusal to the dialect, adds the headers for authentication and rate limit, and serializes the response.
pub(super) fn response(context: &RequestContext<'_>, draft: Draft) -> Response {
    let dialect = &context.settings.dialect;
    let is_translated = draft.status().is_client_error() && !dialect.is_neutral();
    let mut draft = if is_translated { translate_refusal(draft, dialect) } else { draft };
    if context.takes_sessions {
        reply::ask_for_session(&mut draft);
    }
    reply::set_auth_realm(&mut draft, dialect.auth_realm());
    if let Some(budget) = &context.trace.budget {
        rate_limit::add_headers(budget, &mut draft);
    }
    serialize(draft)
}

pub(super) fn serialize(draft: Draft) -> Response {
    draft.map(DraftBody::into_bytes)
}

/// Replaces neutral names in the body and the hint of a refusal by those of the dialect.
fn translate_refusal(draft: Draft, dialect: &Dialect) -> Draft {
    let (mut head, body) = draft.into_parts();
    let DraftBody::Json { mut value, .. } = body else { return Draft::from_parts(head, body) };
    dialect.translate_refusal(&mut value);
    let hint = head.headers.get(reply::HINT).and_then(|hint| hint.to_str().ok());
    if let Some(hint) = hint.and_then(|hint| HeaderValue::try_from(dialect.with_vendor_names(hint)).ok()) {
        head.headers.insert(reply::HINT, hint);
    }
    Draft::from_parts(head, DraftBody::json_line(value))
}
