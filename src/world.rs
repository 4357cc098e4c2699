//! Worlds: a realm each, published whole, with a clock and the polls that hang on it. The only locks.
//!
//! Readers take a [`World::snapshot`] and never wait. Writers take turns in [`World::commit`]: each changes a
//! private copy, which is published when the change succeeds and dropped when it fails or panics.

pub mod blocking;
mod checkpoints;
mod clients;
mod clock;
mod lifecycle;
pub mod sessions;
mod waiters;
mod watched;
mod webhooks;
mod worlds;

use crate::error::Error;
use crate::fault::Faults;
use crate::fault::network::Networks;
use crate::fault::rate_limit::RateLimits;
use crate::journal::Journal;
use crate::realm::Realm;
use crate::realm::agenda::Due;
use crate::realm::event::Entry;
use crate::realm::queue::QueueId;
use crate::realm::tx::Tx;
use crate::report::{Past, Report};
use crate::time::{Clock, Timestamp};
use arc_swap::ArcSwap;
use parking_lot::Mutex;
use smallvec::SmallVec;
use std::ops::Range;
use std::sync::{Arc, OnceLock};
use tokio::sync::{Notify, broadcast, watch};

pub use checkpoints::{Checkpoint, SnapshotInfo, without_queues};
pub use clients::{ALIVE, Clients, Jump};
pub use lifecycle::{Lifecycle, UseGuard};
pub use waiters::ParkedPoll;
use waiters::Waiters;
pub use watched::{QueueChange, Watched};
pub use webhooks::{Generation, WebhookAttempt, WebhookDelivery, WebhookEntry, WebhookSender};
pub use worlds::Worlds;

/// Where real time comes from: the server's wall clock, or a test's.
pub trait RealTime: Send + Sync {
    /// Real time now.
    fn now(&self) -> Timestamp;
}

/// One realm with its clock, its polls and what it emulates.
///
/// ```
/// use chatdouble::InitialClock;
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), chatdouble::StartError> {
/// let server = chatdouble::Server::start().await?;
/// let fixture = r#"{"users": [{"handle": "ada", "full_name": "Ada", "role": "owner"}]}"#;
/// let url = server.add_world("second", fixture, InitialClock::Frozen, 1)?;
/// assert!(url.ends_with("/w/second"));
///
/// let world = server.world("second");
/// assert_eq!(world.name(), "second");
/// assert_eq!(world.now(), world.now(), "its clock is frozen");
/// # Ok(())
/// # }
/// ```
pub struct World {
    name: String,
    settings: ArcSwap<WorldSettings>,
    real_time: Arc<dyn RealTime>,
    clock: Mutex<Clock>,
    realm: ArcSwap<Realm>,
    writer: Mutex<()>,
    queue: blocking::Queue,
    waiters: Waiters,
    checkpoints: Mutex<checkpoints::Checkpoints>,
    faults: Mutex<Faults>,
    networks: Mutex<Networks>,
    rate_limits: Mutex<RateLimits>,
    journal: Journal,
    report: Report,
    webhooks: webhooks::Webhooks,
    /// Made for the first watcher: its room for frames is larger than all else that a fork has of its own.
    watchers: OnceLock<broadcast::Sender<Watched>>,
    ended: watch::Sender<bool>,
    started_at: Timestamp,
    changed: Notify,
    lifecycle: Lifecycle,
    sessions: sessions::Sessions,
}

/// What a world emulates.
#[derive(Clone, Debug)]
pub struct WorldSettings {
    pub feature_level: i64,
    /// Names on the wire.
    pub dialect: Arc<crate::dialect::Dialect>,
}

/// What a change added to the event log.
#[derive(Clone, Debug, Default)]
pub struct NewEvents {
    /// Position of the first entry.
    pub first: u64,
    /// The entries: of most changes one or none.
    pub entries: SmallVec<[Arc<Entry>; 1]>,
    /// What those who watch a world receive besides.
    frames: Vec<Watched>,
}

impl NewEvents {
    /// The positions of the entries.
    pub fn positions(&self) -> Range<u64> {
        self.first..self.first + self.entries.len() as u64
    }
}

impl World {
    /// A world around a realm.
    #[doc(hidden)]
    pub fn new(
        name: String,
        realm: Realm,
        clock: Clock,
        settings: WorldSettings,
        real_time: Arc<dyn RealTime>,
    ) -> Self {
        let seed = realm.chance.seed;
        let started_at = clock.now(real_time.now());
        let realm = Arc::new(realm);
        let lifecycle = Lifecycle::new(None, None, real_time.now());
        Self {
            sessions: sessions::Sessions::new(&name, seed),
            name,
            settings: ArcSwap::from_pointee(settings),
            real_time,
            clock: Mutex::new(clock),
            checkpoints: Mutex::new(checkpoints::Checkpoints::new(Checkpoint { realm: realm.clone(), clock })),
            realm: ArcSwap::from(realm),
            writer: Mutex::new(()),
            queue: blocking::Queue::default(),
            waiters: Waiters::default(),
            faults: Mutex::new(Faults::new(seed)),
            networks: Mutex::new(Networks::new(seed)),
            rate_limits: Mutex::default(),
            journal: Journal::default(),
            report: Report::default(),
            webhooks: webhooks::Webhooks::default(),
            watchers: OnceLock::new(),
            ended: watch::channel(false).0,
            started_at,
            changed: Notify::new(),
            lifecycle,
        }
    }

    /// When it was made, by its own clock: what clients take for the start of the server.
    pub(crate) fn started_at(&self) -> Timestamp {
        self.started_at
    }

    /// The same world, with this lifecycle.
    pub(crate) fn with_lifecycle(mut self, lifecycle: Lifecycle) -> Self {
        self.lifecycle = lifecycle;
        self
    }

    /// Its name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// What it emulates.
    #[doc(hidden)]
    pub fn settings(&self) -> Arc<WorldSettings> {
        self.settings.load_full()
    }

    /// Goes on at another feature level, as a server does that is replaced by a newer one: the data stay, queues end.
    pub(crate) fn change_level(&self, feature_level: i64) {
        let _turn = self.lock();
        let settings = WorldSettings { feature_level, ..WorldSettings::clone(&self.settings.load()) };
        self.settings.store(Arc::new(settings));
        self.drop_queues();
    }

    /// Its faults.
    #[doc(hidden)]
    pub fn faults(&self) -> &Mutex<Faults> {
        &self.faults
    }

    /// The networks between its clients and it.
    pub(crate) fn networks(&self) -> &Mutex<Networks> {
        &self.networks
    }

    /// How many requests it allows.
    pub(crate) fn rate_limits(&self) -> &Mutex<RateLimits> {
        &self.rate_limits
    }

    /// Its journal.
    #[doc(hidden)]
    pub fn journal(&self) -> &Journal {
        &self.journal
    }

    /// What is known of its clients.
    #[doc(hidden)]
    pub fn report(&self) -> &Report {
        &self.report
    }

    /// Judges what can be judged of its clients only at its end; `are_gone` says that all of them are known to have ended.
    pub(crate) fn close_report(&self, are_gone: bool) {
        let realm = self.published();
        let real = self.real_time.now();
        let now = Past { real: real.micros(), world: self.clock().now(real).micros() };
        self.report.close(|queue| realm.queues.contains_key(queue), now, are_gone);
    }

    /// Real time's source.
    pub(crate) fn real_time(&self) -> &Arc<dyn RealTime> {
        &self.real_time
    }

    /// How its clock starts.
    #[doc(hidden)]
    pub fn clock(&self) -> Clock {
        *self.clock.lock()
    }

    /// The world's time.
    pub fn now(&self) -> Timestamp {
        self.clock().now(self.real_time.now())
    }

    /// Ends it: its queues are gone, parked polls are answered.
    pub(crate) fn end(&self) {
        self.close_report(false);
        self.end_queues();
        self.drop_webhooks();
        self.ended.send_replace(true);
    }

    /// Becomes ready when the realm has changed, or a poll has ended.
    pub(crate) fn changed(&self) -> tokio::sync::futures::Notified<'_> {
        self.changed.notified()
    }

    /// Becomes true when the world is deleted.
    pub(crate) fn ended(&self) -> watch::Receiver<bool> {
        self.ended.subscribe()
    }

    /// The realm as it is, with all done that is due. Never waits: while a writer is busy, it is the realm from before
    /// that change, and what has fallen due since is done after it.
    #[doc(hidden)]
    pub fn snapshot(&self) -> Arc<Realm> {
        let realm = self.realm.load_full();
        if !self.has_something_due(&realm) {
            return realm;
        }
        if let Some(_turn) = self.writer.try_lock() {
            let (_, new_events) = self.run_due(self.now());
            self.broadcast_events(&new_events);
        }
        self.realm.load_full()
    }

    /// Whether operations on the realm may take long by its size.
    pub(crate) fn is_large(&self) -> bool {
        self.realm.load().is_large()
    }

    /// Whether something is due by now, or polls ended since the last look.
    pub(crate) fn is_due(&self) -> bool {
        self.has_something_due(&self.realm.load())
    }

    fn has_something_due(&self, realm: &Realm) -> bool {
        self.waiters.has_departed() || realm.agenda.next().is_some_and(|(at, _)| *at <= self.now())
    }

    /// The realm as it was published last, whatever is due or noted since: for polls that were woken.
    pub(crate) fn published(&self) -> Arc<Realm> {
        self.realm.load_full()
    }

    /// Changes the realm: what is due is done first, then `change` works on a private copy. Ok publishes it and wakes
    /// the polls that it concerns; an error leaves no trace.
    ///
    /// # Errors
    ///
    /// What `change` refuses.
    #[doc(hidden)]
    pub fn commit<T>(&self, change: impl FnOnce(&mut Tx) -> Result<T, Error>) -> Result<T, Error> {
        let (value, new_events) = self.commit_noting(change)?;
        new_events.frames.into_iter().for_each(|watched| self.broadcast(watched));
        Ok(value)
    }

    /// As [`World::commit`], and gives the events that the change caused.
    ///
    /// # Errors
    ///
    /// What `change` refuses.
    pub(crate) fn commit_noting<T, E>(
        &self,
        change: impl FnOnce(&mut Tx) -> Result<T, E>,
    ) -> Result<(T, NewEvents), E> {
        let _turn = self.lock();
        let now = self.now();
        let mut realm = Realm::clone(&self.settled(now));
        realm.now = realm.now.max(now);
        let mut tx = Tx::at_level(realm, self.settings.load().feature_level);
        let value = change(&mut tx)?;
        Ok((value, self.publish(tx, &[])))
    }

    /// The realm with all done that is due by now.
    fn settled(&self, now: Timestamp) -> Arc<Realm> {
        let (_, new_events) = self.run_due(now);
        self.broadcast_events(&new_events);
        self.realm.load_full()
    }

    fn run_due(&self, now: Timestamp) -> (Vec<(Timestamp, Due)>, NewEvents) {
        self.run_due_sparing(&[], now)
    }

    /// Does what is due; the queues to spare count as polled to the end.
    fn run_due_sparing(&self, spared: &[QueueId], now: Timestamp) -> (Vec<(Timestamp, Due)>, NewEvents) {
        let left = self.waiters.take_departed();
        let realm = self.realm.load();
        if left.is_empty() && realm.agenda.next().is_none_or(|(at, _)| *at > now) {
            return (Vec::new(), NewEvents::default());
        }
        let mut tx = Tx::at_level(Realm::clone(&realm), self.settings.load().feature_level);
        for (queue, at) in left {
            tx.end_poll(&queue, at);
        }
        for queue in spared.iter().filter_map(|id| realm.queues.get(id)) {
            tx.end_poll(queue, now);
        }
        let fired = tx.run_due(now);
        let new_events = self.publish(tx, &fired);
        (fired, new_events)
    }

    fn publish(&self, mut tx: Tx, fired: &[(Timestamp, Due)]) -> NewEvents {
        let webhooks = self.take_webhooks(&mut tx);
        let first = tx.first_entry();
        let entries = tx.log.from(first).map(|(_, entry)| entry.clone()).collect();
        let mut new_events = NewEvents { first, entries, frames: Vec::new() };
        // Queues are otherwise looked at when one is polled; nobody may poll.
        if tx.log.is_too_large() {
            tx.trim_log();
        }
        let touched = std::mem::take(tx.touched_queues_mut());
        let finished = std::mem::take(tx.finished_queues_mut());
        let mut realm = tx.into_realm();
        if realm.queues.is_empty() {
            let end = realm.log.end();
            realm.log.trim(end);
        }
        let before = self.realm.swap(Arc::new(realm));
        if self.is_watched() {
            new_events.frames = watched::differences(&before, &self.realm.load(), fired, &finished);
        }
        self.waiters.end_queues(&finished);
        self.waiters.wake(&new_events.entries, &touched);
        self.changed.notify_waiters();
        self.post_webhooks(webhooks);
        new_events
    }
}
