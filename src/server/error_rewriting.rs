//! Replaces hyper's own refusals of malformed requests, which have no body, with error replies of the API.

use super::idle_tracker::IdleTracker;
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

/// The largest number of bytes of a refused request that are still read, so that the refusal arrives before the
/// connection closes.
const LINGER_BYTES: usize = 16 * 1024 * 1024;
/// The longest time for which a refused request is still read.
const LINGER_TIME: Duration = Duration::from_secs(2);
/// The beginning of an HTTP/2 connection (RFC 9113, section 3.4). It arrives here only over TLS, from a client that did
/// not negotiate HTTP/2.
const HTTP2_PREFACE: &[u8] = b"PRI * HTTP/2.0";
/// The maximum number of bytes that are inspected before hyper reads them.
const MAX_FIRST_BYTES: usize = 4096;
const MALFORMED_HINT: &str = "Percent-encode spaces and control characters of the URL, as curl does with --data-urlencode; each header needs a name and a colon.";

/// A connection on which hyper's own refusals are sent as error replies of the API.
pub struct ErrorRewritingStream<S> {
    stream: S,
    /// Learns of each write, so that a slow download does not count as idle.
    tracker: Arc<IdleTracker>,
    refusal: Option<Refusal>,
    has_read: bool,
    is_http2: bool,
}

/// An error reply on its way to the client.
struct Refusal {
    bytes: Vec<u8>,
    /// The number of bytes that were sent.
    written: usize,
    /// The number of further bytes of the request that were read.
    discarded: usize,
    linger_timeout: Pin<Box<Sleep>>,
}

impl<S> ErrorRewritingStream<S> {
    /// Wraps a connection on which nothing has been read or written.
    pub fn new(stream: S, tracker: Arc<IdleTracker>) -> Self {
        Self { stream, tracker, refusal: None, has_read: false, is_http2: false }
    }

    /// Replaces the head of a response if it is a refusal by hyper. Returns whether it was.
    fn intercept(&mut self, head: &[u8]) -> bool {
        let Some(error) = bare_refusal(head) else { return false };
        self.refuse(&error);
        true
    }

    fn refuse(&mut self, error: &Error) {
        let linger_timeout = Box::pin(tokio::time::sleep(LINGER_TIME));
        self.refusal = Some(Refusal { bytes: response_bytes(error), written: 0, discarded: 0, linger_timeout });
    }
}

/// The error of a refusal by hyper. Only hyper's refusals have neither body nor content type.
fn bare_refusal(head: &[u8]) -> Option<Error> {
    let status = head.strip_prefix(b"HTTP/1.")?.get(2..5)?;
    let error = match status {
        b"400" => Error::MalformedHttp,
        b"414" => Error::UriTooLong,
        b"431" => Error::HeadTooLarge,
        _ => return None,
    };
    let head = String::from_utf8_lossy(head).to_ascii_lowercase();
    let is_bare = head.contains("\r\ncontent-length: 0\r\n") && !head.contains("\r\ncontent-type:");
    is_bare.then_some(error)
}

fn response_bytes(error: &Error) -> Vec<u8> {
    let hint = matches!(error, Error::MalformedHttp).then(|| MALFORMED_HINT.to_owned());
    let response = reply::refusal(error, hint);
    let status = response.status();
    let mut bytes = format!("HTTP/1.1 {} {}\r\n", status.as_u16(), status.canonical_reason().unwrap_or_default());
    for (name, value) in response.headers() {
        bytes.push_str(&format!("{name}: {}\r\n", value.to_str().unwrap_or_default()));
    }
    bytes.push_str(&format!("content-length: {}\r\nconnection: close\r\n\r\n", response.body().len()));
    [bytes.into_bytes(), response.body().to_vec()].concat()
}

impl Refusal {
    fn poll_write_refusal<S: Write + Unpin>(
        &mut self,
        stream: &mut S,
        context: &mut Context<'_>,
    ) -> Poll<io::Result<()>> {
        while self.written < self.bytes.len() {
            match ready!(Pin::new(&mut *stream).poll_write(context, &self.bytes[self.written..]))? {
                0 => return Poll::Ready(Err(io::ErrorKind::WriteZero.into())),
                count => self.written += count,
            }
        }
        Poll::Ready(Ok(()))
    }

    /// Reads until the client stops sending: closing with unread bytes would reset the connection before the refusal
    /// arrives.
    fn poll_discard<S: Read + Unpin>(&mut self, stream: &mut S, context: &mut Context<'_>) -> Poll<()> {
        let mut storage = [MaybeUninit::uninit(); 16 * 1024];
        while self.discarded < LINGER_BYTES && self.linger_timeout.as_mut().poll(context).is_pending() {
            let mut buffer = ReadBuf::uninit(&mut storage);
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
    /// Sends the refusal, closes the sending side, and waits until the client stops sending.
    fn poll_close(&mut self, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        if let Some(refusal) = &mut self.refusal {
            ready!(refusal.poll_write_refusal(&mut self.stream, context))?;
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
        if !this.has_read {
            let mut storage = [MaybeUninit::uninit(); MAX_FIRST_BYTES];
            let capacity = buffer.remaining().min(MAX_FIRST_BYTES);
            let mut first_bytes = ReadBuf::uninit(&mut storage[..capacity]);
            ready!(Pin::new(&mut this.stream).poll_read(context, first_bytes.unfilled()))?;
            this.has_read = true;
            this.is_http2 = first_bytes.filled().starts_with(HTTP2_PREFACE);
            if !this.is_http2 {
                buffer.put_slice(first_bytes.filled());
                return Poll::Ready(Ok(()));
            }
            // hyper would close the connection without a reply, so it never sees these bytes.
            this.refuse(&Error::MalformedHttp);
        }
        if this.is_http2 { this.poll_close(context) } else { Pin::new(&mut this.stream).poll_read(context, buffer) }
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
            ready!(refusal.poll_write_refusal(&mut this.stream, context))?;
        }
        Pin::new(&mut this.stream).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let this = &mut *self;
        if this.refusal.is_some() {
            this.poll_close(context)
        } else {
            Pin::new(&mut this.stream).poll_shutdown(context)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_refusals_with_neither_body_nor_content_type_come_from_hyper() {
        let hyper_refusal =
            b"HTTP/1.1 431 Request Header Fields Too Large\r\nconnection: close\r\ncontent-length: 0\r\n\r\n";
        assert!(matches!(bare_refusal(hyper_refusal), Some(Error::HeadTooLarge)));

        let api_reply = b"HTTP/1.1 400 Bad Request\r\ncontent-type: application/json\r\ncontent-length: 0\r\n\r\n";
        assert!(bare_refusal(api_reply).is_none());
        assert!(bare_refusal(b"HTTP/1.1 204 No Content\r\ncontent-length: 0\r\n\r\n").is_none());
        assert!(bare_refusal(b"").is_none());
    }
}
