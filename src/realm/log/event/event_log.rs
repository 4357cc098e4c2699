//! The event log: events with their audiences, in the order in which they were emitted.

use super::{Audience, Event};
use crate::realm::log::queue::QueueId;
use crate::time::Timestamp;
use imbl::Vector;
use std::sync::Arc;

/// The maximum number of entries. The queues that still need older ones are removed; see `docs/limits.md`.
pub const MAX_LOG_ENTRIES: usize = 100_000;
/// The maximum size of the entries in bytes, by estimate; see `docs/limits.md`.
pub const MAX_LOG_BYTES: usize = 64 * 1024 * 1024;

#[derive(Clone, Debug, Default, PartialEq)]
pub struct EventLog {
    /// The position of the first entry that was not trimmed. Positions never change.
    pub first: u64,
    pub entries: Vector<Arc<Entry>>,
    /// The sum of the entries' weights, in bytes.
    bytes: usize,
}

impl EventLog {
    /// The position that the next entry will have.
    pub fn end(&self) -> u64 {
        self.first + self.entries.len() as u64
    }

    /// The entries from a position on, each with its position.
    pub fn entries_from(&self, position: u64) -> impl Iterator<Item = (u64, &Arc<Entry>)> {
        let skipped_count = position.saturating_sub(self.first);
        let start = usize::try_from(skipped_count).unwrap_or(usize::MAX).min(self.entries.len());
        let first = self.first + start as u64;
        self.entries
            .focus()
            .narrow(start..)
            .into_iter()
            .enumerate()
            .map(move |(index, entry)| (first + index as u64, entry))
    }

    /// An empty log whose next entry gets position `first`.
    pub fn starting_at(first: u64) -> Self {
        Self { first, ..Self::default() }
    }

    pub fn push(&mut self, entry: Entry) {
        self.bytes += entry.event.weight();
        self.entries.push_back(Arc::new(entry));
    }

    /// Whether the log exceeds one of its limits, so that it must be trimmed.
    pub fn is_too_large(&self) -> bool {
        self.entries.len() > MAX_LOG_ENTRIES || self.bytes > MAX_LOG_BYTES
    }

    /// The first position that remains after trimming the log to its limits.
    pub fn trim_position(&self) -> u64 {
        let mut bytes = self.bytes;
        let surplus_count = self.entries.len().saturating_sub(MAX_LOG_ENTRIES);
        let is_surplus = |(index, entry): &(usize, &Arc<Entry>)| {
            let is_trimmed = *index < surplus_count || bytes > MAX_LOG_BYTES;
            bytes = bytes.saturating_sub(entry.event.weight());
            is_trimmed
        };
        self.first + self.entries.iter().enumerate().take_while(is_surplus).count() as u64
    }

    /// Removes the entries below a position.
    pub fn trim(&mut self, position: u64) {
        let trimmed_count =
            usize::try_from(position.saturating_sub(self.first)).unwrap_or(usize::MAX).min(self.entries.len());
        if trimmed_count > 0 {
            let removed_bytes = self.entries.iter().take(trimmed_count).map(|entry| entry.event.weight()).sum();
            self.bytes = self.bytes.saturating_sub(removed_bytes);
            self.entries = self.entries.skip(trimmed_count);
            self.first += trimmed_count as u64;
        }
    }
}

/// An event in the log, with those who receive it.
#[derive(Clone, Debug, PartialEq)]
pub struct Entry {
    pub at: Timestamp,
    pub audience: Audience,
    /// The only queue that receives it, for heartbeats and events of unknown types; None for all queues of the
    /// audience.
    pub queue: Option<QueueId>,
    pub event: Event,
}
