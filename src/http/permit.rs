//! What a request waits for before it is carried out, so that no thread that serves others waits for it.
//!
//! Most requests wait for nothing and are carried out where they arrive. A write waits, as a task, while another change
//! keeps the writer of its world busy. A request that may take long by its size or that of the organization is carried
//! out on a thread that others do not need, and only so many at once.

use super::body::LARGE_BODY;
use super::request::ApiRequest;
use super::router::RouteMatch;
use super::target::Target;
use super::{Edge, trace};
use crate::world::World;
use crate::world::blocking::{Turn, in_place};
use http::Method;
use std::sync::Arc;
use std::thread::available_parallelism;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// What a request has waited for, until it is carried out.
pub(super) struct Permit {
    _turn: Option<Turn>,
    _room: Option<OwnedSemaphorePermit>,
}

/// How many requests that may take long are carried out at once.
pub(super) fn room() -> Arc<Semaphore> {
    Arc::new(Semaphore::new(available_parallelism().map_or(4, |cores| cores.get().max(2) * 2)))
}

/// Waits for what a request needs before it is carried out; None where it needs nothing.
pub(super) async fn acquire(
    edge: &Edge,
    world: &World,
    incoming: &ApiRequest,
    target: Option<Target<'_>>,
) -> Option<Permit> {
    let target = target?;
    let is_long = is_long(edge, world, incoming, target);
    // Most of the time the writer is free, and nothing else has to be known.
    let writes = (is_long || world.is_busy()) && writes(edge, world, incoming, target);
    if !is_long && !writes {
        return None;
    }
    let turn = if writes { Some(world.turn().await) } else { None };
    // The room is never closed.
    let room = if is_long { edge.room.clone().acquire_owned().await.ok() } else { None };
    Some(Permit { _turn: turn, _room: room })
}

/// Whether a request may change its world. The long poll does: it notes that it waits.
fn writes(edge: &Edge, world: &World, incoming: &ApiRequest, target: Target<'_>) -> bool {
    match (target, incoming.method()) {
        (Target::Operation(path), &Method::GET | &Method::HEAD) => {
            let found = edge.router.find("GET", path, world.settings().feature_level);
            found.row().is_some_and(|row| row.is_poll())
        }
        (Target::Operation(_), method) => method != Method::OPTIONS,
        (Target::Page(_), method) => method == Method::POST,
        (Target::File(_), _) => false,
    }
}

/// Whether a request may take long.
fn is_long(edge: &Edge, world: &World, incoming: &ApiRequest, target: Target<'_>) -> bool {
    match target {
        Target::Operation(_) if incoming.body.len() > LARGE_BODY => true,
        Target::Operation(path) if world.is_large() => {
            match edge.router.find(&trace::name_of(incoming.method()), path, world.settings().feature_level) {
                RouteMatch::Operation(row, _) => !row.is_short,
                RouteMatch::WrongMethod(_) => false,
                // A name of the dialect's, perhaps.
                RouteMatch::Nothing => true,
            }
        }
        Target::Page(_) => world.is_large(),
        Target::Operation(_) | Target::File(_) => false,
    }
}

/// Does the work of a request, on a thread that no others need if it had to wait for a permit.
pub(super) fn work<T>(permit: Option<&Permit>, work: impl FnOnce() -> T) -> T {
    if permit.is_some() { in_place(work) } else { work() }
}
