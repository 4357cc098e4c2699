//! The accounts with which scenarios use an organization as it is.

use serde::Deserialize;
use std::collections::BTreeMap;

/// Accounts on a server whose organization is used as it is, by the handles that scenarios use.
pub type Accounts = BTreeMap<String, Account>;

/// An account on a server whose organization is used as it is.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Account {
    /// The address with which the account logs in.
    pub email: String,
    /// The API key. If it is empty, the server is asked for it, which works with doubles and development servers.
    #[serde(default)]
    pub api_key: String,
}
