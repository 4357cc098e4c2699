//! Clients that are alive while the clock is moved: between two polls, a client is not idle.
//!
//! A jump of the clock waits for them, since their queues would expire in it. What they are waited for is decided while
//! the writer is held: a poll that ends before that is known to have been answered, one that ends later counts as parked.

use super::World;
use super::aside::in_place;
use crate::error::Error;
use crate::realm::queue::QueueId;
use crate::realm::tx::Tx;
use crate::time::{Span, Timestamp};
use std::time::Duration;

/// A client whose last blocking poll was answered within this real time before a jump is alive, and about to poll again.
pub const ALIVE: Span = Span::seconds(1);
/// What is added to a wait of a second or more: a stock client sleeps for one between two polls, and is there a moment
/// later.
const GRACE_MICROS: i64 = 250_000;
/// How many times as long a jump waits at the most for clients that go on polling without being parked.
const MOST_POLLS: i64 = 3;
/// How often it is looked whether clients that are waited for are alive still.
const LOOK: Duration = Duration::from_millis(20);

/// What a jump came to that waited for clients.
#[derive(Clone, Debug, PartialEq)]
pub struct Jump<T> {
    /// What it gave.
    pub value: T,
    /// Real time for which it waited.
    pub waited: Span,
    /// The queues of clients that did not poll again meanwhile.
    pub not_parked: Vec<QueueId>,
}

impl World {
    /// Begins a poll. One that may block, of the queue named, keeps the clock from being moved before it is parked or
    /// its client had the time to poll again.
    ///
    /// # Errors
    ///
    /// What `begin` refuses.
    pub(crate) fn poll<T>(
        &self,
        blocking: Option<&str>,
        begin: impl FnOnce(&mut Tx) -> Result<T, Error>,
    ) -> Result<T, Error> {
        let Some(queue) = blocking.map(QueueId::from) else { return self.commit(begin) };
        let former = self.waiters.note_answer(&queue, self.real_time.now());
        let begun = self.commit(begin);
        if begun.is_err() {
            let mut answered = self.waiters.answered.lock();
            match former {
                Some(at) => answered.insert(queue, at),
                None => answered.remove(&queue),
            };
        }
        begun
    }

    /// The queues of clients that are between two polls, the last of which was answered after this.
    pub(crate) fn between_polls(&self, since: Timestamp) -> Vec<QueueId> {
        let realm = self.published();
        let answered = self.waiters.answered.lock();
        let awaited = answered.iter().filter(|(id, at)| **at > since && realm.queues.contains_key(*id));
        awaited.map(|(id, _)| id.clone()).collect()
    }

    /// When the last of these polls was answered.
    fn last_answer(&self, since: Timestamp) -> Option<Timestamp> {
        let between = self.between_polls(since);
        let answered = self.waiters.answered.lock();
        between.iter().filter_map(|id| answered.get(id).copied()).max()
    }

    /// Moves the clock when no client is between two polls, or after waiting for so long since the last of them polled. `jump` says which clients to wait for,
    /// as for [`World::between_polls`], and gives None when it has to.
    ///
    /// # Errors
    ///
    /// What `jump` refuses.
    pub(crate) async fn with_clients_parked<T, E>(
        &self,
        patience: Span,
        jump: impl Fn(Option<Timestamp>) -> Result<Option<T>, E>,
    ) -> Result<Jump<T>, E> {
        let began = self.real_time.now();
        let since = began.plus(Span::from_micros(-ALIVE.micros()));
        let grace = if patience < ALIVE { 0 } else { GRACE_MICROS };
        let longest = Span::from_micros(patience.micros().saturating_mul(MOST_POLLS));
        let patience = Span::from_micros(patience.micros().saturating_add(grace));
        loop {
            let changed = self.changed();
            tokio::pin!(changed);
            changed.as_mut().enable();
            let now = self.real_time.now();
            let waited = now.since(began);
            // A client that polled meanwhile, and was answered at once, is alive for sure.
            let quiet = now.since(self.last_answer(since).unwrap_or(began).max(began));
            let awaited = (quiet < patience && (waited < patience || waited < longest)).then_some(since);
            let not_parked = if awaited.is_some() { Vec::new() } else { self.between_polls(since) };
            {
                let _turn = self.turn().await;
                if let Some(value) = in_place(|| jump(awaited))? {
                    return Ok(Jump { value, waited, not_parked });
                }
            }
            // Either something changed, or it is time to look again.
            let _ = tokio::time::timeout(LOOK, changed).await;
        }
    }
}
