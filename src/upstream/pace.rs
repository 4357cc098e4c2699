//! How fast a server is asked.

use parking_lot::Mutex;
use std::time::Duration;
use tokio::time::{Instant, sleep_until};

/// A pace that all requests to a server share: so many a second, evenly, and none before a time that the server named.
#[derive(Debug)]
pub struct Pace {
    /// Between two requests; zero for no limit.
    interval: Duration,
    turns: Mutex<Turns>,
}

#[derive(Debug)]
struct Turns {
    next: Instant,
    end_of_pause: Instant,
}

impl Pace {
    /// At most so many requests a second; 0 for as many as there are.
    pub fn per_second(rate: f64) -> Self {
        let interval = if rate > 0.0 { Duration::try_from_secs_f64(1.0 / rate) } else { Ok(Duration::ZERO) };
        let now = Instant::now();
        let turns = Mutex::new(Turns { next: now, end_of_pause: now });
        Self { interval: interval.unwrap_or(Duration::MAX), turns }
    }

    /// Waits for the turn of a request. Requests that wait at the same time get turns one after the other.
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

    /// Lets no request be sent for so long.
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
