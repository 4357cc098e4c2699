//! The event queues of a client, as known from its requests.

use crate::report::finding::Occurrence;
use crate::report::latest_items::LatestItems;
use crate::report::observation::Moment;

/// A client breaks `long-poll-cut-short` with this number of polls that it aborts in a row after the same time.
pub const MIN_ABORTED_POLLS: usize = 3;

#[derive(Debug, Default)]
pub struct KnownQueue {
    pub id: Box<str>,
    /// None if the registration was not observed.
    pub registered_at: Option<Moment>,
    /// A hash of the parameters of the registration.
    pub options_hash: u64,
    pub registration: Occurrence,
    /// Whether the queue receives events about users.
    pub has_user_events: bool,
    /// The connection of the latest poll, or of the registration.
    pub connection_number: u64,
    /// The ID of the newest event that may have been sent. None if replies were broken or not observed.
    pub newest_sent: Option<i64>,
    /// The ID of the newest event in a reply that the client received completely; -1 if there is none.
    pub newest_delivered: i64,
    /// The time at which the latest such reply with events was sent, in microseconds of real time.
    pub delivered_at: i64,
    /// The ID of the newest acknowledged event; smaller than all IDs if there is none.
    pub acknowledged: i64,
    /// The `last_event_id` of the latest poll.
    pub last_event_id: Option<i64>,
    pub poll_count: u64,
    /// The number of consecutive polls that did not acknowledge received events.
    pub stuck_poll_count: u32,
    /// The number of consecutive empty polls with `dont_block`, and the time of the first reply.
    pub nonblocking_series: (u32, Moment),
    /// Start and end of the latest poll whose reply the client received completely, in microseconds of real time.
    pub last_poll: Option<(i64, i64)>,
    /// The number of polls that wait now.
    pub waiting_poll_count: u32,
    /// The latest polls that the client aborted in a row: how long each waited and when it ended, in microseconds of
    /// real time.
    pub aborted_polls: LatestItems<(i64, i64), MIN_ABORTED_POLLS>,
    /// The time at which the client learned that the queue does not exist.
    pub lost_at: Option<Moment>,
    /// Whether the client deleted the queue.
    pub is_deleted: bool,
}

impl KnownQueue {
    /// Whether the queue exists, as far as the client knows.
    pub fn is_alive(&self) -> bool {
        self.lost_at.is_none() && !self.is_deleted
    }
}

/// The latest queues of a client, the oldest first.
#[derive(Debug, Default)]
pub struct KnownQueues {
    queues: LatestItems<KnownQueue, 8>,
}

impl KnownQueues {
    pub fn find(&mut self, id: &str) -> Option<&mut KnownQueue> {
        self.queues.iter_mut().find(|queue| *queue.id == *id)
    }

    /// The queue with this ID, which is added if it is not known. Never None.
    pub fn find_or_add(&mut self, id: &str) -> Option<&mut KnownQueue> {
        if !self.queues.iter().any(|queue| *queue.id == *id) {
            self.add(KnownQueue {
                id: id.into(),
                newest_delivered: -1,
                acknowledged: i64::MIN,
                ..KnownQueue::default()
            });
        }
        self.find(id)
    }

    pub fn add(&mut self, queue: KnownQueue) {
        self.queues.push(queue);
    }

    pub fn remove(&mut self, id: &str) {
        self.queues.retain(|queue| *queue.id != *id);
    }

    pub fn iter(&self) -> std::slice::Iter<'_, KnownQueue> {
        self.queues.iter()
    }
}
