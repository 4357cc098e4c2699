//! Moving, stopping and starting a world's clock.

use super::{JumpPolicy, WatchFrame, World};
use crate::realm::Realm;
use crate::realm::agenda::AgendaItem;
use crate::realm::queue::QueueId;
use crate::time::{Clock, Timestamp};
use std::collections::BTreeSet;
use std::sync::Arc;

impl World {
    /// Moves the clock forward and runs all items that fall due, each at its own time. `target` computes the new time
    /// from the current one. An earlier time does not move the clock back. Returns None, with the clock unchanged,
    /// if the jump has to wait for a client.
    ///
    /// # Errors
    ///
    /// Those of `target`.
    #[doc(hidden)]
    pub fn advance<E>(
        &self,
        policy: &JumpPolicy,
        target: impl FnOnce(Timestamp) -> Result<Timestamp, E>,
    ) -> Result<Option<Vec<(Timestamp, AgendaItem)>>, E> {
        let _writer_lock = self.lock();
        let now = self.now();
        let target_time = target(now)?.max(now);
        self.run_due_and_load(now);
        Ok((!self.must_wait(policy)).then(|| self.jump(now, target_time, &policy.spared_queues)))
    }

    /// Moves the clock to the next item of the agenda that control shows, and runs all items that are due then. The
    /// expiry of a spared queue is passed over. `target` gets the current time and the time of the item, and returns
    /// the new time. Returns None, with the clock unchanged, if the jump has to wait for a client, and an empty list if
    /// there is no such item.
    ///
    /// # Errors
    ///
    /// Those of `target`.
    pub(crate) fn advance_to_next<E>(
        &self,
        policy: &JumpPolicy,
        target: impl FnOnce(Timestamp, Timestamp) -> Result<Timestamp, E>,
    ) -> Result<Option<Vec<(Timestamp, AgendaItem)>>, E> {
        let _writer_lock = self.lock();
        let now = self.now();
        let realm = self.run_due_and_load(now);
        let is_spared = |item: &AgendaItem| matches!(item, AgendaItem::Queue(id) if policy.spared_queues.contains(id));
        let next = realm.agenda.iter().find(|(_, item)| item.is_listed() && !is_spared(item));
        let Some((due_at, _)) = next else { return Ok(Some(Vec::new())) };
        let target_time = target(now, *due_at)?;
        Ok((!self.must_wait(policy)).then(|| self.jump(now, target_time, &policy.spared_queues)))
    }

    fn jump(&self, from: Timestamp, to: Timestamp, spared_queues: &BTreeSet<QueueId>) -> Vec<(Timestamp, AgendaItem)> {
        self.waiters.record_jump(Some(to));
        self.set_clock(to);
        let spared = spared_queues.iter().map(|id| (id.clone(), to));
        let offline_queues = self.offline_parked_queues(&self.realm.load());
        let offline = offline_queues.iter().map(|id| (id.clone(), from));
        let idle_queues: Vec<(QueueId, Timestamp)> = spared.chain(offline).collect();
        let (due_items, new_events) = self.run_due_with_idle_queues(&idle_queues, to);
        self.advance_realm(to);
        self.broadcast(WatchFrame::Clock { from, to, due_items: due_items.clone(), restoration: None });
        self.broadcast_change(&new_events);
        // The replies to these polls are lost, so that the clients notice that they are offline and poll again.
        self.finish_polls(&self.realm.load(), &offline_queues);
        due_items
    }

    /// Makes the clock run with real time from its current time, or freezes it.
    pub(crate) fn set_clock_running(&self, is_running: bool) {
        let _writer_lock = self.lock();
        let now = self.now();
        let clock = if is_running {
            Clock::Running { offset: now.since(self.real_time.now()) }
        } else {
            Clock::Frozen { at: now }
        };
        *self.clock.lock() = clock;
    }

    fn set_clock(&self, time: Timestamp) {
        let mut clock = self.clock.lock();
        *clock = match *clock {
            Clock::Frozen { .. } => Clock::Frozen { at: time },
            Clock::Running { .. } => Clock::Running { offset: time.since(self.real_time.now()) },
        };
    }

    /// Sets the realm's time, from which readers take theirs, unless a due item has done so.
    fn advance_realm(&self, time: Timestamp) {
        let realm = self.realm.load();
        if realm.now < time {
            self.realm.store(Arc::new(Realm { now: time, ..Realm::clone(&realm) }));
        }
    }
}
