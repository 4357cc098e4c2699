//! Going back: snapshots, restoring, resetting, forking. A realm is a value, so each is a pointer.

use super::{QueueChange, Watched, World};
use crate::realm::Realm;
use crate::realm::event::EventLog;
use crate::realm::queue::QueueId;
use crate::realm::tx::Tx;
use crate::time::{Clock, Timestamp};
use imbl::OrdMap;
use std::collections::BTreeMap;
use std::sync::Arc;

/// A realm and how the clock stood.
#[derive(Clone)]
pub struct Checkpoint {
    pub realm: Arc<Realm>,
    pub clock: Clock,
}

/// A snapshot as it is listed.
#[derive(Clone, Debug, PartialEq)]
pub struct SnapshotInfo {
    pub name: String,
    /// The world's time when it was made.
    pub at: Timestamp,
}

/// The moments that a world can go back to.
pub(super) struct Checkpoints {
    origin: Checkpoint,
    snapshots: BTreeMap<String, (Checkpoint, Timestamp)>,
}

impl Checkpoints {
    pub(super) fn new(origin: Checkpoint) -> Self {
        Self { origin, snapshots: BTreeMap::new() }
    }
}

/// A realm without queues and what is for them alone: forks and restored realms begin without.
pub fn without_queues(realm: &Realm) -> Realm {
    let mut tx = Tx::new(realm.clone());
    let ids: Vec<QueueId> = tx.queues.keys().cloned().collect();
    for id in &ids {
        tx.realm_mut().queues.remove(id);
        tx.schedule_queue(id);
    }
    let mut realm = tx.into_realm();
    realm.queues = OrdMap::new();
    realm.log = EventLog::starting_at(realm.log.end());
    realm
}

impl World {
    /// The world as it is, and its time.
    fn present(&self) -> (Checkpoint, Timestamp) {
        let _turn = self.lock();
        let now = self.now();
        (Checkpoint { realm: self.settled(now), clock: self.clock() }, now)
    }

    /// The world as it is, without queues.
    pub(crate) fn moment(&self) -> Checkpoint {
        let (present, _) = self.present();
        Checkpoint { realm: Arc::new(without_queues(&present.realm)), ..present }
    }

    /// Keeps the world as it is under a name; an older snapshot of that name is replaced.
    pub(crate) fn keep_snapshot(&self, name: &str) {
        let present = self.present();
        self.checkpoints.lock().snapshots.insert(name.to_owned(), present);
    }

    /// The snapshots, in the order of their names.
    #[doc(hidden)]
    pub fn snapshots(&self) -> Vec<SnapshotInfo> {
        let checkpoints = self.checkpoints.lock();
        checkpoints.snapshots.iter().map(|(name, (_, at))| SnapshotInfo { name: name.clone(), at: *at }).collect()
    }

    /// The moment that a snapshot holds.
    pub(crate) fn snapshot_named(&self, name: &str) -> Option<Checkpoint> {
        self.checkpoints.lock().snapshots.get(name).map(|(moment, _)| moment.clone())
    }

    /// Forgets a snapshot; false when there is none of this name.
    pub(crate) fn forget_snapshot(&self, name: &str) -> bool {
        self.checkpoints.lock().snapshots.remove(name).is_some()
    }

    /// Goes back to how the world was made. Queues and sessions end, calls of webhooks are dropped; snapshots, the journal and
    /// rules of failing stay.
    pub fn reset(&self) {
        let origin = self.checkpoints.lock().origin.clone();
        self.go_to(&origin, None);
    }

    /// Puts a moment in the place of what is; `snapshot` is its name, if it has one. Queues and sessions end.
    pub(crate) fn go_to(&self, moment: &Checkpoint, snapshot: Option<&str>) {
        let _turn = self.lock();
        self.sessions.end_all();
        let (before, real) = (self.clock(), self.real_time.now());
        *self.clock.lock() = moment.clock;
        self.waiters.note_move(None);
        self.drop_webhooks();
        self.put(&moment.realm);
        if before != moment.clock {
            let (from, to, snapshot) = (before.now(real), moment.clock.now(real), snapshot.map(str::to_owned));
            self.broadcast(Watched::Clock { from, to, fired: Vec::new(), snapshot });
        }
    }

    /// Ends all queues; parked polls are answered.
    pub(crate) fn end_queues(&self) {
        let _turn = self.lock();
        self.drop_queues();
    }

    /// As [`World::end_queues`], for those whose turn it is.
    pub(super) fn drop_queues(&self) {
        let realm = self.settled(self.now());
        self.put(&realm);
    }

    /// Publishes a realm without queues; the polls of those that there were are answered.
    fn put(&self, realm: &Realm) {
        let before = self.realm.load();
        let ended: Vec<QueueId> = before.queues.keys().cloned().collect();
        let mut realm = without_queues(realm);
        // Positions in the log never come twice, so that nobody takes an old event for a new one.
        realm.log.first = realm.log.first.max(before.log.end());
        let before = self.realm.swap(Arc::new(realm));
        if self.is_watched() {
            let now = self.realm.load().now;
            before.queues.values().for_each(|queue| self.broadcast(QueueChange::Lost.of(queue, now)));
        }
        self.waiters.wake(&[], &ended);
        self.changed.notify_waiters();
    }
}
