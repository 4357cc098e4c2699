//! Polls that wait for something to happen, and waking exactly those that a change concerns.

use crate::realm::event::Entry;
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

    /// Wakes the polls for which these entries have something, and those of these queues.
    pub(super) fn wake(&self, entries: &[Arc<Entry>], touched: &[String]) {
        if entries.is_empty() && touched.is_empty() {
            return;
        }
        let waiting = self.waiting.lock();
        for poll in waiting.values().flatten() {
            let is_concerned =
                touched.contains(&poll.queue.id) || entries.iter().any(|entry| poll.queue.parts(entry) > 0);
            if is_concerned {
                poll.waker.notify_one();
            }
        }
    }
}
