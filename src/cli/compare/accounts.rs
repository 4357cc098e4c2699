//! The file of accounts: who plays, by name, on both servers or on each.

use crate::cli::CliError;
use crate::scenario::Account;
use serde::Deserialize;
use std::collections::BTreeMap;
use std::path::Path;

/// Roles, and the names that probes use for them.
const ROLES: [(&str, &str); 8] = [
    ("owner", "olive"),
    ("admin", "adam"),
    ("administrator", "adam"),
    ("moderator", "mona"),
    ("member", "mel"),
    ("other_member", "max"),
    ("member2", "max"),
    ("guest", "gus"),
];

/// Accounts by the names that probes use.
pub struct Accounts(BTreeMap<String, Entry>);

#[derive(Deserialize)]
#[serde(untagged)]
enum Entry {
    Both(Credentials),
    /// For the first server and for the second.
    List([Credentials; 2]),
    Named {
        first: Credentials,
        second: Credentials,
    },
    /// By base URL.
    ByUrl(BTreeMap<String, Credentials>),
}

#[derive(Clone, Deserialize)]
#[serde(deny_unknown_fields)]
struct Credentials {
    email: String,
    /// Without one the server is asked for it, as doubles and servers for development allow.
    #[serde(default)]
    api_key: String,
}

impl Accounts {
    /// Reads a file.
    ///
    /// # Errors
    ///
    /// What is wrong with it.
    pub fn read(file: &Path) -> Result<Self, CliError> {
        let fault = |reason: &dyn std::fmt::Display| CliError::of_start(format!("{}: {reason}", file.display()));
        let text = std::fs::read_to_string(file).map_err(|error| fault(&error))?;
        let read: BTreeMap<String, serde_json::Value> = serde_json::from_str(&text).map_err(|error| fault(&error))?;
        let mut accounts = BTreeMap::new();
        for (name, value) in read {
            let takes = "takes {\"email\": …, \"api_key\": …}, or such objects as \"first\" and \"second\"";
            let entry = serde_json::from_value(value).map_err(|_| fault(&format!("$.{name}: {takes}")))?;
            let role = ROLES.iter().find(|(role, _)| *role == name).map(|(_, handle)| (*handle).to_owned());
            accounts.insert(role.unwrap_or(name), entry);
        }
        if accounts.is_empty() {
            return Err(fault(&"has no accounts"));
        }
        Ok(Self(accounts))
    }

    /// Those of a server.
    pub fn of(&self, at: usize, url: &str) -> BTreeMap<String, Account> {
        let account = |entry: &Entry| {
            let credentials = match entry {
                Entry::Both(credentials) => Some(credentials),
                Entry::List(list) => list.get(at),
                Entry::Named { first, second } => Some(if at == 0 { first } else { second }),
                Entry::ByUrl(all) => {
                    all.iter().find(|(known, _)| known.trim_end_matches('/') == url).map(|(_, one)| one)
                }
            }?;
            Some(Account { email: credentials.email.clone(), api_key: credentials.api_key.clone() })
        };
        self.0.iter().filter_map(|(name, entry)| Some((name.clone(), account(entry)?))).collect()
    }
}
