//! Which messages somebody has read: runs of ids instead of a row per message.

use super::id::MessageId;
use imbl::OrdMap;
use serde::{Deserialize, Serialize};

/// A set of message ids, kept as runs without gaps.
///
/// A run may cover ids of messages that the user never got: whether there is a personal row is
/// asked of the message first.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ReadSet {
    /// First id of a run → its last id. Runs neither touch nor overlap.
    runs: OrdMap<i64, i64>,
}

impl ReadSet {
    /// Whether the message was read.
    pub fn contains(&self, message: MessageId) -> bool {
        self.run_around(message.0).is_some()
    }

    /// The last id of the run that holds the message, if it was read.
    pub fn end_of_run(&self, message: MessageId) -> Option<MessageId> {
        self.run_around(message.0).map(|(_, end)| MessageId(end))
    }

    /// The first of these messages, which are sorted, that was not read.
    pub fn first_without(&self, messages: &[MessageId]) -> Option<MessageId> {
        let mut rest = messages;
        while let Some(first) = rest.first() {
            let Some(end) = self.end_of_run(*first) else { return Some(*first) };
            rest = &rest[rest.partition_point(|id| *id <= end)..];
        }
        None
    }

    /// Marks a message as read; false when it was already.
    pub fn insert(&mut self, message: MessageId) -> bool {
        if self.contains(message) {
            return false;
        }
        self.insert_run(message.0, message.0);
        true
    }

    /// Marks all messages up to and including this one as read.
    pub fn insert_up_to(&mut self, message: MessageId) {
        self.insert_run(0, message.0);
    }

    /// Marks a message as unread; false when it was already.
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

    /// The runs, first and last id each, in order.
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
    fn neighbours_join_and_removal_splits() {
        let mut read = ReadSet::default();
        for id in [1, 3, 2] {
            assert!(read.insert(MessageId(id)));
        }
        assert_eq!(read.runs().collect::<Vec<_>>(), [(MessageId(1), MessageId(3))]);

        assert!(read.remove(MessageId(2)));
        assert!(!read.contains(MessageId(2)));
        assert_eq!(read.runs().count(), 2);
    }

    proptest! {
        #[test]
        fn it_is_a_set(steps in proptest::collection::vec((any::<bool>(), 0i64..40), 0..200)) {
            let mut read = ReadSet::default();
            let mut model = BTreeSet::new();
            for (add, id) in steps {
                if add {
                    prop_assert_eq!(read.insert(MessageId(id)), model.insert(id));
                } else {
                    prop_assert_eq!(read.remove(MessageId(id)), model.remove(&id));
                }
                for probe in 0..40 {
                    prop_assert_eq!(read.contains(MessageId(probe)), model.contains(&probe));
                }
                let all: Vec<MessageId> = (0..40).map(MessageId).collect();
                let unread = (0..40).find(|probe| !model.contains(probe)).map(MessageId);
                prop_assert_eq!(read.first_without(&all), unread);
                let runs: Vec<_> = read.runs().collect();
                prop_assert!(runs.windows(2).all(|pair| pair[0].1.0 + 1 < pair[1].0.0));
            }
        }
    }
}
