//! The way of one request: world, route, faults, credentials, parameters, operation, reply, journal.
//!
//! Everything that the core does not know happens here: HTTP, dialects, addresses, hints.

pub mod authentication;
pub mod authority;
pub mod body;
mod context;
mod cors;
mod deferral;
mod deliveries;
mod dispatch;
mod fault;
pub mod files;
mod finish;
mod hint;
mod key_guard;
mod network;
mod origin;
mod pages;
mod poll;
mod pseudo_locale;
mod ranges;
mod rate_limit;
pub mod reply;
mod report;
pub mod request;
pub mod router;
pub mod session;
mod stock;
mod trace;
pub mod tus;
pub mod webhook;

use crate::api::parameter::RawParameters;
use crate::api::server::GetServerSettings;
use crate::api::{Operation, rows};
use crate::error::Error;
use crate::level::emulation;
use crate::world::{World, WorldSettings, Worlds};
use body::{Body, BodyLimit, BodyRoom, read_body};
use bytes::{Buf, Bytes};
use context::RequestContext;
use deferral::{Permit, aside};
use finish::{finished, shape};
use futures_util::Stream;
use http::{Method, header};
use origin::{Addressed, TakesSession};
use pages::Page;
use request::{ApiRequest, RequestHead};
use router::{RouteMatch, Router};
use serde_json::Value;
use session::Session;
use std::fmt::Display;
use std::sync::Arc;
use tokio::sync::Semaphore;

pub use cors::Cors;
pub use key_guard::KeyGuard;
pub use origin::origin_of;
pub use pages::methods_of_page;
pub use reply::{ConnectionFault, Delivery};

/// A reply as the server sends it.
pub type Response = http::Response<Bytes>;

/// A refusal, with a hint when there is one.
type Refusal = (Error, Option<String>);

/// What all requests share.
pub struct Edge {
    /// The worlds.
    pub worlds: Arc<Worlds>,
    /// `http`, or `https` when all connections are such.
    pub scheme: &'static str,
    /// Which web pages may call the API.
    pub cors: Cors,
    /// Which pages and hosts get keys without a password.
    pub key_guard: KeyGuard,
    /// Whether everybody on this machine may see the names of all worlds.
    pub lists_worlds: bool,
    /// What the root of a server without a default world answers with.
    pub settings: WorldSettings,
    router: Router,
    stock_clients: stock::StockClients,
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
            stock_clients: stock::StockClients::default(),
            room: deferral::room(),
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
        let asked = Cors::asked(&head.method, &head.headers);
        let is_wanted = || !asked.is_of_preflight() && self.wants_large_body(&head, port_world);
        let limit = BodyLimit::of_api(&head.headers);
        let response = match read_body(&head.headers, limit, &self.body_room, body, is_wanted).await {
            Ok(_) if asked.is_of_preflight() => reply::empty(204),
            Ok(body) => self.respond_in_world(&head, &body, port_world).await,
            Err(error) => reply::failure(&error, hint::for_error(&error)),
        };
        self.cors.decorate(&asked, response, |origin| self.key_guard.lets_in(origin) && gives_keys(&head, port_world))
    }

    /// Whether somebody asks who may send more than a form: before megabytes of a body are taken, the caller is known.
    fn wants_large_body(&self, head: &Arc<RequestHead>, port_world: Option<&str>) -> bool {
        let addressed = origin::address(head, port_world);
        let (Some(world), Some(path)) = (self.worlds.get(&addressed.world), addressed.path_of_operation()) else {
            return false;
        };
        let mut incoming = ApiRequest::new(head.clone(), Bytes::new());
        take_session(&world, &mut incoming, addressed.takes_session());
        take_key(&world, &mut incoming, &addressed);
        let realm = world.snapshot();
        if let Ok(Some(_)) = authentication::caller(&realm, &incoming.credentials) {
            return true;
        }
        let settings = world.settings();
        let path = settings.dialect.neutral_path(path);
        match self.router.find(head.method.as_str(), path, settings.feature_level) {
            RouteMatch::Operation(row, _) => row.access.takes_visitors(&realm),
            RouteMatch::WrongMethod(_) | RouteMatch::Nothing => false,
        }
    }

    async fn respond_in_world(&self, head: &Arc<RequestHead>, body: &Body, port_world: Option<&str>) -> Response {
        let addressed = origin::address(head, port_world);
        let mut incoming = ApiRequest::with_body(head.clone(), body);
        let Some(world) = self.worlds.get(&addressed.world) else {
            return finished(self.without_world(&incoming, &addressed));
        };
        let permit = match self.deferral(&world, &incoming, &addressed) {
            Some(deferral) => Some(deferral.permitted().await),
            None => None,
        };
        take_session(&world, &mut incoming, addressed.takes_session());
        take_key(&world, &mut incoming, &addressed);
        let context = RequestContext::new(self, &incoming, &world, &addressed);
        let response = match addressed.path_of_operation() {
            Some(path) => dispatch::operation(context, path, permit).await,
            None => Self::respond_outside_api(context, &addressed, permit).await,
        };
        network::sent_over(&world, &incoming, response)
    }

    /// Answers a request for a file or a page.
    async fn respond_outside_api(
        context: RequestContext<'_>,
        addressed: &Addressed<'_>,
        permit: Option<Permit>,
    ) -> Response {
        let RequestContext { incoming, world, .. } = context;
        match files::kind(addressed.path) {
            Some(kind) => dispatch::file(context, addressed, kind).await,
            None if let Some(page) = Page::find(incoming, addressed) => {
                aside(permit.as_ref(), || pages::respond(&context, addressed, page))
            }
            None => finished(files::serve(world, incoming, addressed).map_err(|error| {
                let hint =
                    (error == Error::UnknownPath).then(|| hint::outside(incoming.method().as_str(), addressed.path));
                (error, hint)
            })),
        }
    }

    /// The root of a server without a default world knows its own settings and nothing else.
    fn without_world(&self, incoming: &ApiRequest, addressed: &Addressed<'_>) -> Result<Response, Refusal> {
        let is_settings = addressed.path == "/api/v1/server_settings" && addressed.is_root;
        if is_settings && matches!(*incoming.method(), Method::GET | Method::HEAD) {
            let user_agent = incoming.header(header::USER_AGENT).unwrap_or_default();
            let settings = crate::api::server::root_settings(addressed.origin, self.settings.feature_level, user_agent);
            let raw = RawParameters::default();
            let bytes = crate::api::envelope::<<GetServerSettings as Operation>::Params>(&settings, &raw);
            let to_level = emulation(self.settings.feature_level)
                .map(|emulation| |reply: &mut Value| emulation.answer_without_realm(GetServerSettings::ROUTE, reply));
            return Ok(reply::success(shape(&self.settings, addressed.origin.prefix, bytes, to_level)));
        }
        let names: Vec<String> = self.worlds.all().iter().map(|world| world.name().to_owned()).collect();
        let is_looked_at = matches!(*incoming.method(), Method::GET | Method::HEAD) && incoming.accepts_html();
        if is_looked_at && self.key_guard.is_for_this_machine(incoming.headers()) {
            let listed = if self.lists_worlds { names.as_slice() } else { &[] };
            return Ok(pages::unknown_world(&addressed.world, listed));
        }
        Err((Error::UnknownWorld, Some(hint::nearest_world(&addressed.world, &names))))
    }
}

/// Whether a request is for what opens accounts without a password: an operation that gives keys, or a page to sign in.
fn gives_keys(head: &RequestHead, port_world: Option<&str>) -> bool {
    let addressed = origin::address(head, port_world);
    match addressed.path_of_operation() {
        Some(path) => rows().any(|row| row.gives_keys && row.route.path == path),
        None => methods_of_page(addressed.path).is_some(),
    }
}

/// Reads the key of a delivery, which replaces credentials.
fn take_key(world: &World, incoming: &mut ApiRequest, addressed: &Addressed<'_>) {
    if addressed.path_of_operation().is_some_and(deliveries::is_of_service) {
        incoming.credentials = deliveries::credentials(&world.snapshot(), incoming);
    }
}

/// Reads the session of a request whose path takes any: it replaces credentials.
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
