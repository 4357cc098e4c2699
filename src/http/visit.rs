//! The way of a request through its world.
//!
//! Most of it takes no waiting, and is not written as if it did: a future would carry all that is known on the way, and
//! reserve room for it with each request.

use super::authentication::{self, RequestCredentials};
use super::fault::Fault;
use super::files;
use super::origin::{self, Addressed, TakesSession};
use super::request::{ApiRequest, without_files};
use super::router::{RouteMatch, Router};
use super::session::{self, CSRF_FIELD};
use super::trace::{self, Trace};
use super::wait::{self, Begun};
use super::{Edge, Refusal, Response, finished, hint, reply, shape, tus};
use crate::api::parameter::RawParameters;
use crate::api::{Access, Call, Origin, ReplyBytes, Route, Row, Run};
use crate::error::Error;
use crate::fault::Disturbance;
use crate::level::{self, Emulation, emulation};
use crate::realm::emoji::EXTRA_EMOJI;
use crate::realm::id::UserId;
use crate::realm::user::User;
use crate::world::{Place, World, WorldSettings};
use http::{HeaderValue, Method, header};
use serde_json::Value;
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::pin::Pin;
use std::sync::{Arc, OnceLock};

/// Where an account's own key is got for its password.
const OWN_KEY: &str = "/fetch_api_key";

/// A response, or what there is to be waited for until there is one.
pub enum Answer {
    /// The response.
    Now(Response),
    /// Something else comes first: an event, or the rest of a delay.
    Later(Pin<Box<dyn Future<Output = Response> + Send>>),
}

impl Answer {
    /// The response, once it is there.
    pub async fn given(self) -> Response {
        match self {
            Answer::Now(response) => response,
            Answer::Later(response) => response.await,
        }
    }
}

/// A request in its world.
pub(super) struct Visit<'a> {
    edge: &'a Edge,
    incoming: &'a ApiRequest,
    origin: Origin<'a>,
    stay: Stay,
}

/// What is needed of a request for as long as its response is not there.
struct Stay {
    world: Arc<World>,
    settings: Arc<WorldSettings>,
    prefix: String,
    trace: Trace,
    /// Whether the body is JSON, which the API does not read.
    sent_json: bool,
    /// Whether callers log in by a session rather than by a key.
    takes_sessions: bool,
}

/// How far an operation came at once.
enum Operated {
    Done(Result<Response, Refusal>),
    Parked(Box<Parked>),
    /// Another request changed the caller or the world's level since this one began: nothing was done.
    Outdated,
}

/// A poll that hangs, and what its reply will need.
struct Parked {
    place: Place,
    raw: RawParameters,
    caller: Option<Arc<User>>,
    disturbance: Option<Disturbance>,
}

impl<'a> Visit<'a> {
    /// A request that begins; `path` is without `/api/v1`.
    pub(super) fn new(
        edge: &'a Edge,
        incoming: &'a ApiRequest,
        world: Arc<World>,
        addressed: &Addressed<'a>,
        path: &str,
    ) -> Self {
        let origin = addressed.origin;
        let settings = world.settings();
        let path = settings.dialect.neutral_path(path).to_owned();
        let trace = Trace::begin(&world, incoming, path);
        edge.stock_clients.warn_of(incoming, &settings.dialect, world.name());
        let sent_json = incoming.header(header::CONTENT_TYPE).is_some_and(|kind| kind.starts_with("application/json"));
        let takes_sessions = addressed.takes_session() == TakesSession::Alone;
        let stay = Stay { world, settings, prefix: origin.prefix.to_owned(), trace, sent_json, takes_sessions };
        Self { edge, incoming, origin, stay }
    }

    /// Answers it.
    pub(super) fn answer(mut self, sent: Result<RawParameters, Error>) -> Answer {
        let Stay { world, settings, trace, .. } = &mut self.stay;
        let feature_level = settings.feature_level;
        if tus::is_tus(&trace.path) && feature_level >= level::TUS_SINCE {
            trace.route = Some(tus::PATH);
            let fault = Fault::fire(world, trace);
            let response = fault
                .instead(feature_level, world.now())
                .unwrap_or_else(|| fault.afterwards(tus::respond(world, self.incoming, self.origin, trace)));
            return self.stay.end(response);
        }
        match sent {
            Ok(raw) => self.carry_out(raw),
            Err(error) => self.stay.end(finished(Err((error, None)))),
        }
    }

    /// Finds the operation, and lets faults have their say before and after it is carried out.
    fn carry_out(mut self, raw: RawParameters) -> Answer {
        let Stay { world, settings, trace, takes_sessions, .. } = &mut self.stay;
        let feature_level = settings.feature_level;
        let mut raw = neutral(settings, raw);
        let csrf = takes_sessions.then(|| taken(&mut raw.values, CSRF_FIELD)).flatten();
        if let Some(session) = self.incoming.session.as_ref().filter(|_| *takes_sessions && trace.path == OWN_KEY)
            && !raw.values.contains_key("username")
        {
            // Who asks for the own key gives the password alone.
            Arc::make_mut(&mut raw.values).insert("username".to_owned(), session.user.email.clone());
        }
        let method = effective_method(&self.incoming.method, &mut raw.values);
        trace.method.clone_from(&method);
        trace.params = raw.values.clone();
        let found = self.edge.router.find(&method, &trace.path, feature_level);
        let row = if let RouteMatch::Operation(row, _) = &found { Some(*row) } else { None };
        trace.route = row.map(|row| row.route.path);
        if row.is_some_and(|row| !row.takes_files)
            && let Err(error) = without_files(self.incoming)
        {
            return self.stay.end(finished(Err((error, None))));
        }
        if row.is_some_and(|row| row.gives_keys)
            && let Err(error) = self.edge.key_guard.check(&self.incoming.headers)
        {
            return self.stay.end(finished(Err((error, None))));
        }
        let fault = Fault::fire(world, trace);
        if let Some(response) = fault.instead(feature_level, world.now()) {
            return self.stay.end(response);
        }
        let path = &trace.path;
        let elsewhere = || self.edge.operation_of_another_level(&method, path, feature_level);
        let outcome = match found {
            RouteMatch::Operation(row, values) => {
                raw.path = values;
                loop {
                    match self.operate(row, raw.clone(), csrf.as_deref(), &fault) {
                        Operated::Done(outcome) => break outcome,
                        Operated::Parked(parked) => return Answer::Later(Box::pin(self.stay.wait(row, parked, fault))),
                        Operated::Outdated => self.stay.settings = self.stay.world.settings(),
                    }
                }
            }
            RouteMatch::WrongMethod(methods) if method == "OPTIONS" => Ok(reply::allowed(&methods)),
            RouteMatch::WrongMethod(methods) => {
                let hint = elsewhere().unwrap_or_else(|| format!("{path} takes {}.", methods.join(", ")));
                Err((Error::MethodNotAllowed { allowed_methods: methods.into() }, Some(hint)))
            }
            RouteMatch::Nothing(Some(known)) => Ok(known),
            RouteMatch::Nothing(None) => {
                let hint = elsewhere().unwrap_or_else(|| hint::nearest_operation(Router::nearest(&method, path)));
                let response = reply::failure(&Error::UnknownPath, Some(hint));
                self.edge.router.remember(&method, path, &response);
                Ok(response)
            }
        };
        let response = finished_at(feature_level, row, &self.stay.trace.params, outcome);
        self.stay.end(fault.afterwards(response))
    }

    fn operate(&mut self, row: &'static Row, mut raw: RawParameters, csrf: Option<&str>, fault: &Fault) -> Operated {
        let Stay { world, settings, trace, takes_sessions, .. } = &mut self.stay;
        let guard = takes_sessions.then_some(&self.edge.key_guard);
        let admit = || guard.map_or(Ok(()), |guard| session::check_csrf(guard, self.incoming, csrf));
        let feature_level = settings.feature_level;
        let emulation = emulation(feature_level);
        let caller = match caller(world, row, emulation, &trace.credentials, admit) {
            Ok(caller) => caller,
            // A person looks at a page: they are shown the way to log in.
            Err(Error::NotLoggedIn) if self.incoming.accepts_html() => {
                return Operated::Done(Ok(reply::to_login(&self.stay.prefix, self.incoming.path())));
            }
            Err(error) => {
                let hint = hint::for_access(&error, row).or_else(|| hint::for_error(&error));
                return Operated::Done(Err((error, hint)));
            }
        };
        if let Some(caller) = &caller {
            fault.lose_queues(world, caller);
        }
        if let Some(emulation) = emulation {
            let received = emulation.receive(row.route, &world.snapshot(), caller.as_deref(), &mut raw);
            if let Err(error) = received {
                return Operated::Done(Err((error, None)));
            }
        }
        let user_agent = self.incoming.header(header::USER_AGENT).unwrap_or_default();
        let call = Call {
            caller,
            origin: self.origin,
            client: raw.client().unwrap_or_else(|| client_name(user_agent)),
            user_agent,
            now: world.now(),
            server_start: world.started_at(),
            feature_level,
            queue_level: emulation.map(Emulation::queue_level).unwrap_or_default(),
            former: &raw.former,
            files: &raw.files,
            bouncer: fault.bouncer(),
            disturbance: fault.disturbance(),
            extra_emoji: settings.dialect.vendor_value("emoji_name", EXTRA_EMOJI.name),
            caused: OnceLock::new(),
            outdated: OnceLock::new(),
            logged_in: OnceLock::new(),
        };
        let outcome = match row.run {
            Run::Now(run) => run(world, &call, &raw),
            Run::Poll => match wait::begin(world, &call, &raw) {
                Ok(Begun::Answered(bytes)) => Ok(bytes),
                Ok(Begun::Parked(place)) => {
                    let disturbance = fault.disturbance();
                    let caller = call.caller;
                    return Operated::Parked(Box::new(Parked { place, raw, caller, disturbance }));
                }
                Err(error) => Err(error),
            },
        };
        if call.outdated.get().is_some() {
            return Operated::Outdated;
        }
        trace.caused = call.caused.into_inner().unwrap_or_default();
        let (caller, logged_in) = (call.caller, call.logged_in.into_inner());
        let replied = self.stay.replied(row, caller.as_deref(), &raw, outcome);
        Operated::Done(replied.map(|response| self.with_sessions(row, logged_in, response)))
    }

    /// Ends, keeps and opens sessions as what was done demands.
    fn with_sessions(&self, row: &Row, logged_in: Option<UserId>, mut response: Response) -> Response {
        let (world, Route { method, path, .. }) = (&self.stay.world, row.route);
        if method == "DELETE" || path == "/realm/deactivate" {
            world.end_sessions_of_deactivated();
        }
        if let Some(session) = self.incoming.session.as_ref().filter(|_| path == "/settings") {
            world.keep_session(&session.id);
        }
        if let Some(user) = logged_in.and_then(|user| world.published().user(user).cloned()) {
            session::open(world, self.origin, &user, &mut response);
        }
        response
    }
}

impl Stay {
    /// Waits for what a poll is to be told.
    async fn wait(self, row: &'static Row, parked: Box<Parked>, fault: Fault) -> Response {
        let Parked { place, raw, caller, disturbance } = *parked;
        let outcome = wait::woken(&self.world, place, &raw, disturbance).await;
        let outcome = self.replied(row, caller.as_deref(), &raw, outcome);
        let response =
            fault.afterwards(finished_at(self.settings.feature_level, Some(row), &self.trace.params, outcome));
        self.end(response).given().await
    }

    /// The reply of an operation as it is sent, or the refusal with a hint.
    fn replied(
        &self,
        row: &Row,
        caller: Option<&User>,
        raw: &RawParameters,
        outcome: Result<ReplyBytes, Error>,
    ) -> Result<Response, Refusal> {
        match outcome {
            Ok(bytes) => {
                let to_level = emulation(self.settings.feature_level).map(|emulation| {
                    |reply: &mut Value| emulation.answer(row.route, &self.world.snapshot(), caller, &raw.values, reply)
                });
                Ok(reply::success(shape(&self.settings, &self.prefix, bytes, to_level)))
            }
            Err(error) => {
                let for_rights = || hint::for_rights(&error, &self.world.snapshot(), caller?);
                let for_body = hint::for_json_body(&error, row).filter(|_| self.sent_json);
                let hint = for_body.or_else(|| hint::for_parameters(&error, row, raw)).or_else(for_rights);
                let hint = hint.or_else(|| hint::for_misspelt(row, raw));
                Err((error, hint))
            }
        }
    }

    /// A refusal with names as the dialect has them.
    fn in_dialect(&self, response: Response) -> Response {
        let dialect = &self.settings.dialect;
        let is_refusal = response.status().is_client_error() && !dialect.is_neutral();
        let Some(mut refusal) =
            Some(response.body()).filter(|_| is_refusal).and_then(|body| serde_json::from_slice(body).ok())
        else {
            return response;
        };
        dialect.translate_refusal(&mut refusal);
        let mut response = response;
        let hint = response.headers().get(reply::HINT).and_then(|hint| hint.to_str().ok());
        if let Some(hint) = hint.and_then(|hint| HeaderValue::try_from(dialect.with_vendor_names(hint)).ok()) {
            response.headers_mut().insert(reply::HINT, hint);
        }
        response.map(|body| {
            serde_json::to_vec(&refusal).map_or(body, |mut bytes| {
                bytes.push(b'\n');
                bytes.into()
            })
        })
    }

    /// Notes the response. The deed is told of before a fault holds it back: a client that gives up waiting does not
    /// undo it.
    fn end(self, response: Response) -> Answer {
        let mut response = self.in_dialect(response);
        if self.takes_sessions {
            reply::ask_for_session(&mut response);
        }
        let delay = self.trace.delay;
        self.trace.end(&self.world, &response);
        if delay.is_zero() {
            return Answer::Now(response);
        }
        Answer::Later(Box::pin(async move {
            tokio::time::sleep(delay).await;
            response
        }))
    }
}

/// Notes the response to a request that is for no operation.
pub(super) fn ended(world: &Arc<World>, settings: Arc<WorldSettings>, trace: Trace, response: Response) -> Answer {
    let prefix = String::new();
    Stay { world: world.clone(), settings, prefix, trace, sent_json: false, takes_sessions: false }.end(response)
}

/// Answers a request for a file, of this kind, which faults may meet too.
pub(super) fn file(
    edge: &Edge,
    incoming: &ApiRequest,
    world: &Arc<World>,
    addressed: &Addressed<'_>,
    kind: &'static str,
) -> Answer {
    let settings = world.settings();
    let mut trace = Trace::begin(world, incoming, addressed.path.to_owned());
    trace.route = Some(kind);
    if incoming.method == Method::HEAD {
        trace.method = "GET".into();
    }
    trace.params = super::request::of_query(incoming).values;
    let fault = Fault::fire(world, &mut trace);
    if let Some(caller) = authentication::caller(&world.snapshot(), &incoming.credentials).ok().flatten() {
        fault.lose_queues(world, &caller);
    }
    let response = fault.instead(settings.feature_level, world.now()).unwrap_or_else(|| {
        let served = files::serve(world, incoming, addressed).map_err(|error| (error, None));
        fault.afterwards(finished(served))
    });
    let response = edge.cors.open_to_all(incoming, response);
    ended(world, settings, trace, response)
}

/// As [`finished`]; a refusal has the status and code that it had at the level.
fn finished_at(
    feature_level: i64,
    row: Option<&Row>,
    values: &BTreeMap<String, String>,
    outcome: Result<Response, Refusal>,
) -> Response {
    outcome.unwrap_or_else(|(error, hint)| {
        let hint = hint.or_else(|| hint::for_error(&error));
        let Some((emulation, row)) = emulation(feature_level).zip(row) else { return reply::failure(&error, hint) };
        let mut error = emulation.with_former_names(row.route, error);
        let message = emulation.former_message(row.route, values, &mut error);
        let code = emulation.code_of(Some(row.route), error.row());
        reply::former_failure(&error, code, message, hint)
    })
}

/// Parameters by their neutral names.
fn neutral(settings: &WorldSettings, mut raw: RawParameters) -> RawParameters {
    let dialect = &settings.dialect;
    if !dialect.is_neutral() {
        raw.values = Arc::new(origin::neutral_parameters(dialect, &raw.values));
    }
    raw
}

/// The caller of an operation, as its access demands; `admit` looks at what comes along with a session.
fn caller(
    world: &World,
    row: &Row,
    emulation: Option<&Emulation>,
    given: &RequestCredentials,
    admit: impl FnOnce() -> Result<(), Error>,
) -> Result<Option<Arc<User>>, Error> {
    let access = emulation.map_or(row.access, |emulation| emulation.access(row.route, row.access));
    if access == Access::Anyone {
        return Ok(None);
    }
    let realm = world.snapshot();
    let Some(user) = authentication::caller(&realm, given)? else {
        let is_visitor = access == Access::UserOrVisitor && realm.has_public_access();
        return match is_visitor {
            true if realm.organization.is_deactivated => Err(Error::RealmDeactivated),
            true => admit().map(|()| None),
            false => Err(Error::NotLoggedIn),
        };
    };
    admit()?;
    access.check(&realm, &user)?;
    if let Some(emulation) = emulation {
        emulation.check_former_access(row.route, &realm, &user)?;
    }
    Ok(Some(user))
}

/// A POST may name another method in its parameter `method`; HEAD is carried out as GET.
fn effective_method(method: &Method, values: &mut Arc<BTreeMap<String, String>>) -> Cow<'static, str> {
    if method == Method::POST {
        let named = |text: &String| ["GET", "PATCH", "PUT", "DELETE"].into_iter().find(|method| method == text);
        if let Some(named) = values.get("method").and_then(named) {
            Arc::make_mut(values).remove("method");
            return named.into();
        }
    }
    if method == Method::HEAD { "GET".into() } else { trace::name_of(method) }
}

/// Takes a parameter out.
fn taken(values: &mut Arc<BTreeMap<String, String>>, name: &str) -> Option<String> {
    values.contains_key(name).then(|| Arc::make_mut(values).remove(name)).flatten()
}

/// What a client that does not say so in a parameter calls itself: the first word of its User-Agent.
pub(super) fn client_name(user_agent: &str) -> &str {
    let name = user_agent.split(['/', ' ', '(']).next().unwrap_or_default();
    if name.is_empty() { "Unspecified" } else { name }
}
