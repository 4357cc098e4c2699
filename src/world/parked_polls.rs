//! Parked polls: waking up those that a change concerns, and recording those that end.

use super::{QueueChange, World};
use crate::realm::Realm;
use crate::realm::event::Entry;
use crate::realm::id::UserId;
use crate::realm::queue::{Queue, QueueId};
use crate::time::{Span, Timestamp};
use parking_lot::Mutex;
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;
use tokio::sync::Notify;

/// The parked polls of a world.
#[derive(Default)]
pub(super) struct PollRegistry {
    parked_polls: Mutex<ParkedPolls>,
    /// Polls that were parked and are not in the journal yet, by their numbers.
    unjournaled: Mutex<BTreeMap<u64, Arc<Queue>>>,
    /// Queues of ended polls, each with the time of the end. The realm still has them as parked.
    ended_polls: Mutex<Vec<(Arc<Queue>, Timestamp)>>,
    /// Whether `ended_polls` has entries: readers check this without a lock.
    has_ended_polls: AtomicBool,
    /// See [`World::wake_count`].
    total_wake_count: AtomicU64,
    /// For each queue between two long polls, the real time at which the last one was answered.
    pub(super) answer_times: Mutex<BTreeMap<QueueId, Timestamp>>,
    /// The newest polls whose clients closed the connection, by the email address in their credentials, with the real
    /// time for which they waited.
    given_up_polls: Mutex<VecDeque<(Option<Arc<str>>, Span)>>,
    /// The target of the last jump of the clock. Polls that were parked during the jump end no earlier.
    last_jump_target: Mutex<Option<Timestamp>>,
}

/// From this number of recorded answers on, those older than [`ANSWER_LIFETIME`] are removed at each new one.
const ANSWER_PRUNING_THRESHOLD: usize = 256;
/// The age at which answers count as old. It is longer than a jump waits for clients by default.
const ANSWER_LIFETIME: Span = Span::from_seconds(60);

/// The maximum number of given up polls that are remembered.
const MAX_GIVEN_UP_POLLS: usize = 256;

/// The limit on the real time between the answer of a poll and its entry in the journal, on a busy machine.
const MAX_JOURNAL_DELAY: Duration = Duration::from_secs(1);

#[derive(Default)]
struct ParkedPolls {
    /// In the order in which they were parked. A queue may have two until the older one is woken up and ends.
    polls: BTreeMap<u64, (Arc<Queue>, Arc<Waker>)>,
    last_number: u64,
}

#[derive(Default)]
struct Waker {
    notify: Notify,
    /// Whether the client deleted the queue, or is offline during a jump of the clock.
    is_finished: AtomicBool,
    /// Whether the user was offline at a change that woke up the poll.
    was_woken_offline: AtomicBool,
    wake_count: AtomicU64,
    /// The `wake_count` up to which the poll found nothing to answer.
    idle_wake_count: AtomicU64,
}

impl Waker {
    /// Wakes up the poll, whose user may be offline.
    fn wake(&self, is_offline: bool) {
        self.was_woken_offline.fetch_or(is_offline, Ordering::AcqRel);
        self.wake_count.fetch_add(1, Ordering::AcqRel);
        self.notify.notify_one();
    }

    /// Whether the poll was woken up and is expected to be answered.
    fn is_answer_expected(&self) -> bool {
        self.wake_count.load(Ordering::Acquire) != self.idle_wake_count.load(Ordering::Acquire)
    }
}

/// A poll that was parked and is not in the journal yet. Dropped once it is, or when the client disconnects.
pub struct UnjournaledPoll {
    world: Arc<World>,
    number: u64,
}

impl Drop for UnjournaledPoll {
    fn drop(&mut self) {
        self.world.polls.unjournaled.lock().remove(&self.number);
        self.world.changed.notify_waiters();
    }
}

/// A parked poll. Dropping it ends the poll, also when the client disconnects.
pub struct ParkedPoll {
    world: Arc<World>,
    number: u64,
    queue: Arc<Queue>,
    waker: Arc<Waker>,
    unjournaled: Option<UnjournaledPoll>,
}

impl ParkedPoll {
    /// The queue at the time when the poll was parked.
    pub fn queue(&self) -> &Queue {
        &self.queue
    }

    /// How often the poll has been woken up.
    pub fn wake_count(&self) -> u64 {
        self.waker.wake_count.load(Ordering::Acquire)
    }

    /// Waits until a change may concern the poll, which had nothing to answer after it was woken up `wake_count` times.
    pub async fn wait_for_change(&self, wake_count: u64) {
        self.waker.idle_wake_count.store(wake_count, Ordering::Release);
        self.waker.notify.notified().await;
    }

    /// Takes the guard to hold until the journal has the poll. None if it was taken before.
    pub fn take_unjournaled(&mut self) -> Option<UnjournaledPoll> {
        self.unjournaled.take()
    }

    /// Records that the poll is being answered, so that its client is expected to poll again.
    pub fn record_answer(&self) {
        self.world.polls.record_answer(&self.queue.id, self.world.real_time.now());
    }

    /// Whether the client deleted the queue, or is offline during a jump of the clock. The poll is then answered with
    /// the available events.
    pub fn is_finished(&self) -> bool {
        self.waker.is_finished.load(Ordering::Acquire)
    }

    /// Whether the user was offline at a change that woke up the poll since the last call, or since it was parked.
    pub fn take_woken_offline(&self) -> bool {
        self.waker.was_woken_offline.swap(false, Ordering::AcqRel)
    }
}

impl Drop for ParkedPoll {
    fn drop(&mut self) {
        let polls = &self.world.polls;
        self.world.lifecycle.record_end(self.world.real_time.now());
        polls.parked_polls.lock().polls.remove(&self.number);
        if self.world.is_watched() && self.world.published_realm().queues.contains_key(&self.queue.id) {
            self.world.broadcast(QueueChange::PollEnded.frame_for(&self.queue, self.world.now()));
        }
        polls.ended_polls.lock().push((self.queue.clone(), self.world.now()));
        polls.has_ended_polls.store(true, Ordering::Release);
        self.world.changed.notify_waiters();
    }
}

impl World {
    pub(crate) fn record_given_up_poll(&self, user: Option<Arc<str>>, waited: Span) {
        let mut polls = self.polls.given_up_polls.lock();
        if polls.len() == MAX_GIVEN_UP_POLLS {
            polls.pop_front();
        }
        polls.push_back((user, waited));
    }

    /// The number of given up polls of users that `is_included` accepts, and the longest time for which one waited.
    /// Zero and no time if there are none.
    pub(crate) fn count_given_up_polls(&self, is_included: impl Fn(Option<&str>) -> bool) -> (usize, Span) {
        let polls = self.polls.given_up_polls.lock();
        let included = polls.iter().filter(|(user, _)| is_included(user.as_deref()));
        included.fold((0, Span::default()), |(count, longest), (_, waited)| (count + 1, longest.max(*waited)))
    }

    /// Parks a poll.
    ///
    /// The end of a poll is only recorded, and the next reader or writer updates the realm for all ended polls. So an
    /// event that answers a thousand polls costs one change of the realm instead of a thousand.
    pub(crate) fn park(self: &Arc<Self>, queue: Arc<Queue>) -> ParkedPoll {
        let waker = Arc::new(Waker::default());
        self.polls.answer_times.lock().remove(&queue.id);
        let mut parked_polls = self.polls.parked_polls.lock();
        parked_polls.last_number += 1;
        let number = parked_polls.last_number;
        parked_polls.polls.insert(number, (queue.clone(), waker.clone()));
        self.polls.unjournaled.lock().insert(number, queue.clone());
        drop(parked_polls);
        let unjournaled = Some(UnjournaledPoll { world: self.clone(), number });
        self.changed.notify_waiters();
        if self.is_watched() {
            self.broadcast(QueueChange::Parked.frame_for(&queue, self.now()));
        }
        ParkedPoll { world: self.clone(), number, queue, waker, unjournaled }
    }

    /// Polls that have ended or that `is_answered` accepts, and that the journal does not have yet.
    pub(crate) fn polls_to_journal(&self, is_answered: impl Fn(&Queue) -> bool) -> BTreeSet<u64> {
        let unjournaled = self.polls.unjournaled.lock().clone();
        let parked: BTreeSet<u64> = self.polls.parked_polls.lock().polls.keys().copied().collect();
        let is_waiting = |number: &u64, queue: &Queue| parked.contains(number) && !is_answered(queue);
        unjournaled.iter().filter(|(number, queue)| !is_waiting(number, queue)).map(|(number, _)| *number).collect()
    }

    /// Waits until the journal has these polls, or their clients have disconnected; not longer than
    /// [`MAX_JOURNAL_DELAY`].
    pub(crate) async fn wait_until_journaled(&self, polls: &BTreeSet<u64>) {
        let are_all_journaled = || self.polls.unjournaled.lock().keys().all(|number| !polls.contains(number));
        if are_all_journaled() {
            return;
        }
        let all_journaled = async {
            loop {
                let changed = self.changed();
                tokio::pin!(changed);
                // Before the check, so that a change between the check and the wait is not missed.
                changed.as_mut().enable();
                if are_all_journaled() {
                    return;
                }
                changed.await;
            }
        };
        let _ = tokio::time::timeout(MAX_JOURNAL_DELAY, all_journaled).await;
    }

    /// Answers the polls of queues that their clients delete, and of clients that are offline.
    pub(super) fn finish_polls(&self, realm: &Realm, queues: &[QueueId]) {
        self.polls.finish(queues, self.offline_check(realm));
    }

    /// Wakes up the polls that receive one of the entries, and those of `queues_to_wake`.
    pub(super) fn wake_polls(&self, realm: &Realm, entries: &[Arc<Entry>], queues_to_wake: &[QueueId]) {
        self.polls.wake(entries, queues_to_wake, self.offline_check(realm));
    }

    /// A function that tells whether a user is offline. Polls ask when they are woken up and not when their
    /// reply is written, so that the loss of the reply doesn't depend on how soon a test ends the network.
    fn offline_check<'a>(&'a self, realm: &'a Realm) -> impl Fn(UserId) -> bool + 'a {
        let has_networks = !self.networks().lock().is_empty();
        move |user| has_networks && self.is_offline(realm, user)
    }

    /// The number of polls that wait for events now.
    pub fn parked_poll_count(&self) -> usize {
        self.polls.parked_polls.lock().polls.len()
    }

    /// How often polls were woken up, including polls that had no events, but not those that were finished.
    #[doc(hidden)]
    pub fn wake_count(&self) -> u64 {
        self.polls.total_wake_count.load(Ordering::Relaxed)
    }
}

impl PollRegistry {
    /// Records that a queue's poll was answered. Returns the real time of the previous answer, if it is known.
    pub(super) fn record_answer(&self, queue: &QueueId, answered_at: Timestamp) -> Option<Timestamp> {
        let mut answer_times = self.answer_times.lock();
        if answer_times.len() >= ANSWER_PRUNING_THRESHOLD {
            answer_times.retain(|_, previous_answer| answered_at.since(*previous_answer) < ANSWER_LIFETIME);
        }
        answer_times.insert(queue.clone(), answered_at)
    }

    /// The queues of polls that were woken up and are expected to be answered.
    pub(super) fn queues_to_answer(&self) -> Vec<QueueId> {
        let parked_polls = self.parked_polls.lock();
        let to_answer = parked_polls.polls.values().filter(|(_, waker)| waker.is_answer_expected());
        to_answer.map(|(queue, _)| queue.id.clone()).collect()
    }

    /// Records the target of a jump, or None when the world returns to another state, which may set the clock back.
    pub(super) fn record_jump(&self, target: Option<Timestamp>) {
        *self.last_jump_target.lock() = target;
    }

    /// Whether polls have ended since the last [`PollRegistry::take_ended_polls`].
    pub(super) fn has_ended_polls(&self) -> bool {
        self.has_ended_polls.load(Ordering::Acquire)
    }

    /// Takes the queues of the ended polls, each with the time of the end.
    pub(super) fn take_ended_polls(&self) -> Vec<(Arc<Queue>, Timestamp)> {
        if !self.has_ended_polls.swap(false, Ordering::AcqRel) {
            return Vec::new();
        }
        let mut ended_polls = std::mem::take(&mut *self.ended_polls.lock());
        if let Some(target) = *self.last_jump_target.lock() {
            ended_polls.iter_mut().for_each(|(_, ended_at)| *ended_at = (*ended_at).max(target));
        }
        ended_polls
    }

    fn finish(&self, queues: &[QueueId], is_offline: impl Fn(UserId) -> bool) {
        if queues.is_empty() {
            return;
        }
        for (queue, waker) in self.parked_polls.lock().polls.values() {
            if queues.contains(&queue.id) {
                waker.is_finished.store(true, Ordering::Release);
                waker.wake(is_offline(queue.owner));
            }
        }
    }

    fn wake(&self, entries: &[Arc<Entry>], queues_to_wake: &[QueueId], is_offline: impl Fn(UserId) -> bool) {
        if entries.is_empty() && queues_to_wake.is_empty() {
            return;
        }
        let queues_to_wake: BTreeSet<&QueueId> = queues_to_wake.iter().collect();
        for (queue, waker) in self.parked_polls.lock().polls.values() {
            if queues_to_wake.contains(&queue.id) || entries.iter().any(|entry| queue.receives(entry)) {
                self.total_wake_count.fetch_add(1, Ordering::Relaxed);
                waker.wake(is_offline(queue.owner));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fault::network::PROFILES;
    use crate::fixture::Fixture;
    use crate::realm::queue::Cursor;
    use crate::time::Clock;
    use crate::world::{RealTime, WorldSettings};

    struct StoppedTime;

    impl RealTime for StoppedTime {
        fn now(&self) -> Timestamp {
            Timestamp::from_micros(0)
        }
    }

    #[test]
    fn whether_a_user_was_offline_at_a_wake_up_outlasts_the_network() {
        let now = StoppedTime.now();
        let realm = Fixture::built_in("default").expect("built in").build_realm(now, 0).expect("sound");
        let settings = WorldSettings { feature_level: 0, dialect: Arc::new(crate::dialect::Dialect::neutral()) };
        let world =
            Arc::new(World::new("blue".to_owned(), realm, Clock::Frozen { at: now }, settings, Arc::new(StoppedTime)));
        let mel = world.snapshot().users.values().next().expect("a user").clone();
        let queue = Arc::new(Queue {
            id: "q".into(),
            owner: mel.id,
            options: Arc::default(),
            acknowledged_event: -1,
            cursor: Cursor::default(),
            idle_timeout: Span::from_minutes(10),
            idle_since: now,
            parked_since: None,
            has_heartbeat: false,
            poll_count: 0,
        });
        let poll = world.park(queue.clone());
        let wake = || world.wake_polls(&world.snapshot(), &[], std::slice::from_ref(&queue.id));

        wake();
        assert!(!poll.take_woken_offline());
        let offline = PROFILES.iter().find(|profile| profile.name == "offline").expect("a profile");
        world.networks().lock().set(Some(mel.email.to_string()), *offline);
        wake();
        world.networks().lock().clear();
        assert!(poll.take_woken_offline());
        assert!(!poll.take_woken_offline(), "it was taken");
    }
}
