//! What the network between a client and its world does to requests and replies.

use super::address::Address;
use super::reply::{ConnectionFault, Delivery};
use super::request::{ApiRequest, RequestHead};
use super::{Edge, Response, identity};
use crate::fault::network::Passage;
use crate::world::World;
use bytes::Bytes;
use http::header;
use std::sync::Arc;

impl Edge {
    /// How many bytes of its body a client sends in a second; None: as many as there are.
    pub fn uplink(&self, head: &Arc<RequestHead>, port_world: Option<&str>) -> Option<u64> {
        // Most requests have no body, which is seen at once.
        if !head.headers.contains_key(header::CONTENT_LENGTH) && !head.headers.contains_key(header::TRANSFER_ENCODING) {
            return None;
        }
        let address = Address::of(head, port_world);
        let world = self.worlds.get(&address.world)?;
        if world.networks().lock().is_empty() {
            return None;
        }
        let mut incoming = ApiRequest::new(head.clone(), Bytes::new());
        identity::identify(&world, &mut incoming, &address);
        world.networks().lock().bytes_per_second(user(&incoming))
    }
}

/// The reply as it is sent over the network that its client is on when it is ready.
pub fn sent_over(world: &World, incoming: &ApiRequest, mut response: Response) -> Response {
    let mut networks = world.networks().lock();
    if networks.is_empty() {
        return response;
    }
    let Some(Passage { latency, bytes_per_second, is_lost }) = networks.passage(user(incoming)) else {
        return response;
    };
    drop(networks);
    if is_lost {
        response.extensions_mut().insert(ConnectionFault::Dropped);
    }
    response.extensions_mut().insert(Delivery { latency, bytes_per_second });
    response
}

/// The address that the credentials claim.
fn user(incoming: &ApiRequest) -> Option<&str> {
    incoming.credentials.as_ref()?.as_ref().ok().map(|credentials| &**credentials.email())
}
