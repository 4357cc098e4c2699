//! A hint for a failed command whose client may look for names of another dialect.

use crate::server::Server;
use crate::world::World;

/// Operations after whose replies clients stop that miss the names of their product, such as `zulip_feature_level`.
const FIRST_OPERATIONS: [(&str, &str); 2] = [("GET", "/server_settings"), ("POST", "/register")];

/// The hint, if the last request of a world with neutral names is one that clients begin with.
pub fn dialect_hint(server: &Server) -> Option<String> {
    let worlds = server.worlds().all();
    let neutral_worlds = worlds.iter().filter(|world| world.settings().dialect.is_neutral());
    let (method, path) = neutral_worlds.filter_map(|world| last_first_operation(world)).next()?;
    Some(format!(
        "hint: the last request was {method} {path}; a client that looks for zulip_version or zulip_feature_level in \
         its reply needs --dialect zulip"
    ))
}

/// The operation of a world's last request, if clients begin with it.
fn last_first_operation(world: &World) -> Option<(&'static str, &'static str)> {
    let journal = world.journal().all();
    let last_entry = journal.last()?;
    let is_last = |(method, path): &&(&str, &str)| last_entry.method == *method && last_entry.path == *path;
    FIRST_OPERATIONS.iter().find(is_last).copied()
}
