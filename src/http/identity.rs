//! The credentials of a request's caller: from the `Authorization` header, a browser's session, or the key of an
//! incoming webhook.

use super::address::{Address, SessionUse};
use super::request::{IncomingRequest, RequestHead};
use super::router::RouteMatch;
use super::session::Session;
use super::{Edge, authentication, incoming_webhooks};
use crate::world::World;
use bytes::Bytes;
use http::header;
use std::sync::Arc;

/// Sets the session of a request, and replaces the credentials of the header with those of the session or of the
/// webhook's key, where the address accepts them.
pub(super) fn set_credentials(world: &World, incoming: &mut IncomingRequest, address: &Address<'_>) {
    apply_session(world, incoming, address.session_use);
    if address.operation_path.is_some_and(incoming_webhooks::is_service_path) {
        incoming.credentials = incoming_webhooks::credentials(&world.snapshot(), incoming);
    }
}

fn apply_session(world: &World, incoming: &mut IncomingRequest, session_use: SessionUse) {
    let has_cookie = incoming.headers().contains_key(header::COOKIE);
    if session_use == SessionUse::Never || (session_use == SessionUse::WithoutKey && !has_cookie) {
        return;
    }
    let session = Session::find(world, incoming.headers());
    if session_use == SessionUse::Always || incoming.credentials.is_none() {
        incoming.credentials = session.as_ref().map(Session::credentials);
        incoming.has_session_credentials = session.is_some();
    }
    incoming.session = session;
}

/// Whether the caller may send a large body. This is checked before the body is read, so that callers without access
/// cannot fill the memory.
pub(super) fn may_send_large_body(edge: &Edge, head: &Arc<RequestHead>, address: &Address<'_>) -> bool {
    let (Some(world), Some(path)) = (edge.worlds.get(&address.world), address.operation_path) else {
        return false;
    };
    let mut incoming = IncomingRequest::from_parts(head.clone(), Bytes::new());
    set_credentials(&world, &mut incoming, address);
    let realm = world.snapshot();
    if let Ok(Some(_)) = authentication::authenticate(&realm, &incoming.credentials) {
        return true;
    }
    let settings = world.settings();
    let path = settings.dialect.neutral_path(path);
    match edge.router.find(head.method.as_str(), path, settings.feature_level) {
        RouteMatch::Operation(row, _) => row.access.accepts_spectators(&realm),
        RouteMatch::WrongMethod(_) | RouteMatch::UnknownPath => false,
    }
}
