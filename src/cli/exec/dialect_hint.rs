//! A hint for a failed command whose client may look for names of another dialect.

use crate::server::Server;
use crate::world::World;

/// Operations with which clients begin. A client that misses the names of its product in the reply, such as
/// `zulip_feature_level`, sends no other request.
const INITIAL_OPERATIONS: [(&str, &str); 2] = [("GET", "/server_settings"), ("POST", "/register")];

/// The hint, if the last request to a world with neutral names is one with which clients begin.
pub fn dialect_hint(server: &Server) -> Option<String> {
    let worlds = server.worlds().all();
    let neutral_worlds = worlds.iter().filter(|world| world.settings().dialect.is_neutral());
    let (method, path) = neutral_worlds.filter_map(|world| initial_operation_of_last_request(world)).next()?;
    Some(format!(
        "hint: the last request was {method} {path}; a client that looks for zulip_version or zulip_feature_level in \
         its reply needs --dialect zulip"
    ))
}

/// The operation of a world's last request, if clients begin with it.
fn initial_operation_of_last_request(world: &World) -> Option<(&'static str, &'static str)> {
    let journal = world.journal().all();
    let last_entry = journal.last()?;
    let is_last = |(method, path): &&(&str, &str)| last_entry.method == *method && last_entry.path == *path;
    INITIAL_OPERATIONS.iter().find(is_last).copied()
}
