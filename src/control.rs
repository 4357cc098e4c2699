//! Control: the calls below `/control` with which tests steer worlds, clocks, faults, journals and snapshots.
//!
//! The bodies of requests are JSON, and replies are JSON in the API's envelope, except for the OpenAPI documents and
//! the watch socket. A refused call changes nothing.

pub mod api_paths;
mod arrivals;
mod calls;
mod clock;
mod contents;
pub mod cross_origin;
pub mod dialect;
pub mod faults;
mod feature_level;
pub mod fidelity;
mod guard;
mod in_process;
mod initial_clock;
mod invites;
mod journal;
mod json_body;
mod milliseconds;
mod networks;
pub mod openapi;
mod previews;
mod pushes;
mod query;
mod queues;
mod rate_limits;
mod report;
mod request_pattern;
mod reset;
mod snapshots;
mod state;
pub mod times;
mod unknown_names;
mod users;
mod waiting;
pub mod watch;
mod webhooks;
mod worlds;

use crate::api::NEWEST_FEATURE_LEVEL;
use crate::dialect::Dialect;
use crate::error::Error;
use crate::http::body::{BodyLimit, BodyMemory};
use crate::http::request::IncomingRequest;
use crate::http::{Edge, Response, reply};
use crate::realm::invariants;
use crate::time::Span;
use crate::world::blocking::run_blocking;
use crate::world::{RealTime, World, Worlds};
use http::HeaderMap;
use serde_json::{Map, Value, json};
use std::io;
use std::pin::Pin;
use std::sync::Arc;

use calls::{Call, Input, WorldCall};
pub use guard::Guard;
pub use in_process::ControlReply;
pub use initial_clock::InitialClock;
use json_body::{body_text, check_empty_body, parse_json_body};
use query::Query;
use unknown_names::{
    MAX_COMPARED_BYTES, known_names_clause, unknown_name_in_world_message, unknown_name_message, unknown_word_error,
};

/// Starts to serve one world on its own port, and returns the port.
pub type WorldListener = Arc<dyn Fn(Arc<World>) -> Pin<Box<dyn Future<Output = io::Result<u16>> + Send>> + Send + Sync>;

/// Answers the calls of control.
pub struct Control {
    /// The worlds, with the server's HTTP settings.
    pub edge: Arc<Edge>,
    /// Decides which requests may steer.
    pub guard: Guard,
    pub defaults: Defaults,
    pub listen: WorldListener,
    pub real_time: Arc<dyn RealTime>,
}

/// The defaults of new worlds, from the options of the server.
#[derive(Clone)]
pub struct Defaults {
    pub fixture: crate::fixture::Fixture,
    pub clock: InitialClock,
    pub feature_level: i64,
    pub dialect: Arc<Dialect>,
    pub seed: u64,
    /// How long a world may be unused before it ends; None for no limit.
    pub world_ttl: Option<Span>,
}

impl Control {
    /// The size limit of a request's body, and the memory that its bytes count towards. The limit for documents, which
    /// may be as large as a world, applies only to requests that may steer.
    pub fn body_limit(&self, request: &IncomingRequest) -> (BodyLimit, Arc<BodyMemory>) {
        let path = decoded_path(request);
        match calls::find(request.method().as_str(), &path) {
            Ok((row, _)) if matches!(row.input, Input::Document(_)) && self.guard.check(request.headers()).is_ok() => {
                (BodyLimit::DOCUMENTS, self.edge.document_memory.clone())
            }
            _ => (BodyLimit::CONTROL, self.edge.body_memory.clone()),
        }
    }

    /// Answers a request for a path below `/control`, also a CORS preflight.
    pub async fn respond(&self, request: &IncomingRequest) -> Response {
        let response = if cross_origin::is_preflight(request) {
            cross_origin::preflight_response(&self.guard, request)
        } else {
            self.respond_to_call(request).await
        };
        cross_origin::add_cors_headers(&self.guard, request, response)
    }

    /// The reply to a request that is refused with this error before its body is read.
    pub fn refuse(&self, request: &IncomingRequest, error: &Error) -> Response {
        cross_origin::add_cors_headers(&self.guard, request, reply::refusal(error, None))
    }

    async fn respond_to_call(&self, request: &IncomingRequest) -> Response {
        match self.execute(request).await {
            Ok(mut body) => {
                body.push(b'\n');
                reply::success(body)
            }
            Err(error) => reply::refusal(&error, None),
        }
    }

    /// Executes a request and returns the body of the reply.
    async fn execute(&self, request: &IncomingRequest) -> Result<Vec<u8>, Error> {
        let path = decoded_path(request);
        let method = request.method().as_str();
        let call = calls::find(method, &path);
        let needs_no_token = matches!(&call, Ok((row, _)) if row.call == Call::Health);
        match self.guard.check(request.headers()) {
            Err(Error::InvalidControlToken) if needs_no_token => {}
            result => result?,
        }
        let (row, values) = call?;
        let query = match row.input {
            Input::Query(parameters) => Query::read(parameters, request.query())?,
            _ if !request.query().is_empty() => {
                return Err(refusal(format!("{method} {path} takes no query parameters")));
            }
            _ => Query::default(),
        };
        if matches!(row.input, Input::Nothing | Input::Query(_)) {
            check_empty_body(request)?;
        }
        let name = values.first().copied().unwrap_or_default();
        let data = match row.call {
            Call::Index => calls::index(),
            Call::Health => json!({
                "version": env!("CARGO_PKG_VERSION"),
                "feature_level": NEWEST_FEATURE_LEVEL,
                "worlds": self.edge.worlds.count(),
            }),
            Call::Fidelity => fidelity::reply_data(),
            Call::Openapi => return openapi::requested_document(&query, &self.defaults.dialect),
            Call::AllReports => run_blocking(|| report::report_json(&self.edge.worlds.summary())),
            Call::ClearAllReports => {
                self.edge.worlds.clear_reports();
                json!({})
            }
            Call::Worlds => run_blocking(|| worlds::list(self, request, &query))?,
            Call::CreateWorld => worlds::create(self, request).await?,
            Call::DeleteWorlds => worlds::delete_by_prefix(self, &query).await?,
            Call::World => json!({"world": worlds::world_record(request, &*self.world(name)?)}),
            Call::DeleteWorld => worlds::delete(self, name).await?,
            Call::InWorld(call) => {
                let world = self.world(name)?;
                let _use = row.counts_as_use().then(|| world.begin_use());
                // Both empty the journal, from which `exec` learns what its command did.
                if matches!(call, WorldCall::Reset | WorldCall::ClearJournal) {
                    self.edge.worlds.notify_end_observer(&world);
                }
                return execute_in_world(&world, &self.edge.worlds, call, &values[1..], &query, request).await;
            }
        };
        success_body(data)
    }

    /// A watch request: the world with this name, and what the query asks for.
    ///
    /// # Errors
    ///
    /// The refusal, if the request may not steer, the world or a query parameter is unknown, or one has a wrong value.
    #[expect(clippy::result_large_err, reason = "both sides are replies to one request")]
    pub fn watch_request(
        &self,
        name: &str,
        query: Option<&str>,
        headers: &HeaderMap,
    ) -> Result<watch::WatchRequest, Response> {
        let access = self.guard.check(&cross_origin::with_subprotocol_token(headers));
        let query = access.and_then(|()| Query::read(calls::WATCH_PARAMETERS, query.unwrap_or_default()));
        let result = query.and_then(|query| watch::WatchRequest::new(self.world(name)?, &query));
        result.map_err(|error| reply::refusal(&error, None))
    }

    /// The base URL of a world, at the address with which the client that sent these headers reaches the server.
    pub fn base_url(&self, headers: &HeaderMap, name: &str) -> String {
        worlds::base_url_by_path(self.edge.scheme, headers, name)
    }

    fn world(&self, name: &str) -> Result<Arc<World>, Error> {
        self.edge.worlds.get(name).ok_or_else(|| self.unknown_world_error(name))
    }

    fn unknown_world_error(&self, name: &str) -> Error {
        Error::UnknownControlWorld { message: self.unknown_world_message(name).into() }
    }

    /// The message for an unknown world, which names the nearest one, unless the world has ended.
    fn unknown_world_message(&self, name: &str) -> String {
        if self.edge.worlds.has_ended(name) {
            return format!("There is no world '{name}' any more: it has ended");
        }
        let worlds = self.edge.worlds.all();
        unknown_name_message("world", name, &worlds.iter().map(|world| world.name()).collect::<Vec<_>>())
    }
}

fn decoded_path(request: &IncomingRequest) -> String {
    percent_encoding::percent_decode_str(request.path()).decode_utf8_lossy().into_owned()
}

/// Runs work whose time grows with a world's size on a separate thread, so that other worlds' requests don't wait for
/// it.
async fn run_on_separate_thread<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, Error> + Send + 'static,
) -> Result<T, Error> {
    tokio::task::spawn_blocking(work).await.unwrap_or(Err(Error::Internal))
}

/// Executes a call for one world and returns the body of the reply. Calls that may change much of a world wait for
/// their turn as its writer.
async fn execute_in_world(
    world: &Arc<World>,
    worlds: &Worlds,
    call: WorldCall,
    values: &[&str],
    query: &Query,
    request: &IncomingRequest,
) -> Result<Vec<u8>, Error> {
    let base_url = || worlds::base_url_by_path(request.scheme(), request.headers(), world.name());
    let data = match call {
        WorldCall::State => {
            let world = world.clone();
            return run_on_separate_thread(move || state::show(&world)).await;
        }
        WorldCall::Users | WorldCall::Channels | WorldCall::Groups | WorldCall::Messages => {
            let query = contents::ContentsQuery::read(world, query)?;
            run_on_separate_thread(move || Ok(contents::list(call, &query))).await?
        }
        WorldCall::Invariants => {
            let world = world.clone();
            run_on_separate_thread(move || Ok(check_invariants(&world))).await?
        }
        WorldCall::MoveClock => clock::change(world, parse_json_body(request)?).await?,
        WorldCall::WaitJournal => journal::wait(world, worlds, parse_json_body(request)?).await?,
        WorldCall::VerifyJournal => run_blocking(|| journal::verify(world, worlds, parse_json_body(request)?))?,
        WorldCall::WaitQueues => queues::wait(world, worlds, parse_json_body(request)?).await?,
        WorldCall::WaitPushes => pushes::wait(world, parse_json_body(request)?, &base_url()).await?,
        WorldCall::Reset
        | WorldCall::Upgrade
        | WorldCall::KeepSnapshot
        | WorldCall::Restore
        | WorldCall::ForgetSnapshot
        | WorldCall::PutState
        | WorldCall::ClearPushes
        | WorldCall::AcceptInvite
        | WorldCall::LoseQueue => {
            let _turn = world.wait_for_turn().await;
            run_blocking(|| execute_in_turn(world, worlds, call, values, request))?
        }
        _ => run_blocking(|| execute_without_turn(world, call, values, query, request))?,
    };
    success_body(data)
}

/// Executes a call that may change much of the realm. The caller must have the turn of the world's writer.
fn execute_in_turn(
    world: &World,
    worlds: &Worlds,
    call: WorldCall,
    values: &[&str],
    request: &IncomingRequest,
) -> Result<Value, Error> {
    let value = values.first().copied().unwrap_or_default();
    match call {
        WorldCall::Reset => reset::reset(world, worlds, &parse_json_body(request)?),
        WorldCall::Upgrade => worlds::upgrade(world, &parse_json_body(request)?),
        WorldCall::KeepSnapshot => snapshots::take(world, parse_json_body(request)?),
        WorldCall::Restore => snapshots::restore(world, value),
        WorldCall::ForgetSnapshot => snapshots::remove(world, value),
        WorldCall::PutState => state::replace(world, request),
        WorldCall::ClearPushes => pushes::clear(world),
        WorldCall::AcceptInvite => invites::accept(world, value, &parse_json_body(request)?),
        WorldCall::LoseQueue => queues::end(world, value),
        _ => Err(Error::Internal),
    }
}

/// Executes a call that needs no turn of the world's writer: it reads, or makes a small change.
fn execute_without_turn(
    world: &World,
    call: WorldCall,
    values: &[&str],
    query: &Query,
    request: &IncomingRequest,
) -> Result<Value, Error> {
    match call {
        WorldCall::Snapshots => Ok(snapshots::list(world)),
        WorldCall::Clock => Ok(clock::show(world)),
        WorldCall::Faults => Ok(faults::list(world)),
        WorldCall::InstallFault => faults::install(world, parse_json_body(request)?),
        WorldCall::ClearFaults => {
            world.faults().lock().clear();
            Ok(json!({}))
        }
        WorldCall::Networks => Ok(networks::list(world)),
        WorldCall::SetNetwork => networks::set(world, &parse_json_body(request)?),
        WorldCall::EndNetwork => networks::end(world, query),
        WorldCall::Previews => Ok(previews::show(world)),
        WorldCall::SetPreviews => previews::set(world, &parse_json_body(request)?),
        WorldCall::EndPreviews => previews::end(world),
        WorldCall::RateLimits => Ok(rate_limits::list(world)),
        WorldCall::SetRateLimit => rate_limits::set(world, &parse_json_body(request)?),
        WorldCall::EndRateLimit => rate_limits::end(world, query),
        WorldCall::RemoveFault => faults::remove(world, values.first().copied().unwrap_or_default()),
        WorldCall::Journal => journal::list(world, query),
        WorldCall::ClearJournal => {
            world.journal().clear();
            Ok(json!({}))
        }
        WorldCall::Report => Ok(report::report_json(&world.summarize_clients())),
        WorldCall::ClearReport => {
            world.report().clear();
            Ok(json!({}))
        }
        WorldCall::Watch if cfg!(feature = "watch") => {
            Err(refusal("This call is a WebSocket: connect to it with ws://"))
        }
        WorldCall::Watch => Err(refusal("Worlds can't be watched: the server is built without the feature watch")),
        WorldCall::Pushes => {
            pushes::list(world, query, &worlds::base_url_by_path(request.scheme(), request.headers(), world.name()))
        }
        WorldCall::Webhooks => Ok(webhooks::list(world)),
        WorldCall::ClearWebhooks => {
            world.clear_webhook_attempts();
            Ok(json!({}))
        }
        WorldCall::Queues => Ok(queues::list(world)),
        _ => Err(Error::Internal),
    }
}

/// The names of all invariants, and the violations in a world.
fn check_invariants(world: &World) -> Value {
    let violations = invariants::all_violations(&world.snapshot());
    let rows =
        violations.iter().map(|violation| json!({"invariant": violation.invariant, "what": violation.description}));
    json!({
        "checked": invariants::all().iter().map(|invariant| invariant.name).collect::<Vec<_>>(),
        "violations": rows.collect::<Vec<_>>(),
    })
}

fn refusal(reason: impl Into<String>) -> Error {
    Error::ControlRefused { reason: reason.into().into() }
}

/// Puts the data of a reply into the API's envelope.
fn success_body(data: Value) -> Result<Vec<u8>, Error> {
    let Value::Object(data) = data else { return Err(Error::Internal) };
    let mut body = Map::from_iter([("result".to_owned(), Value::from("success")), ("msg".to_owned(), Value::from(""))]);
    body.extend(data);
    serde_json::to_vec(&body).map_err(|_| Error::Internal)
}
