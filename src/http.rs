//! The way of one request: world, route, faults, credentials, parameters, operation, reply, journal.
//!
//! Everything that the core does not know happens here: HTTP, dialects, addresses, hints.

pub mod authentication;
pub mod authority;
mod cors;
pub mod deferral;
mod fault;
pub mod files;
mod hint;
mod key_guard;
mod origin;
mod pages;
pub mod reply;
pub mod request;
pub mod router;
pub mod session;
mod stock;
mod trace;
mod tus;
mod visit;
mod wait;

use crate::api::Operation;
use crate::api::parameter::RawParameters;
use crate::api::server::GetServerSettings;
use crate::error::Error;
use crate::level::emulation;
use crate::world::{WorldSettings, Worlds};
use bytes::Bytes;
use http::{HeaderMap, Method, header};
use origin::{Addressed, TakesSession};
use pages::Page;
use request::ApiRequest;
use router::Router;
use serde_json::Value;
use session::Session;
use std::sync::Arc;
use tokio::sync::Semaphore;
use visit::Visit;

pub use cors::Cors;
pub use fault::ConnectionFault;
pub use key_guard::KeyGuard;
pub use origin::origin_of;
pub use visit::Answer;

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
    /// What the root of a server without a default world answers with.
    pub settings: WorldSettings,
    router: Router,
    stock_clients: stock::StockClients,
    room: Arc<Semaphore>,
}

impl Edge {
    /// An edge before these worlds.
    pub fn new(worlds: Arc<Worlds>, key_guard: KeyGuard, settings: WorldSettings) -> Self {
        Self {
            worlds,
            scheme: "http",
            cors: Cors::new(key_guard.cors_origin.clone()),
            key_guard,
            settings,
            router: Router::new(),
            stock_clients: stock::StockClients::default(),
            room: deferral::room(),
        }
    }

    /// Answers a request with what it was sent with. `bound` is the world that the request's port belongs to, if it
    /// belongs to one.
    pub fn respond(
        &self,
        incoming: &mut ApiRequest,
        sent: Result<RawParameters, Error>,
        bound: Option<&str>,
    ) -> Answer {
        let asked = Cors::asked(&incoming.method, &incoming.headers);
        if asked.is_of_preflight() {
            return Answer::Now(self.cors.decorate(&asked, reply::empty(204)));
        }
        self.take_session(incoming, bound);
        match self.find_world(incoming, sent, bound) {
            Answer::Now(response) => Answer::Now(self.cors.decorate(&asked, response)),
            // No page asks: nothing to add, and one future less to keep while a poll waits.
            later @ Answer::Later(_) if asked.is_of_none() => later,
            Answer::Later(response) => {
                let cors = self.cors.clone();
                Answer::Later(Box::pin(async move { cors.decorate(&asked, response.await) }))
            }
        }
    }

    /// Refuses a request whose body was not even read.
    pub fn refuse(&self, method: &Method, headers: &HeaderMap, error: &Error) -> Response {
        self.cors.decorate(&Cors::asked(method, headers), reply::failure(error, hint::for_error(error)))
    }

    /// Reads the session of a request whose path takes any: it stands for credentials.
    fn take_session(&self, incoming: &mut ApiRequest, bound: Option<&str>) {
        // Most requests have nothing to do with sessions, which is seen at once.
        if !incoming.headers.contains_key(header::COOKIE) && !incoming.path().contains("/json/") {
            return;
        }
        let addressed = origin::address(incoming, bound);
        let takes = addressed.takes_session();
        if takes == TakesSession::No {
            return;
        }
        let session = self.worlds.get(&addressed.world).and_then(|world| Session::find(&world, &incoming.headers));
        if takes == TakesSession::Alone || incoming.credentials.is_none() {
            incoming.credentials = session.as_ref().map(Session::credentials);
        }
        incoming.session = session;
    }

    fn find_world(&self, incoming: &ApiRequest, sent: Result<RawParameters, Error>, bound: Option<&str>) -> Answer {
        let addressed = origin::address(incoming, bound);
        let Some(world) = self.worlds.get(&addressed.world) else {
            return Answer::Now(finished(self.without_world(incoming, &addressed)));
        };
        match (addressed.path_of_operation(), files::kind(addressed.path)) {
            (Some(path), _) => Visit::new(self, incoming, world, &addressed, path).answer(sent),
            (None, Some(kind)) => visit::file(self, incoming, &world, &addressed, kind),
            (None, None) if let Some(page) = Page::find(incoming, &addressed) => {
                pages::respond(self, incoming, &world, &addressed, page, sent)
            }
            (None, None) => Answer::Now(finished(files::serve(&world, incoming, &addressed).map_err(|error| {
                let hint =
                    (error == Error::UnknownPath).then(|| hint::outside(incoming.method.as_str(), addressed.path));
                (error, hint)
            }))),
        }
    }

    /// A hint at an operation that another level has.
    fn operation_of_another_level(&self, method: &str, path: &str, feature_level: i64) -> Option<String> {
        let row = self.router.of_another_level(method, path, feature_level)?;
        Some(hint::operation_of_another_level(row, feature_level))
    }

    /// The root of a server without a default world knows its own settings and nothing else.
    fn without_world(&self, incoming: &ApiRequest, addressed: &Addressed<'_>) -> Result<Response, Refusal> {
        let is_settings = addressed.path == "/api/v1/server_settings" && addressed.is_root;
        if is_settings && matches!(incoming.method, Method::GET | Method::HEAD) {
            let user_agent = incoming.header(header::USER_AGENT).unwrap_or_default();
            let settings = crate::api::server::root_settings(addressed.origin, self.settings.feature_level, user_agent);
            let raw = RawParameters::default();
            let bytes = crate::api::envelope::<<GetServerSettings as Operation>::Params>(&settings, &raw);
            let to_level = emulation(self.settings.feature_level)
                .map(|emulation| |reply: &mut Value| emulation.answer_without_realm(GetServerSettings::ROUTE, reply));
            return Ok(reply::success(shape(&self.settings, addressed.origin.prefix, bytes, to_level)));
        }
        let names: Vec<String> = self.worlds.all().iter().map(|world| world.name().to_owned()).collect();
        Err((Error::UnknownWorld, Some(hint::nearest_world(&addressed.world, &names))))
    }
}

/// A reply or the refusal's.
fn finished(outcome: Result<Response, Refusal>) -> Response {
    outcome.unwrap_or_else(|(error, hint)| reply::failure(&error, hint.or_else(|| hint::for_error(&error))))
}

/// Brings a reply to a world's level, into its dialect and to the caller's address. Most need none of it, which is seen
/// without taking them apart.
fn shape(settings: &WorldSettings, prefix: &str, bytes: Vec<u8>, to_level: Option<impl FnOnce(&mut Value)>) -> Vec<u8> {
    let has_addresses = !prefix.is_empty() && origin::may_have_addresses(&bytes);
    if to_level.is_none() && !has_addresses && !settings.dialect.may_rename(&bytes) {
        return bytes;
    }
    let Ok(mut value) = serde_json::from_slice(&bytes) else { return bytes };
    if let Some(to_level) = to_level {
        to_level(&mut value);
    }
    origin::prefix_addresses(&mut value, prefix);
    if !settings.dialect.is_neutral() {
        settings.dialect.translate(&mut value);
    }
    let mut bytes = serde_json::to_vec(&value).unwrap_or(bytes);
    bytes.push(b'\n');
    bytes
}
