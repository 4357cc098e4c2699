//! The HTTP side of the API: from a request's world, body, target, parameters and faults, and its caller, to the
//! operation, its reply and the entry in the journal. `respond.rs` runs these stages in their order, `operation.rs`
//! those of an operation.
//!
//! The layers below use only neutral names, and neither read requests nor write replies of HTTP.

mod adaptation;
mod address;
pub mod authentication;
mod authorize;
pub mod body;
mod conditional;
mod context;
mod cors;
mod fault;
pub mod files;
mod hint;
pub mod host;
mod identity;
mod incoming_webhooks;
mod key_guard;
mod late_reply;
mod network;
mod operation;
pub mod outgoing_webhook_request;
#[cfg(feature = "pages")]
mod pages;
#[cfg(not(feature = "pages"))]
mod pages_stubs;
mod parameters;
mod pending_response;
mod permit;
mod poll;
mod protocol;
mod pseudo_locale;
mod rate_limit;
pub mod reply;
mod report;
pub mod request;
mod respond;
pub mod router;
mod run;
mod serialize;
pub mod session;
mod session_effects;
mod setup_warnings;
pub mod single_header;
mod target;
mod trace;
mod unknown_world;
mod url_prefix;
pub mod viewer;

use crate::world::{WorldSettings, Worlds};
use body::BodyMemory;
use bytes::{Buf, Bytes};
use futures_util::Stream;
#[cfg(not(feature = "pages"))]
use pages_stubs as pages;
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

pub type Response = http::Response<Bytes>;

/// The state that all requests share: the worlds of a server and its settings for HTTP.
pub struct Edge {
    /// All worlds of the server, including the default one.
    pub worlds: Arc<Worlds>,
    /// `http`, or `https` where all connections are encrypted.
    pub scheme: &'static str,
    pub cors: Cors,
    pub key_guard: KeyGuard,
    /// Whether the page for an unknown world lists the names of all worlds.
    pub lists_worlds: bool,
    /// The server's settings: for worlds that the library adds, and for requests to the root of a server without a
    /// default world.
    pub settings: WorldSettings,
    router: &'static Router,
    pub(crate) setup_warnings: SetupWarnings,
    /// Limits how many slow requests run at once.
    slow_request_permits: Arc<Semaphore>,
    /// The memory for large bodies of the API, and of control calls that take no documents.
    pub body_memory: Arc<BodyMemory>,
    /// The memory for large bodies of control calls that take documents.
    pub document_memory: Arc<BodyMemory>,
}

impl Edge {
    pub fn new(worlds: Arc<Worlds>, key_guard: KeyGuard, settings: WorldSettings) -> Self {
        Self {
            worlds,
            scheme: "http",
            cors: Cors::new(key_guard.cors_origin.clone()),
            key_guard,
            lists_worlds: true,
            settings,
            router: Router::shared(),
            setup_warnings: SetupWarnings::default(),
            slow_request_permits: permit::slow_request_semaphore(),
            body_memory: BodyMemory::of_api(),
            document_memory: BodyMemory::of_documents(),
        }
    }

    /// Answers a request for an operation, a file or a page. `port_world` is the world whose port received the
    /// request, if the port belongs to a single world.
    pub async fn respond(
        &self,
        head: Arc<RequestHead>,
        body: impl Stream<Item = Result<impl Buf, impl Display>>,
        port_world: Option<&str>,
    ) -> Response {
        respond::respond(self, head, body, port_world).await
    }
}
