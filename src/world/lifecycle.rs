//! A world's label, port, idle time limit and last use, in real time.

use super::World;
use crate::time::{Span, Timestamp};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicI64, AtomicUsize, Ordering};

/// What is known of a world besides its data.
#[derive(Debug)]
pub struct Lifecycle {
    /// Any text, such as the name of a test.
    pub label: Option<String>,
    /// How long the world may go without a request before it is ended; None: for ever.
    pub idle_ttl: Option<Span>,
    /// When it was made, in real time.
    pub created_at: Timestamp,
    /// The port that leads to this world alone.
    pub port: OnceLock<u16>,
    /// In microseconds; `NEVER` before the first request.
    last_request: AtomicI64,
    /// When a request or a parked poll ended last.
    last_ended: AtomicI64,
    in_progress: AtomicUsize,
}

const NEVER: i64 = i64::MIN;

impl Lifecycle {
    /// The lifecycle of a world that is made at this real time.
    pub fn new(label: Option<String>, idle_ttl: Option<Span>, created_at: Timestamp) -> Self {
        Self {
            label,
            idle_ttl,
            created_at,
            port: OnceLock::new(),
            last_request: AtomicI64::new(NEVER),
            last_ended: AtomicI64::new(NEVER),
            in_progress: AtomicUsize::new(0),
        }
    }

    /// When the last request on the API or steering the world began; None before the first.
    pub fn last_request_at(&self) -> Option<Timestamp> {
        Some(self.last_request.load(Ordering::Relaxed)).filter(|at| *at != NEVER).map(Timestamp::from_micros)
    }

    /// Notes a request.
    pub fn note_request(&self, at: Timestamp) {
        self.last_request.fetch_max(at.micros(), Ordering::Relaxed);
    }

    /// Notes that a poll or another long request ended.
    pub(super) fn note_end(&self, at: Timestamp) {
        self.last_ended.fetch_max(at.micros(), Ordering::Relaxed);
    }

    fn last_used(&self) -> Timestamp {
        let noted = self.last_request.load(Ordering::Relaxed).max(self.last_ended.load(Ordering::Relaxed));
        Timestamp::from_micros(noted.max(self.created_at.micros()))
    }
}

/// A request in progress that takes a while; dropping the guard ends it.
pub struct UseGuard<'a>(&'a World);

impl Drop for UseGuard<'_> {
    fn drop(&mut self) {
        let lifecycle = &self.0.lifecycle;
        lifecycle.note_end(self.0.real_time.now());
        lifecycle.in_progress.fetch_sub(1, Ordering::Release);
    }
}

impl World {
    /// What is known of it besides its data.
    pub(crate) fn lifecycle(&self) -> &Lifecycle {
        &self.lifecycle
    }

    /// Notes a request that steers the world, which is in progress until the guard is dropped.
    pub(crate) fn begin_use(&self) -> UseGuard<'_> {
        self.lifecycle.in_progress.fetch_add(1, Ordering::Acquire);
        self.lifecycle.note_request(self.real_time.now());
        UseGuard(self)
    }

    /// Whether the world was unused for its `idle_ttl`: no request came, and no poll is parked.
    pub(crate) fn is_abandoned(&self) -> bool {
        let Some(idle_ttl) = self.lifecycle.idle_ttl else { return false };
        self.lifecycle.in_progress.load(Ordering::Acquire) == 0
            && self.parked_polls() == 0
            && self.real_time.now().since(self.lifecycle.last_used()) >= idle_ttl
    }
}
