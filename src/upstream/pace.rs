//! The rate of requests.

use parking_lot::Mutex;
use std::time::Duration;
use tokio::time::{Instant, sleep_until};

/// The rate that all requests to a server share: even intervals, and pauses that the server asks for.
#[derive(Debug)]
pub struct Pace {
    /// The least time between two requests; zero for no limit.
    interval: Duration,
    turns: Mutex<Turns>,
}

#[derive(Debug)]
struct Turns {
    next: Instant,
    end_of_pause: Instant,
}

impl Pace {
    /// At most `rate` requests a second; 0 for no limit.
    pub fn per_second(rate: f64) -> Self {
        let interval = if rate > 0.0 { Duration::try_from_secs_f64(1.0 / rate) } else { Ok(Duration::ZERO) };
        let now = Instant::now();
        let turns = Mutex::new(Turns { next: now, end_of_pause: now });
        Self { interval: interval.unwrap_or(Duration::MAX), turns }
    }

    /// Waits until the next request may be sent. Concurrent callers take turns.
    pub async fn turn(&self) {
        let mut turn = self.take();
        while turn > Instant::now() {
            sleep_until(turn).await;
            turn = self.turns.lock().end_of_pause;
        }
    }

    fn take(&self) -> Instant {
        let mut turns = self.turns.lock();
        let turn = turns.next.max(Instant::now());
        turns.next = turn.checked_add(self.interval).unwrap_or(turn);
        turn
    }

    /// Delays all further requests by a pause.
    pub fn pause(&self, pause: Duration) {
        let mut turns = self.turns.lock();
        let end = Instant::now() + pause;
        turns.end_of_pause = turns.end_of_pause.max(end);
        turns.next = turns.next.max(end);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// How long `count` requests wait for their turns, in milliseconds. More than that is the machine's business.
    async fn waiting(pace: &Pace, count: usize) -> u128 {
        let start = Instant::now();
        for _ in 0..count {
            pace.turn().await;
        }
        start.elapsed().as_millis()
    }

    #[tokio::test]
    async fn requests_are_sent_evenly() {
        let pace = Pace::per_second(20.0);
        assert!(waiting(&pace, 1).await < 50);
        assert!(waiting(&pace, 4).await >= 190);
        assert!(waiting(&Pace::per_second(0.0), 1_000).await < 1_000);
    }

    #[tokio::test]
    async fn nothing_is_sent_during_a_pause() {
        let pace = Pace::per_second(20.0);
        pace.turn().await;
        pace.pause(Duration::from_millis(300));
        pace.pause(Duration::from_millis(100));
        assert!(waiting(&pace, 2).await >= 340);
    }

    #[tokio::test]
    async fn a_request_that_waits_waits_for_a_pause_too() {
        let pace = Pace::per_second(10.0);
        pace.turn().await;
        let start = Instant::now();
        tokio::join!(pace.turn(), async { pace.pause(Duration::from_millis(300)) });
        assert!(start.elapsed().as_millis() >= 290);
    }
}
