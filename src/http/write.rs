//! The one place where responses become bytes.

use super::context::RequestContext;
use super::draft::{Draft, DraftBody};
use super::{Response, rate_limit, reply};
use crate::dialect::Dialect;
use http::HeaderValue;

/// The response as it is sent: refusals with names as the dialect has them, and with the headers of every response.
pub(super) fn response(context: &RequestContext<'_>, draft: Draft) -> Response {
    let dialect = &context.settings.dialect;
    let is_renamed = draft.status().is_client_error() && !dialect.is_neutral();
    let mut draft = if is_renamed { in_dialect(draft, dialect) } else { draft };
    if context.takes_sessions {
        reply::ask_for_session(&mut draft);
    }
    reply::name_realm(&mut draft, dialect.auth_realm());
    if let Some(budget) = &context.trace.budget {
        rate_limit::tell(budget, &mut draft);
    }
    plain(draft)
}

/// A response that belongs to no world, as it is sent.
pub(super) fn plain(draft: Draft) -> Response {
    draft.map(DraftBody::written)
}

/// A refusal with names as the dialect has them.
fn in_dialect(draft: Draft, dialect: &Dialect) -> Draft {
    let (mut head, body) = draft.into_parts();
    let DraftBody::Json { mut value, .. } = body else { return Draft::from_parts(head, body) };
    dialect.translate_refusal(&mut value);
    let hint = head.headers.get(reply::HINT).and_then(|hint| hint.to_str().ok());
    if let Some(hint) = hint.and_then(|hint| HeaderValue::try_from(dialect.with_vendor_names(hint)).ok()) {
        head.headers.insert(reply::HINT, hint);
    }
    Draft::from_parts(head, DraftBody::line(value))
}
