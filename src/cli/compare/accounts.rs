//! The file of accounts: by role or name, the same on both servers or one for each.

use crate::cli::CliError;
use crate::cli::output::tell;
use crate::json_diagnostic::nearest;
use crate::scenario::Account;
use serde::Deserialize;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// Roles, and the handles of probes that they mean.
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

/// Accounts by the handles of probes.
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
    /// If it is empty, the server is asked for the key, which doubles and servers for development give.
    #[serde(default)]
    api_key: String,
}

impl Accounts {
    /// Reads a file. `handles` are those that probes use; an account under another name is reported on standard error
    /// and not used.
    ///
    /// # Errors
    ///
    /// What is wrong with the file, with the JSON path; a misspelt role is named with the nearest one.
    pub fn read(file: &Path, handles: &BTreeSet<String>) -> Result<Self, CliError> {
        let fault = |reason: &dyn std::fmt::Display| CliError::of_start(format!("{}: {reason}", file.display()));
        let text = std::fs::read_to_string(file).map_err(|error| fault(&error))?;
        let read: BTreeMap<String, serde_json::Value> = serde_json::from_str(&text).map_err(|error| fault(&error))?;
        let roles = ROLES.iter().map(|(role, _)| *role);
        let names: Vec<&str> = roles.chain(handles.iter().map(String::as_str)).collect();
        let mut accounts = BTreeMap::new();
        for (name, value) in read {
            let handle = ROLES.iter().find(|(role, _)| *role == name).map_or(name.as_str(), |(_, handle)| handle);
            let is_known = handles.contains(handle) || ROLES.iter().any(|(_, own)| *own == handle);
            if !is_known {
                match nearest(&name, &names) {
                    Some(nearest) if nearest != name => {
                        return Err(fault(&format!("$.{name}: there is no role `{name}`; did you mean `{nearest}`?")));
                    }
                    _ => tell(format_args!("{}: $.{name}: no probe uses this account", file.display())),
                }
                continue;
            }
            let takes = "takes {\"email\": …, \"api_key\": …}, or such objects as \"first\" and \"second\"";
            let entry = serde_json::from_value(value).map_err(|_| fault(&format!("$.{name}: {takes}")))?;
            if accounts.insert(handle.to_owned(), entry).is_some() {
                return Err(fault(&format!("$.{name}: the account for {handle} is given twice")));
            }
        }
        if accounts.is_empty() {
            return Err(fault(&"has no accounts that probes use"));
        }
        Ok(Self(accounts))
    }

    /// The accounts on a server, by its position on the command line, 0 or 1, and its base URL.
    pub fn on(&self, position: usize, url: &str) -> BTreeMap<String, Account> {
        let account = |entry: &Entry| {
            let credentials = match entry {
                Entry::Both(credentials) => Some(credentials),
                Entry::List(list) => list.get(position),
                Entry::Named { first, second } => Some(if position == 0 { first } else { second }),
                Entry::ByUrl(all) => {
                    all.iter().find(|(known, _)| known.trim_end_matches('/') == url).map(|(_, one)| one)
                }
            }?;
            Some(Account { email: credentials.email.clone(), api_key: credentials.api_key.clone() })
        };
        self.0.iter().filter_map(|(handle, entry)| Some((handle.clone(), account(entry)?))).collect()
    }
}
