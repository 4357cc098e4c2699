//! Moving a world's clock.

use super::{Clients, Watched, World};
use crate::realm::Realm;
use crate::realm::agenda::Due;
use crate::realm::queue::QueueId;
use crate::time::{Clock, Timestamp};
use std::sync::Arc;

impl World {
    /// Moves the clock on, doing all that falls due on the way, each at its own time. Where to follows from the time that
    /// it is; the clock never goes back. Nothing is done and None is given while a client has to be waited for.
    ///
    /// # Errors
    ///
    /// What `to` refuses.
    #[doc(hidden)]
    pub fn advance<E>(
        &self,
        clients: &Clients,
        to: impl FnOnce(Timestamp) -> Result<Timestamp, E>,
    ) -> Result<Option<Vec<(Timestamp, Due)>>, E> {
        let _turn = self.lock();
        let from = self.now();
        let to = to(from)?.max(from);
        self.settled(from);
        Ok(self.is_ready(clients).then(|| self.go_on(from, to, &clients.spared)))
    }

    /// Moves the clock to the next thing that falls due, and does all that is due then. `reach` gets the time that it is
    /// and when that thing is due. `clients` as in [`World::advance`].
    ///
    /// # Errors
    ///
    /// What `reach` refuses.
    pub(crate) fn advance_to_next<E>(
        &self,
        clients: &Clients,
        reach: impl FnOnce(Timestamp, Timestamp) -> Result<Timestamp, E>,
    ) -> Result<Option<Vec<(Timestamp, Due)>>, E> {
        let _turn = self.lock();
        let from = self.now();
        let realm = self.settled(from);
        let is_spared = |due: &Due| matches!(due, Due::Queue(id) if clients.spared.contains(id));
        let next = realm.agenda.iter().find(|(_, due)| due.is_reported() && !is_spared(due));
        let Some((at, _)) = next else { return Ok(Some(Vec::new())) };
        let at = reach(from, *at)?;
        Ok(self.is_ready(clients).then(|| self.go_on(from, at, &clients.spared)))
    }

    /// Whether the clock can be moved. Asked while the writer is held and after the polls that ended are settled.
    fn is_ready(&self, clients: &Clients) -> bool {
        clients.awaited.is_none_or(|since| self.between_polls(since).is_empty())
    }

    fn go_on(&self, from: Timestamp, at: Timestamp, spared: &[QueueId]) -> Vec<(Timestamp, Due)> {
        self.waiters.note_move(Some(at));
        self.set_clock(at);
        let (fired, new_events) = self.run_due_sparing(spared, at);
        self.reach(at);
        self.broadcast(Watched::Clock { from, to: at, fired: fired.clone(), snapshot: None });
        self.broadcast_events(&new_events);
        fired
    }

    /// Lets the clock go with real time from where it is, or stops it there.
    pub(crate) fn run_clock(&self, runs: bool) {
        let _turn = self.lock();
        let now = self.now();
        let clock =
            if runs { Clock::Running { ahead: now.since(self.real_time.now()) } } else { Clock::Frozen { at: now } };
        *self.clock.lock() = clock;
    }

    fn set_clock(&self, at: Timestamp) {
        let mut clock = self.clock.lock();
        *clock = match *clock {
            Clock::Frozen { .. } => Clock::Frozen { at },
            Clock::Running { .. } => Clock::Running { ahead: at.since(self.real_time.now()) },
        };
    }

    /// Notes that it is so late, also when nothing was due: what is read next depends on it.
    fn reach(&self, at: Timestamp) {
        let realm = self.realm.load();
        if realm.now < at {
            self.realm.store(Arc::new(Realm { now: at, ..Realm::clone(&realm) }));
        }
    }
}
