//! Hints at misspelled names of channels and users: the nearest one that the caller may know of.

use crate::api::Row;
use crate::api::parameter::RawParameters;
use crate::error::{Error, ErrorField};
use crate::realm::Realm;
use crate::realm::user::User;

/// More of a name than this is not compared with others.
const COMPARED_MAX_BYTES: usize = 100;
/// Names whose lengths differ by more are not alike.
const LENGTHS_APART_MAX: usize = 6;
/// Names that are less alike, from 0 to 1, are no hint, unless one letter is all that differs.
const LIKENESS_MIN: f64 = 0.8;
/// In a shorter name, one letter is too much.
const SHORT: usize = 3;

/// A hint for an error that says that there is no channel or user of a name.
pub fn for_name(error: &Error, row: &Row, raw: &RawParameters, realm: &Realm, caller: Option<&User>) -> Option<String> {
    match error {
        Error::UnknownChannel { stream: name } | Error::InvalidChannelName { channel_name: name } => {
            channel(realm, caller?, text(name))
        }
        Error::InvalidRecipientEmail { email } => user(realm, caller?, text(email)),
        Error::NoSuchUser => {
            let (_, email) = raw.path.iter().find(|(name, _)| name == "email")?;
            user(realm, caller?, email)
        }
        Error::BadNarrow { desc } => {
            let (kind, name) = text(desc).strip_prefix("unknown ")?.split_once(' ')?;
            if kind == "channel" { channel(realm, caller?, name) } else { user(realm, caller?, name) }
        }
        // Whoever may ask for keys may list all accounts.
        Error::AuthenticationFailed | Error::InvalidEmailSyntax if row.gives_keys => account(realm, raw),
        _ => None,
    }
}

fn text(field: &ErrorField) -> &str {
    field.as_str().unwrap_or_default()
}

fn channel(realm: &Realm, caller: &User, name: &str) -> Option<String> {
    let seen = realm.channels.values().filter(|channel| !channel.is_archived && realm.can_see(caller, channel));
    let nearest = most_like(name, seen.map(|channel| channel.name.to_string()))?;
    Some(format!("The nearest channel that the caller can see is '{nearest}'."))
}

fn user(realm: &Realm, caller: &User, name: &str) -> Option<String> {
    let known = realm.active_users.iter().filter(|id| realm.can_access_user(caller, **id));
    let known = known.filter_map(|id| realm.user(*id)).map(|user| realm.email_shown_to(Some(caller), user));
    let address = nearest_address(name, known)?;
    Some(format!("The nearest address that the caller can see is {address}."))
}

fn account(realm: &Realm, raw: &RawParameters) -> Option<String> {
    let name = raw.values.get("username")?;
    let accounts = realm.active_users.iter().filter_map(|id| realm.user(*id)).map(|user| user.email.clone());
    let address = nearest_address(name, accounts);
    let takes = if name.contains('@') { "" } else { "username takes an address. " };
    match address {
        Some(address) => Some(format!("{takes}The nearest account is {address}; GET /dev_list_users lists them.")),
        None => Some(format!("{takes}GET /dev_list_users lists the accounts.")),
    }
}

/// The address that is most like a name, which may be the part before the @ alone. The host that many addresses share makes
/// none of them alike.
fn nearest_address(name: &str, addresses: impl Iterator<Item = String>) -> Option<String> {
    let addresses: Vec<String> = addresses.collect();
    let (wanted, host) = name.split_once('@').unwrap_or((name, ""));
    let handle = |address: &str| address.split('@').next().unwrap_or_default().to_owned();
    let at_host =
        |address: &&String| host.is_empty() || address.split_once('@').is_some_and(|(_, other)| other == host);
    if let Some(nearest) = most_like(wanted, addresses.iter().filter(at_host).map(|address| handle(address))) {
        return addresses.into_iter().find(|address| at_host(&address) && handle(address) == nearest);
    }
    let elsewhere = addresses.iter().filter(|address| !at_host(address)).cloned();
    most_like(name, elsewhere)
}

/// The name that the fewest letters are different in; of several, one with the same first letter. None where none is alike.
pub fn most_like(name: &str, names: impl Iterator<Item = String>) -> Option<String> {
    let name = &name[..name.floor_char_boundary(COMPARED_MAX_BYTES)];
    let name = name.to_lowercase();
    let names = names.filter(|other| other.len().abs_diff(name.len()) <= LENGTHS_APART_MAX);
    let compared = names.filter_map(|other| {
        let lower = other.to_lowercase();
        let letters = strsim::osa_distance(&name, &lower);
        let likeness = strsim::jaro_winkler(&name, &lower);
        let is_alike = likeness > LIKENESS_MIN || letters <= 1 && name.chars().count() >= SHORT;
        let begins_differently = name.chars().next() != lower.chars().next();
        is_alike.then_some(((letters, begins_differently), likeness, other))
    });
    type Compared = ((usize, bool), f64, String);
    let nearer = |one: &Compared, other: &Compared| one.0.cmp(&other.0).then(other.1.total_cmp(&one.1));
    compared.min_by(nearer).map(|(_, _, nearest)| nearest)
}
