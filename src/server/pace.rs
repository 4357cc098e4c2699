//! Slows bodies down to the speed of a simulated network.

use bytes::{Buf, Bytes};
use futures_util::{Stream, StreamExt, stream};
use std::time::Duration;
use tokio::time::Instant;

/// Bodies are sent in this number of pieces each second, unless the pieces would exceed [`MAX_PIECE_BYTES`].
const PIECES_PER_SECOND: u64 = 50;
const MAX_PIECE_BYTES: u64 = 64 * 1024;
/// Delays up to this long are attributed to the timer, and the body catches up. After a longer pause, the pace starts
/// again.
const TIMER_SLACK: Duration = Duration::from_secs(1);

/// Schedules the bytes of a body.
#[derive(Debug)]
pub struct Pacer {
    bytes_per_second: u64,
    /// When the transfer of all scheduled bytes ends; None before the first.
    busy_until: Option<Instant>,
}

impl Pacer {
    /// Sends at least 1 byte per second.
    pub fn new(bytes_per_second: u64) -> Self {
        Self { bytes_per_second: bytes_per_second.max(1), busy_until: None }
    }

    /// The number of bytes to send at once.
    pub fn piece_bytes(&self) -> usize {
        (self.bytes_per_second / PIECES_PER_SECOND).clamp(1, MAX_PIECE_BYTES) as usize
    }

    /// The transfer time of a body that fits into one piece. None for larger bodies.
    pub fn single_piece_time(&self, bytes: usize) -> Option<Duration> {
        (bytes <= self.piece_bytes()).then(|| self.transfer_time(bytes))
    }

    fn transfer_time(&self, bytes: usize) -> Duration {
        Duration::from_secs_f64(bytes as f64 / self.bytes_per_second as f64)
    }

    /// Schedules this number of bytes after all previous ones, and returns when their transfer ends.
    pub fn reserve(&mut self, bytes: usize) -> Instant {
        let now = Instant::now();
        let busy_until = self.busy_until.filter(|busy_until| *busy_until + TIMER_SLACK > now).unwrap_or(now);
        let end = busy_until + self.transfer_time(bytes);
        self.busy_until = Some(end);
        end
    }
}

/// Delays the pieces of a body so that it has this speed on average. Errors pass at once.
pub fn limit_speed<E>(
    body: impl Stream<Item = Result<impl Buf, E>>,
    bytes_per_second: u64,
) -> impl Stream<Item = Result<Bytes, E>> {
    let initial_state = (Box::pin(body), Bytes::new(), Pacer::new(bytes_per_second));
    stream::unfold(initial_state, |(mut body, mut unsent, mut pacer)| async move {
        while unsent.is_empty() {
            match body.next().await? {
                Ok(mut chunk) => unsent = chunk.copy_to_bytes(chunk.remaining()),
                Err(error) => return Some((Err(error), (body, unsent, pacer))),
            }
        }
        let piece = unsent.split_to(pacer.piece_bytes().min(unsent.len()));
        tokio::time::sleep_until(pacer.reserve(piece.len())).await;
        Some((Ok(piece), (body, unsent, pacer)))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::convert::Infallible;

    async fn transfer(bytes: usize, bytes_per_second: u64) -> (usize, Duration) {
        let start = Instant::now();
        let body = stream::iter([Ok::<_, Infallible>(Bytes::from(vec![0; bytes / 2])), Ok(vec![0; bytes / 2].into())]);
        let pieces: Vec<Bytes> =
            limit_speed(body, bytes_per_second).map(|piece| piece.expect("infallible")).collect().await;
        (pieces.iter().map(Bytes::len).sum(), start.elapsed())
    }

    #[tokio::test]
    async fn a_body_takes_the_time_that_its_bytes_need() {
        for (bytes, bytes_per_second, millis) in [(1_000, 2_000, 500), (600_000, 1_000_000, 600), (10, 40, 250)] {
            let (byte_count, elapsed) = transfer(bytes, bytes_per_second).await;

            assert_eq!(byte_count, bytes);
            let (min, max) = (Duration::from_millis(millis), Duration::from_millis(millis + millis / 10 + 100));
            assert!(min <= elapsed && elapsed < max, "{bytes} bytes take {elapsed:?}");
        }
    }
}
