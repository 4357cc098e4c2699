//! The set of messages that a user has read, stored as runs of consecutive IDs.

use super::id::MessageId;
use imbl::OrdMap;
use serde::{Deserialize, Serialize};

/// A set of message IDs, stored as runs of consecutive IDs.
///
/// A run may include IDs of messages that the user did not receive. Callers first check that the user has a user
/// message.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ReadSet {
    /// From the first ID of a run to its last ID. Runs are neither adjacent nor overlapping.
    runs: OrdMap<i64, i64>,
}

impl ReadSet {
    pub fn contains(&self, message: MessageId) -> bool {
        self.run_around(message.0).is_some()
    }

    /// The last ID of the run that contains the message; None if it is unread.
    pub fn end_of_run(&self, message: MessageId) -> Option<MessageId> {
        self.run_around(message.0).map(|(_, end)| MessageId(end))
    }

    /// The first of these messages that is unread; None if all are read. `messages` must be sorted.
    pub fn first_unread(&self, messages: &[MessageId]) -> Option<MessageId> {
        let mut remaining = messages;
        while let Some(first) = remaining.first() {
            let Some(end) = self.end_of_run(*first) else { return Some(*first) };
            remaining = &remaining[remaining.partition_point(|id| *id <= end)..];
        }
        None
    }

    /// Marks a message as read. Returns whether it was unread.
    pub fn insert(&mut self, message: MessageId) -> bool {
        if self.contains(message) {
            return false;
        }
        self.insert_run(message.0, message.0);
        true
    }

    /// Marks all messages up to and including `message` as read.
    pub fn insert_up_to(&mut self, message: MessageId) {
        self.insert_run(0, message.0);
    }

    /// Marks a message as unread. Returns whether it was read.
    pub fn remove(&mut self, message: MessageId) -> bool {
        let Some((start, end)) = self.run_around(message.0) else { return false };
        self.runs.remove(&start);
        if start < message.0 {
            self.runs.insert(start, message.0 - 1);
        }
        if message.0 < end {
            self.runs.insert(message.0 + 1, end);
        }
        true
    }

    /// The first and last ID of each run, in order.
    pub fn runs(&self) -> impl Iterator<Item = (MessageId, MessageId)> + '_ {
        self.runs.iter().map(|(start, end)| (MessageId(*start), MessageId(*end)))
    }

    fn run_around(&self, id: i64) -> Option<(i64, i64)> {
        self.runs.get_prev(&id).filter(|(_, end)| **end >= id).map(|(start, end)| (*start, *end))
    }

    fn insert_run(&mut self, mut first: i64, mut last: i64) {
        while let Some((start, end)) = self.runs.get_prev(&last.saturating_add(1)).map(|(start, end)| (*start, *end)) {
            if end < first - 1 {
                break;
            }
            self.runs.remove(&start);
            first = first.min(start);
            last = last.max(end);
        }
        self.runs.insert(first, last);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    #[test]
    fn adjacent_runs_merge_and_removal_splits_a_run() {
        let mut set = ReadSet::default();
        for id in [1, 3, 2] {
            assert!(set.insert(MessageId(id)));
        }
        assert_eq!(set.runs().collect::<Vec<_>>(), [(MessageId(1), MessageId(3))]);

        assert!(set.remove(MessageId(2)));
        assert!(!set.contains(MessageId(2)));
        assert_eq!(set.runs().count(), 2);
    }

    proptest! {
        #[test]
        fn behaves_like_a_set(steps in proptest::collection::vec((any::<bool>(), 0i64..40), 0..200)) {
            let mut set = ReadSet::default();
            let mut model = BTreeSet::new();
            for (add, id) in steps {
                if add {
                    prop_assert_eq!(set.insert(MessageId(id)), model.insert(id));
                } else {
                    prop_assert_eq!(set.remove(MessageId(id)), model.remove(&id));
                }
                for candidate in 0..40 {
                    prop_assert_eq!(set.contains(MessageId(candidate)), model.contains(&candidate));
                }
                let all: Vec<MessageId> = (0..40).map(MessageId).collect();
                let unread = (0..40).find(|candidate| !model.contains(candidate)).map(MessageId);
                prop_assert_eq!(set.first_unread(&all), unread);
                let runs: Vec<_> = set.runs().collect();
                prop_assert!(runs.windows(2).all(|pair| pair[0].1.0 + 1 < pair[1].0.0));
            }
        }
    }
}
