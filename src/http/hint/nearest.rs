//! Hints at misspelled names of channels and users: the nearest one that the caller may know of.

use crate::api::Row;
use crate::api::parameter::RawParameters;
use crate::error::{Error, ErrorField};
use crate::realm::Realm;
use crate::realm::user::User;

/// More of a name than this is not compared with others.
const COMPARED_MAX_BYTES: usize = 200;
/// Names whose lengths differ by more are not alike.
const LENGTHS_APART_MAX: usize = 6;
/// Names that are less alike, from 0 to 1, are no hint.
const LIKENESS_MIN: f64 = 0.8;

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

/// The address that is most like a name, which may be the part before the @ alone.
fn nearest_address(name: &str, addresses: impl Iterator<Item = String>) -> Option<String> {
    if name.contains('@') {
        return most_like(name, addresses);
    }
    let addresses: Vec<String> = addresses.collect();
    let handle = |address: &String| address.split('@').next().unwrap_or_default().to_owned();
    let nearest = most_like(name, addresses.iter().map(handle))?;
    addresses.into_iter().find(|address| handle(address) == nearest)
}

fn most_like(name: &str, names: impl Iterator<Item = String>) -> Option<String> {
    let name = &name[..name.floor_char_boundary(COMPARED_MAX_BYTES)];
    let name = name.to_lowercase();
    let names = names.filter(|other| other.len().abs_diff(name.len()) <= LENGTHS_APART_MAX);
    let compared = names.map(|other| (strsim::jaro_winkler(&name, &other.to_lowercase()), other));
    let (likeness, nearest) = compared.max_by(|(one, _), (other, _)| one.total_cmp(other))?;
    (likeness > LIKENESS_MIN).then_some(nearest)
}
