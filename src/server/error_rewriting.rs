//! What is no HTTP at all: hyper's bare refusals of it, put into the API's envelope.

use super::idle::IdleTracker;
use crate::error::Error;
use crate::http::reply;
use hyper::rt::{Read, ReadBuf, ReadBufCursor, Write};
use std::io::{self, IoSlice};
use std::mem::MaybeUninit;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};
use std::time::Duration;
use tokio::time::Sleep;

/// How much is still read of a request that was refused, so that the refusal arrives before the connection breaks.
const LINGER_BYTES: usize = 16 * 1024 * 1024;
/// How a client begins that speaks HTTP/2 without having asked whether it may.
const HTTP2_BEGINNING: &[u8] = b"PRI * HTTP/2.0";
/// How much is looked at before hyper sees it.
const FIRST_BYTES: usize = 4096;
/// How long it is read at the most.
const LINGER_TIME: Duration = Duration::from_secs(2);

/// A connection on which a refusal of hyper's own, which has no body, leaves as an error reply of the API.
pub struct ErrorRewritingStream<S> {
    stream: S,
    tracker: Arc<IdleTracker>,
    refusal: Option<Refusal>,
    has_begun: bool,
    is_other_protocol: bool,
}

/// A refusal on its way, and then the rest of what the client still sends.
struct Refusal {
    bytes: Vec<u8>,
    written: usize,
    discarded: usize,
    patience: Pin<Box<Sleep>>,
}

impl<S> ErrorRewritingStream<S> {
    /// Around a connection that nothing was written to.
    pub fn new(stream: S, tracker: Arc<IdleTracker>) -> Self {
        Self { stream, tracker, refusal: None, has_begun: false, is_other_protocol: false }
    }

    /// Puts the envelope in the place of a refusal without one; whether it did.
    fn intercept(&mut self, head: &[u8]) -> bool {
        let Some(error) = bare_refusal(head) else { return false };
        self.refuse(&error);
        true
    }

    fn refuse(&mut self, error: &Error) {
        let patience = Box::pin(tokio::time::sleep(LINGER_TIME));
        self.refusal = Some(Refusal { bytes: bytes_of(error), written: 0, discarded: 0, patience });
    }
}

/// Which error a head tells of, when it is one of hyper's own: they alone have neither body nor type.
fn bare_refusal(head: &[u8]) -> Option<Error> {
    let status = head.strip_prefix(b"HTTP/1.")?.get(2..5)?;
    let error = match status {
        b"400" => Error::MalformedHttp,
        b"414" => Error::AddressTooLong,
        b"431" => Error::HeadTooLarge,
        _ => return None,
    };
    let head = String::from_utf8_lossy(head).to_ascii_lowercase();
    let is_bare = head.contains("\r\ncontent-length: 0\r\n") && !head.contains("\r\ncontent-type:");
    is_bare.then_some(error)
}

fn bytes_of(error: &Error) -> Vec<u8> {
    let response = reply::failure(error, None);
    let status = response.status();
    let mut bytes = format!("HTTP/1.1 {} {}\r\n", status.as_u16(), status.canonical_reason().unwrap_or_default());
    for (name, value) in response.headers() {
        bytes.push_str(&format!("{name}: {}\r\n", value.to_str().unwrap_or_default()));
    }
    bytes.push_str(&format!("content-length: {}\r\nconnection: close\r\n\r\n", response.body().len()));
    [bytes.into_bytes(), response.body().to_vec()].concat()
}

impl Refusal {
    fn poll_write_out<S: Write + Unpin>(&mut self, stream: &mut S, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        while self.written < self.bytes.len() {
            match ready!(Pin::new(&mut *stream).poll_write(context, &self.bytes[self.written..]))? {
                0 => return Poll::Ready(Err(io::ErrorKind::WriteZero.into())),
                count => self.written += count,
            }
        }
        Poll::Ready(Ok(()))
    }

    /// Reads on until the client is done: closing on unread bytes would take the refusal back.
    fn poll_discard<S: Read + Unpin>(&mut self, stream: &mut S, context: &mut Context<'_>) -> Poll<()> {
        let mut space = [MaybeUninit::uninit(); 16 * 1024];
        while self.discarded < LINGER_BYTES && self.patience.as_mut().poll(context).is_pending() {
            let mut buffer = ReadBuf::uninit(&mut space);
            match Pin::new(&mut *stream).poll_read(context, buffer.unfilled()) {
                Poll::Pending => return Poll::Pending,
                Poll::Ready(Ok(())) if !buffer.filled().is_empty() => self.discarded += buffer.filled().len(),
                Poll::Ready(_) => break,
            }
        }
        Poll::Ready(())
    }
}

impl<S: Read + Write + Unpin> ErrorRewritingStream<S> {
    /// Sends the refusal, and waits until the client is done.
    fn poll_part(&mut self, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        if let Some(refusal) = &mut self.refusal {
            ready!(refusal.poll_write_out(&mut self.stream, context))?;
            ready!(Pin::new(&mut self.stream).poll_shutdown(context))?;
            ready!(refusal.poll_discard(&mut self.stream, context));
        }
        Poll::Ready(Ok(()))
    }
}

impl<S: Read + Write + Unpin> Read for ErrorRewritingStream<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        mut buffer: ReadBufCursor<'_>,
    ) -> Poll<io::Result<()>> {
        let this = &mut *self;
        if !this.has_begun {
            let mut space = [MaybeUninit::uninit(); FIRST_BYTES];
            let room = buffer.remaining().min(FIRST_BYTES);
            let mut first = ReadBuf::uninit(&mut space[..room]);
            ready!(Pin::new(&mut this.stream).poll_read(context, first.unfilled()))?;
            this.has_begun = true;
            this.is_other_protocol = first.filled().starts_with(HTTP2_BEGINNING);
            if !this.is_other_protocol {
                buffer.put_slice(first.filled());
                return Poll::Ready(Ok(()));
            }
            // hyper would close without a word; so it sees a connection on which nothing was ever said.
            this.refuse(&Error::MalformedHttp);
        }
        if this.is_other_protocol {
            this.poll_part(context)
        } else {
            Pin::new(&mut this.stream).poll_read(context, buffer)
        }
    }
}

impl<S: Read + Write + Unpin> Write for ErrorRewritingStream<S> {
    fn poll_write(mut self: Pin<&mut Self>, context: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        if self.refusal.is_some() || self.intercept(bytes) {
            return Poll::Ready(Ok(bytes.len()));
        }
        self.tracker.record_activity();
        Pin::new(&mut self.stream).poll_write(context, bytes)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        slices: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let head = slices.iter().find(|slice| !slice.is_empty()).map_or(&[][..], |slice| slice);
        if self.refusal.is_some() || self.intercept(head) {
            return Poll::Ready(Ok(slices.iter().map(|slice| slice.len()).sum()));
        }
        self.tracker.record_activity();
        Pin::new(&mut self.stream).poll_write_vectored(context, slices)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let this = &mut *self;
        if let Some(refusal) = &mut this.refusal {
            ready!(refusal.poll_write_out(&mut this.stream, context))?;
        }
        Pin::new(&mut this.stream).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let this = &mut *self;
        if this.refusal.is_some() { this.poll_part(context) } else { Pin::new(&mut this.stream).poll_shutdown(context) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_refusals_without_body_and_type_are_hypers() {
        let bare = b"HTTP/1.1 431 Request Header Fields Too Large\r\nconnection: close\r\ncontent-length: 0\r\n\r\n";
        assert!(matches!(bare_refusal(bare), Some(Error::HeadTooLarge)));

        let ours = b"HTTP/1.1 400 Bad Request\r\ncontent-type: application/json\r\ncontent-length: 0\r\n\r\n";
        assert!(bare_refusal(ours).is_none());
        assert!(bare_refusal(b"HTTP/1.1 204 No Content\r\ncontent-length: 0\r\n\r\n").is_none());
        assert!(bare_refusal(b"").is_none());
    }
}
