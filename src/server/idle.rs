//! Whether anything happens on a connection: one that stays silent is closed.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// What happens on one connection. A timer for each request's head would cost more than all that is done here.
#[derive(Debug, Default)]
pub struct IdleTracker {
    requests: AtomicU64,
    activities: AtomicU64,
}

/// A request that is being answered; dropping it is its end.
#[derive(Debug)]
pub struct ActiveRequest(Arc<IdleTracker>);

impl IdleTracker {
    /// A request begins.
    pub fn begin(self: &Arc<Self>) -> ActiveRequest {
        self.requests.fetch_add(1, Ordering::Relaxed);
        self.record_activity();
        ActiveRequest(self.clone())
    }

    /// Something is happening.
    pub fn record_activity(&self) {
        self.activities.fetch_add(1, Ordering::Relaxed);
    }

    /// Waits until no request is being answered and nothing has happened for so long, or up to twice that.
    pub async fn idle_for(&self, patience: Duration) {
        loop {
            let activities = self.activities.load(Ordering::Relaxed);
            tokio::time::sleep(patience).await;
            if self.requests.load(Ordering::Relaxed) == 0 && self.activities.load(Ordering::Relaxed) == activities {
                return;
            }
        }
    }
}

impl Drop for ActiveRequest {
    fn drop(&mut self) {
        self.0.record_activity();
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
        let tracker = Arc::new(IdleTracker::default());
        let long_poll = tracker.begin();
        let idle = tracker.idle_for(PATIENCE);
        tokio::pin!(idle);

        tokio::time::sleep(10 * PATIENCE).await;
        assert_eq!(idle.as_mut().now_or_never(), None);

        drop(long_poll);
        tokio::time::timeout(Duration::from_secs(20), idle).await.expect("nothing happens any more");
    }
}
