//! Sorted sets of message IDs, optimized for appending the newest message.

use super::deserialize_unique;
use super::id::MessageId;
use imbl::OrdSet;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use smallvec::SmallVec;

/// The number of recent IDs that are collected before they are added to the persistent set together.
const RECENT_CAPACITY: usize = 16;

/// A sorted set of message IDs. Adding the newest one mostly copies only the few recent IDs, not the nodes of the
/// persistent set, which are shared with the published realm.
#[derive(Clone, Debug, Default)]
pub struct MessageIds {
    older: OrdSet<MessageId>,
    /// Sorted; all IDs are above those in `older`.
    recent: SmallVec<[MessageId; RECENT_CAPACITY]>,
}

impl MessageIds {
    pub fn len(&self) -> usize {
        self.older.len() + self.recent.len()
    }

    pub fn is_empty(&self) -> bool {
        self.older.is_empty() && self.recent.is_empty()
    }

    pub fn contains(&self, id: MessageId) -> bool {
        match self.recent.first() {
            Some(first) if *first <= id => self.recent.binary_search(&id).is_ok(),
            _ => self.older.contains(&id),
        }
    }

    pub fn first(&self) -> Option<MessageId> {
        self.older.get_min().or(self.recent.first()).copied()
    }

    pub fn last(&self) -> Option<MessageId> {
        self.recent.last().or_else(|| self.older.get_max()).copied()
    }

    pub fn insert(&mut self, id: MessageId) {
        if self.last().is_some_and(|last| id <= last) {
            self.insert_older(id);
            return;
        }
        if self.recent.len() == RECENT_CAPACITY {
            self.older.extend(self.recent.drain(..));
        }
        self.recent.push(id);
    }

    /// Inserts an ID that is not the newest.
    fn insert_older(&mut self, id: MessageId) {
        match self.recent.binary_search(&id) {
            Ok(_) => {}
            Err(index) if index > 0 && self.recent.len() < RECENT_CAPACITY => self.recent.insert(index, id),
            Err(index) => {
                if index > 0 {
                    self.older.extend(self.recent.drain(..));
                }
                self.older.insert(id);
            }
        }
    }

    pub fn remove(&mut self, id: MessageId) {
        match self.recent.binary_search(&id) {
            Ok(index) => _ = self.recent.remove(index),
            Err(_) => _ = self.older.remove(&id),
        }
    }

    /// All IDs, oldest first.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = MessageId> + '_ {
        self.older.iter().chain(&self.recent).copied()
    }

    /// The IDs from `id` on, oldest first.
    pub fn starting_at(&self, id: MessageId) -> impl Iterator<Item = MessageId> + '_ {
        let start = self.recent.partition_point(|recent_id| *recent_id < id);
        // If a recent ID is below `id`, all older ones are too.
        let older_ids = (start == 0).then(|| self.older.range(id..));
        older_ids.into_iter().flatten().chain(&self.recent[start..]).copied()
    }

    /// The IDs below `id`, newest first.
    pub fn below(&self, id: MessageId) -> impl Iterator<Item = MessageId> + '_ {
        let end = self.recent.partition_point(|recent_id| *recent_id < id);
        self.recent[..end].iter().rev().chain(self.older.range(..id).rev()).copied()
    }
}

/// Compares the IDs, however they are divided between the two fields.
impl PartialEq for MessageIds {
    fn eq(&self, other: &Self) -> bool {
        self.len() == other.len() && self.iter().eq(other.iter())
    }
}

// With `Eq`, the comparison of two `Arc`s of the same value compares only their pointers.
impl Eq for MessageIds {}

impl FromIterator<MessageId> for MessageIds {
    fn from_iter<T: IntoIterator<Item = MessageId>>(ids: T) -> Self {
        let mut set = Self::default();
        ids.into_iter().for_each(|id| set.insert(id));
        set
    }
}

impl Serialize for MessageIds {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.iter())
    }
}

impl<'de> Deserialize<'de> for MessageIds {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Ok(Self { older: deserialize_unique::set(deserializer)?, recent: SmallVec::new() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    proptest! {
        #[test]
        fn behaves_like_a_sorted_set(steps in proptest::collection::vec((0..4, 0i64..80), 0..200)) {
            let mut ids = MessageIds::default();
            let mut model = BTreeSet::new();
            for (kind, number) in steps {
                let newest = model.last().map_or(0, |last: &MessageId| last.0);
                let id = MessageId(if kind == 3 { number } else { newest + 1 + number % 2 });
                if kind == 2 {
                    ids.remove(MessageId(number));
                    model.remove(&MessageId(number));
                } else {
                    ids.insert(id);
                    model.insert(id);
                }
                prop_assert!(ids.iter().eq(model.iter().copied()));
                prop_assert!(ids.iter().rev().eq(model.iter().rev().copied()));
                prop_assert_eq!(ids.len(), model.len());
                prop_assert_eq!((ids.first(), ids.last()), (model.first().copied(), model.last().copied()));
                let limit = MessageId(number);
                prop_assert!(ids.starting_at(limit).eq(model.range(limit..).copied()));
                prop_assert!(ids.below(limit).eq(model.range(..limit).rev().copied()));
                prop_assert_eq!(ids.contains(limit), model.contains(&limit));
                prop_assert_eq!(&ids, &model.iter().copied().collect::<MessageIds>());
            }
        }
    }
}
