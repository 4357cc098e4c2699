//! Topics: normalization and comparison of their names, the empty topic, and resolved topics.

use super::id::ChannelId;
use super::message_ids::MessageIds;
use super::text::{invalid_character_position, to_lowercase, truncate};
use crate::error::Error;
use crate::realm::Realm;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::sync::Arc;

/// The maximum length of a topic's name, in code points. In messages and drafts, longer names are truncated; where a
/// topic is a parameter of its own, they are refused.
pub const MAX_TOPIC_LENGTH: usize = 60;
/// The beginning of the names of resolved topics.
pub const RESOLVED_PREFIX: &str = "✔ ";
/// Sent instead of "" to clients without the capability `empty_topic_name` (`realm_empty_topic_display_name`).
pub const EMPTY_TOPIC_DISPLAY_NAME: &str = "general chat";
/// The display name of the empty topic below level 334. From 334 on it is an ordinary name, except that messages to it
/// go to the empty topic from 370 on, and typing notifications from 372 on.
pub const FORMER_EMPTY_TOPIC_NAME: &str = "(no topic)";

/// A topic's name in lower case, for comparisons; "" for the empty topic.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct TopicKey(Arc<str>);

impl TopicKey {
    pub fn new(name: &str) -> Self {
        TopicKey(to_lowercase(name).into())
    }

    /// Shares the memory of a name that is in lower case and ASCII.
    pub fn from_shared(name: &Arc<str>) -> Self {
        match to_lowercase(name) {
            Cow::Borrowed(_) => TopicKey(name.clone()),
            Cow::Owned(key) => TopicKey(key.into()),
        }
    }
}

/// A topic of one channel: its messages, whose topics have the same [`TopicKey`].
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Topic {
    /// Never empty.
    pub messages: MessageIds,
}

/// Normalizes a topic: trims and truncates it, and replaces the display name of the empty topic by "".
///
/// # Errors
///
/// `TopicInvalidCharacter`.
pub fn normalize_topic(topic: &str) -> Result<Cow<'_, str>, Error> {
    let topic = topic.trim();
    if let Some(position) = invalid_character_position(topic) {
        return Err(Error::TopicInvalidCharacter { position: position.into() });
    }
    if is_empty_topic_name(topic) {
        return Ok(Cow::Borrowed(""));
    }
    Ok(truncate(topic, MAX_TOPIC_LENGTH, "..."))
}

/// Like [`normalize_topic`], for sending: [`FORMER_EMPTY_TOPIC_NAME`] is the empty topic too.
///
/// # Errors
///
/// `TopicInvalidCharacter`.
pub fn normalize_topic_to_send_to(topic: &str) -> Result<Cow<'_, str>, Error> {
    if topic.trim() == FORMER_EMPTY_TOPIC_NAME { Ok(Cow::Borrowed("")) } else { normalize_topic(topic) }
}

/// Whether a name is the display name of the empty topic, ignoring case.
pub fn is_empty_topic_name(topic: &str) -> bool {
    topic.eq_ignore_ascii_case(EMPTY_TOPIC_DISPLAY_NAME)
}

pub fn is_resolved(topic: &str) -> bool {
    topic.starts_with(RESOLVED_PREFIX)
}

/// The characters of the resolved prefix. A topic can have several, added by clients that don't know the prefix.
pub const RESOLVED_PREFIX_CHARS: [char; 2] = ['✔', ' '];

/// Whether a rename only adds or removes the resolved prefix. Such a rename does not count as a move.
pub fn only_changes_resolution(old: &str, new: &str) -> bool {
    match (is_resolved(old), new.strip_prefix(RESOLVED_PREFIX)) {
        (false, Some(unresolved_name)) => unresolved_name == old,
        (true, None) => old.trim_start_matches(RESOLVED_PREFIX_CHARS) == new,
        _ => false,
    }
}

/// Replaces the display name of the empty topic by "".
pub fn replace_empty_topic_name(text: &str) -> &str {
    if is_empty_topic_name(text) { "" } else { text }
}

/// The topics of a channel that have messages, in the order of their keys.
pub fn topics_of_channel(realm: &Realm, channel: ChannelId) -> impl Iterator<Item = &Topic> {
    let first = (channel, TopicKey::new(""));
    realm.topics.range(first..).take_while(move |((id, _), _)| *id == channel).map(|(_, topic)| topic.as_ref())
}
