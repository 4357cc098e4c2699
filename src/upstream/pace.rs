//! The rate limit of outgoing requests.

use parking_lot::Mutex;
use std::time::Duration;
use tokio::time::{Instant, sleep_until};

/// Spaces the requests to a server evenly, and observes the pauses that the server asks for. All requests share it.
#[derive(Debug)]
pub struct RequestPace {
    /// The shortest time between two requests. Zero means no limit.
    interval: Duration,
    turns: Mutex<Turns>,
}

#[derive(Debug)]
struct Turns {
    next_turn: Instant,
    end_of_pause: Instant,
}

impl RequestPace {
    /// Allows at most `rate` requests per second, or any number if `rate` is 0.
    pub fn per_second(rate: f64) -> Self {
        let interval = if rate > 0.0 { Duration::try_from_secs_f64(1.0 / rate) } else { Ok(Duration::ZERO) };
        let now = Instant::now();
        let turns = Mutex::new(Turns { next_turn: now, end_of_pause: now });
        Self { interval: interval.unwrap_or(Duration::MAX), turns }
    }

    /// Waits until the next request may be sent. Concurrent callers take turns.
    pub async fn wait_turn(&self) {
        loop {
            let turn = self.take_turn();
            if turn > Instant::now() {
                sleep_until(turn).await;
            }
            // If a pause began meanwhile, those who waited take turns again at its end.
            if self.turns.lock().end_of_pause <= Instant::now() {
                return;
            }
        }
    }

    fn take_turn(&self) -> Instant {
        let mut turns = self.turns.lock();
        let turn = turns.next_turn.max(Instant::now());
        turns.next_turn = turn.checked_add(self.interval).unwrap_or(turn);
        turn
    }

    /// Holds back all requests for this time.
    pub fn pause(&self, pause: Duration) {
        let mut turns = self.turns.lock();
        let end = Instant::now() + pause;
        turns.end_of_pause = turns.end_of_pause.max(end);
        turns.next_turn = turns.next_turn.max(end);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The time in milliseconds until `count` requests have had their turns. Slow machines may take longer.
    async fn millis_for_turns(pace: &RequestPace, count: usize) -> u128 {
        let start = Instant::now();
        for _ in 0..count {
            pace.wait_turn().await;
        }
        start.elapsed().as_millis()
    }

    #[tokio::test]
    async fn requests_are_sent_evenly() {
        let pace = RequestPace::per_second(20.0);
        assert!(millis_for_turns(&pace, 1).await < 50);
        assert!(millis_for_turns(&pace, 4).await >= 190);
        assert!(millis_for_turns(&RequestPace::per_second(0.0), 1_000).await < 1_000);
    }

    #[tokio::test]
    async fn nothing_is_sent_during_a_pause() {
        let pace = RequestPace::per_second(20.0);
        pace.wait_turn().await;
        pace.pause(Duration::from_millis(300));
        pace.pause(Duration::from_millis(100));
        assert!(millis_for_turns(&pace, 2).await >= 340);
    }

    #[tokio::test]
    async fn requests_that_waited_when_a_pause_began_are_sent_evenly_after_it() {
        let pace = RequestPace::per_second(10.0);
        pace.wait_turn().await;
        let start = Instant::now();
        tokio::join!(pace.wait_turn(), pace.wait_turn(), async { pace.pause(Duration::from_millis(300)) });
        assert!(start.elapsed().as_millis() >= 390);
    }

    #[tokio::test]
    async fn a_waiting_request_waits_for_a_pause_too() {
        let pace = RequestPace::per_second(10.0);
        pace.wait_turn().await;
        let start = Instant::now();
        tokio::join!(pace.wait_turn(), async { pace.pause(Duration::from_millis(300)) });
        assert!(start.elapsed().as_millis() >= 290);
    }
}
