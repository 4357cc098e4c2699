//! Steering the double from outside: worlds, clock, faults, journal, snapshots (contract, Control).
//!
//! JSON in, JSON out, in the API's envelope. What is not understood is refused and changes nothing.

mod calls;
mod clock;
mod contents;
pub mod dialect;
mod direct;
pub mod faults;
pub mod fidelity;
mod filters;
mod guard;
mod initial_clock;
mod journal;
mod json_body;
mod milliseconds;
mod networks;
pub mod openapi;
pub mod pages;
mod people;
mod previews;
mod pushes;
mod queues;
mod rate_limits;
mod report;
mod requests;
mod reset;
mod snapshots;
mod state;
pub mod times;
mod users;
mod waiting;
pub mod watch;
mod webhooks;
mod worlds;

use crate::api::NEWEST_FEATURE_LEVEL;
use crate::dialect::Dialect;
use crate::error::Error;
use crate::http::body::{BodyLimit, BodyRoom};
use crate::http::request::ApiRequest;
use crate::http::{Edge, Response, reply};
use crate::json_diagnostic;
use crate::realm::invariants;
use crate::time::Span;
use crate::world::blocking::in_place;
use crate::world::{RealTime, World};
use http::HeaderMap;
use serde_json::{Map, Value, json};
use std::io;
use std::pin::Pin;
use std::sync::Arc;

use calls::{Call, OfWorld, Takes};
pub use direct::Answer;
use filters::Filters;
pub use guard::Guard;
pub use initial_clock::InitialClock;
use json_body::{body, nothing, text};

/// Opens a socket for one world; its port.
pub type Listen = Arc<dyn Fn(Arc<World>) -> Pin<Box<dyn Future<Output = io::Result<u16>> + Send>> + Send + Sync>;

/// The control endpoint.
pub struct Control {
    /// The worlds, behind their edge.
    pub edge: Arc<Edge>,
    /// Who may call.
    pub guard: Guard,
    /// What a new world has unless something else is given.
    pub defaults: Defaults,
    /// Opens a socket for a world.
    pub listen: Listen,
    /// Where real time comes from.
    pub real_time: Arc<dyn RealTime>,
}

/// What a new world has unless something else is given: the options of `serve`.
#[derive(Clone)]
pub struct Defaults {
    /// A fixture's text.
    pub fixture: crate::fixture::Source,
    /// How the clock begins.
    pub clock: InitialClock,
    pub feature_level: i64,
    /// Names on the wire.
    pub dialect: Arc<Dialect>,
    /// The seed of its random generator.
    pub seed: u64,
    /// How long a world may go without a request before it is ended.
    pub world_ttl: Option<Span>,
}

impl Control {
    /// How large the body of a request may be, and the memory that it takes a part of. Documents, which only those may send
    /// who may steer, have room for whole worlds.
    pub fn body_limit(&self, incoming: &ApiRequest) -> (BodyLimit, Arc<BodyRoom>) {
        let path = decoded_path(incoming);
        match calls::find(incoming.method().as_str(), &path) {
            Ok((row, _)) if matches!(row.takes, Takes::Document(_)) && self.guard.check(incoming.headers()).is_ok() => {
                (BodyLimit::OF_DOCUMENTS, self.edge.document_room.clone())
            }
            _ => (BodyLimit::OF_CONTROL, self.edge.body_room.clone()),
        }
    }

    /// Answers a control request; `path` begins with `/control`.
    pub async fn respond(&self, incoming: &ApiRequest) -> Response {
        let response = if pages::is_preflight(incoming) {
            pages::preflight(&self.guard, incoming)
        } else {
            self.answer(incoming).await
        };
        pages::open(&self.guard, incoming, response)
    }

    /// Refuses a request whose body was not even read.
    pub fn refuse(&self, incoming: &ApiRequest, error: &Error) -> Response {
        pages::open(&self.guard, incoming, reply::failure(error, None))
    }

    async fn answer(&self, incoming: &ApiRequest) -> Response {
        match self.carry_out(incoming).await {
            Ok(mut body) => {
                body.push(b'\n');
                reply::success(body)
            }
            Err(error) => reply::failure(&error, None),
        }
    }

    /// Carries a request out; the body of its reply.
    async fn carry_out(&self, incoming: &ApiRequest) -> Result<Vec<u8>, Error> {
        let path = decoded_path(incoming);
        let method = incoming.method().as_str();
        let found = calls::find(method, &path);
        let needs_no_token = matches!(&found, Ok((row, _)) if row.call == Call::Health);
        match self.guard.check(incoming.headers()) {
            Err(Error::ControlToken) if needs_no_token => {}
            checked => checked?,
        }
        let (row, values) = found?;
        let filters = match row.takes {
            Takes::Filters(known) => Filters::read(known, incoming.query())?,
            _ if !incoming.query().is_empty() => return Err(refused(format!("{method} {path} takes no filters"))),
            _ => Filters::default(),
        };
        if matches!(row.takes, Takes::Nothing | Takes::Filters(_)) {
            nothing(incoming)?;
        }
        let name = values.first().copied().unwrap_or_default();
        let data = match row.call {
            Call::Index => calls::index(),
            Call::Health => json!({
                "version": env!("CARGO_PKG_VERSION"),
                "feature_level": NEWEST_FEATURE_LEVEL,
                "worlds": self.edge.worlds.count(),
            }),
            Call::Fidelity => fidelity::shown(),
            Call::Openapi => return openapi::reply(&filters, &self.defaults.dialect),
            Call::AllReports => in_place(|| report::shown(&self.edge.worlds.report())),
            Call::ClearAllReports => {
                self.edge.worlds.clear_reports();
                json!({})
            }
            Call::Worlds => in_place(|| worlds::list(self, incoming, &filters))?,
            Call::CreateWorld => worlds::create(self, incoming).await?,
            Call::DeleteWorlds => worlds::delete_all(self, &filters).await?,
            Call::World => json!({"world": worlds::row(incoming, &*self.world(name)?)}),
            Call::DeleteWorld => worlds::delete(self, name).await?,
            Call::Of(call) => {
                let world = self.world(name)?;
                let _use = row.is_use().then(|| world.begin_use());
                if matches!(call, OfWorld::Reset | OfWorld::ClearJournal) {
                    self.edge.worlds.observe(&world);
                }
                return in_world(&world, call, &values[1..], &filters, incoming).await;
            }
        };
        enveloped(data)
    }

    /// The world that somebody wants to watch, with how much they want to receive in a second, or the refusal.
    ///
    /// # Errors
    ///
    /// The reply to those who may not, or to an unknown world.
    #[expect(clippy::result_large_err, reason = "both sides are replies to one request")]
    pub fn watched(
        &self,
        name: &str,
        query: Option<&str>,
        headers: &HeaderMap,
    ) -> Result<(Arc<World>, Option<u64>), Response> {
        let allowed = self.guard.check(&pages::with_token_of_subprotocol(headers));
        let filters = allowed.and_then(|()| Filters::read(calls::WATCH_FILTERS, query.unwrap_or_default()));
        let watched = filters.and_then(|filters| {
            let world = self.world(name)?;
            Ok((world, filters.number("per_second").map(|most| most.max(1))))
        });
        watched.map_err(|error| reply::failure(&error, None))
    }

    /// The address of a world as the sender of these headers can reach it.
    pub fn base_url(&self, headers: &HeaderMap, name: &str) -> String {
        worlds::base_url(self.edge.scheme, headers, name)
    }

    fn world(&self, name: &str) -> Result<Arc<World>, Error> {
        self.edge.worlds.get(name).ok_or_else(|| self.unknown_world(name))
    }

    /// The refusal of a call for a world that there is not.
    fn unknown_world(&self, name: &str) -> Error {
        Error::UnknownControlWorld { what: self.no_world(name).into() }
    }

    /// Says that there is no such world, and names the nearest.
    fn no_world(&self, name: &str) -> String {
        let worlds = self.edge.worlds.all();
        unknown_of("world", name, &worlds.iter().map(|world| world.name()).collect::<Vec<_>>())
    }
}

fn decoded_path(incoming: &ApiRequest) -> String {
    percent_encoding::percent_decode_str(incoming.path()).decode_utf8_lossy().into_owned()
}

/// Does what grows with a world's size where no other world's requests wait behind it.
async fn run_blocking<T: Send + 'static>(work: impl FnOnce() -> Result<T, Error> + Send + 'static) -> Result<T, Error> {
    tokio::task::spawn_blocking(work).await.unwrap_or(Err(Error::Internal))
}

/// Carries out a call for one world; the body of its reply. Those that change it wait in the queue for its writer.
async fn in_world(
    world: &Arc<World>,
    call: OfWorld,
    values: &[&str],
    filters: &Filters,
    incoming: &ApiRequest,
) -> Result<Vec<u8>, Error> {
    let base_url = || worlds::base_url(incoming.scheme(), incoming.headers(), world.name());
    let data = match call {
        OfWorld::State => {
            let world = world.clone();
            return run_blocking(move || state::show(&world)).await;
        }
        OfWorld::Users | OfWorld::Channels | OfWorld::Groups | OfWorld::Messages => {
            let (call, list) = (call, contents::ContentsQuery::read(world, filters)?);
            run_blocking(move || contents::list(call, &list)).await?
        }
        OfWorld::Invariants => {
            let world = world.clone();
            run_blocking(move || Ok(invariants(&world))).await?
        }
        OfWorld::MoveClock => clock::change(world, body(incoming)?).await?,
        OfWorld::WaitJournal => journal::wait(world, body(incoming)?).await?,
        OfWorld::WaitQueues => queues::wait(world, body(incoming)?).await?,
        OfWorld::WaitPushes => pushes::wait(world, body(incoming)?, &base_url()).await?,
        OfWorld::Reset
        | OfWorld::Upgrade
        | OfWorld::KeepSnapshot
        | OfWorld::Restore
        | OfWorld::ForgetSnapshot
        | OfWorld::PutState
        | OfWorld::ClearPushes
        | OfWorld::AcceptInvite
        | OfWorld::LoseQueue => {
            let _turn = world.turn().await;
            in_place(|| change(world, call, values, incoming))?
        }
        _ => in_place(|| read(world, call, values, filters, incoming))?,
    };
    enveloped(data)
}

/// Calls that wait for the writer of a world.
fn change(world: &World, call: OfWorld, values: &[&str], incoming: &ApiRequest) -> Result<Value, Error> {
    let value = values.first().copied().unwrap_or_default();
    match call {
        OfWorld::Reset => reset::reset(world, &body(incoming)?),
        OfWorld::Upgrade => worlds::upgrade(world, &body(incoming)?),
        OfWorld::KeepSnapshot => snapshots::keep(world, body(incoming)?),
        OfWorld::Restore => snapshots::restore(world, value),
        OfWorld::ForgetSnapshot => snapshots::forget(world, value),
        OfWorld::PutState => state::put(world, incoming),
        OfWorld::ClearPushes => pushes::clear(world),
        OfWorld::AcceptInvite => people::accept(world, value, &body(incoming)?),
        OfWorld::LoseQueue => queues::end(world, value),
        _ => Err(Error::Internal),
    }
}

/// Calls that leave the realm as it is.
fn read(
    world: &World,
    call: OfWorld,
    values: &[&str],
    filters: &Filters,
    incoming: &ApiRequest,
) -> Result<Value, Error> {
    match call {
        OfWorld::Snapshots => Ok(snapshots::list(world)),
        OfWorld::Clock => Ok(clock::show(world)),
        OfWorld::Faults => Ok(faults::list(world)),
        OfWorld::InstallFault => faults::install(world, body(incoming)?),
        OfWorld::ClearFaults => {
            world.faults().lock().clear();
            Ok(json!({}))
        }
        OfWorld::Networks => Ok(networks::list(world)),
        OfWorld::SetNetwork => networks::set(world, &body(incoming)?),
        OfWorld::EndNetwork => networks::end(world, filters),
        OfWorld::Previews => Ok(previews::show(world)),
        OfWorld::SetPreviews => previews::set(world, &body(incoming)?),
        OfWorld::EndPreviews => previews::end(world),
        OfWorld::RateLimits => Ok(rate_limits::list(world)),
        OfWorld::SetRateLimit => rate_limits::set(world, &body(incoming)?),
        OfWorld::EndRateLimit => rate_limits::end(world, filters),
        OfWorld::RemoveFault => faults::remove(world, values.first().copied().unwrap_or_default()),
        OfWorld::Journal => journal::show(world, filters),
        OfWorld::ClearJournal => {
            world.journal().clear();
            Ok(json!({}))
        }
        OfWorld::Report => Ok(report::shown(&world.report().summary())),
        OfWorld::ClearReport => {
            world.report().clear();
            Ok(json!({}))
        }
        OfWorld::VerifyJournal => journal::verify(world, body(incoming)?),
        OfWorld::Watch => Err(refused("This call is a WebSocket: connect to it with ws://")),
        OfWorld::Pushes => {
            pushes::list(world, filters, &worlds::base_url(incoming.scheme(), incoming.headers(), world.name()))
        }
        OfWorld::Webhooks => Ok(webhooks::list(world)),
        OfWorld::ClearWebhooks => {
            world.clear_webhook_entries();
            Ok(json!({}))
        }
        OfWorld::Queues => Ok(queues::list(world)),
        _ => Err(Error::Internal),
    }
}

/// What must always hold, and what of it does not.
fn invariants(world: &World) -> Value {
    let broken = invariants::check(&world.snapshot());
    let broken = broken.iter().map(|violation| json!({"invariant": violation.invariant, "what": violation.what}));
    json!({
        "checked": invariants::all().iter().map(|invariant| invariant.name).collect::<Vec<_>>(),
        "violations": broken.collect::<Vec<_>>(),
    })
}

/// Refuses a control request for this reason.
fn refused(reason: impl Into<String>) -> Error {
    Error::ControlRefused { reason: reason.into().into() }
}

/// More of a name than this is not compared with others.
const COMPARED_MAX_BYTES: usize = 200;

/// A sentence that says that there is nothing of this kind with this name, and names the nearest.
fn unknown_of(what: &str, name: &str, known: &[&str]) -> String {
    let nearest = json_diagnostic::most_alike(&name[..name.floor_char_boundary(COMPARED_MAX_BYTES)], known);
    let nearest = nearest.map(|nearest| format!("; the nearest is '{nearest}'"));
    format!("There is no {what} '{name}'{}", nearest.unwrap_or_default())
}

/// A reply's data in the API's envelope.
fn enveloped(data: Value) -> Result<Vec<u8>, Error> {
    let Value::Object(data) = data else { return Err(Error::Internal) };
    let mut body = Map::from_iter([("result".to_owned(), Value::from("success")), ("msg".to_owned(), Value::from(""))]);
    body.extend(data);
    serde_json::to_vec(&body).map_err(|_| Error::Internal)
}
