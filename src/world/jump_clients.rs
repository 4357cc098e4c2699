//! Makes jumps of the clock wait for clients that are between two polls, because the jump would expire their queues.
//!
//! Which clients are between polls is decided while the writer lock is held: a poll that ended before, or that a change
//! before the jump woke up, counts as answered, and one that ends later as parked. A jump waits for the replies to
//! polls that were woken up, even if it does not wait for clients, so that its effect does not depend on the time at
//! which these replies are made.

use super::World;
use super::blocking::run_blocking;
use crate::error::Error;
use crate::realm::Realm;
use crate::realm::id::UserId;
use crate::realm::queue::QueueId;
use crate::realm::tx::Tx;
use crate::time::{Span, Timestamp};
use std::collections::BTreeSet;
use std::time::Duration;

/// A client whose last long poll was answered within this real time before a jump is expected to poll again.
pub const MAX_POLL_PAUSE: Span = Span::from_seconds(1);
/// A client whose last long poll was answered within this real time before a jump, or during its wait, may still sleep
/// after a wait of one second: stock clients sleep for a second between two polls.
const MAX_SLEEPER_PAUSE: Span = Span::from_micros(250_000);
/// The limit on the real time for which a jump waits for the replies to polls that were woken up, on a busy machine.
const MAX_REPLY_DELAY: Span = Span::from_seconds(1);
const CHECK_INTERVAL: Duration = Duration::from_millis(20);

/// Which clients a jump waits for, and whose queues it spares.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct JumpPolicy {
    /// The jump waits for clients whose last long poll was answered after this real time. None means that it does not
    /// wait.
    pub(super) awaited_since: Option<Timestamp>,
    /// Whether the jump waits until polls that were woken up are answered.
    pub(super) are_replies_awaited: bool,
    /// Queues of sleeping clients, which do not expire during the jump.
    pub(super) spared_queues: BTreeSet<QueueId>,
}

/// The result of a jump that waited for clients.
#[derive(Clone, Debug, PartialEq)]
pub struct JumpOutcome<T> {
    pub value: T,
    /// The real time that the jump waited.
    pub waited: Span,
    /// Queues of clients that did not poll again during the wait.
    pub unparked_queues: BTreeSet<QueueId>,
}

impl World {
    /// Starts a poll. `long_poll_queue` is the queue of a long poll, None for another poll. While a long poll starts,
    /// it counts as answered, so that a jump waits for its client. If it is refused, the client did not poll, and the
    /// time of the previous answer holds again.
    ///
    /// # Errors
    ///
    /// Those of `change`.
    pub(crate) fn start_poll<T>(
        &self,
        long_poll_queue: Option<&str>,
        change: impl FnOnce(&mut Tx) -> Result<T, Error>,
    ) -> Result<T, Error> {
        let Some(queue) = long_poll_queue.map(QueueId::from) else { return self.commit(change) };
        let previous_answer = self.polls.record_answer(&queue, self.real_time.now());
        let result = self.commit(change);
        if result.is_err() {
            let mut answer_times = self.polls.answer_times.lock();
            match previous_answer {
                Some(answered_at) => answer_times.insert(queue, answered_at),
                None => answer_times.remove(&queue),
            };
        }
        result
    }

    /// Records that a long poll of a queue was answered, if the queue exists.
    pub(crate) fn record_answered_poll(&self, queue: &str) {
        let realm = self.published_realm();
        if let Some(queue) = realm.queues.get(queue) {
            self.polls.record_answer(&queue.id, self.real_time.now());
        }
    }

    /// Queues of clients that are between two polls, and whose last poll was answered after `since` or is being
    /// answered, except those of offline users.
    pub(crate) fn queues_between_polls(&self, since: Timestamp) -> BTreeSet<QueueId> {
        let realm = self.published_realm();
        let may_poll = |id: &QueueId| realm.queues.get(id).is_some_and(|queue| !self.is_offline(&realm, queue.owner));
        let mut queues = BTreeSet::from_iter(self.polls.queues_to_answer());
        let answer_times = self.polls.answer_times.lock();
        queues.extend(answer_times.iter().filter(|(_, answered_at)| **answered_at > since).map(|(id, _)| id.clone()));
        queues.retain(may_poll);
        queues
    }

    /// Whether a jump of the clock has to wait for clients. The caller holds the writer lock and has updated the
    /// realm for ended polls.
    pub(super) fn must_wait(&self, policy: &JumpPolicy) -> bool {
        policy.awaited_since.is_some_and(|since| !self.queues_between_polls(since).is_empty())
            || policy.are_replies_awaited && !self.polls.queues_to_answer().is_empty()
    }

    /// Queues with a parked poll whose users are offline, so that no reply arrives.
    pub(super) fn offline_parked_queues(&self, realm: &Realm) -> Vec<QueueId> {
        if self.networks().lock().is_empty() {
            return Vec::new();
        }
        let parked_queues = realm.queues.values().filter(|queue| queue.parked_since.is_some());
        parked_queues.filter(|queue| self.is_offline(realm, queue.owner)).map(|queue| queue.id.clone()).collect()
    }

    pub(super) fn is_offline(&self, realm: &Realm, user: UserId) -> bool {
        realm.users.get(&user).is_some_and(|user| self.networks().lock().is_offline(&user.email))
    }

    /// Moves the clock as soon as no client is between two polls, or after waiting for `max_wait`. `jump` returns None
    /// if it has to wait for clients.
    ///
    /// # Errors
    ///
    /// Those of `jump`.
    pub(crate) async fn jump_with_clients_parked<T, E>(
        &self,
        max_wait: Span,
        jump: impl Fn(&JumpPolicy) -> Result<Option<T>, E>,
    ) -> Result<JumpOutcome<T>, E> {
        let started_at = self.real_time.now();
        let since = started_at.plus(Span::from_micros(-MAX_POLL_PAUSE.micros()));
        let sleepers_since = started_at.plus(Span::from_micros(-MAX_SLEEPER_PAUSE.micros()));
        loop {
            let changed = self.changed();
            tokio::pin!(changed);
            // Before the jump, so that a change between the jump and the wait is not missed.
            changed.as_mut().enable();
            let waited = self.real_time.now().since(started_at);
            let remaining = Span::from_micros(max_wait.micros().saturating_sub(waited.micros()));
            let is_wait_over = remaining.micros() <= 0;
            let unparked_queues = if is_wait_over { self.queues_between_polls(since) } else { BTreeSet::new() };
            let are_sleepers_spared = is_wait_over && max_wait >= MAX_POLL_PAUSE;
            let policy = JumpPolicy {
                awaited_since: (!is_wait_over).then_some(since),
                are_replies_awaited: waited < MAX_REPLY_DELAY,
                spared_queues: match are_sleepers_spared {
                    true => self.queues_between_polls(sleepers_since),
                    false => BTreeSet::new(),
                },
            };
            {
                let _turn = self.wait_for_turn().await;
                if let Some(value) = run_blocking(|| jump(&policy))? {
                    return Ok(JumpOutcome { value, waited, unparked_queues });
                }
            }
            let check_interval = match is_wait_over {
                true => CHECK_INTERVAL,
                false => CHECK_INTERVAL.min(Duration::from_micros(remaining.micros().unsigned_abs())),
            };
            // After the interval, the jump is tried even without a change.
            let _ = tokio::time::timeout(check_interval, changed).await;
        }
    }
}
