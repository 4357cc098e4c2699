//! The path of one request: world, route, faults, credentials, parameters, operation, reply, journal. `respond.rs` has
//! its stages in their order.
//!
//! All that the core does not know happens here: HTTP, dialects, addresses, hints.

mod address;
pub mod authentication;
pub mod authority;
mod authorize;
pub mod body;
mod context;
mod cors;
mod deliveries;
mod draft;
mod effects;
mod fault;
pub mod files;
mod hint;
mod identity;
mod key_guard;
mod network;
mod operation;
mod pages;
mod permit;
mod poll;
mod prefix;
mod protocol;
mod pseudo_locale;
mod ranges;
mod rate_limit;
pub mod reply;
mod report;
pub mod request;
mod respond;
pub mod router;
mod run;
pub mod session;
mod setup_warnings;
mod shape;
mod target;
mod trace;
mod unknown_world;
pub mod webhook;
mod write;

use crate::world::{WorldSettings, Worlds};
use body::BodyRoom;
use bytes::{Buf, Bytes};
use futures_util::Stream;
use request::RequestHead;
use router::Router;
use setup_warnings::SetupWarnings;
use std::fmt::Display;
use std::sync::Arc;
use tokio::sync::Semaphore;

pub use address::origin_of;
pub use cors::Cors;
pub use key_guard::KeyGuard;
pub use pages::methods_of_page;
pub use reply::{ConnectionFault, Delivery};

/// A reply as the server sends it.
pub type Response = http::Response<Bytes>;

/// What all requests share.
pub struct Edge {
    /// All that are served, the default one too.
    pub worlds: Arc<Worlds>,
    /// `http`, or `https` where all connections are encrypted.
    pub scheme: &'static str,
    /// Which web pages may call the API.
    pub cors: Cors,
    /// Which pages and hosts get keys without a password.
    pub key_guard: KeyGuard,
    /// Whether all users of this machine may see the names of all worlds.
    pub lists_worlds: bool,
    /// What the root of a server without a default world answers with.
    pub settings: WorldSettings,
    router: Router,
    setup_warnings: SetupWarnings,
    room: Arc<Semaphore>,
    /// Memory for bodies of the API and of control.
    pub body_room: Arc<BodyRoom>,
    /// Memory for documents.
    pub document_room: Arc<BodyRoom>,
}

impl Edge {
    /// An edge before these worlds.
    pub fn new(worlds: Arc<Worlds>, key_guard: KeyGuard, settings: WorldSettings) -> Self {
        Self {
            worlds,
            scheme: "http",
            cors: Cors::new(key_guard.cors_origin.clone()),
            key_guard,
            lists_worlds: true,
            settings,
            router: Router::new(),
            setup_warnings: SetupWarnings::default(),
            room: permit::room(),
            body_room: BodyRoom::of_api(),
            document_room: BodyRoom::of_documents(),
        }
    }

    /// Answers a request for an operation, a file or a page. `port_world` is the world that the request's port belongs to,
    /// if it belongs to one.
    pub async fn respond(
        &self,
        head: Arc<RequestHead>,
        body: impl Stream<Item = Result<impl Buf, impl Display>>,
        port_world: Option<&str>,
    ) -> Response {
        respond::respond(self, head, body, port_world).await
    }
}
