//! What only a connection can do to a reply: close without one, break off in the middle, or send it late and slowly.

use super::pace::Pace;
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

/// A body that is sent slowly, or not to its end.
#[derive(Debug)]
pub struct Hindered {
    unsent: Bytes,
    /// The rest is sent at this pace, each piece after the sleep.
    pace: Option<(Pace, Pin<Box<Sleep>>)>,
    /// Whether the connection ends in place of the rest.
    breaks_off: bool,
    has_paused: bool,
    /// What is waited for before that, where what was written leaves by another task.
    flush: Option<Pin<Box<Sleep>>>,
}

/// In which time what was written is surely on its way.
const FLUSH_TIME: Duration = Duration::from_millis(20);

impl Hindered {
    fn new(unsent: Bytes, bytes_per_second: Option<u64>, breaks_off: bool, is_multiplexed: bool) -> Self {
        let pace = bytes_per_second.map(|bytes| {
            let mut pace = Pace::of(bytes);
            let first = pace.passed_at(pace.piece().min(unsent.len()));
            (pace, Box::pin(tokio::time::sleep_until(first)))
        });
        let flush = (breaks_off && is_multiplexed).then(|| Box::pin(tokio::time::sleep(FLUSH_TIME)));
        Self { unsent, pace, breaks_off, has_paused: false, flush }
    }
}

impl Body for Hindered {
    type Data = Bytes;
    type Error = io::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, io::Error>>> {
        let Self { unsent, pace, breaks_off, has_paused, flush } = &mut *self;
        if !unsent.is_empty() {
            let Some((pace, sleep)) = pace else { return Poll::Ready(Some(Ok(Frame::data(std::mem::take(unsent))))) };
            ready!(sleep.as_mut().poll(context));
            let piece = unsent.split_to(pace.piece().min(unsent.len()));
            let next = pace.passed_at(pace.piece().min(unsent.len()));
            sleep.as_mut().reset(next);
            return Poll::Ready(Some(Ok(Frame::data(piece))));
        }
        if !*breaks_off {
            return Poll::Ready(None);
        }
        if !*has_paused {
            // What was written goes out while the body seems to be waiting; with the error it would be thrown away.
            *has_paused = true;
            if let Some(flush) = flush {
                flush.as_mut().reset(Instant::now() + FLUSH_TIME);
            }
            context.waker().wake_by_ref();
            return Poll::Pending;
        }
        if let Some(flush) = flush {
            ready!(flush.as_mut().poll(context));
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

/// The head of a response, which says how long its body would be.
pub fn without_body<B>(response: Response<Either<B, Hindered>>) -> Response<Either<B, Hindered>>
where
    B: Body<Data = Bytes, Error: Into<Box<dyn std::error::Error + Send + Sync>>>,
{
    let (mut head, body) = response.into_parts();
    if let (None, Some(length)) = (head.headers.get(header::CONTENT_LENGTH), body.size_hint().exact()) {
        head.headers.insert(header::CONTENT_LENGTH, length.into());
    }
    Response::from_parts(head, Either::Right(Hindered::new(Bytes::new(), None, false, true)))
}

/// A timer is late by up to this.
const TIMER_LATENESS: Duration = Duration::from_millis(2);
/// Of a wait that is shorter, this lateness would be more than a tenth.
const SHORT_WAIT: Duration = Duration::from_millis(20);

/// Waits for as long as it says: for the end of a short wait, without a timer.
async fn pass(span: Duration) {
    let deadline = Instant::now() + span;
    if span >= SHORT_WAIT {
        return tokio::time::sleep_until(deadline).await;
    }
    tokio::time::sleep_until(deadline - TIMER_LATENESS.min(span)).await;
    while Instant::now() < deadline {
        tokio::task::yield_now().await;
    }
}

/// A reply with what a fault or the network makes of it.
///
/// # Errors
///
/// For a reply that is never sent: hyper closes the connection, or, where a connection has several requests at once, ends the
/// stream of this one.
pub async fn apply<B: Body<Data = Bytes>>(
    response: Response<B>,
    is_multiplexed: bool,
) -> io::Result<Response<Either<B, Hindered>>> {
    let delivery = response.extensions().get::<Delivery>().copied();
    let fault = response.extensions().get::<ConnectionFault>().copied();
    if delivery.is_none() && fault.is_none() {
        return Ok(response.map(Either::Left));
    }
    let (mut head, body) = response.into_parts();
    // It is there already.
    let whole = body.collect().await.map(http_body_util::Collected::to_bytes).unwrap_or_default();
    let Delivery { mut latency, mut bytes_per_second } = delivery.unwrap_or_default();
    // A small body passes with one timer: each takes up to a millisecond more than it should.
    if let Some(passes_in) = bytes_per_second.and_then(|bytes| Pace::of(bytes).passes_at_once(whole.len())) {
        latency += passes_in;
        bytes_per_second = None;
    }
    if !latency.is_zero() {
        pass(latency).await;
    }
    if fault == Some(ConnectionFault::Dropped) {
        return Err(io::Error::other("a fault closes the connection"));
    }
    let body = match fault {
        Some(ConnectionFault::TruncatedAt(bytes)) => {
            head.headers.insert(header::CONTENT_LENGTH, whole.len().into());
            Hindered::new(whole.slice(..bytes.min(whole.len())), bytes_per_second, true, is_multiplexed)
        }
        _ => Hindered::new(whole, bytes_per_second, false, is_multiplexed),
    };
    Ok(Response::from_parts(head, Either::Right(body)))
}
