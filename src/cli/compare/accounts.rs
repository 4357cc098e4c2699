//! The accounts file of `compare`: accounts by role or handle, for both servers or for each of them.

use crate::cli::CliError;
use crate::cli::output::eprint_line;
use crate::json_diagnostic::{describe_syntax_error, describe_unknown, similar_name};
use crate::realm::deserialize_unique;
use crate::scenario::Account;
use serde::Deserialize;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// Role names in the file, with the handles that the probes use for them. The first name of a handle is the one that
/// [`role_name`] returns.
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

/// What errors say of the form of an entry.
const ENTRY_FORM: &str = "takes {\"email\": …, \"api_key\": …}, or such objects as \"first\" and \"second\"";

/// The entries of the file, before their forms are known.
#[derive(Deserialize)]
struct Entries(#[serde(deserialize_with = "deserialize_unique::map")] BTreeMap<String, Value>);

/// The accounts in the file, by the handles of the probes.
pub struct Accounts(BTreeMap<String, AccountEntry>);

#[derive(Deserialize)]
#[serde(untagged)]
enum AccountEntry {
    /// The same account on both servers.
    Both(Credentials),
    /// The account on the first server, and that on the second.
    Pair([Credentials; 2]),
    FirstAndSecond {
        first: Credentials,
        second: Credentials,
    },
    /// The account of each server, by base URL.
    ByUrl(BTreeMap<String, Credentials>),
}

#[derive(Clone, Deserialize)]
#[serde(deny_unknown_fields)]
struct Credentials {
    email: String,
    /// If empty, the key is requested from the server, which works with doubles and development servers.
    #[serde(default)]
    api_key: String,
}

impl Accounts {
    /// Reads an accounts file, whose entries are named by role or by handle. `handles` are those that the probes use.
    /// Other names are reported on standard error and ignored, unless they are similar to a known one.
    ///
    /// # Errors
    ///
    /// What is wrong with the file, with the JSON path of a wrong entry. For a name that is similar to a role or
    /// handle, the error suggests that.
    pub fn read(file: &Path, handles: &BTreeSet<String>) -> Result<Self, CliError> {
        let file_error = |reason: &dyn std::fmt::Display| CliError::failure(format!("{}: {reason}", file.display()));
        let text = std::fs::read_to_string(file).map_err(|error| file_error(&error))?;
        let Entries(entries) = serde_json::from_str(&text).map_err(|error| {
            let form = "takes an object of accounts by role, such as {\"member\": {\"email\": …, \"api_key\": …}}";
            let is_object = serde_json::from_str::<Value>(&text).map_or(true, |value| value.is_object());
            if is_object { file_error(&describe_syntax_error(&text, &error)) } else { file_error(&form) }
        })?;
        let names: Vec<&str> = role_names().chain(handles.iter().map(String::as_str)).collect();
        let mut accounts = BTreeMap::new();
        for (name, value) in entries {
            let handle = handle_of(&name);
            let is_known = handles.contains(handle) || ROLES.iter().any(|(_, known_handle)| *known_handle == handle);
            if !is_known {
                match similar_name(&name, &names) {
                    Some(nearest) if nearest != name => {
                        return Err(file_error(&format!(
                            "$.{name}: there is no role `{name}`; did you mean `{nearest}`?"
                        )));
                    }
                    _ => eprint_line(format_args!(
                        "warning: {}: $.{name}: no probe uses this account; roles are {}",
                        file.display(),
                        ROLES.map(|(role, _)| role).join(", ")
                    )),
                }
                continue;
            }
            let entry: AccountEntry = serde_json::from_value(value.clone())
                .map_err(|_| file_error(&format!("$.{name}: {}", entry_problem(&value))))?;
            if let AccountEntry::ByUrl(accounts_by_url) = &entry
                && let Some(key) = accounts_by_url.keys().find(|key| !key.contains("://"))
            {
                let problem = match key.as_str() {
                    "first" if accounts_by_url.len() == 1 => "has \"first\", and lacks \"second\"".to_owned(),
                    "second" if accounts_by_url.len() == 1 => "has \"second\", and lacks \"first\"".to_owned(),
                    key => format!("{ENTRY_FORM}, not {key:?}"),
                };
                return Err(file_error(&format!("$.{name}: {problem}")));
            }
            if accounts.insert(handle.to_owned(), entry).is_some() {
                return Err(file_error(&format!("$.{name}: the account for {handle} is given twice")));
            }
        }
        if accounts.is_empty() {
            return Err(file_error(&"has no accounts that probes use"));
        }
        Ok(Self(accounts))
    }

    /// The accounts on a server with this base URL. `position` is its place on the command line, 0 or 1.
    pub fn for_server(&self, position: usize, url: &str) -> BTreeMap<String, Account> {
        let find_account = |entry: &AccountEntry| {
            let credentials = match entry {
                AccountEntry::Both(credentials) => Some(credentials),
                AccountEntry::Pair(pair) => pair.get(position),
                AccountEntry::FirstAndSecond { first, second } => Some(if position == 0 { first } else { second }),
                AccountEntry::ByUrl(accounts_by_url) => accounts_by_url
                    .iter()
                    .find(|(base_url, _)| base_url.trim_end_matches('/') == url)
                    .map(|(_, credentials)| credentials),
            }?;
            Some(Account { email: credentials.email.clone(), api_key: credentials.api_key.clone() })
        };
        self.0.iter().filter_map(|(handle, entry)| Some((handle.clone(), find_account(entry)?))).collect()
    }
}

/// What is wrong with an entry of no known form.
fn entry_problem(entry: &Value) -> String {
    let known_keys = ["email", "api_key"];
    let credentials = entry.as_object().filter(|object| object.contains_key("email"));
    let unknown_key = credentials.and_then(|object| object.keys().find(|key| !known_keys.contains(&key.as_str())));
    unknown_key.map_or_else(|| ENTRY_FORM.to_owned(), |key| describe_unknown("key", key, &known_keys))
}

/// The handle of an account that a file may name by its role, such as `mel` for `member`; other names as they are.
pub fn handle_of(name: &str) -> &str {
    ROLES.iter().find(|(role, _)| *role == name).map_or(name, |(_, handle)| handle)
}

/// The names that a file may give to accounts by their roles.
pub fn role_names<'a>() -> impl Iterator<Item = &'a str> {
    ROLES.iter().map(|(role, _)| *role)
}

/// The handle in [`ROLES`] that is most similar to `handle`. None if none is similar, or if `handle` itself is in the
/// table.
pub fn similar_handle(handle: &str) -> Option<&'static str> {
    let handles = ROLES.map(|(_, role_handle)| role_handle);
    similar_name(handle, &handles).filter(|similar| *similar != handle)
}

/// What the file may call the account of a handle: its role, or the handle if it has none.
pub fn account_name(handle: &str) -> &str {
    ROLES.iter().find(|(_, role_handle)| *role_handle == handle).map_or(handle, |(role, _)| role)
}
