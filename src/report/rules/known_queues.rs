//! The event queues of a client, as far as its requests show them.

use crate::report::finding::Occurrence;
use crate::report::memory::Latest;
use crate::report::seen::Past;

/// An event queue.
#[derive(Debug, Default)]
pub struct KnownQueue {
    pub id: Box<str>,
    /// When it was registered; None where that was not seen.
    pub registered: Option<Past>,
    /// Hash of what was asked for.
    pub options: u64,
    /// The request that registered it.
    pub registration: Occurrence,
    /// Whether it gets the events about users.
    pub tells_of_users: bool,
    /// The connection of its latest request.
    pub connection: u64,
    /// The newest event that its client was sent; None where earlier replies are not known.
    pub sent: Option<i64>,
    /// The newest event of a reply that came back whole.
    pub delivered: i64,
    /// When that reply was sent, in microseconds of real time.
    pub delivered_at: i64,
    /// The newest event that was acknowledged.
    pub acknowledged: i64,
    /// `last_event_id` of the latest poll.
    pub last_asked: Option<i64>,
    /// Polls so far.
    pub polls: u64,
    /// Polls in a row that did not acknowledge what the client had.
    pub stuck: u32,
    /// Polls in a row that did not wait and found nothing, and when the first was answered.
    pub hasty: (u32, Past),
    /// When the latest poll began and ended, in microseconds of real time.
    pub last_poll: Option<(i64, i64)>,
    /// When the latest poll that may wait was answered.
    pub answered: Option<Past>,
    /// Polls that wait.
    pub waiting: u32,
    /// How long the client let polls wait that it gave up, and when it did, in microseconds of real time.
    pub cuts: Latest<(i64, i64), 3>,
    /// When the client learned that the queue is gone.
    pub gone: Option<Past>,
    /// Whether the client ended it.
    pub is_ended: bool,
}

impl KnownQueue {
    /// Whether it still exists, as far as the client knows.
    pub fn is_alive(&self) -> bool {
        self.gone.is_none() && !self.is_ended
    }
}

/// The latest queues of a client.
#[derive(Debug, Default)]
pub struct KnownQueues {
    all: Latest<KnownQueue, 8>,
}

impl KnownQueues {
    /// The queue of an ID.
    pub fn find(&mut self, id: &str) -> Option<&mut KnownQueue> {
        self.all.iter_mut().find(|queue| *queue.id == *id)
    }

    /// The queue of an ID, which is remembered from now on.
    pub fn find_or_add(&mut self, id: &str) -> Option<&mut KnownQueue> {
        if !self.all.iter().any(|queue| *queue.id == *id) {
            self.add(KnownQueue { id: id.into(), delivered: -1, acknowledged: i64::MIN, ..KnownQueue::default() });
        }
        self.find(id)
    }

    /// Adds a queue.
    pub fn add(&mut self, queue: KnownQueue) {
        self.all.push(queue);
    }

    /// Forgets the queue of an ID.
    pub fn remove(&mut self, id: &str) {
        self.all.retain(|queue| *queue.id != *id);
    }

    /// All of them, the oldest first.
    pub fn iter(&self) -> std::slice::Iter<'_, KnownQueue> {
        self.all.iter()
    }
}
