//! Steering the double from outside: worlds, clock, faults, journal, snapshots (contract, Control).
//!
//! JSON in, JSON out, in the API's envelope. What is not understood is refused and changes nothing.

mod clock;
pub mod dialect;
mod faults;
mod guard;
mod journal;
mod people;
mod queues;
mod snapshots;
mod state;
pub mod watch;
mod worlds;

use crate::api::NEWEST_FEATURE_LEVEL;
use crate::dialect::Dialect;
use crate::error::Error;
use crate::http::request::{BodyLimit, Incoming};
use crate::http::{Edge, Response, reply};
use crate::misfit;
use crate::realm::invariants;
use crate::time::{Clock, Timestamp};
use crate::world::aside::in_place;
use crate::world::{RealTime, World};
use http::HeaderMap;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value, json};
use std::io;
use std::pin::Pin;
use std::sync::Arc;

pub use guard::Guard;

/// Opens a socket for one world; its port.
pub type Listen = Arc<dyn Fn(String) -> Pin<Box<dyn Future<Output = io::Result<u16>> + Send>> + Send + Sync>;

/// The control endpoint.
pub struct Control {
    /// The worlds, behind their edge.
    pub edge: Arc<Edge>,
    /// Who may call.
    pub guard: Guard,
    /// What a new world has that is not told otherwise.
    pub defaults: Defaults,
    /// Opens a socket for a world.
    pub listen: Listen,
    /// Where real time comes from.
    pub real_time: Arc<dyn RealTime>,
}

/// What a new world has that is not told otherwise: the options of `serve`.
#[derive(Clone)]
pub struct Defaults {
    /// A fixture's text.
    pub fixture: crate::fixture::Source,
    /// How the clock stands.
    pub clock: ClockDefault,
    /// The level.
    pub feature_level: i64,
    /// Names on the wire.
    pub dialect: Arc<Dialect>,
    /// What all chance follows from.
    pub seed: u64,
}

/// How a new world's clock stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ClockDefault {
    /// With real time.
    Real,
    /// Still, at the time of creation.
    Frozen,
    /// Still, at this time.
    At(Timestamp),
}

impl ClockDefault {
    /// The clock of a world that is made at this real time.
    pub fn clock(self, real: Timestamp) -> Clock {
        match self {
            ClockDefault::Real => Clock::Running { ahead: crate::time::Span::default() },
            ClockDefault::Frozen => Clock::Frozen { at: real },
            ClockDefault::At(at) => Clock::Frozen { at },
        }
    }

    /// Reads `real`, `frozen` or an instant.
    ///
    /// # Errors
    ///
    /// What would have been understood.
    pub fn parse(text: &str) -> Result<Self, String> {
        match text {
            "real" => Ok(ClockDefault::Real),
            "frozen" => Ok(ClockDefault::Frozen),
            instant => Timestamp::parse(instant)
                .map(ClockDefault::At)
                .map_err(|_| "takes real, frozen, or an instant such as 2026-01-01T00:00:00Z".to_owned()),
        }
    }
}

impl Control {
    /// How large the body of a request may be. Documents, which only those may send who may steer, have room for
    /// whole worlds.
    pub fn body_limit(&self, incoming: &Incoming) -> BodyLimit {
        let path = decoded_path(incoming);
        match Taken::by(incoming.method.as_str(), &parts(&path)) {
            Taken::Document if self.guard.check(&incoming.headers).is_ok() => BodyLimit::OF_DOCUMENTS,
            _ => BodyLimit::OF_CONTROL,
        }
    }

    /// Answers a control request; `path` begins with `/control`.
    pub async fn respond(&self, incoming: &Incoming) -> Response {
        match self.carry_out(incoming).await {
            Ok(mut body) => {
                body.push(b'\n');
                reply::success(body)
            }
            Err(error) => reply::failure(&error, None),
        }
    }

    /// Carries a request out; the body of its reply.
    async fn carry_out(&self, incoming: &Incoming) -> Result<Vec<u8>, Error> {
        self.guard.check(&incoming.headers)?;
        let path = decoded_path(incoming);
        let parts = parts(&path);
        let method = incoming.method.as_str();
        let taken = Taken::by(method, &parts);
        if taken != Taken::Filters && !incoming.query().is_empty() {
            return Err(refused(format!("{method} {path} takes no filters")));
        }
        if matches!(taken, Taken::Nothing | Taken::Filters) {
            nothing(incoming)?;
        }
        let data = match (method, &*parts) {
            ("GET", ["health"]) => json!({
                "version": env!("CARGO_PKG_VERSION"),
                "feature_level": NEWEST_FEATURE_LEVEL,
                "worlds": self.edge.worlds.count(),
            }),
            ("GET", ["openapi.json"]) => crate::openapi::document(),
            ("GET", ["worlds"]) => in_place(|| worlds::list(self, incoming)),
            ("POST", ["worlds"]) => worlds::create(self, incoming).await?,
            ("DELETE", ["worlds", name]) => worlds::delete(self, name).await?,
            ("GET", ["worlds", name, "state"]) => {
                let world = self.world(name)?;
                return aside(move || state::show(&world)).await;
            }
            ("GET", ["worlds", name, "invariants"]) => {
                let world = self.world(name)?;
                aside(move || Ok(invariants(&world))).await?
            }
            (_, ["worlds", name, rest @ ..]) => {
                let world = self.world(name)?;
                in_world(&world, method, rest, incoming).await?
            }
            _ => return Err(unknown(method, &path)),
        };
        enveloped(data)
    }

    /// The world that somebody wants to watch, or the refusal.
    ///
    /// # Errors
    ///
    /// The reply to those who may not, or to an unknown world.
    #[expect(clippy::result_large_err, reason = "both sides are replies to one request")]
    pub fn watched(&self, name: &str, headers: &HeaderMap) -> Result<Arc<World>, Response> {
        let world = self.guard.check(headers).and_then(|()| self.world(name));
        world.map_err(|error| reply::failure(&error, None))
    }

    fn world(&self, name: &str) -> Result<Arc<World>, Error> {
        self.edge.worlds.get(name).ok_or(Error::UnknownWorld)
    }
}

/// What a call takes besides its path.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Taken {
    Nothing,
    Filters,
    Body,
    Document,
}

impl Taken {
    fn by(method: &str, parts: &[&str]) -> Self {
        match (method, parts) {
            ("POST", ["worlds"]) | ("PUT", ["worlds", _, "state"]) => Taken::Document,
            ("GET", ["worlds", _, "journal"]) => Taken::Filters,
            ("POST", ["worlds", _, "reset"] | ["worlds", _, "snapshots", _, "restore"]) => Taken::Nothing,
            ("GET" | "DELETE", _) => Taken::Nothing,
            _ => Taken::Body,
        }
    }
}

fn decoded_path(incoming: &Incoming) -> String {
    percent_encoding::percent_decode_str(incoming.path()).decode_utf8_lossy().into_owned()
}

/// The parts of a path that follow `/control`.
fn parts(path: &str) -> Vec<&str> {
    path.trim_start_matches('/').split('/').skip(1).collect()
}

/// Does what grows with a world's size where no other world's requests wait behind it.
async fn aside<T: Send + 'static>(work: impl FnOnce() -> Result<T, Error> + Send + 'static) -> Result<T, Error> {
    tokio::task::spawn_blocking(work).await.unwrap_or(Err(Error::Internal))
}

/// Carries out a call for one world. Those that change it wait in the queue for its writer.
async fn in_world(world: &World, method: &str, rest: &[&str], incoming: &Incoming) -> Result<Value, Error> {
    match (method, rest) {
        ("POST", ["journal", "wait"]) => journal::wait(world, body(incoming)?).await,
        ("GET", _) | (_, ["journal" | "faults", ..]) => in_place(|| at_once(world, method, rest, incoming)),
        _ => {
            let _turn = world.turn().await;
            in_place(|| at_once(world, method, rest, incoming))
        }
    }
}

fn at_once(world: &World, method: &str, rest: &[&str], incoming: &Incoming) -> Result<Value, Error> {
    match (method, rest) {
        ("POST", ["reset"]) => {
            world.reset();
            Ok(json!({}))
        }
        ("POST", ["upgrade"]) => worlds::upgrade(world, &body(incoming)?),
        ("GET", ["snapshots"]) => Ok(snapshots::list(world)),
        ("POST", ["snapshots"]) => snapshots::keep(world, body(incoming)?),
        ("POST", ["snapshots", name, "restore"]) => snapshots::restore(world, name),
        ("DELETE", ["snapshots", name]) => snapshots::forget(world, name),
        ("PUT", ["state"]) => state::put(world, incoming),
        ("GET", ["clock"]) => Ok(clock::show(world)),
        ("POST", ["clock"]) => clock::change(world, body(incoming)?),
        ("GET", ["faults"]) => Ok(faults::list(world)),
        ("POST", ["faults"]) => faults::install(world, body(incoming)?),
        ("DELETE", ["faults"]) => {
            world.faults().lock().clear();
            Ok(json!({}))
        }
        ("DELETE", ["faults", id]) => faults::remove(world, id),
        ("GET", ["journal"]) => journal::show(world, incoming.query()),
        ("DELETE", ["journal"]) => {
            world.journal().clear();
            Ok(json!({}))
        }
        ("POST", ["journal", "verify"]) => journal::verify(world, body(incoming)?),
        ("GET", ["watch"]) => Err(refused("This call is a WebSocket: connect to it with ws://")),
        ("GET", ["pushes"]) => Ok(people::pushes(world, &worlds::base_url(incoming, world.name()))),
        ("POST", ["invites", key, "accept"]) => people::accept(world, key, &body(incoming)?),
        ("GET", ["queues"]) => Ok(queues::list(world)),
        ("DELETE", ["queues", id]) => queues::end(world, id),
        _ => Err(unknown(method, incoming.path())),
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

fn unknown(method: &str, path: &str) -> Error {
    Error::ControlNotFound { what: format!("There is no control call {method} {path}").into() }
}

/// Methods that requests are journaled and matched with.
const METHODS: [&str; 7] = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"];

/// Asserts that a method can be one that was asked with.
fn known_method(method: Option<&str>, at: &str) -> Result<(), Error> {
    match method {
        Some(method) if !METHODS.contains(&method) => Err(refused(format!("{at}: takes an HTTP method in capitals"))),
        _ => Ok(()),
    }
}

/// Refuses a control request for this reason.
fn refused(reason: impl Into<String>) -> Error {
    Error::ControlRefused { reason: reason.into().into() }
}

/// A reply's data in the API's envelope.
fn enveloped(data: Value) -> Result<Vec<u8>, Error> {
    let Value::Object(data) = data else { return Err(Error::Internal) };
    let mut body = Map::from_iter([("result".to_owned(), Value::from("success")), ("msg".to_owned(), Value::from(""))]);
    body.extend(data);
    serde_json::to_vec(&body).map_err(|_| Error::Internal)
}

/// The text of a JSON body; an empty one is an empty object.
fn text(incoming: &Incoming) -> Result<&str, Error> {
    let text = std::str::from_utf8(&incoming.body).map_err(|error| refused(format!("$: {error}")))?;
    match text.trim_ascii() {
        "" => Ok("{}"),
        text => Ok(text),
    }
}

/// Reads a JSON body.
fn body<T: DeserializeOwned>(incoming: &Incoming) -> Result<T, Error> {
    misfit::read(text(incoming)?).map_err(|fault| refused(fault.to_string()))
}

/// Asserts that a call that takes nothing was given nothing.
fn nothing(incoming: &Incoming) -> Result<(), Error> {
    #[derive(serde::Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Nothing {}
    body::<Nothing>(incoming).map(|Nothing {}| ())
}
