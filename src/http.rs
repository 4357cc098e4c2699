//! The way of one request: world, route, credentials, parameters, operation, reply.
//!
//! Everything that the core does not know happens here: HTTP, dialects, addresses, hints.

pub mod authentication;
mod cors;
mod files;
mod hint;
mod origin;
mod reply;
pub mod request;
pub mod router;
mod wait;

use crate::api::{Access, Call, Origin, Row, Run};
use crate::error::Error;
use crate::realm::user::User;
use crate::world::{World, WorldSettings, Worlds};
use bytes::Bytes;
use http::{HeaderMap, Method, header};
use origin::Addressed;
use request::Incoming;
use router::{Found, Router};
use std::sync::Arc;

pub use cors::Cors;

/// A reply as the server sends it.
pub type Response = http::Response<Bytes>;

/// What all requests share.
pub struct Edge {
    /// The worlds.
    pub worlds: Arc<Worlds>,
    /// Which web pages may call the API.
    pub cors: Cors,
    /// What the root of a server without a default world answers with.
    pub settings: WorldSettings,
    router: Router,
}

/// A request that found its operation.
struct Matched {
    row: &'static Row,
    path: Vec<(String, String)>,
}

impl Edge {
    /// An edge before these worlds.
    pub fn new(worlds: Arc<Worlds>, cors: Cors, settings: WorldSettings) -> Self {
        Self { worlds, cors, settings, router: Router::new() }
    }

    /// Answers a request. `bound` is the world that the request's port belongs to, if it belongs to one.
    pub async fn respond(
        &self,
        incoming: Result<Incoming, (Method, HeaderMap, Error)>,
        bound: Option<&str>,
    ) -> Response {
        let (method, headers, result) = match incoming {
            Err((method, headers, error)) => (method, headers, Err((error, None))),
            Ok(incoming) => {
                let (method, headers) = (incoming.method.clone(), incoming.headers.clone());
                if method == Method::OPTIONS && headers.contains_key(header::ACCESS_CONTROL_REQUEST_METHOD) {
                    return self.cors.decorate(&headers, reply::empty(204));
                }
                (method, headers, self.dispatch(incoming, bound).await)
            }
        };
        let response = match result {
            Ok(response) => response,
            Err((error, hint)) => reply::failure(&error, hint.or_else(|| hint::for_error(&error))),
        };
        let _ = method;
        self.cors.decorate(&headers, response)
    }

    async fn dispatch(&self, incoming: Incoming, bound: Option<&str>) -> Result<Response, (Error, Option<String>)> {
        let addressed = origin::address(&incoming, bound);
        let Some(world) = self.worlds.get(&addressed.world) else {
            return self.without_world(&incoming, &addressed);
        };
        let Some(path) = addressed.path.strip_prefix("/api/v1") else {
            let world = world.clone();
            return files::serve(&world, &incoming, &addressed).map_err(|error| (error, None));
        };
        let dialect = world.settings().dialect.clone();
        let path = dialect.neutral_path(path).into_owned();
        let mut raw = request::parameters(&incoming).await.map_err(|error| (error, None))?;
        if !dialect.is_neutral() {
            raw.values = origin::neutral_parameters(&dialect, std::mem::take(&mut raw.values));
        }
        let method = effective_method(&incoming.method, &mut raw.values);
        let matched = match self.router.find(&method, &path) {
            Found::Operation(row, values) => Matched { row, path: values },
            Found::WrongMethod(methods) if method == "OPTIONS" => return Ok(reply::allowed(&methods)),
            Found::WrongMethod(methods) => {
                let hint = format!("{path} takes {}.", methods.join(", "));
                return Err((Error::MethodNotAllowed { allowed_methods: methods.into() }, Some(hint)));
            }
            Found::Nothing => return Err((Error::UnknownPath, Some(hint::nearest_operation(&method, &path)))),
        };
        raw.path = matched.path;
        let caller = self.caller(&world, matched.row, &incoming).map_err(|error| {
            let hint = hint::for_access(&error, matched.row);
            (error, hint)
        })?;
        let call = Call {
            caller,
            origin: &addressed.origin,
            client: client_name(&incoming).into(),
            now: world.now(),
            feature_level: world.settings().feature_level,
            files: &raw.files,
        };
        let outcome = match matched.row.run {
            Run::Now(run) => run(&world, &call, &raw),
            Run::Poll => wait::poll(&world, &call, &raw).await,
        };
        match outcome {
            Ok(bytes) => Ok(reply::success(shape(world.settings(), &addressed.origin, bytes))),
            Err(error) => {
                let hint = hint::for_parameters(&error, matched.row, &raw);
                Err((error, hint))
            }
        }
    }

    /// The caller of an operation, as its access demands.
    fn caller(&self, world: &World, row: &Row, incoming: &Incoming) -> Result<Option<Arc<User>>, Error> {
        if row.access == Access::Anyone {
            return Ok(None);
        }
        let realm = world.snapshot();
        let Some(header) = incoming.header(header::AUTHORIZATION) else {
            let is_visitor = row.access == Access::UserOrVisitor && realm.has_public_access();
            return if is_visitor { Ok(None) } else { Err(Error::NotLoggedIn) };
        };
        let user = authentication::authenticate(&realm, header)?;
        row.access.check(&realm, &user)?;
        Ok(Some(user))
    }

    /// The root of a server without a default world knows its own settings and nothing else.
    fn without_world(&self, incoming: &Incoming, addressed: &Addressed) -> Result<Response, (Error, Option<String>)> {
        let is_settings = addressed.path == "/api/v1/server_settings" && addressed.world == Worlds::DEFAULT;
        if is_settings && matches!(incoming.method, Method::GET | Method::HEAD) {
            let settings = crate::api::server::root_settings(&addressed.origin, self.settings.feature_level);
            let raw = crate::api::parameter::RawParameters::default();
            let bytes = crate::api::envelope::<crate::api::server::GetServerSettingsParams>(settings, &raw);
            return Ok(reply::success(shape(&self.settings, &addressed.origin, bytes)));
        }
        let names: Vec<String> = self.worlds.all().iter().map(|world| world.name().to_owned()).collect();
        Err((Error::UnknownWorld, Some(hint::nearest_world(&addressed.world, &names))))
    }
}

/// Brings a reply into a world's dialect and the caller's address; most need neither.
fn shape(settings: &WorldSettings, origin: &Origin, bytes: Vec<u8>) -> Vec<u8> {
    if origin.prefix.is_empty() && settings.dialect.is_neutral() {
        return bytes;
    }
    let Ok(mut value) = serde_json::from_slice(&bytes) else { return bytes };
    origin::prefix_addresses(&mut value, &origin.prefix);
    if !settings.dialect.is_neutral() {
        settings.dialect.translate(&mut value);
    }
    let mut bytes = serde_json::to_vec(&value).unwrap_or(bytes);
    bytes.push(b'\n');
    bytes
}

/// A POST may name another method in its parameter `method`; HEAD is carried out as GET.
fn effective_method(method: &Method, values: &mut std::collections::BTreeMap<String, String>) -> String {
    if method == Method::POST {
        let is_method = |text: &String| matches!(text.as_str(), "GET" | "PATCH" | "PUT" | "DELETE");
        if values.get("method").is_some_and(is_method) {
            return values.remove("method").unwrap_or_default();
        }
    }
    if method == Method::HEAD { "GET".into() } else { method.as_str().into() }
}

/// What a client calls itself: the first word of its User-Agent.
fn client_name(incoming: &Incoming) -> String {
    let agent = incoming.header(header::USER_AGENT).unwrap_or_default();
    let name: String = agent.chars().take_while(|character| !matches!(character, '/' | ' ' | '(')).collect();
    if name.is_empty() { "Unspecified".into() } else { name }
}
