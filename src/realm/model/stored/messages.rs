//! Messages as they are written down. The recipients of a message are written once: later ones name the message that went to the
//! same people, or to nearly the same. Written out for each message, they would be users times messages.

use crate::realm::model::distinct;
use crate::realm::model::id::{ChannelId, MessageId, RecipientId, UserId};
use crate::realm::model::message::{Message, Place};
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

/// Sets of a place that are known without a look at what is in them: those with an outsider mentioned come and go
/// next to the one that all others share.
const REMEMBERED: usize = 4;

type Messages = OrdMap<MessageId, Arc<Message>>;

/// Writes them, in the order of their numbers.
pub fn serialize<S: Serializer>(messages: &Messages, serializer: S) -> Result<S::Ok, S::Error> {
    let mut audiences = Audiences::default();
    let mut map = serializer.serialize_map(Some(messages.len()))?;
    for (id, message) in messages {
        let recipients = audiences.written(*id, message);
        map.serialize_entry(id, &Message::clone(message).with_recipients(recipients))?;
    }
    map.end()
}

/// Reads them; those that went to the same people share the set again. Lists of people may be with every message.
pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Messages, D::Error> {
    deserializer.deserialize_map(MessagesVisitor)
}

/// The recipients of a message.
#[derive(Serialize)]
#[serde(untagged)]
enum Recipients<'a> {
    /// These.
    Whole(&'a OrdSet<UserId>),
    /// Those of an earlier message.
    As(MessageId),
    /// Nearly those of an earlier message.
    Delta(Delta),
}

/// Nearly the recipients of an earlier message.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Delta {
    #[serde(rename = "as")]
    of: MessageId,
    #[serde(default, deserialize_with = "distinct::members")]
    with: Vec<UserId>,
    #[serde(default, deserialize_with = "distinct::members")]
    without: Vec<UserId>,
}

/// Where messages mostly go to the same people.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
enum ConversationKey {
    Channel(ChannelId),
    Direct(RecipientId),
}

/// The sets that were written.
#[derive(Default)]
struct Audiences<'a> {
    /// And the first message that went to each.
    first: HashMap<&'a OrdSet<UserId>, MessageId, FixedState>,
    /// The last few of each place, the newest first.
    lately: BTreeMap<ConversationKey, Vec<(&'a OrdSet<UserId>, MessageId)>>,
}

impl<'a> Audiences<'a> {
    /// How the recipients of the next message are written. What comes out follows from the sets' elements alone, so
    /// that a realm that was read is written as the one before.
    fn written(&mut self, id: MessageId, message: &'a Message) -> Recipients<'a> {
        let whereabouts = match &message.place {
            Place::Channel { channel, .. } => ConversationKey::Channel(*channel),
            Place::Direct { conversation } => ConversationKey::Direct(*conversation),
        };
        let lately = self.lately.entry(whereabouts).or_default();
        let recipients = &message.recipients;
        if let Some(at) = lately.iter().position(|(other, _)| other.ptr_eq(recipients)) {
            lately[..=at].rotate_right(1);
            return Recipients::As(lately[0].1);
        }
        let former = lately.first().copied();
        let known = self.first.get(recipients).copied();
        lately.truncate(REMEMBERED - 1);
        lately.insert(0, (recipients, known.unwrap_or(id)));
        if let Some(first) = known {
            return Recipients::As(first);
        }
        self.first.insert(recipients, id);
        let nearly = former.and_then(|(former, of)| nearly(former, of, recipients));
        nearly.map_or(Recipients::Whole(recipients), Recipients::Delta)
    }
}

/// A set by what tells it from another; none when that is not much less than the set itself.
fn nearly(former: &OrdSet<UserId>, of: MessageId, recipients: &OrdSet<UserId>) -> Option<Delta> {
    let mut nearly = Delta { of, with: Vec::new(), without: Vec::new() };
    let limit = recipients.len() / 2;
    for (count, difference) in former.diff(recipients).enumerate() {
        if count >= limit {
            return None;
        }
        match difference {
            DiffItem::Add(user) => nearly.with.push(*user),
            DiffItem::Remove(user) => nearly.without.push(*user),
        }
    }
    Some(nearly)
}

/// As [`Recipients`].
enum ReadRecipients {
    Whole(OrdSet<UserId>),
    Delta(Delta),
}

impl Default for ReadRecipients {
    fn default() -> Self {
        Self::Whole(OrdSet::new())
    }
}

impl<'de> Deserialize<'de> for ReadRecipients {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(RecipientsVisitor)
    }
}

struct RecipientsVisitor;

impl<'de> Visitor<'de> for RecipientsVisitor {
    type Value = ReadRecipients;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a list of users, the number of an earlier message, or an object with `as`, `with` and `without`")
    }

    fn visit_i64<E: serde::de::Error>(self, of: i64) -> Result<Self::Value, E> {
        Ok(ReadRecipients::Delta(Delta { of: MessageId(of), with: Vec::new(), without: Vec::new() }))
    }

    fn visit_u64<E: serde::de::Error>(self, of: u64) -> Result<Self::Value, E> {
        self.visit_i64(i64::try_from(of).map_err(E::custom)?)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, list: A) -> Result<Self::Value, A::Error> {
        distinct::members(SeqAccessDeserializer::new(list)).map(ReadRecipients::Whole)
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Self::Value, A::Error> {
        Delta::deserialize(MapAccessDeserializer::new(map)).map(ReadRecipients::Delta)
    }
}

struct MessagesVisitor;

impl<'de> Visitor<'de> for MessagesVisitor {
    type Value = Messages;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("messages by their numbers")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Messages, A::Error> {
        let mut known: HashSet<OrdSet<UserId>, FixedState> = HashSet::default();
        let mut read: BTreeMap<MessageId, (Message, Option<Delta>)> = BTreeMap::new();
        while let Some((id, mut next)) = map.next_entry::<MessageId, Message<ReadRecipients>>()? {
            // A list at a time: those of older documents are with every message.
            let (recipients, nearly) = match std::mem::take(&mut next.recipients) {
                ReadRecipients::Whole(set) => (shared(&mut known, set), None),
                ReadRecipients::Delta(nearly) => (OrdSet::new(), Some(nearly)),
            };
            let message = next.with_recipients(recipients);
            if read.insert(id, (message, nearly)).is_some() {
                return Err(A::Error::custom(format!("`{id}` is here twice")));
            }
        }
        let mut messages = Messages::new();
        for (id, (mut message, nearly)) in read {
            if let Some(Delta { of, with, without }) = nearly {
                let unknown = || format!("message {id} goes to those of message {of}, which is no earlier one");
                let mut recipients = messages.get(&of).ok_or_else(|| A::Error::custom(unknown()))?.recipients.clone();
                if !with.is_empty() || !without.is_empty() {
                    without.iter().for_each(|user| _ = recipients.remove(user));
                    recipients.extend(with);
                    recipients = shared(&mut known, recipients);
                }
                message.recipients = recipients;
            }
            messages.insert(id, Arc::new(message));
        }
        Ok(messages)
    }
}

/// The set that is equal to this one and was there before.
fn shared(known: &mut HashSet<OrdSet<UserId>, FixedState>, set: OrdSet<UserId>) -> OrdSet<UserId> {
    if let Some(one) = known.get(&set) {
        return one.clone();
    }
    known.insert(set.clone());
    set
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::time::Timestamp;
    use serde_json::{Value, json};

    const PEOPLE: i64 = 100;

    #[derive(Serialize, Deserialize)]
    struct Document(#[serde(with = "super")] Messages);

    fn people(users: impl IntoIterator<Item = i64>) -> OrdSet<UserId> {
        users.into_iter().map(UserId).collect()
    }

    /// Messages to these in a channel each, numbered from 1.
    fn messages(audiences: impl IntoIterator<Item = (i64, OrdSet<UserId>)>) -> Messages {
        let message = |(id, (channel, recipients)): (i64, (i64, OrdSet<UserId>))| {
            let place = Place::Channel { channel: ChannelId(channel), topic: "".into() };
            let sent_at = Timestamp::from_seconds(id);
            let sender = (UserId(1), "test".into());
            let message = Message::new(MessageId(id), sender, sent_at, place, Arc::default(), recipients);
            (message.id, Arc::new(message))
        };
        (1..).zip(audiences).map(message).collect()
    }

    fn written(messages: &Messages) -> Value {
        serde_json::to_value(Document(messages.clone())).expect("messages can be written")
    }

    fn read(document: &Value) -> Result<Messages, String> {
        let read: Result<Document, _> = serde_json::from_str(&document.to_string());
        read.map(|Document(messages)| messages).map_err(|error| error.to_string())
    }

    #[test]
    fn each_set_is_written_once_or_by_what_tells_it_from_the_one_before() {
        let all = people(1..=PEOPLE);
        let with_a_guest = all.update(UserId(777));
        let audiences = [
            (1, all.clone()),
            (1, all.clone()),
            (1, with_a_guest),
            (1, all),
            (2, people(1..=PEOPLE)),
            (2, people([1])),
        ];

        let document = written(&messages(audiences));

        let recipients = |id: &str| document[id]["recipients"].clone();
        assert_eq!(recipients("1").as_array().map(Vec::len), Some(100));
        assert_eq!(recipients("2"), 1);
        assert_eq!(recipients("3"), json!({"as": 1, "with": [777], "without": []}));
        assert_eq!(recipients("4"), 1, "an outsider comes and goes");
        assert_eq!(recipients("5"), 1, "equal sets come out as one, wherever they were made");
        assert_eq!(recipients("6"), json!([1]));
    }

    #[test]
    fn a_channel_that_grows_by_one_with_every_message_is_written_in_steps() {
        let audiences = (1..=PEOPLE).map(|newest| (1, people(1..=newest)));

        let document = written(&messages(audiences));

        assert_eq!(document["100"]["recipients"], json!({"as": 99, "with": [100], "without": []}));
        let read = read(&document).expect("what was written can be read");
        assert_eq!(read[&MessageId(100)].recipients, people(1..=PEOPLE));
        assert_eq!(written(&read), document);
    }

    #[test]
    fn sets_that_were_read_are_shared_also_when_each_was_written_whole() {
        let all = people(1..=PEOPLE);
        let original = messages([(1, all.clone()), (2, people(2..=PEOPLE)), (1, all.without(&UserId(1))), (1, all)]);
        let mut older = written(&original);
        for (id, message) in &original {
            older[id.0.to_string()]["recipients"] = json!(message.recipients);
        }

        for document in [written(&original), older] {
            let read = read(&document).expect("it can be read");
            assert_eq!(read, original);
            assert!(read[&MessageId(1)].recipients.ptr_eq(&read[&MessageId(4)].recipients));
            assert!(read[&MessageId(2)].recipients.ptr_eq(&read[&MessageId(3)].recipients));
            assert_eq!(written(&read), written(&original));
        }
    }

    #[test]
    fn recipients_of_no_earlier_message_are_refused() {
        let mut document = written(&messages([(1, people([1, 2])), (1, people([1, 2]))]));
        for (of, reason) in [
            (json!(2), "message 2 goes to those of message 2, which is no earlier one"),
            (json!({"as": 9}), "message 2 goes to those of message 9"),
            (json!(-1), "message 2 goes to those of message -1"),
            (json!({"as": 1, "wiht": []}), "unknown field `wiht`"),
            (json!("all"), "expected a list of users, the number of an earlier message"),
        ] {
            document["2"]["recipients"] = of;
            let error = read(&document).expect_err("it can't be read");
            assert!(error.contains(reason), "{error}");
        }
    }
}
