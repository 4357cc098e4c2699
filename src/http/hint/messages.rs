//! Hints for IDs of messages that an operation refuses: replies do not say whether such a message was deleted, was
//! never sent, or is hidden from the caller.

use crate::api::parameter::RawParameters;
use crate::error::Error;
use crate::realm::Realm;
use crate::realm::id::MessageId;
use crate::realm::user::User;

/// The parameter with one ID of a message, in the path or not.
const ID_PARAMETER: &str = "message_id";
/// The parameters with a list of IDs of messages.
const LIST_PARAMETERS: [&str; 2] = ["messages", "msg_ids"];
/// Only the first IDs of a long list are looked up.
const MAX_IDS: usize = 1_000;

/// A hint for the first message that the caller can't see: whether it was deleted, was never sent, or is hidden.
pub fn for_message(error: &Error, raw: &RawParameters, realm: &Realm, caller: &User) -> Option<String> {
    if *error != Error::InvalidMessage {
        return None;
    }
    let path_value = raw.path_values.iter().find(|(name, _)| name == ID_PARAMETER).map(|(_, value)| value);
    let mut parameters = [ID_PARAMETER].into_iter().chain(LIST_PARAMETERS);
    let sent_value = path_value.or_else(|| parameters.find_map(|name| raw.values.get(name)))?;
    let is_visible = |id: &i64| realm.visible_message(caller, MessageId(*id)).is_some();
    let id = parse_ids(sent_value).into_iter().take(MAX_IDS).find(|id| !is_visible(id))?;
    let newest_id = realm.counters.message;
    Some(if realm.messages.contains_key(&MessageId(id)) {
        format!("Message {id} exists, but {} can't see it.", caller.email)
    } else if (1..=newest_id).contains(&id) {
        format!("Message {id} was deleted.")
    } else {
        format!("No message has had the ID {id}; the newest is {newest_id}.")
    })
}

/// Parses an ID, or a JSON list of IDs.
fn parse_ids(text: &str) -> Vec<i64> {
    match text.parse() {
        Ok(id) => vec![id],
        Err(_) => serde_json::from_str(text).unwrap_or_default(),
    }
}
