//! What follows from an operation outside of the realm.

use super::context::RequestContext;
use super::draft::Draft;
use super::session;
use crate::api::{Effect, Row};
use crate::realm::id::UserId;

/// Ends, keeps and opens sessions as follows from an operation that was carried out; `opened` is whose session it opens.
pub(super) fn with_sessions(
    context: &RequestContext<'_>,
    row: &Row,
    opened: Option<UserId>,
    mut draft: Draft,
) -> Draft {
    let world = context.world;
    if row.has(Effect::EndsSessions) {
        world.end_sessions_of_deactivated();
    }
    if let Some(session) = context.incoming.session.as_ref().filter(|_| row.has(Effect::KeepsSession)) {
        world.keep_session(&session.id);
    }
    if let Some(user) = opened.and_then(|user| world.published().user(user).cloned()) {
        session::open(world, context.origin, &user, &mut draft);
    }
    draft
}
