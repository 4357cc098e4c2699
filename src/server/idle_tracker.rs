//! Detects idle connections, so that the server can close them.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// Counts the activity of one connection. A timer for each request would cost more.
#[derive(Debug, Default)]
pub struct IdleTracker {
    /// The number of requests that are being answered.
    active_request_count: AtomicU64,
    /// The number of requests that began or ended, and of writes to the socket.
    activity_count: AtomicU64,
}

/// A request that is being answered. Dropping it marks the request as finished.
#[derive(Debug)]
pub struct ActiveRequest(Arc<IdleTracker>);

impl IdleTracker {
    pub fn begin_request(self: &Arc<Self>) -> ActiveRequest {
        self.active_request_count.fetch_add(1, Ordering::Relaxed);
        self.record_activity();
        ActiveRequest(self.clone())
    }

    pub fn record_activity(&self) {
        self.activity_count.fetch_add(1, Ordering::Relaxed);
    }

    /// Waits until there was no activity and no active request for `timeout`, or for up to twice as long.
    pub async fn wait_until_idle(&self, timeout: Duration) {
        loop {
            let activity_count = self.activity_count.load(Ordering::Relaxed);
            tokio::time::sleep(timeout).await;
            if self.active_request_count.load(Ordering::Relaxed) == 0
                && self.activity_count.load(Ordering::Relaxed) == activity_count
            {
                return;
            }
        }
    }
}

impl Drop for ActiveRequest {
    fn drop(&mut self) {
        self.0.record_activity();
        self.0.active_request_count.fetch_sub(1, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use futures_util::FutureExt;

    const TIMEOUT: Duration = Duration::from_millis(10);

    #[tokio::test]
    async fn a_connection_is_idle_when_no_request_is_answered_and_none_came_for_a_while() {
        let tracker = Arc::new(IdleTracker::default());
        let long_poll = tracker.begin_request();
        let wait_until_idle = tracker.wait_until_idle(TIMEOUT);
        tokio::pin!(wait_until_idle);

        tokio::time::sleep(10 * TIMEOUT).await;
        assert_eq!(wait_until_idle.as_mut().now_or_never(), None);

        drop(long_poll);
        tokio::time::timeout(Duration::from_secs(20), wait_until_idle).await.expect("nothing happens any more");
    }
}
