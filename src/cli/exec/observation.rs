//! Observes the requests of a command in the journals of its server: for chaos and for levels.

use super::chaos::ObservedRequests;
use super::chaos::observed_requests::ObservedRequest;
use crate::level::Usage;
use crate::server::Server;
use crate::world::{World, Worlds};
use std::collections::HashSet;
use std::sync::{Arc, Mutex, PoisonError};

/// A summary of requests that is collected while a command runs.
pub trait Observation: Sized {
    /// Starts to observe. The returned function is called when the command has ended, and returns the summary.
    fn begin(server: &Server) -> impl FnOnce(&Server) -> Self;
}

impl Observation for ObservedRequests {
    fn begin(server: &Server) -> impl FnOnce(&Server) -> Self {
        // A fault for a user is for one that the default world has.
        let default_world = server.worlds().get(Worlds::DEFAULT);
        let users = default_world.map(|world| world.snapshot().users.values().map(|user| user.email.clone()).collect());
        let users: HashSet<String> = users.unwrap_or_default();
        observe_worlds(server, move |world, observed_requests: &mut ObservedRequests| {
            observed_requests.merge(requests_of_world(world, &users))
        })
    }
}

impl Observation for Usage {
    fn begin(server: &Server) -> impl FnOnce(&Server) -> Self {
        observe_worlds(server, add_usage)
    }
}

/// Observes all worlds, including those that a test ends or resets before the command has ended.
fn observe_worlds<T: Clone + Default + Send + 'static>(
    server: &Server,
    add: impl Fn(&World, &mut T) + Clone + Send + Sync + 'static,
) -> impl FnOnce(&Server) -> T {
    let ended_worlds_summary = Arc::new(Mutex::new(T::default()));
    let (shared_summary, add_ended_world) = (ended_worlds_summary.clone(), add.clone());
    server.worlds().observe_ends(move |world| {
        add_ended_world(world, &mut shared_summary.lock().unwrap_or_else(PoisonError::into_inner));
    });
    move |server| {
        let mut summary = ended_worlds_summary.lock().unwrap_or_else(PoisonError::into_inner).clone();
        server.worlds().all().iter().for_each(|world| add(world, &mut summary));
        summary
    }
}

/// The requests of one world on which no fault fired. Only requests of `users` are attributed to a user.
fn requests_of_world(world: &World, users: &HashSet<String>) -> ObservedRequests {
    let mut observed_requests = ObservedRequests::default();
    for entry in world.journal().all() {
        let Some(route) = entry.route else { continue };
        if entry.fault.is_some() {
            observed_requests.count_faulted();
            continue;
        }
        observed_requests.add(ObservedRequest {
            route,
            method: &entry.method,
            user: entry.user.as_deref().filter(|user| users.contains(*user)),
            params: &entry.params,
            status: entry.status,
            reply: &entry.reply.0,
            has_events: !entry.events.is_empty(),
        });
    }
    observed_requests
}

fn add_usage(world: &World, usage: &mut Usage) {
    for entry in world.journal().all() {
        usage.add(&entry.method, &entry.path, &entry.params, entry.status, &entry.reply.0);
    }
}
