//! Polls that wait for something to happen, and waking exactly those that a change concerns.

use crate::realm::Realm;
use crate::realm::id::UserId;
use crate::realm::queue::Queue;
use parking_lot::Mutex;
use std::collections::BTreeMap;
use std::sync::Arc;
use tokio::sync::Notify;

/// The polls that hang on a world's queues.
#[derive(Default)]
pub struct Parking {
    waiting: Mutex<BTreeMap<UserId, Vec<Waiting>>>,
}

struct Waiting {
    queue: Arc<Queue>,
    waker: Arc<Notify>,
}

impl Parking {
    /// Lets a poll wait for its queue; drop the place to leave.
    pub fn enter(self: &Parking, queue: Arc<Queue>) -> Arc<Notify> {
        let waker = Arc::new(Notify::new());
        let owner = queue.owner;
        self.waiting.lock().entry(owner).or_default().push(Waiting { queue, waker: waker.clone() });
        waker
    }

    /// Takes a poll away again.
    pub fn leave(&self, owner: UserId, waker: &Arc<Notify>) {
        let mut waiting = self.waiting.lock();
        if let Some(polls) = waiting.get_mut(&owner) {
            polls.retain(|poll| !Arc::ptr_eq(&poll.waker, waker));
            if polls.is_empty() {
                waiting.remove(&owner);
            }
        }
    }

    /// How many polls hang.
    pub fn count(&self) -> usize {
        self.waiting.lock().values().map(Vec::len).sum()
    }

    /// Wakes the polls for which the log has something from this position on, and those of these queues.
    pub(super) fn wake(&self, realm: &Realm, first_entry: u64, touched: &[String]) {
        if realm.log.end() == first_entry && touched.is_empty() {
            return;
        }
        let waiting = self.waiting.lock();
        if waiting.is_empty() {
            return;
        }
        for polls in waiting.values() {
            for poll in polls {
                let is_concerned = touched.contains(&poll.queue.id)
                    || realm.log.from(first_entry).any(|(_, entry)| poll.queue.parts(entry) > 0);
                if is_concerned {
                    poll.waker.notify_one();
                }
            }
        }
    }
}
