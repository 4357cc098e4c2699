//! Whole lists in events, as they were when they changed. What a list shares with the next one is kept once.

use crate::realm::model::id::{EmojiId, ProfileFieldId, UserId};
use crate::realm::model::linkifier::Linkifier;
use crate::realm::model::message::CustomEmoji;
use crate::realm::model::organization::ProfileField;
use crate::time::Timestamp;
use imbl::{OrdMap, Vector};
use std::sync::Arc;

/// A list that an event tells as a whole.
#[derive(Clone, Debug, PartialEq)]
pub enum List {
    /// The user's alert words.
    AlertWords(Vector<String>),
    /// Users that the owner muted, and when.
    MutedUsers(OrdMap<UserId, Timestamp>),
    /// The organization's linkifiers.
    Linkifiers(Vector<Arc<Linkifier>>),
    /// The same as pairs of pattern and address, for levels without templates.
    LinkifierPairs(Vector<Arc<Linkifier>>),
    /// The organization's custom profile fields.
    ProfileFields(OrdMap<ProfileFieldId, Arc<ProfileField>>),
    /// The organization's custom emoji.
    CustomEmoji(OrdMap<EmojiId, Arc<CustomEmoji>>),
}
