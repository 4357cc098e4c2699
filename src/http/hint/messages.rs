//! Hints for IDs of messages that an operation refuses: replies do not say whether such a message was deleted, was
//! never sent, or is hidden from the caller.

use crate::api::parameter::RawParameters;
use crate::error::Error;
use crate::realm::Realm;
use crate::realm::id::MessageId;
use crate::realm::user::User;

/// Parameters with one ID of a message or a list of them.
const PARAMETERS: [&str; 3] = ["message_id", "messages", "msg_ids"];
/// Only the first IDs of a long list are looked up.
const MAX_IDS: usize = 1_000;

/// A hint for the first message that the caller can't see: whether it was deleted, was never sent, or is hidden.
pub fn for_message(error: &Error, raw: &RawParameters, realm: &Realm, caller: &User) -> Option<String> {
    if *error != Error::InvalidMessage {
        return None;
    }
    let in_path = raw.path_values.iter().find(|(name, _)| name == PARAMETERS[0]).map(|(_, value)| value);
    let sent_value = in_path.or_else(|| PARAMETERS.iter().find_map(|name| raw.values.get(*name)))?;
    let is_visible = |id: &i64| realm.visible_message(caller, MessageId(*id)).is_some();
    let id = parse_ids(sent_value).into_iter().take(MAX_IDS).find(|id| !is_visible(id))?;
    let newest = realm.counters.message;
    Some(if realm.messages.contains_key(&MessageId(id)) {
        format!("Message {id} exists, but {} can't see it.", caller.email)
    } else if (1..=newest).contains(&id) {
        format!("Message {id} was deleted.")
    } else {
        format!("No message has had the ID {id}; the newest is {newest}.")
    })
}

/// Parses an ID, or a JSON list of IDs.
fn parse_ids(text: &str) -> Vec<i64> {
    match text.parse() {
        Ok(id) => vec![id],
        Err(_) => serde_json::from_str(text).unwrap_or_default(),
    }
}
