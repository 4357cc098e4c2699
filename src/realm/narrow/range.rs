//! Selects the messages of a narrow around an anchor.

use super::{Candidates, Narrow};
use crate::realm::Realm;
use crate::realm::id::MessageId;
use crate::realm::user::User;
use crate::time::Timestamp;

/// The anchor ID of the newest end. No message has an ID this high.
pub const NEWEST_ANCHOR: i64 = 10_000_000_000_000_000;

/// The position around which messages are selected.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Anchor {
    /// A message ID; the message need not exist.
    Id(i64),
    Newest,
    Oldest,
    /// The oldest unread message that matches and is not muted; the newest end if there is none.
    FirstUnread,
    /// The first matching message sent at or after this time; the newest end if there is none.
    Date(Timestamp),
}

/// The anchor, and how many messages around it are selected.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MessageRange {
    pub anchor: Anchor,
    /// Whether the anchor's own message is selected too, if it matches.
    pub include_anchor: bool,
    /// The maximum number of messages older than the anchor.
    pub num_before: usize,
    /// The maximum number of messages newer than the anchor.
    pub num_after: usize,
}

/// The messages that [`Narrow::select`] found, and whether others are older or newer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SelectedMessages {
    /// Oldest first.
    pub ids: Vec<MessageId>,
    /// The resolved anchor; [`NEWEST_ANCHOR`] for the newest end.
    pub anchor: i64,
    /// Whether `ids` has the anchor's message.
    pub found_anchor: bool,
    /// Whether it is known that no older messages match the narrow.
    pub found_oldest: bool,
    /// Whether it is known that no newer messages match the narrow.
    pub found_newest: bool,
}

impl Narrow {
    /// Selects the messages around the anchor that match and that the viewer may see.
    pub fn select(&self, realm: &Realm, viewer: Option<&User>, range: MessageRange) -> SelectedMessages {
        let candidates = self.candidates(realm, viewer);
        let anchor = self.anchor_id(realm, viewer, &candidates, range.anchor);
        let is_at_newest = anchor >= NEWEST_ANCHOR;
        let is_match =
            |id: &MessageId| realm.messages.get(id).is_some_and(|message| self.matches(realm, viewer, message));

        let max_older = if anchor <= 0 { 0 } else { range.num_before };
        let max_newer = if is_at_newest { 0 } else { range.num_after };
        let mut ids: Vec<MessageId> = if max_older == 0 {
            Vec::new()
        } else {
            candidates.below(MessageId(anchor)).filter(is_match).take(max_older).collect()
        };
        let older_count = ids.len();
        ids.reverse();
        let anchor_message = MessageId(anchor);
        let found_anchor = range.include_anchor
            && candidates.starting_at(anchor_message).next() == Some(anchor_message)
            && is_match(&anchor_message);
        if found_anchor {
            ids.push(anchor_message);
        }
        let newer_ids: Vec<MessageId> = if max_newer == 0 {
            Vec::new()
        } else {
            candidates.starting_at(MessageId(anchor.saturating_add(1))).filter(is_match).take(max_newer).collect()
        };
        let newer_count = newer_ids.len();
        ids.extend(newer_ids);
        SelectedMessages {
            found_anchor,
            found_oldest: anchor <= 0 || older_count < range.num_before,
            found_newest: is_at_newest || newer_count < range.num_after,
            ids,
            anchor,
        }
    }

    fn anchor_id(&self, realm: &Realm, viewer: Option<&User>, candidates: &Candidates<'_>, anchor: Anchor) -> i64 {
        match anchor {
            Anchor::Id(id) => id.max(0),
            Anchor::Newest => NEWEST_ANCHOR,
            Anchor::Oldest => 0,
            Anchor::FirstUnread => self.first_unread(realm, viewer).map_or(NEWEST_ANCHOR, |id| id.0),
            Anchor::Date(at) => {
                let is_match = |id: &MessageId| {
                    let message = realm.messages.get(id);
                    message.is_some_and(|message| message.sent_at >= at && self.matches(realm, viewer, message))
                };
                candidates.starting_at(MessageId(0)).find(is_match).map_or(NEWEST_ANCHOR, |id| id.0)
            }
        }
    }

    /// The first unread message that matches. Skips muted topics, and muted channels unless the narrow names a channel.
    fn first_unread(&self, realm: &Realm, viewer: Option<&User>) -> Option<MessageId> {
        let viewer = viewer?;
        let is_anchor = |id: &MessageId| {
            let message = &realm.messages[id];
            !realm.is_topic_or_channel_muted(viewer.id, message, !self.has_channel_term())
                && self.matches(realm, Some(viewer), message)
        };
        realm.unread_messages(viewer.id).into_iter().find(is_anchor)
    }
}
