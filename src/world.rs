//! Worlds: each has a realm, a clock, parked polls, faults and a journal. This layer has all locks around realms.
//!
//! Readers take a [`World::snapshot`] and never wait. Writers take turns in [`World::commit`]: each changes a private
//! copy, which is published as a whole on success and dropped on an error or a panic.

pub mod blocking;
mod checkpoints;
mod clock;
mod jump_clients;
mod lifecycle;
mod parked_polls;
pub mod sessions;
mod watch_frame;
mod watchers;
mod webhooks;
mod worlds;

use crate::error::Error;
use crate::fault::Faults;
use crate::fault::network::Networks;
use crate::fault::rate_limit::RateLimits;
use crate::journal::Journal;
use crate::realm::Realm;
use crate::realm::agenda::AgendaItem;
use crate::realm::queue::{Queue, QueueId};
use crate::realm::tx::Tx;
use crate::report::{Moment, Report, Summary};
use crate::time::{Clock, Timestamp};
use arc_swap::ArcSwap;
use parking_lot::Mutex;
use std::sync::{Arc, OnceLock};
use tokio::sync::{Notify, broadcast, watch};

pub use checkpoints::{Checkpoint, SnapshotInfo, without_queues};
pub use jump_clients::{JumpOutcome, JumpPolicy, MAX_POLL_PAUSE};
pub use lifecycle::{Lifecycle, UseGuard};
use parked_polls::PollRegistry;
pub use parked_polls::{ParkedPoll, UnjournaledPoll};
pub use watch_frame::{NewEvents, QueueChange, Restoration, WatchFrame};
pub use watchers::WatcherRegistration;
pub use webhooks::{AttemptBodies, Generation, PostingJob, WebhookAttempt, WebhookSender};
pub use worlds::Worlds;

/// The source of real time: the server's wall clock, or a test's substitute.
pub trait RealTime: Send + Sync {
    fn now(&self) -> Timestamp;
}

/// An organization with its clock, event queues, faults and journal, at a feature level.
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
    /// Held while the realm is changed and published.
    writer: Mutex<()>,
    /// Where tasks wait in order, so that only one thread waits for `writer`.
    writer_queue: blocking::WriterQueue,
    polls: PollRegistry,
    checkpoints: Mutex<checkpoints::Checkpoints>,
    faults: Mutex<Faults>,
    networks: Mutex<Networks>,
    rate_limits: Mutex<RateLimits>,
    journal: Journal,
    report: Report,
    webhooks: webhooks::Webhooks,
    /// Created for the first watcher, because its buffer would be most of the memory of a fork.
    watchers: OnceLock<broadcast::Sender<WatchFrame>>,
    watcher_queues: watchers::WatcherQueues,
    /// Becomes true when the world ends.
    ended: watch::Sender<bool>,
    started_at: Timestamp,
    /// Notified as [`World::changed`] says.
    changed: Notify,
    lifecycle: Lifecycle,
    sessions: sessions::Sessions,
}

/// The feature level of a world and the names of its API on the wire. An upgrade changes the level; the dialect stays.
#[derive(Clone, Debug)]
pub struct WorldSettings {
    pub feature_level: i64,
    pub dialect: Arc<crate::dialect::Dialect>,
}

impl World {
    #[doc(hidden)]
    pub fn new(
        name: String,
        realm: Realm,
        clock: Clock,
        settings: WorldSettings,
        real_time: Arc<dyn RealTime>,
    ) -> Self {
        let seed = realm.rng.seed;
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
            writer_queue: blocking::WriterQueue::default(),
            polls: PollRegistry::default(),
            faults: Mutex::new(Faults::new(seed)),
            networks: Mutex::new(Networks::new(seed)),
            rate_limits: Mutex::default(),
            journal: Journal::default(),
            report: Report::default(),
            webhooks: webhooks::Webhooks::default(),
            watchers: OnceLock::new(),
            watcher_queues: watchers::WatcherQueues::default(),
            ended: watch::channel(false).0,
            started_at,
            changed: Notify::new(),
            lifecycle,
        }
    }

    /// When the world was created, by its own clock. Clients see this as the start time of the server.
    pub(crate) fn started_at(&self) -> Timestamp {
        self.started_at
    }

    pub(crate) fn with_lifecycle(mut self, lifecycle: Lifecycle) -> Self {
        self.lifecycle = lifecycle;
        self
    }

    /// The name, which is part of the URL of each world except `default`.
    pub fn name(&self) -> &str {
        &self.name
    }

    #[doc(hidden)]
    pub fn settings(&self) -> Arc<WorldSettings> {
        self.settings.load_full()
    }

    /// Changes the feature level, as an upgrade of a server does: the data remain, and queues are removed.
    pub(crate) fn change_level(&self, feature_level: i64) {
        let _writer_lock = self.lock();
        let settings = WorldSettings { feature_level, ..WorldSettings::clone(&self.settings.load()) };
        self.settings.store(Arc::new(settings));
        self.end_queues_locked();
    }

    #[doc(hidden)]
    pub fn faults(&self) -> &Mutex<Faults> {
        &self.faults
    }

    pub(crate) fn networks(&self) -> &Mutex<Networks> {
        &self.networks
    }

    pub(crate) fn rate_limits(&self) -> &Mutex<RateLimits> {
        &self.rate_limits
    }

    #[doc(hidden)]
    pub fn journal(&self) -> &Journal {
        &self.journal
    }

    #[doc(hidden)]
    pub fn report(&self) -> &Report {
        &self.report
    }

    /// The clients with their findings until now.
    pub(crate) fn summarize_clients(&self) -> Summary {
        self.report.record_overdue_findings(self.moment());
        self.report.summary()
    }

    /// The same as [`World::summarize_clients`], with the world's name and label.
    fn labelled_summary(&self) -> Summary {
        self.summarize_clients().with_world(self.name(), self.lifecycle.label.as_deref())
    }

    /// The current time, as real time and by the world's clock.
    fn moment(&self) -> Moment {
        let real = self.real_time.now();
        Moment { real: real.micros(), world: self.clock().now(real).micros() }
    }

    /// Adds the findings that are only known at the end of the world. `have_clients_ended` is whether all clients are
    /// known to have ended; otherwise, a client whose poll waits counts as running.
    pub(crate) fn close_report(&self, have_clients_ended: bool) {
        // The published realm may still have ended polls as parked; a snapshot does not.
        let realm = self.snapshot();
        let now = self.moment();
        let has_events =
            |queue: &Queue| realm.log.entries_from(queue.cursor.entry).any(|(_, entry)| queue.receives(entry));
        let is_polled = |queue: &Queue| queue.parked_since.is_some() && !has_events(queue);
        let is_left_behind =
            |id: &str| realm.queues.get(id).is_some_and(|queue| have_clients_ended || !is_polled(queue));
        self.report.check_at_end(is_left_behind, now);
    }

    pub(crate) fn real_time(&self) -> &Arc<dyn RealTime> {
        &self.real_time
    }

    #[doc(hidden)]
    pub fn clock(&self) -> Clock {
        *self.clock.lock()
    }

    /// The time of the world's clock.
    pub fn now(&self) -> Timestamp {
        self.clock().now(self.real_time.now())
    }

    /// Ends the world: removes its queues, answers parked polls and drops webhook calls.
    pub(crate) fn end(&self) {
        let have_clients_ended = false;
        self.close_report(have_clients_ended);
        self.end_queues();
        self.drop_webhook_calls();
        self.ended.send_replace(true);
    }

    /// Becomes ready when the realm changes, or when a poll is parked, ends or is added to the journal.
    pub(crate) fn changed(&self) -> tokio::sync::futures::Notified<'_> {
        self.changed.notified()
    }

    /// Becomes true when the world ends.
    pub(crate) fn ended(&self) -> watch::Receiver<bool> {
        self.ended.subscribe()
    }

    /// The current realm, after running due items. Never waits: while a writer is busy, this is the realm before its
    /// change, and due items run after the change.
    #[doc(hidden)]
    pub fn snapshot(&self) -> Arc<Realm> {
        let realm = self.realm.load_full();
        if !self.has_due_items_in(&realm) {
            return realm;
        }
        if let Some(_writer_lock) = self.writer.try_lock() {
            let (_, new_events) = self.run_due(self.now());
            self.broadcast_change(&new_events);
        }
        self.realm.load_full()
    }

    /// Whether the realm is so large that operations on it may take long.
    pub(crate) fn is_large(&self) -> bool {
        self.realm.load().is_large()
    }

    /// Whether agenda items are due, or the realm still has ended polls as parked.
    pub(crate) fn has_due_items(&self) -> bool {
        self.has_due_items_in(&self.realm.load())
    }

    fn has_due_items_in(&self, realm: &Realm) -> bool {
        self.polls.has_ended_polls() || realm.agenda.next().is_some_and(|(due_at, _)| *due_at <= self.now())
    }

    /// The last published realm, without running due items. Polls that were woken up use it.
    pub(crate) fn published_realm(&self) -> Arc<Realm> {
        self.realm.load_full()
    }

    /// Changes the realm. Due items run first, then `change` gets a private copy. If it succeeds, the copy is published
    /// and polls with new events are woken up. If it fails, the copy is dropped. Watchers get frames about queues and
    /// pushes, but not about the new events.
    ///
    /// # Errors
    ///
    /// Those of `change`.
    #[doc(hidden)]
    pub fn commit<T>(&self, change: impl FnOnce(&mut Tx) -> Result<T, Error>) -> Result<T, Error> {
        let (value, new_events) = self.commit_without_broadcast(change)?;
        new_events.frames.into_iter().for_each(|frame| self.broadcast(frame));
        Ok(value)
    }

    /// Does the same as [`World::commit`], but broadcasts nothing of the change: the caller does, with the returned
    /// events.
    ///
    /// # Errors
    ///
    /// Those of `change`.
    pub(crate) fn commit_without_broadcast<T, E>(
        &self,
        change: impl FnOnce(&mut Tx) -> Result<T, E>,
    ) -> Result<(T, NewEvents), E> {
        let _writer_lock = self.lock();
        let now = self.now();
        let mut realm = Realm::clone(&self.run_due_and_load(now));
        realm.now = realm.now.max(now);
        let mut tx = self.transaction(realm);
        let value = change(&mut tx)?;
        Ok((value, self.publish(tx, &[])))
    }

    /// A transaction at the world's feature level, which makes events for its watchers too.
    fn transaction(&self, mut realm: Realm) -> Tx {
        realm.watcher_queues = self.watcher_queues.load();
        Tx::at_level(realm, self.settings.load().feature_level)
    }

    /// Runs due items, and returns the realm after that. The caller holds the writer lock.
    fn run_due_and_load(&self, now: Timestamp) -> Arc<Realm> {
        let (_, new_events) = self.run_due(now);
        self.broadcast_change(&new_events);
        self.realm.load_full()
    }

    fn run_due(&self, now: Timestamp) -> (Vec<(Timestamp, AgendaItem)>, NewEvents) {
        self.run_due_with_idle_queues(&[], now)
    }

    /// Runs due items. Each of the given queues counts as idle since its time, whatever its polls do.
    fn run_due_with_idle_queues(
        &self,
        idle_queues: &[(QueueId, Timestamp)],
        now: Timestamp,
    ) -> (Vec<(Timestamp, AgendaItem)>, NewEvents) {
        let ended_polls = self.polls.take_ended_polls();
        let realm = self.realm.load();
        if ended_polls.is_empty()
            && idle_queues.is_empty()
            && realm.agenda.next().is_none_or(|(due_at, _)| *due_at > now)
        {
            return (Vec::new(), NewEvents::default());
        }
        let mut tx = self.transaction(Realm::clone(&realm));
        for (queue, ended_at) in ended_polls {
            tx.end_poll(&queue, ended_at);
        }
        for (id, idle_since) in idle_queues {
            tx.set_idle_since(id, *idle_since);
        }
        let due_items = tx.run_due_items(now);
        let new_events = self.publish(tx, &due_items);
        (due_items, new_events)
    }

    /// Publishes the realm of a transaction, and wakes up the polls that its events concern. The caller holds the
    /// writer lock.
    fn publish(&self, mut tx: Tx, due_items: &[(Timestamp, AgendaItem)]) -> NewEvents {
        let webhook_calls = self.take_webhook_calls(&mut tx);
        let first_position = tx.first_entry();
        let entries = tx.log.entries_from(first_position).map(|(_, entry)| entry.clone()).collect();
        let mut new_events = NewEvents { first_position, entries, frames: Vec::new() };
        // Polls trim the log too, but a world may have no polls.
        if tx.log.is_too_large() {
            tx.trim_log();
        }
        let queues_to_wake = std::mem::take(tx.queues_to_wake_mut());
        let deleted_queues = std::mem::take(tx.deleted_queues_mut());
        let mut realm = tx.into_realm();
        // Without queues, nobody reads the log.
        if realm.queues.is_empty() {
            let end = realm.log.end();
            realm.log.trim(end);
        }
        let previous_realm = self.realm.swap(Arc::new(realm));
        if self.is_watched() {
            new_events.frames =
                watch_frame::change_frames(&previous_realm, &self.realm.load(), due_items, &deleted_queues);
        }
        let realm = self.realm.load();
        self.finish_polls(&realm, &deleted_queues);
        self.wake_polls(&realm, &new_events.entries, &queues_to_wake);
        self.changed.notify_waiters();
        self.queue_webhook_calls(webhook_calls);
        new_events
    }
}
