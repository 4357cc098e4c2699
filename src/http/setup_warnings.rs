//! Warns on standard error about mistakes in the setup of clients or tests that would otherwise go unnoticed.

use super::request::IncomingRequest;
use crate::api::NEWEST_FEATURE_LEVEL;
use crate::api::release::newer_level_text;
use crate::dialect::Dialect;
use crate::journal::Entry;
use crate::time::Timestamp;
use crate::world::World;
use http::header;
use parking_lot::Mutex;
use std::collections::BTreeSet;
use std::sync::{Arc, OnceLock};

/// The most warnings that a server prints; clients choose the names in them, and could otherwise fill the memory.
const MAX_WARNINGS: usize = 100;
/// Longer names are truncated.
const MAX_NAME_BYTES: usize = 60;
/// Longer paths are truncated.
const MAX_PATH_BYTES: usize = 200;

/// Prints each warning only once.
#[derive(Debug, Default)]
pub struct SetupWarnings {
    /// The subjects of the printed warnings: clients, paths, origins of pages, levels and the default world.
    warned_of: Mutex<BTreeSet<String>>,
    /// The real time at which a world was first forked from the default world.
    first_fork_at: OnceLock<Timestamp>,
}

impl SetupWarnings {
    /// Warns of a stock client in a world with neutral names: such a client needs its vendor's names.
    pub fn warn_of_dialect(&self, incoming: &IncomingRequest, dialect: &Dialect, world: &str) {
        if !dialect.is_neutral() {
            return;
        }
        let Some(user_agent) = incoming.header(header::USER_AGENT) else { return };
        let Some(needed_dialect) = Dialect::name_expected_by(user_agent) else { return };
        let name = truncate(user_agent.split([' ', '(']).next().unwrap_or_default(), MAX_NAME_BYTES);
        if self.record_warning(name) {
            tracing::warn!(
                "the client {name} looks for other names than the neutral ones of world {world}: it needs --dialect {needed_dialect}"
            );
        }
    }

    /// Warns of a world at a level that the program does not know, unless that is the server's, of which it warns at
    /// its start.
    pub fn warn_of_newer_level(&self, level: i64, level_of_server: i64) {
        if level > NEWEST_FEATURE_LEVEL && level != level_of_server && self.record_warning(&format!("level {level}")) {
            tracing::warn!("{}", newer_level_text(&format!("feature level {level} is")));
        }
    }

    /// Warns of a request outside of the API that has the path of an operation: the client's base URL lacks `/api/v1`
    /// or has another prefix in its place.
    pub fn warn_of_path(&self, incoming: &IncomingRequest, hint: &str) {
        let path = truncate(incoming.path(), MAX_PATH_BYTES);
        if self.record_warning(path) {
            tracing::warn!("{} {path} is not in the journal: {hint}", incoming.method());
        }
    }

    /// Warns of a page whose browser does not let it read the replies.
    pub fn warn_of_origin(&self, origin: &str, allowed_origin: &str) {
        let origin = truncate(origin, MAX_NAME_BYTES);
        if self.record_warning(origin) {
            tracing::warn!("pages of {origin} can't read replies: --cors-origin allows {allowed_origin}");
        }
    }

    /// Warns of a request that changed the default world after a world was forked from it: later forks have the change,
    /// so that tests with a fork each depend on their order. Called before each fork of the default world: the first
    /// call records the time of the first fork.
    pub fn warn_of_changed_default(&self, default: &World) {
        let first_fork_at = *self.first_fork_at.get_or_init(|| default.real_time().now());
        let was_requested_since = default.lifecycle().last_request_at().is_some_and(|at| at > first_fork_at);
        if !was_requested_since || self.warned_of.lock().contains(default.name()) {
            return;
        }
        let is_change = |entry: &&Arc<Entry>| {
            let is_of_queue = matches!(entry.route, Some("/register" | "/events"));
            entry.method != "GET" && entry.status == 200 && entry.arrived_at > first_fork_at.micros() && !is_of_queue
        };
        if let Some(entry) = default.journal().all().iter().find(is_change)
            && self.record_warning(default.name())
        {
            let path = truncate(&entry.path, MAX_PATH_BYTES);
            let user = entry.user.as_deref().map(|user| format!(" of {user}")).unwrap_or_default();
            tracing::warn!(
                "{} {path}{user} changed the world default: worlds that are forked from it later have the change",
                entry.method
            );
        }
    }

    /// Records that a warning about a subject is about to be printed; false if it was printed before or there are too
    /// many.
    fn record_warning(&self, subject: &str) -> bool {
        let mut warned_of = self.warned_of.lock();
        warned_of.len() < MAX_WARNINGS && warned_of.insert(subject.to_owned())
    }
}

fn truncate(text: &str, max_bytes: usize) -> &str {
    &text[..text.floor_char_boundary(max_bytes)]
}
