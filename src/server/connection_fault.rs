//! Faults of connections: closing without a reply, cutting a reply off, or sending it late and slowly.

use super::pace::Pacer;
use crate::http::{ConnectionFault, Delivery};
use bytes::Bytes;
use http::{Response, header};
use http_body::{Body, Frame, SizeHint};
use http_body_util::{BodyExt, Either};
use std::io;
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;
use tokio::time::{Instant, Sleep};

/// A body that may be sent slowly, and may be cut off.
#[derive(Debug)]
pub struct FaultyBody {
    unsent: Bytes,
    /// The pace of the remaining bytes, with the time until the next piece is sent. None to send all at once.
    pacer: Option<(Pacer, Pin<Box<Sleep>>)>,
    /// Whether the connection or, in HTTP/2, the stream is closed after the last byte.
    breaks_off: bool,
    has_yielded: bool,
    /// The wait before breaking off a reply of a multiplexed connection, whose bytes are sent by another task.
    flush_timer: Option<Pin<Box<Sleep>>>,
}

/// Enough time for another task to send the written bytes.
const FLUSH_TIME: Duration = Duration::from_millis(20);

impl FaultyBody {
    fn new(unsent: Bytes, bytes_per_second: Option<u64>, breaks_off: bool, is_multiplexed: bool) -> Self {
        let pacer = bytes_per_second.map(|rate| {
            let mut pacer = Pacer::new(rate);
            let first_deadline = pacer.reserve(pacer.piece_bytes().min(unsent.len()));
            (pacer, Box::pin(tokio::time::sleep_until(first_deadline)))
        });
        let flush_timer = (breaks_off && is_multiplexed).then(|| Box::pin(tokio::time::sleep(FLUSH_TIME)));
        Self { unsent, pacer, breaks_off, has_yielded: false, flush_timer }
    }

    fn empty() -> Self {
        Self { unsent: Bytes::new(), pacer: None, breaks_off: false, has_yielded: false, flush_timer: None }
    }
}

impl Body for FaultyBody {
    type Data = Bytes;
    type Error = io::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, io::Error>>> {
        let Self { unsent, pacer, breaks_off, has_yielded, flush_timer } = &mut *self;
        if !unsent.is_empty() {
            let Some((pacer, sleep)) = pacer else { return Poll::Ready(Some(Ok(Frame::data(std::mem::take(unsent))))) };
            ready!(sleep.as_mut().poll(context));
            let piece = unsent.split_to(pacer.piece_bytes().min(unsent.len()));
            let next_deadline = pacer.reserve(pacer.piece_bytes().min(unsent.len()));
            sleep.as_mut().reset(next_deadline);
            return Poll::Ready(Some(Ok(Frame::data(piece))));
        }
        if !*breaks_off {
            return Poll::Ready(None);
        }
        if !*has_yielded {
            // hyper discards unsent bytes on an error, so the body first appears to wait, and hyper flushes them.
            *has_yielded = true;
            if let Some(flush_timer) = flush_timer {
                flush_timer.as_mut().reset(Instant::now() + FLUSH_TIME);
            }
            context.waker().wake_by_ref();
            return Poll::Pending;
        }
        if let Some(flush_timer) = flush_timer {
            ready!(flush_timer.as_mut().poll(context));
        }
        Poll::Ready(Some(Err(io::Error::new(io::ErrorKind::ConnectionAborted, "a fault breaks the reply off"))))
    }

    fn is_end_stream(&self) -> bool {
        self.unsent.is_empty() && !self.breaks_off
    }

    fn size_hint(&self) -> SizeHint {
        if self.breaks_off { SizeHint::default() } else { SizeHint::with_exact(self.unsent.len() as u64) }
    }
}

/// Replaces the body of a response with an empty one, but keeps its length as `Content-Length`: the response to HEAD in
/// HTTP/2.
pub fn without_body<B>(response: Response<Either<B, FaultyBody>>) -> Response<Either<B, FaultyBody>>
where
    B: Body<Data = Bytes, Error: Into<Box<dyn std::error::Error + Send + Sync>>>,
{
    let (mut head, body) = response.into_parts();
    if let (None, Some(length)) = (head.headers.get(header::CONTENT_LENGTH), body.size_hint().exact()) {
        head.headers.insert(header::CONTENT_LENGTH, length.into());
    }
    Response::from_parts(head, Either::Right(FaultyBody::empty()))
}

/// The typical lateness of a timer.
const TIMER_LATENESS: Duration = Duration::from_millis(2);
/// For waits shorter than this, the lateness of a timer would be more than a tenth.
const SHORT_WAIT: Duration = Duration::from_millis(20);

/// Waits for this time. Short waits end without a timer, to be precise.
async fn sleep_precisely(duration: Duration) {
    let deadline = Instant::now() + duration;
    if duration >= SHORT_WAIT {
        return tokio::time::sleep_until(deadline).await;
    }
    tokio::time::sleep_until(deadline - TIMER_LATENESS.min(duration)).await;
    while Instant::now() < deadline {
        tokio::task::yield_now().await;
    }
}

/// Applies the connection's fault and the network's delays to a response.
///
/// # Errors
///
/// When the reply must not be sent: hyper then closes the connection, or, in HTTP/2, the stream of the request.
pub async fn apply_faults<B: Body<Data = Bytes>>(
    response: Response<B>,
    is_multiplexed: bool,
) -> io::Result<Response<Either<B, FaultyBody>>> {
    let delivery = response.extensions().get::<Delivery>().copied();
    let fault = response.extensions().get::<ConnectionFault>().copied();
    if delivery.is_none() && fault.is_none() {
        return Ok(response.map(Either::Left));
    }
    let (mut head, body) = response.into_parts();
    // The body is already in memory.
    let body_bytes = body.collect().await.map(http_body_util::Collected::to_bytes).unwrap_or_default();
    let Delivery { mut latency, mut bytes_per_second } = delivery.unwrap_or_default();
    // Small bodies are sent with a single timer, because each timer may be late.
    if let Some(transfer_time) = bytes_per_second.and_then(|rate| Pacer::new(rate).single_piece_time(body_bytes.len()))
    {
        latency += transfer_time;
        bytes_per_second = None;
    }
    if !latency.is_zero() {
        sleep_precisely(latency).await;
    }
    if fault == Some(ConnectionFault::Dropped) {
        return Err(io::Error::other("a fault closes the connection"));
    }
    let body = match fault {
        Some(ConnectionFault::TruncatedAt(limit)) => {
            // The whole length, so that the client notices the missing bytes.
            head.headers.insert(header::CONTENT_LENGTH, body_bytes.len().into());
            FaultyBody::new(body_bytes.slice(..limit.min(body_bytes.len())), bytes_per_second, true, is_multiplexed)
        }
        _ => FaultyBody::new(body_bytes, bytes_per_second, false, is_multiplexed),
    };
    Ok(Response::from_parts(head, Either::Right(body)))
}
