//! Stock clients in worlds with neutral names: they don't find what they look for, and say little about it.

use super::request::ApiRequest;
use crate::dialect::Dialect;
use http::header;
use parking_lot::Mutex;
use std::collections::BTreeSet;

/// Warnings are given for so many clients; names are what anybody may send.
const MAX_REPORTED: usize = 100;
/// Longer names are cut.
const NAME_MAX_BYTES: usize = 60;

/// The stock clients that were reported.
#[derive(Debug, Default)]
pub struct StockClients {
    reported: Mutex<BTreeSet<String>>,
}

impl StockClients {
    /// Says once per client, on standard error, which dialect it needs when the world does not have it.
    pub fn warn_of(&self, incoming: &ApiRequest, dialect: &Dialect, world: &str) {
        if !dialect.is_neutral() {
            return;
        }
        let Some(user_agent) = incoming.header(header::USER_AGENT) else { return };
        let Some(needed) = Dialect::of_stock_client(user_agent) else { return };
        let name = user_agent.split([' ', '(']).next().unwrap_or_default();
        let name = &name[..name.floor_char_boundary(NAME_MAX_BYTES)];
        let mut reported = self.reported.lock();
        if reported.len() < MAX_REPORTED && reported.insert(name.to_owned()) {
            tracing::warn!(
                "the client {name} looks for other names than the neutral ones of world {world}: it needs --dialect {needed}"
            );
        }
    }
}
