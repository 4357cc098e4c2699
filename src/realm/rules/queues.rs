//! Ends polls and queues, schedules the expiry of queues, and trims the event log to what queues still need.

use crate::realm::log::queue::{Cursor, Queue, QueueId};
use crate::realm::model::agenda::AgendaItem;
use crate::realm::tx::Tx;
use crate::time::Timestamp;
use std::sync::Arc;

impl Tx {
    /// Schedules a queue's expiry and next heartbeat, or removes them if the queue does not exist.
    pub fn schedule_queue(&mut self, id: &QueueId) {
        let queue = self.queues.get(id);
        let (expiry, heartbeat) =
            (queue.and_then(|queue| queue.expires_at()), queue.and_then(|queue| queue.next_heartbeat()));
        self.schedule(AgendaItem::Queue(id.clone()), expiry);
        self.schedule(AgendaItem::Heartbeat(id.clone()), heartbeat);
    }

    /// Ends a parked poll, so that its queue is idle from `ended_at` on. Does nothing if another poll replaced it, or
    /// if the queue has counted as idle since.
    pub fn end_poll(&mut self, parked_queue: &Queue, ended_at: Timestamp) {
        let is_parked =
            |queue: &&Arc<Queue>| queue.poll_count == parked_queue.poll_count && queue.parked_since.is_some();
        if self.queues.get(&parked_queue.id).filter(is_parked).is_some() {
            self.set_idle_since(&parked_queue.id, ended_at);
        }
    }

    /// Makes a queue count as idle from a time on, also while a poll of it is parked.
    pub fn set_idle_since(&mut self, id: &QueueId, idle_since: Timestamp) {
        let Some(queue) = self.realm_mut().queues.get_mut(id) else { return };
        let queue = Arc::make_mut(queue);
        queue.parked_since = None;
        queue.idle_since = idle_since;
        self.schedule_queue(id);
    }

    /// Removes a queue, if it exists, and trims the log. The parked poll and later polls fail with
    /// `BAD_EVENT_QUEUE_ID`.
    pub fn end_queue(&mut self, id: &str) {
        let Some(queue) = self.queues.get(id).map(|queue| queue.id.clone()) else { return };
        self.wake_poll(&queue);
        self.remove_queue(&queue);
        self.trim_log();
    }

    /// Removes a queue without trimming the log, so that its poll can still be answered. What was held back from its
    /// owner is pushed.
    pub fn remove_queue(&mut self, id: &QueueId) {
        if let Some(queue) = self.realm_mut().queues.remove(id) {
            self.push_held_back_messages(&queue);
        }
        self.schedule_queue(id);
    }

    /// Removes the entries that every queue has acknowledged. If the log is too large, slow queues are removed first;
    /// slow queues without undelivered events are moved to the end of the log instead.
    pub fn trim_log(&mut self) {
        let end = self.log.end();
        let trim_position = if self.log.is_too_large() { self.log.trim_position() } else { self.log.first };
        if self.log.first < trim_position {
            let slow_queues = self.queues.values().filter(|queue| queue.cursor.entry < trim_position);
            for queue in slow_queues.cloned().collect::<Vec<_>>() {
                if self.log.entries_from(queue.cursor.entry).any(|(_, entry)| queue.receives(entry)) {
                    self.wake_poll(&queue.id);
                    self.remove_queue(&queue.id);
                } else if let Some(queue) = self.realm_mut().queues.get_mut(&queue.id) {
                    Arc::make_mut(queue).cursor = Cursor { entry: end, acknowledged_parts: 0 };
                }
            }
        }
        self.trim_to_slowest();
    }

    fn trim_to_slowest(&mut self) {
        let (first, end) = (self.log.first, self.log.end());
        // Usually a queue is still at the first entry, so this is cheap.
        if first == end || self.queues.values().any(|queue| queue.cursor.entry <= first) {
            return;
        }
        let slowest_position = self.queues.values().map(|queue| queue.cursor.entry).min().unwrap_or(end);
        self.realm_mut().log.trim(slowest_position);
    }
}
