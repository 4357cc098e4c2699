//! The log: events in the order in which they happened, each with its audience.

use super::{Audience, Event};
use crate::realm::log::queue::QueueId;
use crate::time::Timestamp;
use imbl::Vector;
use std::sync::Arc;

/// Entries that the log keeps at most for queues that don't acknowledge; see `docs/limits.md`.
pub const MAX_LOG_ENTRIES: usize = 100_000;
/// Bytes that the entries take at most, by estimate; see `docs/limits.md`.
pub const MAX_LOG_BYTES: usize = 64 * 1024 * 1024;

/// The realm's event log.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct EventLog {
    /// Position of the first entry that is kept.
    pub first: u64,
    /// The entries from there on.
    pub entries: Vector<Arc<Entry>>,
    /// What the entries weigh together.
    bytes: usize,
}

impl EventLog {
    /// The position that the next entry will have.
    pub fn end(&self) -> u64 {
        self.first + self.entries.len() as u64
    }

    /// The entries from a position on, each with its position.
    pub fn from(&self, position: u64) -> impl Iterator<Item = (u64, &Arc<Entry>)> {
        let skipped = position.saturating_sub(self.first);
        let start = usize::try_from(skipped).unwrap_or(usize::MAX).min(self.entries.len());
        let first = self.first + start as u64;
        self.entries
            .focus()
            .narrow(start..)
            .into_iter()
            .enumerate()
            .map(move |(index, entry)| (first + index as u64, entry))
    }

    /// A log without entries that goes on at a position.
    pub fn starting_at(first: u64) -> Self {
        Self { first, ..Self::default() }
    }

    /// Adds an entry.
    pub fn push(&mut self, entry: Entry) {
        self.bytes += entry.event.weight();
        self.entries.push_back(Arc::new(entry));
    }

    /// Whether there are more entries, or larger ones, than are kept.
    pub fn is_too_large(&self) -> bool {
        self.entries.len() > MAX_LOG_ENTRIES || self.bytes > MAX_LOG_BYTES
    }

    /// The position from which on as much is left as is kept.
    pub fn kept_from(&self) -> u64 {
        let mut bytes = self.bytes;
        let surplus = self.entries.len().saturating_sub(MAX_LOG_ENTRIES);
        let is_surplus = |(index, entry): &(usize, &Arc<Entry>)| {
            let goes = *index < surplus || bytes > MAX_LOG_BYTES;
            bytes = bytes.saturating_sub(entry.event.weight());
            goes
        };
        self.first + self.entries.iter().enumerate().take_while(is_surplus).count() as u64
    }

    /// Forgets the entries below a position.
    pub fn trim(&mut self, position: u64) {
        let count = usize::try_from(position.saturating_sub(self.first)).unwrap_or(usize::MAX).min(self.entries.len());
        if count > 0 {
            let forgotten = self.entries.iter().take(count).map(|entry| entry.event.weight()).sum();
            self.bytes = self.bytes.saturating_sub(forgotten);
            self.entries = self.entries.skip(count);
            self.first += count as u64;
        }
    }
}

/// An event and its audience.
#[derive(Clone, Debug, PartialEq)]
pub struct Entry {
    /// When it happened.
    pub at: Timestamp,
    /// Who receives it.
    pub audience: Audience,
    /// Only for this queue: heartbeats.
    pub queue: Option<QueueId>,
    /// What happened.
    pub event: Event,
}
