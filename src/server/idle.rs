//! Whether anything happens on a connection: one that stays silent is closed.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// What happens on one connection. A timer for each request's head would cost more than all that is done here.
#[derive(Debug, Default)]
pub struct IdleTracker {
    requests: AtomicU64,
    beats: AtomicU64,
}

/// A request that is being answered; dropping it is its end.
#[derive(Debug)]
pub struct ActiveRequest(Arc<IdleTracker>);

impl IdleTracker {
    /// A request begins.
    pub fn begin(self: &Arc<Self>) -> ActiveRequest {
        self.requests.fetch_add(1, Ordering::Relaxed);
        self.beat();
        ActiveRequest(self.clone())
    }

    /// Something is happening.
    pub fn beat(&self) {
        self.beats.fetch_add(1, Ordering::Relaxed);
    }

    /// Waits until no request is being answered and nothing has happened for so long, or up to twice that.
    pub async fn stopped(&self, patience: Duration) {
        loop {
            let beats = self.beats.load(Ordering::Relaxed);
            tokio::time::sleep(patience).await;
            if self.requests.load(Ordering::Relaxed) == 0 && self.beats.load(Ordering::Relaxed) == beats {
                return;
            }
        }
    }
}

impl Drop for ActiveRequest {
    fn drop(&mut self) {
        self.0.beat();
        self.0.requests.fetch_sub(1, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use futures_util::FutureExt;

    const PATIENCE: Duration = Duration::from_millis(10);

    #[tokio::test]
    async fn a_connection_is_silent_when_no_request_is_answered_and_none_came_for_a_while() {
        let pulse = Arc::new(IdleTracker::default());
        let long_poll = pulse.begin();
        let stopped = pulse.stopped(PATIENCE);
        tokio::pin!(stopped);

        tokio::time::sleep(10 * PATIENCE).await;
        assert_eq!(stopped.as_mut().now_or_never(), None);

        drop(long_poll);
        tokio::time::timeout(Duration::from_secs(20), stopped).await.expect("nothing happens any more");
    }
}
