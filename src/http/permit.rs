//! Permits for requests that would otherwise block a thread of the async runtime.
//!
//! Most requests need none and run on the thread on which they arrive. A write waits, as a task, while another change
//! occupies the writer of its world for long. A request that may be slow, because of its size or that of the
//! organization, runs where the runtime can replace the thread, and a semaphore limits how many run at once.

use super::body::LARGE_BODY_BYTES;
use super::request::IncomingRequest;
use super::router::RouteMatch;
use super::target::Target;
use super::{Edge, trace};
use crate::world::World;
use crate::world::blocking::{WriterTurn, run_blocking};
use http::Method;
use std::sync::Arc;
use std::thread::available_parallelism;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// The right to run a write or a slow request; dropped when it is done.
pub(super) struct Permit {
    _turn: Option<WriterTurn>,
    _slow_request_permit: Option<OwnedSemaphorePermit>,
}

/// Admits twice as many slow requests as there are cores: at least four, and four if their number is unknown.
pub(super) fn slow_request_semaphore() -> Arc<Semaphore> {
    Arc::new(Semaphore::new(available_parallelism().map_or(4, |cores| cores.get().max(2) * 2)))
}

/// Waits for the permit of a request; None if it needs none.
pub(super) async fn acquire(
    edge: &Edge,
    world: &World,
    incoming: &IncomingRequest,
    target: Option<Target<'_>>,
) -> Option<Permit> {
    let target = target?;
    let is_slow = is_slow(edge, world, incoming, target);
    // Unless a change occupies the writer for long, a fast request needs no permit, and its operation is not looked up.
    let is_write = (is_slow || world.is_busy()) && is_write(edge, world, incoming, target);
    if !is_slow && !is_write {
        return None;
    }
    let turn = if is_write { Some(world.wait_for_turn().await) } else { None };
    // `acquire_owned` fails only for a closed semaphore, and this one is never closed.
    let slow_request_permit = if is_slow { edge.slow_request_permits.clone().acquire_owned().await.ok() } else { None };
    Some(Permit { _turn: turn, _slow_request_permit: slow_request_permit })
}

/// Whether a request may change its world. A poll does, because its queue records that a poll waits.
fn is_write(edge: &Edge, world: &World, incoming: &IncomingRequest, target: Target<'_>) -> bool {
    match (target, incoming.method()) {
        (Target::Operation(path), &Method::GET | &Method::HEAD) => {
            let route = edge.router.find("GET", path, world.settings().feature_level);
            route.row().is_some_and(|row| row.is_poll())
        }
        (Target::Operation(_), method) => method != Method::OPTIONS,
        (Target::Page(_), method) => method == Method::POST,
        (Target::File(_), _) => false,
    }
}

/// Whether a request may occupy its thread for a long time.
fn is_slow(edge: &Edge, world: &World, incoming: &IncomingRequest, target: Target<'_>) -> bool {
    match target {
        Target::Operation(_) if incoming.body.len() > LARGE_BODY_BYTES => true,
        Target::Operation(path) if world.is_large() => {
            match edge.router.find(&trace::method_name(incoming.method()), path, world.settings().feature_level) {
                RouteMatch::Operation(row, _) => !row.is_fast,
                RouteMatch::WrongMethod(_) => false,
                // The path may have names of a dialect.
                RouteMatch::UnknownPath => true,
            }
        }
        Target::Page(_) => world.is_large(),
        Target::Operation(_) | Target::File(_) => false,
    }
}

/// Runs the work of a request; if it has a permit, the runtime replaces the thread in the meantime.
pub(super) fn run_with_permit<T>(permit: Option<&Permit>, work: impl FnOnce() -> T) -> T {
    if permit.is_some() { run_blocking(work) } else { work() }
}
