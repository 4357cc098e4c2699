//! Work that may take long, away from what other requests need.
//!
//! The threads of the runtime answer the requests of all worlds, watch the sockets and notice signals. None of them
//! may wait for a world's writer, or be kept busy by one request.

use super::World;
use parking_lot::MutexGuard;
use std::sync::Arc;
use std::time::Duration;
use tokio::runtime::{Handle, RuntimeFlavor};
use tokio::sync::OwnedMutexGuard;

/// How long a thread of the runtime waits for a writer before the runtime gets another thread in its place. Most
/// changes take less, and handing over takes about as long.
const BRIEFLY: Duration = Duration::from_micros(200);

/// Does work that may take long, or wait. If this is a thread of the runtime, another one takes its place meanwhile.
pub fn in_place<T>(work: impl FnOnce() -> T) -> T {
    // A runtime of one thread, such as a test's, has nowhere else to go.
    match Handle::try_current().map(|runtime| runtime.runtime_flavor()) {
        Ok(RuntimeFlavor::MultiThread) => tokio::task::block_in_place(work),
        _ => work(),
    }
}

/// The first place in the queue of those who wait for a world's writer. Whoever has it waits on a thread; all others
/// wait as tasks, in order.
pub struct Turn {
    _first: OwnedMutexGuard<()>,
}

impl World {
    /// Whether a change is being made that takes more than a moment.
    pub(crate) fn is_busy(&self) -> bool {
        self.writer.is_locked() && self.writer.try_lock_for(BRIEFLY).is_none()
    }

    /// Waits for the first place in the queue for the writer.
    pub(crate) async fn turn(&self) -> Turn {
        Turn { _first: self.queue.clone().lock_owned().await }
    }

    /// Waits for the writer.
    pub(super) fn lock(&self) -> MutexGuard<'_, ()> {
        self.writer.try_lock_for(BRIEFLY).unwrap_or_else(|| in_place(|| self.writer.lock()))
    }
}

/// The queue for a world's writer.
pub(super) type Queue = Arc<tokio::sync::Mutex<()>>;
