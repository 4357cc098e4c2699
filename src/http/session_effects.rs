//! The effects of operations on sessions, which are stored outside the realm.

use super::context::RequestContext;
use super::pending_response::PendingResponse;
use super::session;
use crate::api::{Effect, OperationRow};
use crate::realm::id::UserId;

/// Ends and opens sessions after an operation succeeded. The effects of the row say which end: those of deactivated
/// accounts, or the caller's others. A session is opened for `logged_in_user`, if there is one.
pub(super) fn update_sessions(
    context: &RequestContext<'_>,
    row: &OperationRow,
    logged_in_user: Option<UserId>,
    mut response: PendingResponse,
) -> PendingResponse {
    let world = context.world;
    if row.has_effect(Effect::EndsSessions) {
        world.end_inactive_sessions();
    }
    if let Some(session) = context.incoming.session.as_ref().filter(|_| row.has_effect(Effect::EndsOtherSessions)) {
        // The others end by themselves, because their password is no longer that of the account.
        world.keep_session(&session.id);
    }
    if let Some(user) = logged_in_user.and_then(|user| world.published_realm().user(user).cloned()) {
        session::open(world, context.origin, &user, &mut response);
    }
    response
}
