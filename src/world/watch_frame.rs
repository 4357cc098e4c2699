//! The frames that watchers of a world receive, and [`NewEvents`], what a commit adds to the event log.

use super::World;
use crate::journal;
use crate::realm::Realm;
use crate::realm::agenda::AgendaItem;
use crate::realm::event::Entry;
use crate::realm::id::UserId;
use crate::realm::push::Push;
use crate::realm::queue::{Queue, QueueId};
use crate::time::Timestamp;
use imbl::ordmap::DiffItem;
use serde_json::Value;
use smallvec::SmallVec;
use std::ops::Range;
use std::sync::Arc;
use tokio::sync::broadcast;

/// Number of frames that are buffered for a slow watcher before it misses some.
const WATCH_CAPACITY: usize = 4096;

/// What a commit adds to the event log and, if the world is watched, the frames about queues and pushes that it causes.
#[derive(Clone, Debug, Default)]
pub struct NewEvents {
    /// Position of the first entry.
    pub first_position: u64,
    pub entries: SmallVec<[Arc<Entry>; 1]>,
    /// Frames for watchers besides those of the entries.
    pub(super) frames: Vec<WatchFrame>,
}

impl NewEvents {
    pub fn positions(&self) -> Range<u64> {
        self.first_position..self.first_position + self.entries.len() as u64
    }
}

/// The content of a frame for watchers, before it becomes JSON.
#[derive(Clone, Debug)]
pub enum WatchFrame {
    Request(Arc<journal::Entry>),
    /// An event, with its position in the log.
    Event(u64, Arc<Entry>),
    /// The clock was moved, or the world returned to another state.
    Clock {
        from: Timestamp,
        to: Timestamp,
        /// The items that fell due, with their times.
        due_items: Vec<(Timestamp, AgendaItem)>,
        /// None if the clock was moved.
        restoration: Option<Restoration>,
    },
    /// A fault fired.
    Fault {
        /// When the request was answered.
        at: Timestamp,
        fault_id: String,
        /// ID of the request's entry in the journal.
        journal_id: u64,
        /// The effect, as in the call that set the fault up.
        effect: Value,
    },
    /// The networks or the rate limits were changed.
    NetworksOrRateLimits {
        at: Timestamp,
        /// `network` or `rate_limit`: the type of the frame.
        kind: &'static str,
        /// All current networks or rate limits, as control lists them.
        current: Value,
    },
    Push(Arc<Push>),
    Queue {
        at: Timestamp,
        queue_id: QueueId,
        owner: UserId,
        change: QueueChange,
    },
}

impl WatchFrame {
    /// The time of the change of the realm that caused the frame. None if it has another cause.
    fn caused_at(&self) -> Option<Timestamp> {
        match self {
            WatchFrame::Event(_, entry) => Some(entry.at),
            WatchFrame::Queue { at, .. } => Some(*at),
            WatchFrame::Push(push) => Some(push.at),
            WatchFrame::Request(_)
            | WatchFrame::Clock { .. }
            | WatchFrame::Fault { .. }
            | WatchFrame::NetworksOrRateLimits { .. } => None,
        }
    }
}

/// How a world returned to another state.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Restoration {
    /// The snapshot with this name was restored.
    Snapshot(String),
    /// The world was reset to the state in which it was created.
    Reset,
    /// A state document was loaded.
    State,
}

/// A change of an event queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum QueueChange {
    Registered,
    /// A poll waits on it.
    Parked,
    /// The parked poll ended: it was answered, or its client disconnected. `answered` on the wire.
    PollEnded,
    Expired,
    /// Removed by a fault, by control, or because the account was deactivated.
    Lost,
    /// Deleted by its client.
    Deleted,
}

impl QueueChange {
    pub fn name(self) -> &'static str {
        match self {
            QueueChange::Registered => "registered",
            QueueChange::Parked => "parked",
            QueueChange::PollEnded => "answered",
            QueueChange::Expired => "expired",
            QueueChange::Lost => "lost",
            QueueChange::Deleted => "deleted",
        }
    }

    pub(super) fn frame_for(self, queue: &Queue, at: Timestamp) -> WatchFrame {
        WatchFrame::Queue { at, queue_id: queue.id.clone(), owner: queue.owner, change: self }
    }
}

/// The frames for registered and removed queues and for new pushes. `due_items` are the items that fell due in the
/// change. `deleted_queues` are those that their clients deleted.
pub(super) fn change_frames(
    before: &Realm,
    after: &Realm,
    due_items: &[(Timestamp, AgendaItem)],
    deleted_queues: &[QueueId],
) -> Vec<WatchFrame> {
    let mut frames = Vec::new();
    for difference in before.queues.diff(&after.queues) {
        frames.extend(match difference {
            DiffItem::Add(_, queue) => Some(QueueChange::Registered.frame_for(queue, after.now)),
            DiffItem::Remove(id, queue) => {
                let expired =
                    due_items.iter().find(|(_, item)| matches!(item, AgendaItem::Queue(due_id) if due_id == id));
                Some(match expired {
                    Some((expired_at, _)) => QueueChange::Expired.frame_for(queue, *expired_at),
                    None if deleted_queues.contains(id) => QueueChange::Deleted.frame_for(queue, after.now),
                    None => QueueChange::Lost.frame_for(queue, after.now),
                })
            }
            DiffItem::Update { .. } => None,
        });
    }
    // The newest are read first, but broadcast last.
    let pushes = after.relay.pushes.iter().rev().take_while(|push| push.id > before.relay.push_count);
    let first_push_index = frames.len();
    frames.extend(pushes.cloned().map(WatchFrame::Push));
    frames[first_push_index..].reverse();
    frames
}

impl World {
    #[doc(hidden)]
    pub fn watch(&self) -> broadcast::Receiver<WatchFrame> {
        self.watchers.get_or_init(|| broadcast::channel(WATCH_CAPACITY).0).subscribe()
    }

    pub(crate) fn is_watched(&self) -> bool {
        self.watchers.get().is_some_and(|watchers| watchers.receiver_count() > 0)
    }

    #[doc(hidden)]
    pub fn broadcast(&self, frame: WatchFrame) {
        if let Some(watchers) = self.watchers.get() {
            // An error means that there are no watchers.
            let _ = watchers.send(frame);
        }
    }

    /// Broadcasts the events and other frames of a change, in the order of time. Each event is a frame, so that the
    /// frames that a slow watcher misses can be counted.
    pub(crate) fn broadcast_change(&self, new_events: &NewEvents) {
        if !self.is_watched() {
            return;
        }
        let events = (new_events.first_position..)
            .zip(&new_events.entries)
            .map(|(position, entry)| WatchFrame::Event(position, entry.clone()));
        let mut frames: Vec<WatchFrame> = events.chain(new_events.frames.iter().cloned()).collect();
        // In a jump, frames have different times. The sort is stable, so that frames of the same time keep their order.
        frames.sort_by_key(WatchFrame::caused_at);
        frames.into_iter().for_each(|frame| self.broadcast(frame));
    }
}
