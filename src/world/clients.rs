//! Clients that are alive while the clock is moved: between two polls, a client is not idle.
//!
//! A jump of the clock waits for them, since their queues would expire in it. What they are waited for is decided while
//! the writer is held: a poll that ends before that is known to have been answered, one that ends later counts as parked.

use super::World;
use super::blocking::in_place;
use crate::error::Error;
use crate::realm::queue::QueueId;
use crate::realm::tx::Tx;
use crate::time::{Span, Timestamp};
use std::time::Duration;

/// A client whose last blocking poll was answered within this real time before a jump is alive, and about to poll again.
pub const ALIVE: Span = Span::seconds(1);
/// A client whose last blocking poll was answered within this time before a jump, or while the jump waited, may still be
/// asleep when a wait of a second is over: stock clients sleep for one between two polls.
const ASLEEP: Span = Span::from_micros(250_000);
/// How often it is looked whether clients that are waited for are alive still.
const LOOK: Duration = Duration::from_millis(20);

/// What a jump has to respect.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Clients {
    /// Clients to wait for: those whose last blocking poll was answered after this.
    pub(super) awaited: Option<Timestamp>,
    /// Queues of clients that are still asleep: they count as in use to the end of the jump.
    pub(super) spared: Vec<QueueId>,
}

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

    /// Moves the clock when no client is between two polls, or after waiting for so long. `jump` gives None while it has to
    /// wait.
    ///
    /// # Errors
    ///
    /// What `jump` refuses.
    pub(crate) async fn with_clients_parked<T, E>(
        &self,
        patience: Span,
        jump: impl Fn(&Clients) -> Result<Option<T>, E>,
    ) -> Result<Jump<T>, E> {
        let began = self.real_time.now();
        let since = began.plus(Span::from_micros(-ALIVE.micros()));
        loop {
            let changed = self.changed();
            tokio::pin!(changed);
            changed.as_mut().enable();
            let waited = self.real_time.now().since(began);
            let left = Span::from_micros(patience.micros().saturating_sub(waited.micros()));
            let is_over = left.micros() <= 0;
            let not_parked = if is_over { self.between_polls(since) } else { Vec::new() };
            let clients = match is_over {
                false => Clients { awaited: Some(since), spared: Vec::new() },
                true if patience < ALIVE => Clients::default(),
                true => {
                    let spared = self.between_polls(began.plus(Span::from_micros(-ASLEEP.micros())));
                    Clients { awaited: None, spared }
                }
            };
            {
                let _turn = self.turn().await;
                if let Some(value) = in_place(|| jump(&clients))? {
                    return Ok(Jump { value, waited, not_parked });
                }
            }
            // Either something changed, or it is time to look again.
            let left = Duration::from_micros(left.micros().unsigned_abs());
            let _ = tokio::time::timeout(LOOK.min(left), changed).await;
        }
    }
}
