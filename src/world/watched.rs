//! What those who watch a world receive.

use super::{NewEvents, World};
use crate::journal;
use crate::realm::Realm;
use crate::realm::agenda::Due;
use crate::realm::event::Entry;
use crate::realm::id::UserId;
use crate::realm::push::Push;
use crate::realm::queue::{Queue, QueueId};
use crate::time::Timestamp;
use imbl::ordmap::DiffItem;
use serde_json::Value;
use std::sync::Arc;
use tokio::sync::broadcast;

/// Frames that a slow watcher may lag behind before it misses some.
const WATCH_CAPACITY: usize = 4096;

/// Something that those who watch a world receive.
#[derive(Clone, Debug)]
pub enum Watched {
    /// A request was answered.
    Request(Arc<journal::Entry>),
    /// An event happened: its position in the log, and what it is.
    Event(u64, Arc<Entry>),
    /// The clock was moved, with all that fell due.
    Clock {
        /// Before.
        from: Timestamp,
        /// After.
        to: Timestamp,
        /// What fell due, each at its own time.
        fired: Vec<(Timestamp, Due)>,
        /// The snapshot that was restored, if that moved it.
        snapshot: Option<String>,
    },
    /// A fault fired.
    Fault {
        /// When its request was answered.
        at: Timestamp,
        /// The rule.
        fault_id: String,
        /// The request's entry in the journal.
        journal_id: u64,
        /// The effect as it was sent.
        effect: Value,
    },
    /// The networks between clients and the world were changed, or its rate limits.
    Conditions {
        /// When.
        at: Timestamp,
        /// The type of the frame.
        kind: &'static str,
        /// All that hold now, as control lists them.
        now: Value,
    },
    /// The push relay was handed something.
    Push(Arc<Push>),
    /// Something became of an event queue.
    Queue {
        /// When.
        at: Timestamp,
        /// Which.
        queue_id: QueueId,
        /// The user.
        owner: UserId,
        /// What.
        change: QueueChange,
    },
}

impl Watched {
    /// When it happened, if a change of the realm caused it.
    fn caused_at(&self) -> Option<Timestamp> {
        match self {
            Watched::Event(_, entry) => Some(entry.at),
            Watched::Queue { at, .. } => Some(*at),
            Watched::Push(push) => Some(push.at),
            Watched::Request(_) | Watched::Clock { .. } | Watched::Fault { .. } | Watched::Conditions { .. } => None,
        }
    }
}

/// What becomes of an event queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum QueueChange {
    /// It was made.
    Registered,
    /// A poll waits on it.
    Parked,
    /// That poll ended.
    Answered,
    /// Nobody polled it for too long.
    Expired,
    /// It ended although its client did nothing: by a fault, by control, or with the account.
    Lost,
    /// Its client ended it.
    Deleted,
}

impl QueueChange {
    /// The word for it in frames.
    pub fn word(self) -> &'static str {
        match self {
            QueueChange::Registered => "registered",
            QueueChange::Parked => "parked",
            QueueChange::Answered => "answered",
            QueueChange::Expired => "expired",
            QueueChange::Lost => "lost",
            QueueChange::Deleted => "deleted",
        }
    }

    pub(super) fn of(self, queue: &Queue, at: Timestamp) -> Watched {
        Watched::Queue { at, queue_id: queue.id.clone(), owner: queue.owner, change: self }
    }
}

/// What a change did to queues and to the push relay. `fired` fell due in it; of the queues that are gone, their clients
/// ended those that are `finished`.
pub(super) fn differences(
    before: &Realm,
    after: &Realm,
    fired: &[(Timestamp, Due)],
    finished: &[QueueId],
) -> Vec<Watched> {
    let mut frames = Vec::new();
    for difference in before.queues.diff(&after.queues) {
        frames.extend(match difference {
            DiffItem::Add(_, queue) => Some(QueueChange::Registered.of(queue, after.now)),
            DiffItem::Remove(id, queue) => {
                let expired = fired.iter().find(|(_, due)| matches!(due, Due::Queue(other) if other == id));
                Some(match expired {
                    Some((at, _)) => QueueChange::Expired.of(queue, *at),
                    None if finished.contains(id) => QueueChange::Deleted.of(queue, after.now),
                    None => QueueChange::Lost.of(queue, after.now),
                })
            }
            DiffItem::Update { .. } => None,
        });
    }
    let pushes = after.relay.pushes.iter().rev().take_while(|push| push.id > before.relay.handed);
    let first = frames.len();
    frames.extend(pushes.cloned().map(Watched::Push));
    frames[first..].reverse();
    frames
}

impl World {
    /// Watches from now on.
    #[doc(hidden)]
    pub fn watch(&self) -> broadcast::Receiver<Watched> {
        self.watchers.get_or_init(|| broadcast::channel(WATCH_CAPACITY).0).subscribe()
    }

    /// Whether anybody watches.
    pub(crate) fn is_watched(&self) -> bool {
        self.watchers.get().is_some_and(|watchers| watchers.receiver_count() > 0)
    }

    /// Tells those who watch; nobody may.
    #[doc(hidden)]
    pub fn broadcast(&self, watched: Watched) {
        if let Some(watchers) = self.watchers.get() {
            // An error means that nobody watches any more.
            let _ = watchers.send(watched);
        }
    }

    /// Tells those who watch of events, one by one, so that what a slow watcher misses can be counted, and of what
    /// else the change did; in the order of time.
    pub(crate) fn broadcast_events(&self, new_events: &NewEvents) {
        if !self.is_watched() {
            return;
        }
        let events = (new_events.first..)
            .zip(&new_events.entries)
            .map(|(position, entry)| Watched::Event(position, entry.clone()));
        let mut frames: Vec<Watched> = events.chain(new_events.frames.iter().cloned()).collect();
        // In a jump, much happens at times of its own; what happens at once stays as it is.
        frames.sort_by_key(Watched::caused_at);
        frames.into_iter().for_each(|watched| self.broadcast(watched));
    }
}
