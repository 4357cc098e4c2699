//! What is learned of a command's requests from the journals of the server that it ran against.

use super::chaos::Seen;
use super::chaos::seen::Request;
use crate::level::Usage;
use crate::server::Server;
use crate::world::{World, Worlds};
use std::collections::HashSet;
use std::sync::{Arc, Mutex, PoisonError};

/// Something that is learned of requests.
pub trait Learning: Sized {
    /// Begins to learn; the function gives what was learned when the command has ended.
    fn begin(server: &Server) -> impl FnOnce(&Server) -> Self;
}

impl Learning for Seen {
    fn begin(server: &Server) -> impl FnOnce(&Server) -> Self {
        let default = server.worlds().get(Worlds::DEFAULT);
        let users = default.map(|world| world.snapshot().users.values().map(|user| user.email.clone()).collect());
        let users: HashSet<String> = users.unwrap_or_default();
        learn_of_worlds(server, move |world, seen: &mut Seen| seen.join(seen_in(world, &users)))
    }
}

impl Learning for Usage {
    fn begin(server: &Server) -> impl FnOnce(&Server) -> Self {
        learn_of_worlds(server, add)
    }
}

/// Learns of all worlds, also of those that end or are reset before the command does, as tests often do it.
fn learn_of_worlds<Learned: Clone + Default + Send + 'static>(
    server: &Server,
    add: impl Fn(&World, &mut Learned) + Clone + Send + Sync + 'static,
) -> impl FnOnce(&Server) -> Learned {
    let of_ended = Arc::new(Mutex::new(Learned::default()));
    let (learned, add_ended) = (of_ended.clone(), add.clone());
    server.worlds().witness_ends(move |world| {
        add_ended(world, &mut of_ended.lock().unwrap_or_else(PoisonError::into_inner));
    });
    move |server| {
        let mut learned = learned.lock().unwrap_or_else(PoisonError::into_inner).clone();
        server.worlds().all().iter().for_each(|world| add(world, &mut learned));
        learned
    }
}

/// What faults can meet in one world; `users` are those that a fault for one user may name.
fn seen_in(world: &World, users: &HashSet<String>) -> Seen {
    let mut seen = Seen::default();
    for entry in world.journal().all().iter().filter(|entry| entry.fault.is_none()) {
        let Some(route) = entry.route else { continue };
        seen.add(Request {
            route,
            method: &entry.method,
            user: entry.user.as_deref().filter(|user| users.contains(*user)),
            params: &entry.params,
            status: entry.status,
            reply: &entry.reply.0,
            has_events: !entry.events.is_empty(),
        });
    }
    seen
}

fn add(world: &World, usage: &mut Usage) {
    for entry in world.journal().all() {
        usage.add(&entry.method, &entry.path, &entry.params, &entry.reply.0);
    }
}
