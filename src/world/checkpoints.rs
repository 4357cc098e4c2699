//! Snapshots, restoring, resetting and forking of worlds. Copies of a realm share memory, so all of these are cheap.

use super::{QueueChange, Restoration, WatchFrame, World};
use crate::realm::Realm;
use crate::realm::event::EventLog;
use crate::realm::queue::QueueId;
use crate::realm::tx::Tx;
use crate::time::{Clock, Timestamp};
use std::collections::BTreeMap;
use std::sync::Arc;

/// A state of a world that it can return to.
#[derive(Clone)]
pub struct Checkpoint {
    pub realm: Arc<Realm>,
    pub clock: Clock,
}

/// A snapshot without the state, for lists.
#[derive(Clone, Debug, PartialEq)]
pub struct SnapshotInfo {
    pub name: String,
    /// The world's time when it was taken.
    pub at: Timestamp,
}

/// The states that a world can return to.
pub(super) struct Checkpoints {
    initial_state: Checkpoint,
    snapshots: BTreeMap<String, (Checkpoint, Timestamp)>,
}

impl Checkpoints {
    pub(super) fn new(initial_state: Checkpoint) -> Self {
        Self { initial_state, snapshots: BTreeMap::new() }
    }
}

/// A copy of a realm without the queues and the event log, which forks and restored worlds do not have.
pub fn without_queues(realm: &Realm) -> Realm {
    let mut tx = Tx::new(realm.clone());
    let ids: Vec<QueueId> = tx.queues.keys().cloned().collect();
    for id in &ids {
        tx.realm_mut().queues.remove(id);
        // Takes the expiry and the heartbeat off the agenda.
        tx.schedule_queue(id);
    }
    let mut realm = tx.into_realm();
    realm.log = EventLog::starting_at(realm.log.end());
    realm
}

impl World {
    /// The current state, including queues, and the world's time.
    fn checkpoint_with_queues(&self) -> (Checkpoint, Timestamp) {
        let _writer_lock = self.lock();
        let now = self.now();
        (Checkpoint { realm: self.run_due_and_load(now), clock: self.clock() }, now)
    }

    /// The current state without queues.
    pub(crate) fn checkpoint(&self) -> Checkpoint {
        let (checkpoint, _) = self.checkpoint_with_queues();
        Checkpoint { realm: Arc::new(without_queues(&checkpoint.realm)), ..checkpoint }
    }

    /// Takes a snapshot, which replaces an earlier one with the same name.
    pub(crate) fn take_snapshot(&self, name: &str) {
        let checkpoint = self.checkpoint_with_queues();
        self.checkpoints.lock().snapshots.insert(name.to_owned(), checkpoint);
    }

    /// The snapshots in the order of their names.
    #[doc(hidden)]
    pub fn snapshots(&self) -> Vec<SnapshotInfo> {
        let checkpoints = self.checkpoints.lock();
        checkpoints
            .snapshots
            .iter()
            .map(|(name, (_, taken_at))| SnapshotInfo { name: name.clone(), at: *taken_at })
            .collect()
    }

    pub(crate) fn find_snapshot(&self, name: &str) -> Option<Checkpoint> {
        self.checkpoints.lock().snapshots.get(name).map(|(checkpoint, _)| checkpoint.clone())
    }

    /// Returns false if there is no snapshot with this name.
    pub(crate) fn delete_snapshot(&self, name: &str) -> bool {
        self.checkpoints.lock().snapshots.remove(name).is_some()
    }

    /// Returns to the state in which the world was created. Queues and sessions end, and webhook calls are dropped.
    /// Snapshots, the journal, the report, faults, networks and rate limits remain.
    pub fn reset(&self) {
        let initial_state = self.checkpoints.lock().initial_state.clone();
        self.restore(&initial_state, Restoration::Reset);
    }

    /// Replaces the world's state. Queues and sessions end, and webhook calls are dropped. A running clock keeps its
    /// distance to real time.
    pub(crate) fn restore(&self, checkpoint: &Checkpoint, restoration: Restoration) {
        let _writer_lock = self.lock();
        self.sessions.end_all();
        let (previous_clock, real_now) = (self.clock(), self.real_time.now());
        *self.clock.lock() = checkpoint.clock;
        self.polls.record_jump(None);
        self.drop_webhook_calls();
        self.publish_without_queues(&checkpoint.realm);
        let (from, to) = (previous_clock.now(real_now), checkpoint.clock.now(real_now));
        self.broadcast(WatchFrame::Clock { from, to, due_items: Vec::new(), restoration: Some(restoration) });
    }

    /// Removes all queues, which answers their parked polls.
    pub(crate) fn end_queues(&self) {
        let _writer_lock = self.lock();
        self.end_queues_locked();
    }

    /// Does the same as [`World::end_queues`], for callers that hold the writer lock.
    pub(super) fn end_queues_locked(&self) {
        let realm = self.run_due_and_load(self.now());
        self.publish_without_queues(&realm);
    }

    /// Publishes a realm without its queues, and answers the polls that are parked on the previous realm's queues.
    fn publish_without_queues(&self, realm: &Realm) {
        let previous_realm = self.realm.load();
        let removed_queues: Vec<QueueId> = previous_realm.queues.keys().cloned().collect();
        let mut realm = without_queues(realm);
        // Positions in the log are never reused, so that old events are not mistaken for new ones.
        realm.log.first = realm.log.first.max(previous_realm.log.end());
        let previous_realm = self.realm.swap(Arc::new(realm));
        if self.is_watched() {
            let now = self.realm.load().now;
            previous_realm.queues.values().for_each(|queue| self.broadcast(QueueChange::Lost.frame_for(queue, now)));
        }
        self.wake_polls(&previous_realm, &[], &removed_queues);
        self.changed.notify_waiters();
    }
}
