//! What a request waits for before it is carried out, so that no thread that serves others waits for it.
//!
//! Most requests wait for nothing and are carried out where they arrive. A write waits, as a task, while another change
//! keeps the writer of its world busy. A request that may take long by its size or that of the organization is carried
//! out aside, and only so many at once.

use super::Edge;
use super::body::LARGE_BODY;
use super::origin::Addressed;
use super::pages::Page;
use super::request::ApiRequest;
use super::router::RouteMatch;
use super::trace;
use crate::world::World;
use crate::world::blocking::{Turn, in_place};
use http::Method;
use std::sync::Arc;
use std::thread::available_parallelism;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// What a request waits for.
pub(super) struct Deferral<'a> {
    world: &'a World,
    writes: bool,
    room: Option<Arc<Semaphore>>,
}

/// What a request has been waiting for, held until it is carried out.
pub(super) struct Permit {
    _turn: Option<Turn>,
    _room: Option<OwnedSemaphorePermit>,
}

/// How many requests that may take long are carried out at once.
pub(super) fn room() -> Arc<Semaphore> {
    Arc::new(Semaphore::new(available_parallelism().map_or(4, |cores| cores.get().max(2) * 2)))
}

impl Edge {
    /// What a request waits for before it is carried out; None for most, which wait for nothing.
    pub(super) fn deferral<'a>(
        &self,
        world: &'a World,
        incoming: &ApiRequest,
        addressed: &Addressed<'_>,
    ) -> Option<Deferral<'a>> {
        let (writes, is_long) = match addressed.path_of_operation() {
            Some(path) => {
                let writes = match *incoming.method() {
                    Method::OPTIONS => false,
                    Method::GET | Method::HEAD => world.is_busy() && self.is_poll(world, path),
                    _ => true,
                };
                (writes, incoming.body.len() > LARGE_BODY || self.is_long(world, incoming.method(), path))
            }
            None => {
                Page::find(incoming, addressed)?;
                (incoming.method() == Method::POST, world.is_large())
            }
        };
        let has_to_wait = writes && world.is_busy();
        (is_long || has_to_wait).then(|| Deferral { world, writes, room: is_long.then(|| self.room.clone()) })
    }

    /// Whether a path is that of the long poll, which notes in the world that it waits.
    fn is_poll(&self, world: &World, path: &str) -> bool {
        let found = self.router.find("GET", path, world.settings().feature_level);
        matches!(found, RouteMatch::Operation(row, _) if row.is_poll())
    }

    fn is_long(&self, world: &World, method: &Method, path: &str) -> bool {
        if !world.is_large() {
            return false;
        }
        match self.router.find(&trace::name_of(method), path, world.settings().feature_level) {
            RouteMatch::Operation(row, _) => !row.is_short,
            RouteMatch::WrongMethod(_) => false,
            // A name of the dialect's, perhaps.
            RouteMatch::Nothing => true,
        }
    }
}

impl Deferral<'_> {
    /// Waits.
    pub async fn permitted(&self) -> Permit {
        let turn = if self.writes { Some(self.world.turn().await) } else { None };
        let room = match &self.room {
            // It is never closed.
            Some(room) => room.clone().acquire_owned().await.ok(),
            None => None,
        };
        Permit { _turn: turn, _room: room }
    }
}

/// Does the work of a request, away from other requests' threads if it had to wait for a permit.
pub(super) fn aside<T>(permit: Option<&Permit>, work: impl FnOnce() -> T) -> T {
    if permit.is_some() { in_place(work) } else { work() }
}
