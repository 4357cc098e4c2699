//! Warnings on standard error about clients that are set up wrongly and show little of it themselves.

use super::request::ApiRequest;
use crate::dialect::Dialect;
use http::header;
use parking_lot::Mutex;
use std::collections::BTreeSet;

/// The most warnings of a server; clients choose the names in them.
const MAX_WARNINGS: usize = 100;
/// Longer names are cut.
const NAME_MAX_BYTES: usize = 60;
/// Longer paths are cut.
const PATH_MAX_BYTES: usize = 200;

/// What was warned of; each warning is printed once.
#[derive(Debug, Default)]
pub struct SetupWarnings {
    warned_of: Mutex<BTreeSet<String>>,
}

impl SetupWarnings {
    /// Warns of a stock client in a world with neutral names: it looks for other ones.
    pub fn warn_of_dialect(&self, incoming: &ApiRequest, dialect: &Dialect, world: &str) {
        if !dialect.is_neutral() {
            return;
        }
        let Some(user_agent) = incoming.header(header::USER_AGENT) else { return };
        let Some(needed) = Dialect::of_stock_client(user_agent) else { return };
        let name = cut(user_agent.split([' ', '(']).next().unwrap_or_default(), NAME_MAX_BYTES);
        if self.is_new(name) {
            tracing::warn!(
                "the client {name} looks for other names than the neutral ones of world {world}: it needs --dialect {needed}"
            );
        }
    }

    /// Warns of a request outside of the API that has the path of an operation: the client's base URL lacks `/api/v1`.
    pub fn warn_of_path(&self, incoming: &ApiRequest, hint: &str) {
        let path = cut(incoming.path(), PATH_MAX_BYTES);
        if self.is_new(path) {
            tracing::warn!("{} {path} is not in the journal: {hint}", incoming.method());
        }
    }

    fn is_new(&self, subject: &str) -> bool {
        let mut warned_of = self.warned_of.lock();
        warned_of.len() < MAX_WARNINGS && warned_of.insert(subject.to_owned())
    }
}

fn cut(text: &str, max_bytes: usize) -> &str {
    &text[..text.floor_char_boundary(max_bytes)]
}
