//! Hints about IDs: the ID of the channel or user for a name where a parameter takes an ID, and whether a channel is
//! hidden or does not exist.

use crate::api::OperationRow;
use crate::api::parameter::RawParameters;
use crate::error::Error;
use crate::realm::Realm;
use crate::realm::id::ChannelId;
use crate::realm::user::User;

/// Longer texts are neither names of channels nor addresses, and get no hint.
const MAX_NAME_BYTES: usize = 320;

/// A hint for the ID of a channel that the caller can't see, or that does not exist: the error is the same for both.
pub fn for_hidden_channel(error: &Error, realm: &Realm, caller: &User) -> Option<String> {
    let Error::UnknownChannelId { stream_id } = error else { return None };
    let id = stream_id.as_i64()?;
    Some(match realm.channels.get(&ChannelId(id)) {
        Some(channel) if !realm.can_see(caller, channel) => format!(
            "Channel {id} exists, but {} can't see it. A real server would refuse with its name (A-452).",
            caller.email
        ),
        Some(_) => return None,
        None => format!("No channel has the ID {id}."),
    })
}

/// A hint for the name of a channel, or the address of a user, that was sent in place of an ID.
pub fn for_name_instead_of_id(
    error: &Error,
    row: &OperationRow,
    raw: &RawParameters,
    realm: &Realm,
    caller: &User,
) -> Option<String> {
    let Error::BadValue { parameter, .. } = error else { return None };
    let parameter = parameter.as_str()?;
    let is_for_ids = parameter == "to" || parameter.ends_with("_id") || parameter.ends_with("_ids");
    let info = row.parameters.iter().find(|info| is_for_ids && info.name == parameter)?;
    let sent_value = raw.text(info).ok()??;
    let name = sent_value.trim_matches(['[', ']', '"', '\'', '#', ' ']);
    if name.len() > MAX_NAME_BYTES {
        return None;
    }
    if let Some(channel) = realm.channel_by_name(name).filter(|channel| realm.can_see(caller, channel)) {
        return Some(format!(
            "{parameter} takes an ID here; that of the channel '{}' is {}.",
            channel.name, channel.id
        ));
    }
    let user = realm.user_by_displayed_email(Some(caller), name)?;
    let address = realm.email_shown_to(Some(caller), user);
    Some(format!("{parameter} takes an ID here; that of {address} is {}.", user.id))
}
