//! Applies the simulated network of a user to the user's requests and replies.

use super::address::Address;
use super::context::RequestContext;
use super::pending_response::PendingResponse;
use super::reply::{ConnectionFault, Delivery};
use super::request::{IncomingRequest, RequestHead};
use super::{Edge, Response, identity};
use crate::fault::NETWORK_FAULT_ID;
use crate::fault::network::ReplyTransfer;
use crate::world::World;
use bytes::Bytes;
use http::header;
use std::sync::Arc;

impl Edge {
    /// The bandwidth for the body of a request, in bytes per second; None means unlimited.
    pub fn upload_bandwidth(&self, head: &Arc<RequestHead>, port_world: Option<&str>) -> Option<u64> {
        // Most requests have no body, and for them no world is looked up.
        if !head.headers.contains_key(header::CONTENT_LENGTH) && !head.headers.contains_key(header::TRANSFER_ENCODING) {
            return None;
        }
        let address = Address::from_request(head, port_world);
        let world = self.worlds.get(&address.world)?;
        if world.networks().lock().is_empty() {
            return None;
        }
        let mut incoming = IncomingRequest::from_parts(head.clone(), Bytes::new());
        identity::set_credentials(&world, &mut incoming, &address);
        world.networks().lock().bytes_per_second(sent_email(&incoming))
    }
}

/// Breaks the connection if the network loses the reply: when the client is offline, or was when its parked poll was
/// answered, or by chance when the client's network changed after the request began, such as while a poll was parked. A
/// fault that fired stays the fault of the request.
pub(super) fn with_reply_loss(context: &mut RequestContext<'_>, mut response: PendingResponse) -> PendingResponse {
    if response.extensions().get::<ConnectionFault>() == Some(&ConnectionFault::Dropped) {
        return response;
    }
    let mut networks = context.world.networks().lock();
    if !context.is_reply_lost && networks.is_empty() {
        return response;
    }
    if context.is_reply_lost || networks.draw_reply_loss(sent_email(context.incoming), context.trace.network) {
        response.extensions_mut().insert(ConnectionFault::Dropped);
        context.trace.fault.get_or_insert_with(|| NETWORK_FAULT_ID.to_owned());
    }
    response
}

/// Adds the latency, bandwidth and loss of the client's network to a reply.
pub fn add_delivery(world: &World, incoming: &IncomingRequest, response: &mut Response) {
    let mut networks = world.networks().lock();
    if networks.is_empty() {
        return;
    }
    let Some(ReplyTransfer { latency, bytes_per_second, is_lost }) = networks.draw_reply_transfer(sent_email(incoming))
    else {
        return;
    };
    drop(networks);
    if is_lost {
        response.extensions_mut().insert(ConnectionFault::Dropped);
    }
    response.extensions_mut().insert(Delivery { latency, bytes_per_second });
}

/// The email address in the credentials, by which networks are assigned; the credentials are not checked.
fn sent_email(incoming: &IncomingRequest) -> Option<&str> {
    incoming.credentials.as_ref()?.as_ref().ok().map(|credentials| &**credentials.email())
}
