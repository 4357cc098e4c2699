//! Keeps long work and waiting for locks off the threads of the async runtime.
//!
//! The runtime's threads answer the requests of all worlds and watch the sockets. None of them may wait long for a
//! world's writer lock, or be kept busy by one request.

use super::World;
use parking_lot::MutexGuard;
use std::sync::Arc;
use std::time::Duration;
use tokio::runtime::{Handle, RuntimeFlavor};
use tokio::sync::OwnedMutexGuard;

/// How long a thread of the runtime waits for a writer before another thread replaces it. Most changes take less, and
/// the replacement takes about as long.
const MAX_WAIT_ON_RUNTIME: Duration = Duration::from_micros(200);

/// Runs work that may take long or wait. On a thread of the runtime, another thread replaces it in the meantime.
pub fn run_blocking<T>(work: impl FnOnce() -> T) -> T {
    // A runtime with one thread, such as a test's, can't move its tasks to another thread.
    match Handle::try_current().map(|runtime| runtime.runtime_flavor()) {
        Ok(RuntimeFlavor::MultiThread) => tokio::task::block_in_place(work),
        _ => work(),
    }
}

/// The first place in the queue for a world's writer lock. Its holder waits for the lock on a thread; all others wait
/// as async tasks, in order.
pub struct WriterTurn {
    _guard: OwnedMutexGuard<()>,
}

impl World {
    /// Waits for up to [`MAX_WAIT_ON_RUNTIME`], and returns whether a change is still in progress then.
    pub(crate) fn is_busy(&self) -> bool {
        self.writer.is_locked() && self.writer.try_lock_for(MAX_WAIT_ON_RUNTIME).is_none()
    }

    /// Waits in the queue until no other task is before this one. The writer lock may still be held then.
    pub(crate) async fn wait_for_turn(&self) -> WriterTurn {
        WriterTurn { _guard: self.writer_queue.clone().lock_owned().await }
    }

    /// Waits for the writer lock.
    pub(super) fn lock(&self) -> MutexGuard<'_, ()> {
        self.writer.try_lock_for(MAX_WAIT_ON_RUNTIME).unwrap_or_else(|| run_blocking(|| self.writer.lock()))
    }
}

/// The queue for a world's writer lock.
pub(super) type WriterQueue = Arc<tokio::sync::Mutex<()>>;
