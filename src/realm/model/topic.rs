//! Topics: how their names are stored and compared, and what names mean.

use super::id::ChannelId;
use super::message_ids::MessageIds;
use super::text::{in_lowercase, invalid_character, truncate};
use crate::error::Error;
use crate::realm::Realm;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::sync::Arc;

/// Longest topic, in code points; longer ones are cut.
pub const MAX_TOPIC_LENGTH: usize = 60;
/// What marks a topic as resolved.
pub const RESOLVED_PREFIX: &str = "✔ ";
/// How the empty topic is shown to those who don't know it (`realm_empty_topic_display_name`).
pub const EMPTY_TOPIC_DISPLAY_NAME: &str = "general chat";
/// How the empty topic was shown before it had a display name. Messages that are sent to a topic of this name go to the empty
/// one; where topics are named otherwise, it is a name like others.
pub const FORMER_EMPTY_TOPIC_NAME: &str = "(no topic)";

/// A topic's name as it is compared: whatever the case. The empty one is the general topic.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct TopicKey(Arc<str>);

impl TopicKey {
    /// The key of a topic's name.
    pub fn new(name: &str) -> Self {
        TopicKey(in_lowercase(name).into())
    }

    /// The key of a topic whose name is kept: the same text wherever it can be.
    pub fn of(name: &Arc<str>) -> Self {
        match in_lowercase(name) {
            Cow::Borrowed(_) => TopicKey(name.clone()),
            Cow::Owned(key) => TopicKey(key.into()),
        }
    }
}

/// The messages of one topic in one channel.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Topic {
    /// Never empty.
    pub messages: MessageIds,
}

/// A topic as it is stored; "" for every way to say the general one.
///
/// # Errors
///
/// `TopicInvalidCharacter`.
pub fn normal_topic(topic: &str) -> Result<Cow<'_, str>, Error> {
    let topic = topic.trim();
    if let Some(position) = invalid_character(topic) {
        return Err(Error::TopicInvalidCharacter { position: position.into() });
    }
    if names_empty_topic(topic) {
        return Ok(Cow::Borrowed(""));
    }
    Ok(truncate(topic, MAX_TOPIC_LENGTH, "..."))
}

/// As [`normal_topic`], of what is sent: the former name of the empty topic means that too.
///
/// # Errors
///
/// The same.
pub fn topic_to_send_to(topic: &str) -> Result<Cow<'_, str>, Error> {
    if topic.trim() == FORMER_EMPTY_TOPIC_NAME { Ok(Cow::Borrowed("")) } else { normal_topic(topic) }
}

/// Whether a topic's name means the empty topic: its display name, whatever the case.
pub fn names_empty_topic(topic: &str) -> bool {
    topic.eq_ignore_ascii_case(EMPTY_TOPIC_DISPLAY_NAME)
}

/// Whether a topic is marked as resolved.
pub fn is_resolved(topic: &str) -> bool {
    topic.starts_with(RESOLVED_PREFIX)
}

/// The characters of marks: a topic may bear several marks, from clients that don't know them.
pub const MARKS: [char; 2] = ['✔', ' '];

/// Whether a topic's new name is the old one with the mark of resolved topics added, or with its marks removed. Such a
/// change is no move.
pub fn is_marking(old: &str, new: &str) -> bool {
    match (is_resolved(old), new.strip_prefix(RESOLVED_PREFIX)) {
        (false, Some(unmarked)) => unmarked == old,
        (true, None) => old.trim_start_matches(MARKS) == new,
        _ => false,
    }
}

/// The topic that is meant by a name: those of the empty one are no other's.
pub fn meant_topic(text: &str) -> &str {
    if names_empty_topic(text) { "" } else { text }
}

/// The topics of a channel that have messages.
pub fn topics_of(realm: &Realm, channel: ChannelId) -> impl Iterator<Item = &Topic> {
    let first = (channel, TopicKey::new(""));
    realm.topics.range(first..).take_while(move |((of, _), _)| *of == channel).map(|(_, topic)| topic.as_ref())
}
