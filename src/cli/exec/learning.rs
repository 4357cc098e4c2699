//! What is learned of a command's requests from the journals of the server that it ran against.

use super::chaos::Seen;
use super::chaos::seen::Request;
use crate::level::Usage;
use crate::server::Server;
use crate::world::World;
use std::sync::{Arc, Mutex, PoisonError};

/// Something that is learned of requests.
pub trait Learning: Sized {
    /// Begins to learn; the function gives what was learned when the command has ended.
    fn begin(server: &Server) -> impl FnOnce(&Server) -> Self;
}

impl Learning for Seen {
    /// Faults are in the default world alone, and so is what they can meet.
    fn begin(_: &Server) -> impl FnOnce(&Server) -> Self {
        |server| {
            let mut seen = Seen::default();
            let world = server.worlds().get("default");
            let entries = world.map(|world| world.journal().all()).unwrap_or_default();
            for entry in entries.iter().filter(|entry| entry.fault.is_none()) {
                let Some(route) = entry.route else { continue };
                seen.add(Request {
                    route,
                    method: &entry.method,
                    params: &entry.params,
                    status: entry.status,
                    reply: &entry.reply.0,
                    has_events: !entry.events.is_empty(),
                });
            }
            seen
        }
    }
}

impl Learning for Usage {
    /// Tests often end their worlds.
    fn begin(server: &Server) -> impl FnOnce(&Server) -> Self {
        let of_ended = Arc::new(Mutex::new(Usage::default()));
        let learned = of_ended.clone();
        server.worlds().witness_ends(move |world| {
            add(world, &mut of_ended.lock().unwrap_or_else(PoisonError::into_inner));
        });
        move |server| {
            let mut usage = learned.lock().unwrap_or_else(PoisonError::into_inner).clone();
            server.worlds().all().iter().for_each(|world| add(world, &mut usage));
            usage
        }
    }
}

fn add(world: &World, usage: &mut Usage) {
    for entry in world.journal().all() {
        usage.add(&entry.method, &entry.path, &entry.params, &entry.reply.0);
    }
}
