//! The way of one request: world, route, faults, credentials, parameters, operation, reply, journal.
//!
//! Everything that the core does not know happens here: HTTP, dialects, addresses, hints.

pub mod authentication;
mod cors;
mod fault;
mod files;
mod hint;
mod origin;
pub mod reply;
pub mod request;
pub mod router;
mod trace;
mod tus;
mod wait;

use crate::api::parameter::RawParameters;
use crate::api::server::GetServerSettings;
use crate::api::{Access, Call, NEWEST_FEATURE_LEVEL, Operation, Origin, Row, Run};
use crate::error::Error;
use crate::level::{self, Emulation, emulation};
use crate::realm::user::User;
use crate::world::{World, WorldSettings, Worlds};
use authentication::Credentials;
use bytes::Bytes;
use http::{HeaderMap, Method, header};
use origin::Addressed;
use request::Incoming;
use router::{Found, Router};
use serde_json::Value;
use std::borrow::Cow;
use std::sync::{Arc, OnceLock};
use trace::Trace;

pub use cors::Cors;
pub use fault::Mangled;

/// A reply as the server sends it.
pub type Response = http::Response<Bytes>;

/// A refusal, with a hint when there is one.
type Refusal = (Error, Option<String>);

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

impl Edge {
    /// An edge before these worlds.
    pub fn new(worlds: Arc<Worlds>, cors: Cors, settings: WorldSettings) -> Self {
        Self { worlds, cors, settings, router: Router::new() }
    }

    /// Answers a request. `bound` is the world that the request's port belongs to, if it belongs to one.
    pub async fn respond(&self, incoming: Result<Incoming, (HeaderMap, Error)>, bound: Option<&str>) -> Response {
        match incoming {
            Err((headers, error)) => {
                self.cors.decorate(&Cors::asked(&headers), reply::failure(&error, hint::for_error(&error)))
            }
            Ok(incoming) => {
                let asked = Cors::asked(&incoming.headers);
                let is_preflight = incoming.method == Method::OPTIONS && asked.is_of_preflight();
                let response = if is_preflight { reply::empty(204) } else { self.find_world(&incoming, bound).await };
                self.cors.decorate(&asked, response)
            }
        }
    }

    async fn find_world(&self, incoming: &Incoming, bound: Option<&str>) -> Response {
        let addressed = origin::address(incoming, bound);
        let Some(world) = self.worlds.get(addressed.world) else {
            return finished(self.without_world(incoming, &addressed));
        };
        let Some(path) = addressed.path.strip_prefix("/api/v1") else {
            return finished(files::serve(&world, incoming, &addressed).map_err(|error| (error, None)));
        };
        let path = world.settings().dialect.neutral_path(path).into_owned();
        let mut trace = Trace::begin(&world, incoming, path);
        let response = self.in_world(&world, incoming, &addressed, &mut trace).await;
        // The deed is told of before a fault holds the reply back: a client that gives up waiting does not undo it.
        let delay = trace.delay;
        trace.end(&world, &response);
        if !delay.is_zero() {
            tokio::time::sleep(delay).await;
        }
        response
    }

    /// Finds the operation, and lets faults have their say before and after it is carried out.
    async fn in_world(
        &self,
        world: &Arc<World>,
        incoming: &Incoming,
        addressed: &Addressed<'_>,
        trace: &mut Trace,
    ) -> Response {
        let feature_level = world.settings().feature_level;
        if tus::is_tus(&trace.path) && feature_level >= level::TUS_SINCE {
            trace.route = Some(tus::PATH);
            let fault = fault::Fault::fire(world, trace);
            return match fault.instead(feature_level) {
                Some(response) => response,
                None => fault.afterwards(tus::respond(world, incoming, addressed, trace)),
            };
        }
        let raw = match request::parameters(incoming).await {
            Ok(raw) => raw,
            Err(error) => return finished(Err((error, None))),
        };
        let mut raw = neutral(world, raw);
        let method = effective_method(&incoming.method, &mut raw.values);
        trace.method.clone_from(&method);
        trace.params.clone_from(&raw.values);
        let found = self.router.find(&method, &trace.path, feature_level);
        let row = if let Found::Operation(row, _) = &found { Some(*row) } else { None };
        trace.route = row.map(|row| row.route.path);
        let fault = fault::Fault::fire(world, trace);
        if let Some(response) = fault.instead(feature_level) {
            return response;
        }
        let outcome = match found {
            Found::Operation(row, values) => {
                raw.path = values;
                self.operate(world, incoming, addressed, row, raw, &fault, trace).await
            }
            Found::WrongMethod(methods) if method == "OPTIONS" => Ok(reply::allowed(&methods)),
            Found::WrongMethod(methods) => {
                let hint = self.younger_operation(&method, &trace.path, feature_level);
                let hint = hint.unwrap_or_else(|| format!("{} takes {}.", trace.path, methods.join(", ")));
                Err((Error::MethodNotAllowed { allowed_methods: methods.into() }, Some(hint)))
            }
            Found::Nothing => {
                let hint = self.younger_operation(&method, &trace.path, feature_level);
                let hint =
                    hint.unwrap_or_else(|| hint::nearest_operation(self.router.nearest_known(&method, &trace.path)));
                Err((Error::UnknownPath, Some(hint)))
            }
        };
        fault.afterwards(finished_at(feature_level, row, outcome))
    }

    /// A hint at an operation that a newer level has.
    fn younger_operation(&self, method: &str, path: &str, feature_level: i64) -> Option<String> {
        if feature_level >= NEWEST_FEATURE_LEVEL {
            return None;
        }
        match self.router.find(method, path, NEWEST_FEATURE_LEVEL) {
            Found::Operation(row, _) => Some(hint::younger_operation(row, feature_level)),
            _ => None,
        }
    }

    #[expect(clippy::too_many_arguments, reason = "each is a thing of its own, and they meet here alone")]
    async fn operate(
        &self,
        world: &Arc<World>,
        incoming: &Incoming,
        addressed: &Addressed<'_>,
        row: &'static Row,
        mut raw: RawParameters,
        fault: &fault::Fault,
        trace: &mut Trace,
    ) -> Result<Response, Refusal> {
        let settings = world.settings();
        let emulation = emulation(settings.feature_level);
        let caller = caller(world, row, emulation, trace.credentials.as_ref()).map_err(|error| {
            let hint = hint::for_access(&error, row).or_else(|| hint::for_error(&error));
            (error, hint)
        })?;
        if let Some(caller) = &caller {
            fault.lose_queues(world, caller);
        }
        if let Some(emulation) = emulation {
            let received = emulation.receive(row.route, &world.snapshot(), caller.as_deref(), &mut raw);
            received.map_err(|error| (error, None))?;
        }
        let call = Call {
            caller,
            origin: &addressed.origin,
            client: client_name(incoming),
            user_agent: incoming.header(header::USER_AGENT).unwrap_or_default(),
            now: world.now(),
            feature_level: settings.feature_level,
            queue_level: emulation.map(Emulation::queue_level).unwrap_or_default(),
            former: &raw.former,
            files: &raw.files,
            bouncer: fault.bouncer(),
            caused: OnceLock::new(),
        };
        let outcome = match row.run {
            Run::Now(run) => run(world, &call, &raw),
            Run::Poll => Box::pin(wait::poll(world, &call, &raw)).await,
        };
        trace.caused = call.caused.into_inner().unwrap_or_default();
        match outcome {
            Ok(bytes) => {
                let caller = call.caller.as_deref();
                let to_level = emulation.map(|emulation| {
                    |reply: &mut Value| emulation.answer(row.route, &world.snapshot(), caller, &raw.values, reply)
                });
                Ok(reply::success(shape(&settings, &addressed.origin, bytes, to_level)))
            }
            Err(error) => {
                let hint = hint::for_parameters(&error, row, &raw);
                Err((error, hint))
            }
        }
    }

    /// The root of a server without a default world knows its own settings and nothing else.
    fn without_world(&self, incoming: &Incoming, addressed: &Addressed<'_>) -> Result<Response, Refusal> {
        let is_settings = addressed.path == "/api/v1/server_settings" && addressed.world == Worlds::DEFAULT;
        if is_settings && matches!(incoming.method, Method::GET | Method::HEAD) {
            let user_agent = incoming.header(header::USER_AGENT).unwrap_or_default();
            let settings =
                crate::api::server::root_settings(&addressed.origin, self.settings.feature_level, user_agent);
            let raw = RawParameters::default();
            let bytes = crate::api::envelope::<<GetServerSettings as Operation>::Params>(settings, &raw);
            let to_level = emulation(self.settings.feature_level)
                .map(|emulation| |reply: &mut Value| emulation.answer_without_realm(GetServerSettings::ROUTE, reply));
            return Ok(reply::success(shape(&self.settings, &addressed.origin, bytes, to_level)));
        }
        let names: Vec<String> = self.worlds.all().iter().map(|world| world.name().to_owned()).collect();
        Err((Error::UnknownWorld, Some(hint::nearest_world(addressed.world, &names))))
    }
}

/// A reply or the refusal's.
fn finished(outcome: Result<Response, Refusal>) -> Response {
    outcome.unwrap_or_else(|(error, hint)| reply::failure(&error, hint.or_else(|| hint::for_error(&error))))
}

/// As [`finished`]; a refusal has the status and code that it had at the level.
fn finished_at(feature_level: i64, row: Option<&Row>, outcome: Result<Response, Refusal>) -> Response {
    outcome.unwrap_or_else(|(error, hint)| {
        let emulation = emulation(feature_level);
        let error = match emulation.zip(row) {
            Some((emulation, row)) => emulation.with_former_names(row.route, error),
            None => error,
        };
        let hint = hint.or_else(|| hint::for_error(&error));
        match emulation.zip(row).and_then(|(emulation, row)| emulation.code_of(Some(row.route), error.row())) {
            Some(former) => reply::former_failure(&error, former, hint),
            None => reply::failure(&error, hint),
        }
    })
}

/// Parameters by their neutral names.
fn neutral(world: &World, mut raw: RawParameters) -> RawParameters {
    let dialect = &world.settings().dialect;
    if !dialect.is_neutral() {
        raw.values = origin::neutral_parameters(dialect, std::mem::take(&mut raw.values));
    }
    raw
}

/// The caller of an operation, as its access demands.
fn caller(
    world: &World,
    row: &Row,
    emulation: Option<&Emulation>,
    credentials: Option<&Result<Credentials, Error>>,
) -> Result<Option<Arc<User>>, Error> {
    let access = emulation.map_or(row.access, |emulation| emulation.access(row.route, row.access));
    if access == Access::Anyone {
        return Ok(None);
    }
    let realm = world.snapshot();
    let Some(credentials) = credentials else {
        let is_visitor = access == Access::UserOrVisitor && realm.has_public_access();
        return if is_visitor { Ok(None) } else { Err(Error::NotLoggedIn) };
    };
    let user = credentials.as_ref().map_err(Error::clone)?.check(&realm)?;
    access.check(&realm, &user)?;
    if let Some(emulation) = emulation {
        emulation.check_former_access(row.route, &realm, &user)?;
    }
    Ok(Some(user))
}

/// Brings a reply to a world's level, into its dialect and to the caller's address. Most need none of it, which is seen
/// without taking them apart.
fn shape(
    settings: &WorldSettings,
    origin: &Origin,
    bytes: Vec<u8>,
    to_level: Option<impl FnOnce(&mut Value)>,
) -> Vec<u8> {
    let has_addresses = !origin.prefix.is_empty() && origin::may_have_addresses(&bytes);
    if to_level.is_none() && !has_addresses && !settings.dialect.may_rename(&bytes) {
        return bytes;
    }
    let Ok(mut value) = serde_json::from_slice(&bytes) else { return bytes };
    if let Some(to_level) = to_level {
        to_level(&mut value);
    }
    origin::prefix_addresses(&mut value, &origin.prefix);
    if !settings.dialect.is_neutral() {
        settings.dialect.translate(&mut value);
    }
    let mut bytes = serde_json::to_vec(&value).unwrap_or(bytes);
    bytes.push(b'\n');
    bytes
}

/// A POST may name another method in its parameter `method`; HEAD is carried out as GET.
fn effective_method(method: &Method, values: &mut std::collections::BTreeMap<String, String>) -> Cow<'static, str> {
    if method == Method::POST {
        let named = |text: &String| ["GET", "PATCH", "PUT", "DELETE"].into_iter().find(|method| method == text);
        if let Some(named) = values.get("method").and_then(named) {
            values.remove("method");
            return named.into();
        }
    }
    if method == Method::HEAD { "GET".into() } else { trace::name_of(method) }
}

/// What a client calls itself: the first word of its User-Agent.
fn client_name(incoming: &Incoming) -> &str {
    let agent = incoming.header(header::USER_AGENT).unwrap_or_default();
    let name = agent.split(['/', ' ', '(']).next().unwrap_or_default();
    if name.is_empty() { "Unspecified" } else { name }
}
