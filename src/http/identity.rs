//! Who calls, as far as a request says: by its header, by the session of a browser, by the key of a delivery.

use super::address::{Address, TakesSession};
use super::request::{ApiRequest, RequestHead};
use super::router::RouteMatch;
use super::session::Session;
use super::{Edge, authentication, deliveries};
use crate::world::World;
use bytes::Bytes;
use http::header;
use std::sync::Arc;

/// Reads the session or the key of a delivery where the address takes one: it replaces the credentials of the header.
pub(super) fn identify(world: &World, incoming: &mut ApiRequest, address: &Address<'_>) {
    take_session(world, incoming, address.takes_session);
    if address.operation.is_some_and(deliveries::is_of_service) {
        incoming.credentials = deliveries::credentials(&world.snapshot(), incoming);
    }
}

fn take_session(world: &World, incoming: &mut ApiRequest, takes: TakesSession) {
    // Most requests have nothing to do with sessions, which is seen at once.
    if takes == TakesSession::No || (takes == TakesSession::Too && !incoming.headers().contains_key(header::COOKIE)) {
        return;
    }
    let session = Session::find(world, incoming.headers());
    if takes == TakesSession::Alone || incoming.credentials.is_none() {
        incoming.credentials = session.as_ref().map(Session::credentials);
        incoming.acts_in_session = session.is_some();
    }
    incoming.session = session;
}

/// Whether the caller may send more than a form: before megabytes of a body are taken, the caller is known.
pub(super) fn may_send_large_body(edge: &Edge, head: &Arc<RequestHead>, address: &Address<'_>) -> bool {
    let (Some(world), Some(path)) = (edge.worlds.get(&address.world), address.operation) else {
        return false;
    };
    let mut incoming = ApiRequest::new(head.clone(), Bytes::new());
    identify(&world, &mut incoming, address);
    let realm = world.snapshot();
    if let Ok(Some(_)) = authentication::caller(&realm, &incoming.credentials) {
        return true;
    }
    let settings = world.settings();
    let path = settings.dialect.neutral_path(path);
    match edge.router.find(head.method.as_str(), path, settings.feature_level) {
        RouteMatch::Operation(row, _) => row.access.takes_visitors(&realm),
        RouteMatch::WrongMethod(_) | RouteMatch::Nothing => false,
    }
}
