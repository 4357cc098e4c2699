//! Clients that are alive while the clock is moved: between two polls, a client is not idle.
//!
//! A jump of the clock waits for them, since their queues would expire in it. What they are waited for is decided while
//! the writer is held: a poll that ends before that is known to have been answered, one that ends later counts as parked.

use super::World;
use super::aside::in_place;
use crate::error::Error;
use crate::realm::change::Tx;
use crate::realm::queue::QueueId;
use crate::time::{Span, Timestamp};
use std::time::Duration;

/// A client whose last blocking poll was answered within this real time is alive, and about to poll again.
pub const ALIVE: Span = Span::seconds(1);
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
    pub fn poll<T>(&self, blocking: Option<&str>, begin: impl FnOnce(&mut Tx) -> Result<T, Error>) -> Result<T, Error> {
        let Some(queue) = blocking.map(QueueId::from) else { return self.commit(begin) };
        let former = self.parking.note_answer(&queue, self.real_time.now());
        let begun = self.commit(begin);
        if begun.is_err() {
            let mut answered = self.parking.answered.lock();
            match former {
                Some(at) => answered.insert(queue, at),
                None => answered.remove(&queue),
            };
        }
        begun
    }

    /// The queues of clients that are alive and between two polls.
    pub fn between_polls(&self) -> Vec<QueueId> {
        let (now, realm) = (self.real_time.now(), self.published());
        let answered = self.parking.answered.lock();
        let is_alive = |at: Timestamp| now.since(at) < ALIVE;
        answered
            .iter()
            .filter(|(id, at)| is_alive(**at) && realm.queues.contains_key(*id))
            .map(|(id, _)| id.clone())
            .collect()
    }

    /// Moves the clock when no client is between two polls, or after waiting for so long. `jump` is told whether to
    /// wait for them, and gives None when it has to.
    ///
    /// # Errors
    ///
    /// What `jump` refuses.
    pub async fn with_clients_parked<T, E>(
        &self,
        patience: Span,
        jump: impl Fn(bool) -> Result<Option<T>, E>,
    ) -> Result<Jump<T>, E> {
        let began = self.real_time.now();
        loop {
            let changed = self.changed();
            tokio::pin!(changed);
            changed.as_mut().enable();
            let waited = self.real_time.now().since(began);
            let waits = waited < patience;
            let not_parked = if waits { Vec::new() } else { self.between_polls() };
            {
                let _turn = self.turn().await;
                if let Some(value) = in_place(|| jump(waits))? {
                    return Ok(Jump { value, waited, not_parked });
                }
            }
            // Either something changed, or it is time to look again.
            let _ = tokio::time::timeout(LOOK, changed).await;
        }
    }
}
