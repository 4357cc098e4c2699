//! Hints for misspelled names of channels and users: the most similar one that the caller may see. Requests for API
//! keys get the most similar account.

use crate::api::OperationRow;
use crate::api::parameter::RawParameters;
use crate::error::{Error, ErrorField};
use crate::realm::Realm;
use crate::realm::user::User;

/// Only the beginning of a longer name is compared.
const MAX_COMPARED_BYTES: usize = 100;
/// Names whose lengths in bytes differ by more are not similar.
const MAX_LENGTH_DIFFERENCE: usize = 6;
/// The Jaro-Winkler similarity, from 0 to 1, above which names are similar.
pub const MIN_SIMILARITY: f64 = 0.8;
/// From this number of characters on, names that differ in one letter are similar too.
const MIN_LENGTH_FOR_ONE_LETTER_TYPOS: usize = 3;

/// A hint for an error about an unknown channel or user.
pub fn for_name(
    error: &Error,
    row: &OperationRow,
    raw: &RawParameters,
    realm: &Realm,
    caller: Option<&User>,
) -> Option<String> {
    match error {
        Error::UnknownChannel { stream: name } | Error::InvalidChannelName { channel_name: name } => {
            for_channel(realm, caller?, field_text(name))
        }
        Error::InvalidRecipientEmail { email } => for_user(realm, caller?, field_text(email)),
        Error::NoSuchUser => {
            let (_, email) = raw.path_values.iter().find(|(name, _)| name == "email")?;
            for_user(realm, caller?, email)
        }
        Error::BadNarrow { desc } => {
            let (kind, name) = field_text(desc).strip_prefix("unknown ")?.split_once(' ')?;
            if kind == "channel" { for_channel(realm, caller?, name) } else { for_user(realm, caller?, name) }
        }
        // A caller who may get keys may also list all accounts.
        Error::AuthenticationFailed | Error::InvalidEmailSyntax if row.exposes_api_keys => for_account(realm, raw),
        _ => None,
    }
}

fn field_text(field: &ErrorField) -> &str {
    field.as_str().unwrap_or_default()
}

fn for_channel(realm: &Realm, caller: &User, name: &str) -> Option<String> {
    let visible_channels =
        realm.channels.values().filter(|channel| !channel.is_archived && realm.can_see(caller, channel));
    let nearest = find_similar(name, visible_channels.map(|channel| channel.name.to_string()))?;
    Some(format!("The nearest channel that the caller can see is '{nearest}'."))
}

fn for_user(realm: &Realm, caller: &User, name: &str) -> Option<String> {
    if name == "me" {
        let address = realm.email_shown_to(Some(caller), caller);
        return Some(format!("The server does not know 'me' here: send the caller's own address, {address}."));
    }
    let accessible_ids = realm.active_users.iter().filter(|id| realm.can_access_user(caller, **id));
    let addresses =
        accessible_ids.filter_map(|id| realm.user(*id)).map(|user| realm.email_shown_to(Some(caller), user));
    let address = nearest_address(name, addresses)?;
    Some(format!("The nearest address that the caller can see is {address}."))
}

fn for_account(realm: &Realm, raw: &RawParameters) -> Option<String> {
    let name = raw.values.get("username")?;
    let addresses = realm.active_users.iter().filter_map(|id| realm.user(*id)).map(|user| user.email.clone());
    let address = nearest_address(name, addresses);
    let format_hint = if name.contains('@') { "" } else { "username takes an address. " };
    match address {
        Some(address) => {
            Some(format!("{format_hint}The nearest account is {address}; GET /dev_list_users lists them."))
        }
        None => Some(format!("{format_hint}GET /dev_list_users lists the accounts.")),
    }
}

/// The address most similar to a name, which may be only the part before the @. Addresses at the same host are
/// compared by the part before the @: a host that many share would make all of them similar. If none is similar, the
/// addresses at other hosts are compared as a whole.
fn nearest_address(name: &str, addresses: impl Iterator<Item = String>) -> Option<String> {
    let addresses: Vec<String> = addresses.collect();
    let (local_part, host) = name.split_once('@').unwrap_or((name, ""));
    let local_part_of = |address: &str| address.split('@').next().unwrap_or_default().to_owned();
    let is_at_host = |address: &&String| {
        host.is_empty() || address.split_once('@').is_some_and(|(_, address_host)| address_host == host)
    };
    if let Some(nearest) =
        find_similar(local_part, addresses.iter().filter(is_at_host).map(|address| local_part_of(address)))
    {
        return addresses.into_iter().find(|address| is_at_host(&address) && local_part_of(address) == nearest);
    }
    let other_addresses = addresses.iter().filter(|address| !is_at_host(address)).cloned();
    find_similar(name, other_addresses)
}

/// The similar name with the smallest edit distance, ignoring case; among several, one with the same first letter, and
/// among these the one with the highest Jaro-Winkler similarity. None if no name is similar.
pub fn find_similar(name: &str, names: impl Iterator<Item = String>) -> Option<String> {
    let name = &name[..name.floor_char_boundary(MAX_COMPARED_BYTES)];
    let name = name.to_lowercase();
    let names = names.filter(|candidate| candidate.len().abs_diff(name.len()) <= MAX_LENGTH_DIFFERENCE);
    let candidates = names.filter_map(|candidate| {
        let lowercase_candidate = candidate.to_lowercase();
        let distance = strsim::osa_distance(&name, &lowercase_candidate);
        let similarity = strsim::jaro_winkler(&name, &lowercase_candidate);
        let is_similar =
            similarity > MIN_SIMILARITY || distance <= 1 && name.chars().count() >= MIN_LENGTH_FOR_ONE_LETTER_TYPOS;
        let has_other_initial = name.chars().next() != lowercase_candidate.chars().next();
        is_similar.then_some(((distance, has_other_initial), similarity, candidate))
    });
    type Candidate = ((usize, bool), f64, String);
    let by_nearness = |a: &Candidate, b: &Candidate| a.0.cmp(&b.0).then(b.1.total_cmp(&a.1));
    candidates.min_by(by_nearness).map(|(_, _, nearest)| nearest)
}
