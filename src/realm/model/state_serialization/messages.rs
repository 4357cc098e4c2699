//! Serialization of messages in state documents. A message with the same or nearly the same recipients as an earlier
//! one refers to that message, because complete lists would grow with users times messages.

use crate::realm::model::deserialize_unique;
use crate::realm::model::id::{ChannelId, MessageId, RecipientId, UserId};
use crate::realm::model::message::{Message, MessagePlace};
use foldhash::fast::FixedState;
use imbl::ordset::DiffItem;
use imbl::{OrdMap, OrdSet};
use serde::de::value::{MapAccessDeserializer, SeqAccessDeserializer};
use serde::de::{Error as _, MapAccess, SeqAccess, Visitor};
use serde::ser::SerializeMap;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::collections::{BTreeMap, HashMap, HashSet};
use std::fmt;
use std::sync::Arc;

/// The number of recent sets per channel or conversation that are compared by pointer first: more than one, because
/// messages that mention a non-subscriber alternate with messages to the subscribers.
const MAX_RECENT_SETS: usize = 4;

type Messages = OrdMap<MessageId, Arc<Message>>;

pub fn serialize<S: Serializer>(messages: &Messages, serializer: S) -> Result<S::Ok, S::Error> {
    let mut serialized_sets = SerializedSets::default();
    let mut map = serializer.serialize_map(Some(messages.len()))?;
    for (id, message) in messages {
        let recipients = serialized_sets.serializable_recipients(*id, message);
        map.serialize_entry(id, &Message::clone(message).with_recipients(recipients))?;
    }
    map.end()
}

/// Messages with equal recipients share one set afterwards. Older documents have a complete list in every message.
///
/// # Errors
///
/// A message is malformed, occurs twice, or refers to the recipients of a message that is not earlier.
pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Messages, D::Error> {
    deserializer.deserialize_map(MessagesVisitor)
}

#[derive(Serialize)]
#[serde(untagged)]
enum Recipients<'a> {
    Complete(&'a OrdSet<UserId>),
    /// The same recipients as an earlier message.
    SameAs(MessageId),
    Delta(Delta),
}

/// The difference from the recipients of an earlier message.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Delta {
    #[serde(rename = "as")]
    base: MessageId,
    #[serde(default, deserialize_with = "deserialize_unique::set")]
    with: Vec<UserId>,
    #[serde(default, deserialize_with = "deserialize_unique::set")]
    without: Vec<UserId>,
}

#[derive(PartialEq, Eq, PartialOrd, Ord)]
enum ChannelOrConversation {
    Channel(ChannelId),
    Direct(RecipientId),
}

/// The sets that were serialized so far.
#[derive(Default)]
struct SerializedSets<'a> {
    /// The first message with each set.
    first_messages: HashMap<&'a OrdSet<UserId>, MessageId, FixedState>,
    /// The last [`MAX_RECENT_SETS`] sets of each channel or conversation, newest first, each with the first message
    /// that has it.
    recent_sets: BTreeMap<ChannelOrConversation, Vec<(&'a OrdSet<UserId>, MessageId)>>,
}

impl<'a> SerializedSets<'a> {
    /// The serialized form of a message's recipients. It depends only on the elements of the sets, so that a document
    /// that is read and written again does not change.
    fn serializable_recipients(&mut self, id: MessageId, message: &'a Message) -> Recipients<'a> {
        let key = match &message.place {
            MessagePlace::Channel { channel, .. } => ChannelOrConversation::Channel(*channel),
            MessagePlace::Direct { conversation } => ChannelOrConversation::Direct(*conversation),
        };
        let recent = self.recent_sets.entry(key).or_default();
        let recipients = &message.recipients;
        if let Some(index) = recent.iter().position(|(set, _)| set.ptr_eq(recipients)) {
            recent[..=index].rotate_right(1);
            return Recipients::SameAs(recent[0].1);
        }
        let previous = recent.first().copied();
        let first_message = self.first_messages.get(recipients).copied();
        recent.truncate(MAX_RECENT_SETS - 1);
        recent.insert(0, (recipients, first_message.unwrap_or(id)));
        if let Some(first_message) = first_message {
            return Recipients::SameAs(first_message);
        }
        self.first_messages.insert(recipients, id);
        let delta = previous.and_then(|(set, base)| compute_delta(set, base, recipients));
        delta.map_or(Recipients::Complete(recipients), Recipients::Delta)
    }
}

/// The difference from `previous`, the recipients of message `base`. None if it has more than half as many elements as
/// `recipients`.
fn compute_delta(previous: &OrdSet<UserId>, base: MessageId, recipients: &OrdSet<UserId>) -> Option<Delta> {
    let mut delta = Delta { base, with: Vec::new(), without: Vec::new() };
    let limit = recipients.len() / 2;
    for (count, difference) in previous.diff(recipients).enumerate() {
        if count >= limit {
            return None;
        }
        match difference {
            DiffItem::Add(user) => delta.with.push(*user),
            DiffItem::Remove(user) => delta.without.push(*user),
        }
    }
    Some(delta)
}

/// The deserialized form of [`Recipients`].
enum DeserializedRecipients {
    Complete(OrdSet<UserId>),
    Delta(Delta),
}

impl Default for DeserializedRecipients {
    fn default() -> Self {
        Self::Complete(OrdSet::new())
    }
}

impl<'de> Deserialize<'de> for DeserializedRecipients {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(RecipientsVisitor)
    }
}

struct RecipientsVisitor;

impl<'de> Visitor<'de> for RecipientsVisitor {
    type Value = DeserializedRecipients;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(
            "a list of users, the number of an earlier message, or an object with `as`, `with` and `without`",
        )
    }

    fn visit_i64<E: serde::de::Error>(self, base: i64) -> Result<Self::Value, E> {
        Ok(DeserializedRecipients::Delta(Delta { base: MessageId(base), with: Vec::new(), without: Vec::new() }))
    }

    fn visit_u64<E: serde::de::Error>(self, base: u64) -> Result<Self::Value, E> {
        self.visit_i64(i64::try_from(base).map_err(E::custom)?)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, list: A) -> Result<Self::Value, A::Error> {
        deserialize_unique::set(SeqAccessDeserializer::new(list)).map(DeserializedRecipients::Complete)
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Self::Value, A::Error> {
        Delta::deserialize(MapAccessDeserializer::new(map)).map(DeserializedRecipients::Delta)
    }
}

struct MessagesVisitor;

impl<'de> Visitor<'de> for MessagesVisitor {
    type Value = Messages;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("messages by their numbers")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Messages, A::Error> {
        let mut known_sets: HashSet<OrdSet<UserId>, FixedState> = HashSet::default();
        let mut entries: BTreeMap<MessageId, (Message, Option<Delta>)> = BTreeMap::new();
        while let Some((id, mut entry)) = map.next_entry::<MessageId, Message<DeserializedRecipients>>()? {
            // Sets are shared at once: older documents, with a list in every message, would take too much memory.
            let (recipients, delta) = match std::mem::take(&mut entry.recipients) {
                DeserializedRecipients::Complete(set) => (intern_set(&mut known_sets, set), None),
                DeserializedRecipients::Delta(delta) => (OrdSet::new(), Some(delta)),
            };
            let message = entry.with_recipients(recipients);
            if entries.insert(id, (message, delta)).is_some() {
                return Err(A::Error::custom(format!("`{id}` is here twice")));
            }
        }
        let mut messages = Messages::new();
        for (id, (mut message, delta)) in entries {
            if let Some(Delta { base, with, without }) = delta {
                let unknown_base =
                    || format!("message {id} has the recipients of message {base}, which is not earlier");
                let mut recipients =
                    messages.get(&base).ok_or_else(|| A::Error::custom(unknown_base()))?.recipients.clone();
                if !with.is_empty() || !without.is_empty() {
                    without.iter().for_each(|user| _ = recipients.remove(user));
                    recipients.extend(with);
                    recipients = intern_set(&mut known_sets, recipients);
                }
                message.recipients = recipients;
            }
            messages.insert(id, Arc::new(message));
        }
        Ok(messages)
    }
}

/// Returns the equal set of `known_sets`, which shares memory, or adds the set.
fn intern_set(known_sets: &mut HashSet<OrdSet<UserId>, FixedState>, set: OrdSet<UserId>) -> OrdSet<UserId> {
    if let Some(known_set) = known_sets.get(&set) {
        return known_set.clone();
    }
    known_sets.insert(set.clone());
    set
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::time::Timestamp;
    use serde_json::{Value, json};

    const USER_COUNT: i64 = 100;

    #[derive(Serialize, Deserialize)]
    struct Document(#[serde(with = "super")] Messages);

    fn users(users: impl IntoIterator<Item = i64>) -> OrdSet<UserId> {
        users.into_iter().map(UserId).collect()
    }

    /// A message for each channel and set of recipients, with IDs from 1.
    fn messages(audiences: impl IntoIterator<Item = (i64, OrdSet<UserId>)>) -> Messages {
        let message = |(id, (channel, recipients)): (i64, (i64, OrdSet<UserId>))| {
            let place = MessagePlace::Channel { channel: ChannelId(channel), topic: "".into() };
            let sent_at = Timestamp::from_seconds(id);
            let sender = (UserId(1), "test".into());
            let message = Message::new(MessageId(id), sender, sent_at, place, Arc::default(), recipients);
            (message.id, Arc::new(message))
        };
        (1..).zip(audiences).map(message).collect()
    }

    fn to_json(messages: &Messages) -> Value {
        serde_json::to_value(Document(messages.clone())).expect("messages can be written")
    }

    fn from_json(document: &Value) -> Result<Messages, String> {
        let document: Result<Document, _> = serde_json::from_str(&document.to_string());
        document.map(|Document(messages)| messages).map_err(|error| error.to_string())
    }

    #[test]
    fn equal_sets_refer_to_the_first_message_and_similar_sets_are_deltas() {
        let all = users(1..=USER_COUNT);
        let with_a_guest = all.update(UserId(777));
        let audiences = [
            (1, all.clone()),
            (1, all.clone()),
            (1, with_a_guest),
            (1, all),
            (2, users(1..=USER_COUNT)),
            (2, users([1])),
        ];

        let document = to_json(&messages(audiences));

        let recipients = |id: &str| document[id]["recipients"].clone();
        assert_eq!(recipients("1").as_array().map(Vec::len), Some(100));
        assert_eq!(recipients("2"), 1);
        assert_eq!(recipients("3"), json!({"as": 1, "with": [777], "without": []}));
        assert_eq!(recipients("4"), 1, "the set before the mention of a guest is found again");
        assert_eq!(recipients("5"), 1, "equal sets are found across channels");
        assert_eq!(recipients("6"), json!([1]));
    }

    #[test]
    fn recipients_that_grow_with_every_message_are_deltas() {
        let audiences = (1..=USER_COUNT).map(|newest| (1, users(1..=newest)));

        let document = to_json(&messages(audiences));

        assert_eq!(document["100"]["recipients"], json!({"as": 99, "with": [100], "without": []}));
        let restored = from_json(&document).expect("the document is valid");
        assert_eq!(restored[&MessageId(100)].recipients, users(1..=USER_COUNT));
        assert_eq!(to_json(&restored), document);
    }

    #[test]
    fn equal_sets_are_shared_after_deserialization_even_from_complete_lists() {
        let all = users(1..=USER_COUNT);
        let original = messages([(1, all.clone()), (2, users(2..=USER_COUNT)), (1, all.without(&UserId(1))), (1, all)]);
        let mut with_complete_lists = to_json(&original);
        for (id, message) in &original {
            with_complete_lists[id.0.to_string()]["recipients"] = json!(message.recipients);
        }

        for document in [to_json(&original), with_complete_lists] {
            let restored = from_json(&document).expect("the document is valid");
            assert_eq!(restored, original);
            assert!(restored[&MessageId(1)].recipients.ptr_eq(&restored[&MessageId(4)].recipients));
            assert!(restored[&MessageId(2)].recipients.ptr_eq(&restored[&MessageId(3)].recipients));
            assert_eq!(to_json(&restored), to_json(&original));
        }
    }

    #[test]
    fn references_to_messages_that_are_not_earlier_are_refused() {
        let mut document = to_json(&messages([(1, users([1, 2])), (1, users([1, 2]))]));
        for (recipients, reason) in [
            (json!(2), "message 2 has the recipients of message 2, which is not earlier"),
            (json!({"as": 9}), "message 2 has the recipients of message 9"),
            (json!(-1), "message 2 has the recipients of message -1"),
            (json!({"as": 1, "wiht": []}), "unknown field `wiht`"),
            (json!("all"), "expected a list of users, the number of an earlier message"),
        ] {
            document["2"]["recipients"] = recipients;
            let error = from_json(&document).expect_err("the document is invalid");
            assert!(error.contains(reason), "{error}");
        }
    }
}
