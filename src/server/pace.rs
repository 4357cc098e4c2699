//! Bodies that pass no faster than a network lets them.

use bytes::{Buf, Bytes};
use futures_util::{Stream, StreamExt, stream};
use std::time::Duration;
use tokio::time::Instant;

/// How many pieces pass in a second, where they are not larger than this then.
const PIECES_A_SECOND: u64 = 50;
const MAX_PIECE: u64 = 64 * 1024;
/// A pause longer than this is over when the next bytes come; what is shorter is the timer's, and is caught up with.
const TIMER_SLACK: Duration = Duration::from_secs(1);

/// When the bytes of a body pass.
#[derive(Debug)]
pub struct Pace {
    bytes_per_second: u64,
    free_at: Option<Instant>,
}

impl Pace {
    /// So many bytes a second, at least 1.
    pub fn of(bytes_per_second: u64) -> Self {
        Self { bytes_per_second: bytes_per_second.max(1), free_at: None }
    }

    /// How many bytes to pass at once.
    pub fn piece(&self) -> usize {
        (self.bytes_per_second / PIECES_A_SECOND).clamp(1, MAX_PIECE) as usize
    }

    /// In which time a body passes that is small enough to pass at once; None for larger ones.
    pub fn passes_at_once(&self, bytes: usize) -> Option<Duration> {
        (bytes <= self.piece()).then(|| self.time_of(bytes))
    }

    fn time_of(&self, bytes: usize) -> Duration {
        Duration::from_secs_f64(bytes as f64 / self.bytes_per_second as f64)
    }

    /// When so many bytes have passed, which come after those before.
    pub fn passed_at(&mut self, bytes: usize) -> Instant {
        let now = Instant::now();
        let free_at = self.free_at.filter(|free_at| *free_at + TIMER_SLACK > now).unwrap_or(now);
        let passed_at = free_at + self.time_of(bytes);
        self.free_at = Some(passed_at);
        passed_at
    }
}

/// A body that passes at a pace.
pub fn paced<E>(
    body: impl Stream<Item = Result<impl Buf, E>>,
    bytes_per_second: u64,
) -> impl Stream<Item = Result<Bytes, E>> {
    let begin = (Box::pin(body), Bytes::new(), Pace::of(bytes_per_second));
    stream::unfold(begin, |(mut body, mut waiting, mut pace)| async move {
        while waiting.is_empty() {
            match body.next().await? {
                Ok(mut piece) => waiting = piece.copy_to_bytes(piece.remaining()),
                Err(error) => return Some((Err(error), (body, waiting, pace))),
            }
        }
        let piece = waiting.split_to(pace.piece().min(waiting.len()));
        tokio::time::sleep_until(pace.passed_at(piece.len())).await;
        Some((Ok(piece), (body, waiting, pace)))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::convert::Infallible;

    async fn taken(bytes: usize, bytes_per_second: u64) -> (usize, Duration) {
        let began = Instant::now();
        let body = stream::iter([Ok::<_, Infallible>(Bytes::from(vec![0; bytes / 2])), Ok(vec![0; bytes / 2].into())]);
        let pieces: Vec<Bytes> = paced(body, bytes_per_second).map(|piece| piece.expect("infallible")).collect().await;
        (pieces.iter().map(Bytes::len).sum(), began.elapsed())
    }

    #[tokio::test]
    async fn a_body_takes_as_long_as_its_bytes_do() {
        for (bytes, bytes_per_second, millis) in [(1_000, 2_000, 500), (600_000, 1_000_000, 600), (10, 40, 250)] {
            let (passed, took) = taken(bytes, bytes_per_second).await;

            assert_eq!(passed, bytes);
            let (least, most) = (Duration::from_millis(millis), Duration::from_millis(millis + millis / 10 + 100));
            assert!(least <= took && took < most, "{bytes} bytes take {took:?}");
        }
    }
}
