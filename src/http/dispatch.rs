//! The way of a request through its world: route, fault, caller, operation, reply.

use super::authentication::RequestCredentials;
use super::context::{Admitted, Progress, RequestContext};
use super::deferral::{Permit, aside};
use super::fault::Fault;
use super::finish::finished;
use super::origin::{self, Addressed};
use super::request::{self, without_files};
use super::router::{RouteMatch, Router};
use super::session::{self, CSRF_FIELD};
use super::trace::{self, Trace};
use super::{Refusal, Response, authentication, deliveries, files, hint, poll, rate_limit, reply, tus};
use crate::api::parameter::RawParameters;
use crate::api::{Access, Call, NotDone, Outcome, Poll, Row, Run};
use crate::error::Error;
use crate::level::Emulation;
use crate::realm::Realm;
use crate::realm::user::User;
use crate::world::WorldSettings;
use chat_markdown::emoji::EXTRA_EMOJI;
use http::{Method, header};
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::Arc;

/// What a client calls itself is cut here, in code points, as real servers do.
const MAX_CLIENT_LENGTH: usize = 30;

/// The response to a request that is not carried out: on the heap, since all others would reserve its room.
type EarlyResponse = Box<Response>;

/// A request that found its operation, and is to be carried out.
struct Routed {
    row: &'static Row,
    raw: RawParameters,
    /// The token that proves that a page of this server made the request, if it came as a parameter.
    csrf: Option<String>,
    fault: Fault,
}

/// Answers a request for an operation; `path` is without `/api/v1`.
pub(super) async fn operation(mut context: RequestContext<'_>, path: &str, mut permit: Option<Permit>) -> Response {
    let path = context.settings.dialect.neutral_path(path).to_owned();
    let mut trace = Trace::begin(context.world, context.incoming, path);
    context.edge.stock_clients.warn_of(context.incoming, &context.settings.dialect, context.world.name());
    let response = match aside(permit.as_ref(), || context.route(&mut trace)) {
        Err(response) => *response,
        Ok(Routed { row, raw, csrf, fault }) => {
            let done = aside(permit.as_ref(), || context.carry_out(row, raw, csrf.as_deref(), &fault, &mut trace));
            let response = match done {
                Err(response) => *response,
                Ok((admitted, progress)) => {
                    let outcome = match progress {
                        Progress::Done(outcome) => outcome,
                        Progress::Waiting(parked) => {
                            permit = None;
                            let waiting = context.waiting_poll(&trace);
                            let reply = poll::reply(context.world, parked, &admitted.raw, fault.disturbance()).await;
                            waiting.answered();
                            Outcome::unchanged(reply)
                        }
                    };
                    aside(permit.as_ref(), || context.reply(row, &admitted, outcome, &mut trace))
                }
            };
            fault.afterwards(response, &context.settings.dialect)
        }
    };
    context.finish(trace, response).await
}

/// Answers a request for a file of this kind, which faults may meet too.
pub(super) async fn file(context: RequestContext<'_>, addressed: &Addressed<'_>, kind: &'static str) -> Response {
    let RequestContext { edge, incoming, world, settings, .. } = &context;
    let mut trace = Trace::begin(world, incoming, addressed.path.to_owned());
    trace.route = Some(kind);
    if incoming.method() == Method::HEAD {
        trace.method = "GET".into();
    }
    let read = request::of_query(incoming).map(|raw| trace.params = raw.values);
    let fault = Fault::fire(world, &mut trace);
    if let Some(caller) = authentication::caller(&world.snapshot(), &incoming.credentials).ok().flatten() {
        fault.lose_queues(world, &caller);
    }
    let response = fault.instead(context.emulation, world.now()).unwrap_or_else(|| {
        let served = read.and_then(|()| files::serve(world, incoming, addressed)).map_err(|error| (error, None));
        fault.afterwards(finished(served), &settings.dialect)
    });
    let response = edge.cors.open_to_all(incoming, response);
    context.finish(trace, response).await
}

impl RequestContext<'_> {
    /// Finds the operation; Err is the response where there is none, or where it is not to be carried out.
    fn route(&self, trace: &mut Trace) -> Result<Routed, EarlyResponse> {
        let Self { edge, incoming, world, settings, .. } = self;
        let feature_level = settings.feature_level;
        if let Some(routed) = self.route_upload(trace) {
            return routed;
        }
        let refused = |error| Box::new(finished(Err((error, None))));
        let mut raw = self.parameters(&trace.path).map_err(refused)?;
        let csrf = self.takes_sessions.then(|| taken(&mut raw.values, CSRF_FIELD)).flatten();
        let method = effective_method(incoming.method(), &mut raw.values);
        trace.method.clone_from(&method);
        let found = match deliveries::is_in_folder(&trace.path) && !self.takes_delivery(&trace.path) {
            true => RouteMatch::Nothing,
            false => edge.router.find(&method, &trace.path, feature_level),
        };
        let row = if let RouteMatch::Operation(row, _) = &found { Some(*row) } else { None };
        if let (Some(name), Some(session)) = (row.and_then(|row| row.caller_in), &incoming.session)
            && self.takes_sessions
            && !raw.values.contains_key(name)
        {
            Arc::make_mut(&mut raw.values).insert(name.to_owned(), session.user.email.clone());
        }
        trace.params = match self.takes_delivery(&trace.path) {
            true => deliveries::without_key(&raw.values),
            false => raw.values.clone(),
        };
        trace.route = row.map(|row| row.route.path);
        trace.row = row;
        if row.is_some_and(|row| !row.takes_files) {
            without_files(incoming).map_err(refused)?;
        }
        if row.is_some_and(|row| row.gives_keys) {
            edge.key_guard.check(incoming.headers()).map_err(refused)?;
        }
        let fault = Fault::fire(world, trace);
        if let Some(response) = fault.instead(self.emulation, world.now()) {
            return Err(Box::new(response));
        }
        match found {
            RouteMatch::Operation(row, values) => {
                raw.path = values;
                Ok(Routed { row, raw, csrf, fault })
            }
            other => {
                let response = self.without_operation(&method, &trace.path, other);
                let response = response.unwrap_or_else(|(error, hint)| self.failure_at_level(&error, hint));
                Err(Box::new(fault.afterwards(response, &settings.dialect)))
            }
        }
    }

    /// Whether a path is that of a service that delivers.
    fn takes_delivery(&self, path: &str) -> bool {
        !self.takes_sessions && deliveries::is_of_service(path)
    }

    /// The parameters of a request for an operation by their neutral names. What a service delivers has its own names.
    fn parameters(&self, path: &str) -> Result<RawParameters, Error> {
        if !self.takes_delivery(path) {
            return Ok(neutral(&self.settings, request::parameters(self.incoming)?));
        }
        let mut raw = deliveries::parameters(self.incoming)?;
        deliveries::complete(self.incoming, &mut raw)?;
        Ok(raw)
    }

    /// Finds the operation of a resumable upload; None where the path is for none at this level.
    fn route_upload(&self, trace: &mut Trace) -> Option<Result<Routed, EarlyResponse>> {
        let Self { edge, incoming, world, settings, .. } = self;
        let path = tus::path_of_operation(&trace.path)?;
        let method = tus::method(incoming);
        let found = edge.router.find(&method, path, settings.feature_level);
        let row = match &found {
            RouteMatch::Operation(row, _) => Some(*row),
            RouteMatch::WrongMethod(_) => None,
            RouteMatch::Nothing => return None,
        };
        trace.route = row.map(|row| row.route.path);
        trace.method = method.clone().into();
        let fault = Fault::fire(world, trace);
        if let Some(response) = fault.instead(self.emulation, world.now()) {
            return Some(Err(Box::new(response)));
        }
        let checked = match found {
            _ if method == "OPTIONS" => Err(tus::options()),
            RouteMatch::Operation(row, path) => match tus::check_version(incoming) {
                Ok(()) => Ok((row, RawParameters { path, ..RawParameters::default() })),
                Err(error) => Err(tus::refusal(&error)),
            },
            RouteMatch::WrongMethod(methods) => {
                Err(tus::refusal(&Error::MethodNotAllowed { allowed_methods: methods.into() }))
            }
            RouteMatch::Nothing => return None,
        };
        Some(match checked {
            Ok((row, raw)) => Ok(Routed { row, raw, csrf: None, fault }),
            Err(response) => Err(Box::new(fault.afterwards(response, &settings.dialect))),
        })
    }

    /// What is said where no operation has the method and path.
    fn without_operation(&self, method: &str, path: &str, found: RouteMatch) -> Result<Response, Refusal> {
        let feature_level = self.settings.feature_level;
        let elsewhere = || {
            let row = self.edge.router.of_another_level(method, path, feature_level)?;
            Some(hint::operation_of_another_level(row, feature_level))
        };
        match found {
            RouteMatch::WrongMethod(methods) if method == "OPTIONS" => Ok(reply::allowed(&methods)),
            RouteMatch::WrongMethod(methods) => {
                let hint = elsewhere().unwrap_or_else(|| format!("{path} takes {}.", methods.join(", ")));
                Err((Error::MethodNotAllowed { allowed_methods: methods.into() }, Some(hint)))
            }
            _ => {
                let hint = elsewhere().or_else(|| hint::doubled_slash(path)).or_else(|| deliveries::hint(path));
                let hint = hint.unwrap_or_else(|| hint::nearest_operation(Router::nearest(method, path)));
                Err((Error::UnknownPath, Some(hint)))
            }
        }
    }

    /// Checks the caller and runs the operation, both on one realm; a write looks again at the realm that it changes.
    /// Err is the response to a caller who is not let in.
    fn carry_out(
        &mut self,
        row: &'static Row,
        raw: RawParameters,
        csrf: Option<&str>,
        fault: &Fault,
        trace: &mut Trace,
    ) -> Result<(Admitted, Progress), EarlyResponse> {
        loop {
            let realm = self.world.snapshot();
            let caller = self.authorize(&realm, row, csrf, trace)?;
            if let Some(caller) = &caller {
                fault.lose_queues(self.world, caller);
            }
            let mut received = Cow::Borrowed(&raw);
            if tus::is_spoken_by(row) {
                let read = tus::parameters(row, self.incoming, raw.path.clone());
                received = Cow::Owned(read.map_err(|error| Box::new(self.refused(row, &trace.params, error, None)))?);
            } else if let Some(emulation) = self.emulation {
                let caller = caller.as_deref();
                emulation
                    .receive(row, &realm, caller, received.to_mut())
                    .map_err(|error| Box::new(self.refusal(row, &raw, (&realm, caller), &trace.params, error)))?;
            }
            let call = self.call(&received, caller, fault);
            let progress = match row.run {
                Run::Read(read) => Progress::Done(Outcome::unchanged(read(&realm, &call, &received))),
                Run::Poll(poll) => match poll(self.world, &call, &received) {
                    Ok(Poll::Parked(parked)) => Progress::Waiting(parked),
                    Ok(Poll::Answered(reply)) => Progress::Done(Outcome::unchanged(Ok(reply))),
                    Err(error) => Progress::Done(Outcome::unchanged(Err(error))),
                },
                Run::Write(write) => match write(self.world, &realm, &call, &received) {
                    Ok(outcome) => Progress::Done(outcome),
                    Err(NotDone::Refused(error)) => Progress::Done(Outcome::unchanged(Err(error))),
                    Err(NotDone::Outdated) => {
                        self.begin_again();
                        continue;
                    }
                },
            };
            let caller = call.caller;
            let received = match received {
                Cow::Borrowed(_) => None,
                Cow::Owned(received) => Some(received),
            };
            let realm = matches!(row.run, Run::Read(_)).then_some(realm);
            return Ok((Admitted { caller, raw: received.unwrap_or(raw), realm }, progress));
        }
    }

    /// The caller, None where nobody needs to be one; Err is the response to somebody who is not let in.
    fn authorize(
        &self,
        realm: &Realm,
        row: &Row,
        csrf: Option<&str>,
        trace: &mut Trace,
    ) -> Result<Option<Arc<User>>, EarlyResponse> {
        let incoming = self.incoming;
        let admit = || match self.takes_sessions || incoming.acts_in_session {
            // Uploads may name their method in a header.
            true if tus::is_spoken_by(row) && row.route.method != "HEAD" => {
                session::check_csrf(&self.edge.key_guard, (&Method::PATCH, incoming.headers()), csrf)
            }
            true => session::check_csrf(&self.edge.key_guard, incoming.method_and_headers(), csrf),
            false => Ok(()),
        };
        // A request that starts over is counted once.
        let budget = &mut trace.budget;
        let count = |caller: Option<&User>| {
            if budget.is_none() {
                *budget = rate_limit::count(self.world, row, caller);
            }
            rate_limit::check(budget.as_ref())
        };
        let caller = caller(realm, row, self.emulation, &trace.credentials, admit, count);
        // Whoever is let in now was not when the body came.
        let caller = caller.and_then(|caller| if incoming.lacks_body { Err(Error::NotLoggedIn) } else { Ok(caller) });
        caller.map_err(|error| {
            if tus::is_spoken_by(row) {
                let is_shown = matches!(error, Error::CsrfFailed { .. } | Error::RateLimitHit { .. });
                return Box::new(tus::refusal(if is_shown { &error } else { &Error::UnauthenticatedUpload }));
            }
            // A person looks at a page: they are shown the way to log in.
            if error == Error::NotLoggedIn && self.incoming.accepts_html() {
                return Box::new(reply::to_login(self.origin.prefix, self.incoming.path()));
            }
            let hint = hint::for_access(&error, row);
            Box::new(self.refused(row, &trace.params, error, hint))
        })
    }

    /// The request as its operation sees it.
    fn call<'call>(&'call self, raw: &'call RawParameters, caller: Option<Arc<User>>, fault: &Fault) -> Call<'call> {
        let user_agent = self.incoming.header(header::USER_AGENT).unwrap_or_default();
        Call {
            caller,
            origin: self.origin,
            client: beginning(raw.client().unwrap_or_else(|| self.incoming.client_name()), MAX_CLIENT_LENGTH),
            user_agent,
            now: self.world.now(),
            server_start: self.world.started_at(),
            feature_level: self.settings.feature_level,
            queue_level: self.emulation.map(Emulation::queue_level).unwrap_or_default(),
            former: &raw.former,
            files: &raw.files,
            headers: &raw.headers,
            bouncer: fault.bouncer(),
            disturbance: fault.disturbance(),
            extra_emoji: self.settings.dialect.vendor_value("emoji_name", EXTRA_EMOJI.name),
        }
    }
}

/// Parameters by their neutral names.
fn neutral(settings: &WorldSettings, mut raw: RawParameters) -> RawParameters {
    let dialect = &settings.dialect;
    if !dialect.is_neutral() {
        raw.values = Arc::new(origin::neutral_parameters(dialect, &raw.values));
    }
    raw
}

/// The caller of an operation, as its access demands; `admit` looks at what comes along with a session, and `count` at
/// the limit of requests, before the caller's rights are.
fn caller(
    realm: &Realm,
    row: &Row,
    emulation: Option<&'static Emulation>,
    given: &RequestCredentials,
    admit: impl FnOnce() -> Result<(), Error>,
    count: impl FnOnce(Option<&User>) -> Result<(), Error>,
) -> Result<Option<Arc<User>>, Error> {
    let access = emulation.map_or(row.access, |emulation| emulation.access(row.route, row.access));
    if access == Access::Anyone {
        return count(None).map(|()| None);
    }
    let Some(user) = authentication::caller(realm, given)? else {
        let is_visitor = access == Access::UserOrVisitor && realm.has_public_access();
        return match is_visitor {
            true if realm.organization.is_deactivated => Err(Error::RealmDeactivated),
            true => admit().and_then(|()| count(None)).map(|()| None),
            false => Err(Error::NotLoggedIn),
        };
    };
    admit()?;
    count(Some(&user))?;
    access.check(realm, &user)?;
    if let Some(emulation) = emulation {
        emulation.check_former_access(row.route, realm, &user)?;
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

/// The beginning of a text, of at most so many code points.
fn beginning(text: &str, limit: usize) -> &str {
    text.char_indices().nth(limit).map_or(text, |(end, _)| &text[..end])
}

/// Takes a parameter out.
fn taken(values: &mut Arc<BTreeMap<String, String>>, name: &str) -> Option<String> {
    values.contains_key(name).then(|| Arc::make_mut(values).remove(name)).flatten()
}
