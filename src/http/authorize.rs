//! Authorization: finds the caller of an operation and checks that they may call it.

use super::context::{RequestContext, RoutedRequest};
use super::{authentication, rate_limit, session};
use crate::api::Access;
use crate::error::Error;
use crate::realm::Realm;
use crate::realm::user::User;
use std::sync::Arc;

/// Returns the caller of an operation; None for spectators, and for operations that need no credentials.
/// Charges the request to the caller's budget, if a rate limit applies.
///
/// # Errors
///
/// The errors of [`authentication::authenticate`], `NotLoggedIn`, `RealmDeactivated`, `CsrfFailed`, `RateLimitHit`, and
/// the errors of [`Access::check`], also for the access that the operation required at the world's level.
pub(super) fn authorize(
    context: &mut RequestContext<'_>,
    routed: &RoutedRequest,
    realm: &Realm,
) -> Result<Option<Arc<User>>, Error> {
    let row = routed.row;
    let access = context.emulation.map_or(row.access, |emulation| emulation.access_at_level(row.route, row.access));
    let caller = match access {
        Access::Anyone => None,
        _ => match authentication::authenticate(realm, &context.incoming.credentials)? {
            None if access != Access::UserOrSpectator || !realm.allows_spectators() => return Err(Error::NotLoggedIn),
            None if realm.organization.is_deactivated => return Err(Error::RealmDeactivated),
            caller => {
                check_session_request(context, routed)?;
                caller
            }
        },
    };
    rate_limit::charge(context.world, row, caller.as_deref(), &mut context.trace.budget)?;
    if let Some(caller) = &caller {
        access.check(realm, caller)?;
        if let Some(emulation) = context.emulation {
            emulation.check_former_access(row.route, realm, caller)?;
        }
    }
    // The caller had no access before the body was read, so the body was discarded and the operation cannot run now.
    if context.incoming.lacks_body { Err(Error::NotLoggedIn) } else { Ok(caller) }
}

/// Checks a request in a session with [`session::check_csrf`]; accepts all other requests.
///
/// # Errors
///
/// `CsrfFailed`.
fn check_session_request(context: &RequestContext<'_>, routed: &RoutedRequest) -> Result<(), Error> {
    let incoming = context.incoming;
    if !context.requires_session && !incoming.has_session_credentials {
        return Ok(());
    }
    session::check_csrf(
        &context.edge.key_guard,
        (&routed.csrf_method, incoming.headers()),
        routed.csrf_token.as_deref(),
    )
}
