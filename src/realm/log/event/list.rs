//! Lists that events carry as a whole. Versions of a list share memory, so such an event costs little.

use crate::realm::model::emoji::CustomEmoji;
use crate::realm::model::id::{EmojiId, ProfileFieldId, UserId};
use crate::realm::model::linkifier::Linkifier;
use crate::realm::model::profile_field::ProfileField;
use crate::time::Timestamp;
use imbl::{OrdMap, Vector};
use std::sync::Arc;

/// A list in its state after a change.
#[derive(Clone, Debug, PartialEq)]
pub enum WholeList {
    /// The reader's alert words.
    AlertWords(Vector<String>),
    /// Each muted user, with the time of muting.
    MutedUsers(OrdMap<UserId, Timestamp>),
    Linkifiers(Vector<Arc<Linkifier>>),
    /// Serialized as pairs of pattern and URL format, for clients without `linkifier_url_template`.
    LinkifierPairs(Vector<Arc<Linkifier>>),
    ProfileFields(OrdMap<ProfileFieldId, Arc<ProfileField>>),
    CustomEmoji(OrdMap<EmojiId, Arc<CustomEmoji>>),
}
