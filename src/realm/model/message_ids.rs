//! The messages of a place, by their ids: sets to which nearly always the newest message is added.

use super::distinct;
use super::id::MessageId;
use imbl::OrdSet;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use smallvec::SmallVec;

/// How many ids wait before they are settled together.
const RECENT: usize = 16;

/// A set of message ids. Adding the newest copies the few recent ids and none of the shared nodes behind them, which
/// the published realm still holds.
#[derive(Clone, Debug, Default)]
pub struct MessageIds {
    settled: OrdSet<MessageId>,
    /// Sorted, all above those that are settled.
    recent: SmallVec<[MessageId; RECENT]>,
}

impl MessageIds {
    /// Their number.
    pub fn len(&self) -> usize {
        self.settled.len() + self.recent.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.settled.is_empty() && self.recent.is_empty()
    }

    /// Whether this one is among them.
    pub fn contains(&self, id: MessageId) -> bool {
        match self.recent.first() {
            Some(first) if *first <= id => self.recent.binary_search(&id).is_ok(),
            _ => self.settled.contains(&id),
        }
    }

    /// The oldest.
    pub fn first(&self) -> Option<MessageId> {
        self.settled.get_min().or(self.recent.first()).copied()
    }

    /// The newest.
    pub fn last(&self) -> Option<MessageId> {
        self.recent.last().or_else(|| self.settled.get_max()).copied()
    }

    /// Adds one; nothing happens when it is there.
    pub fn insert(&mut self, id: MessageId) {
        if self.last().is_some_and(|last| id <= last) {
            self.insert_among(id);
            return;
        }
        if self.recent.len() == RECENT {
            self.settled.extend(self.recent.drain(..));
        }
        self.recent.push(id);
    }

    fn insert_among(&mut self, id: MessageId) {
        match self.recent.binary_search(&id) {
            Ok(_) => {}
            Err(at) if at > 0 && self.recent.len() < RECENT => self.recent.insert(at, id),
            Err(at) => {
                if at > 0 {
                    self.settled.extend(self.recent.drain(..));
                }
                self.settled.insert(id);
            }
        }
    }

    /// Takes one away; nothing happens when it is not there.
    pub fn remove(&mut self, id: MessageId) {
        match self.recent.binary_search(&id) {
            Ok(at) => _ = self.recent.remove(at),
            Err(_) => _ = self.settled.remove(&id),
        }
    }

    /// All, oldest first.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = MessageId> + '_ {
        self.settled.iter().chain(&self.recent).copied()
    }

    /// This one, if it is there, and all above it, oldest first.
    pub fn from(&self, id: MessageId) -> impl Iterator<Item = MessageId> + '_ {
        let recent = self.recent.partition_point(|one| *one < id);
        // Nothing that is settled can be meant when a recent one is not.
        let settled = (recent == 0).then(|| self.settled.range(id..));
        settled.into_iter().flatten().chain(&self.recent[recent..]).copied()
    }

    /// All below, newest first.
    pub fn below(&self, id: MessageId) -> impl Iterator<Item = MessageId> + '_ {
        let recent = self.recent.partition_point(|one| *one < id);
        self.recent[..recent].iter().rev().chain(self.settled.range(..id).rev()).copied()
    }
}

/// What is in them counts, not what of it is settled.
impl PartialEq for MessageIds {
    fn eq(&self, other: &Self) -> bool {
        self.len() == other.len() && self.iter().eq(other.iter())
    }
}

// Shared ones are recognized as equal by their address.
impl Eq for MessageIds {}

impl FromIterator<MessageId> for MessageIds {
    fn from_iter<T: IntoIterator<Item = MessageId>>(ids: T) -> Self {
        let mut all = Self::default();
        ids.into_iter().for_each(|id| all.insert(id));
        all
    }
}

impl Serialize for MessageIds {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.iter())
    }
}

impl<'de> Deserialize<'de> for MessageIds {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Ok(Self { settled: distinct::members(deserializer)?, recent: SmallVec::new() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    proptest! {
        #[test]
        fn it_is_a_sorted_set(steps in proptest::collection::vec((0..4, 0i64..80), 0..200)) {
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
                prop_assert!(ids.from(limit).eq(model.range(limit..).copied()));
                prop_assert!(ids.below(limit).eq(model.range(..limit).rev().copied()));
                prop_assert_eq!(ids.contains(limit), model.contains(&limit));
                prop_assert_eq!(&ids, &model.iter().copied().collect::<MessageIds>());
            }
        }
    }
}
