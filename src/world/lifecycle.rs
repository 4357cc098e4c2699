//! The lifecycle of a world in real time: creation, last use and idle time limit, with its label and port.

use super::World;
use crate::time::{Span, Timestamp};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicI64, AtomicUsize, Ordering};

/// Properties of a world that are not part of its state, and the record of its use.
#[derive(Debug)]
pub struct Lifecycle {
    /// Free text, such as the name of a test.
    pub label: Option<String>,
    /// How long the world may be unused before it ends. None means no limit.
    pub idle_ttl: Option<Span>,
    pub created_at: Timestamp,
    /// The port that serves only this world.
    pub port: OnceLock<u16>,
    /// When the last request, or call of control that counts as use, began, in microseconds since the epoch. [`NEVER`]
    /// before that.
    last_request_micros: AtomicI64,
    /// When such a call or a parked poll last ended, in microseconds since the epoch. [`NEVER`] before that.
    last_end_micros: AtomicI64,
    active_call_count: AtomicUsize,
}

const NEVER: i64 = i64::MIN;

impl Lifecycle {
    pub fn new(label: Option<String>, idle_ttl: Option<Span>, created_at: Timestamp) -> Self {
        Self {
            label,
            idle_ttl,
            created_at,
            port: OnceLock::new(),
            last_request_micros: AtomicI64::new(NEVER),
            last_end_micros: AtomicI64::new(NEVER),
            active_call_count: AtomicUsize::new(0),
        }
    }

    /// When the last request to the API, or call of control that counts as use, began. None if there was none.
    pub fn last_request_at(&self) -> Option<Timestamp> {
        Some(self.last_request_micros.load(Ordering::Relaxed))
            .filter(|micros| *micros != NEVER)
            .map(Timestamp::from_micros)
    }

    pub fn record_request(&self, time: Timestamp) {
        self.last_request_micros.fetch_max(time.micros(), Ordering::Relaxed);
    }

    /// Records the end of a parked poll or a call of control.
    pub(super) fn record_end(&self, time: Timestamp) {
        self.last_end_micros.fetch_max(time.micros(), Ordering::Relaxed);
    }

    fn last_used(&self) -> Timestamp {
        let last_used =
            self.last_request_micros.load(Ordering::Relaxed).max(self.last_end_micros.load(Ordering::Relaxed));
        Timestamp::from_micros(last_used.max(self.created_at.micros()))
    }
}

/// A call of control in progress. Dropping the guard ends it.
pub struct UseGuard<'a>(&'a World);

impl Drop for UseGuard<'_> {
    fn drop(&mut self) {
        let lifecycle = &self.0.lifecycle;
        lifecycle.record_end(self.0.real_time.now());
        lifecycle.active_call_count.fetch_sub(1, Ordering::Release);
    }
}

impl World {
    pub(crate) fn lifecycle(&self) -> &Lifecycle {
        &self.lifecycle
    }

    /// Records a call of control that counts as use. It is in progress until the guard is dropped.
    pub(crate) fn begin_use(&self) -> UseGuard<'_> {
        self.lifecycle.active_call_count.fetch_add(1, Ordering::Acquire);
        self.lifecycle.record_request(self.real_time.now());
        UseGuard(self)
    }

    /// Whether the world was unused for its `idle_ttl`. A call of control in progress or a parked poll is a use.
    pub(crate) fn is_abandoned(&self) -> bool {
        let Some(idle_ttl) = self.lifecycle.idle_ttl else { return false };
        self.lifecycle.active_call_count.load(Ordering::Acquire) == 0
            && self.parked_poll_count() == 0
            && self.real_time.now().since(self.lifecycle.last_used()) >= idle_ttl
    }
}
