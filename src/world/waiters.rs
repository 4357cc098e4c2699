//! Polls that wait for something to happen, waking exactly those that a change concerns, and what they leave behind.

use super::{QueueChange, World};
use crate::realm::event::Entry;
use crate::realm::queue::{Queue, QueueId};
use crate::time::{Span, Timestamp};
use parking_lot::Mutex;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use tokio::sync::Notify;

/// The polls that hang on a world's queues.
#[derive(Default)]
pub(super) struct Waiters {
    waiting: Mutex<Waiting>,
    departed: Mutex<Vec<(Arc<Queue>, Timestamp)>>,
    /// Whether somebody departed: readers ask at each look.
    has_departed: AtomicBool,
    /// How often polls were woken.
    wakes: AtomicU64,
    /// Queues whose last blocking poll was answered and not followed by another yet, each with when in real time.
    pub(super) answered: Mutex<BTreeMap<QueueId, Timestamp>>,
    /// Where the clock was moved to last: a poll that was parked then is not over before.
    moved_to: Mutex<Option<Timestamp>>,
}

/// So many answers are noted before those of clients that are not alive any more are forgotten.
const ANSWERS_MIN: usize = 256;
/// How long they are kept then: longer than a jump waits for anybody.
const ANSWERS_KEPT: Span = Span::seconds(60);

#[derive(Default)]
struct Waiting {
    /// In the order in which they came. Two hang on the same queue until the older sees that it was replaced.
    polls: BTreeMap<u64, (Arc<Queue>, Arc<Waker>)>,
    number_of_polls: u64,
}

#[derive(Default)]
struct Waker {
    notify: Notify,
    /// Whether the client ended the queue.
    is_finished: AtomicBool,
}

/// A parked poll's place; dropping it, also when the client goes away, ends the poll.
pub struct ParkedPoll {
    world: Arc<World>,
    number: u64,
    queue: Arc<Queue>,
    waker: Arc<Waker>,
}

impl ParkedPoll {
    /// The queue as it was when the poll began.
    pub fn queue(&self) -> &Queue {
        &self.queue
    }

    /// Waits until something happened that may concern the poll.
    pub async fn notified(&self) {
        self.waker.notify.notified().await;
    }

    /// Notes that the poll is being answered: the client lives, and will poll again.
    pub fn note_answer(&self) {
        self.world.waiters.note_answer(&self.queue.id, self.world.real_time.now());
    }

    /// Whether the client ended the queue, so that the poll is answered with what there is.
    pub fn is_finished(&self) -> bool {
        self.waker.is_finished.load(Ordering::Acquire)
    }
}

impl Drop for ParkedPoll {
    fn drop(&mut self) {
        let waiters = &self.world.waiters;
        self.world.lifecycle.note_end(self.world.real_time.now());
        waiters.waiting.lock().polls.remove(&self.number);
        if self.world.is_watched() && self.world.published().queues.contains_key(&self.queue.id) {
            self.world.broadcast(QueueChange::Answered.of(&self.queue, self.world.now()));
        }
        waiters.departed.lock().push((self.queue.clone(), self.world.now()));
        waiters.has_departed.store(true, Ordering::Release);
        self.world.changed.notify_waiters();
    }
}

impl World {
    /// Lets a poll wait for its queue.
    ///
    /// A poll that ends is only noted: whoever reads or changes the realm next finds all these queues idle, each from
    /// its own time on. So a thousand polls that one event answers cost one change of the realm rather than a thousand.
    pub(crate) fn park(self: &Arc<Self>, queue: Arc<Queue>) -> ParkedPoll {
        let waker = Arc::new(Waker::default());
        self.waiters.answered.lock().remove(&queue.id);
        let mut waiting = self.waiters.waiting.lock();
        waiting.number_of_polls += 1;
        let number = waiting.number_of_polls;
        waiting.polls.insert(number, (queue.clone(), waker.clone()));
        drop(waiting);
        self.changed.notify_waiters();
        if self.is_watched() {
            self.broadcast(QueueChange::Parked.of(&queue, self.now()));
        }
        ParkedPoll { world: self.clone(), number, queue, waker }
    }

    /// How many polls hang.
    pub fn parked_polls(&self) -> usize {
        self.waiters.waiting.lock().polls.len()
    }

    /// How often polls were woken, also those that found nothing for them then.
    #[doc(hidden)]
    pub fn wakes(&self) -> u64 {
        self.waiters.wakes.load(Ordering::Relaxed)
    }
}

impl Waiters {
    /// Notes that a queue's poll was answered; when the one before it was, if that is still known.
    pub(super) fn note_answer(&self, queue: &QueueId, at: Timestamp) -> Option<Timestamp> {
        let mut answered = self.answered.lock();
        if answered.len() >= ANSWERS_MIN {
            answered.retain(|_, noted| at.since(*noted) < ANSWERS_KEPT);
        }
        answered.insert(queue.clone(), at)
    }

    /// Notes where the clock is moved to; None: it goes back.
    pub(super) fn note_move(&self, to: Option<Timestamp>) {
        *self.moved_to.lock() = to;
    }

    /// Whether polls ended since the last time that their queues were taken.
    pub(super) fn has_departed(&self) -> bool {
        self.has_departed.load(Ordering::Acquire)
    }

    /// The queues of the polls that ended, each with when it did.
    pub(super) fn take_departed(&self) -> Vec<(Arc<Queue>, Timestamp)> {
        if !self.has_departed.swap(false, Ordering::AcqRel) {
            return Vec::new();
        }
        let mut left = std::mem::take(&mut *self.departed.lock());
        if let Some(moved_to) = *self.moved_to.lock() {
            left.iter_mut().for_each(|(_, at)| *at = (*at).max(moved_to));
        }
        left
    }

    /// Answers the polls of these queues, which their clients end.
    pub(super) fn end_queues(&self, queues: &[QueueId]) {
        if queues.is_empty() {
            return;
        }
        for (queue, waker) in self.waiting.lock().polls.values() {
            if queues.contains(&queue.id) {
                waker.is_finished.store(true, Ordering::Release);
                waker.notify.notify_one();
            }
        }
    }

    /// Wakes the polls for which these entries have something, and those of these queues.
    pub(super) fn wake(&self, entries: &[Arc<Entry>], touched: &[QueueId]) {
        if entries.is_empty() && touched.is_empty() {
            return;
        }
        let touched: BTreeSet<&QueueId> = touched.iter().collect();
        for (queue, waker) in self.waiting.lock().polls.values() {
            if touched.contains(&queue.id) || entries.iter().any(|entry| queue.gets(entry)) {
                self.wakes.fetch_add(1, Ordering::Relaxed);
                waker.notify.notify_one();
            }
        }
    }
}
