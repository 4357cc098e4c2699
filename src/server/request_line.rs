//! Percent-encodes characters in request lines that real servers accept unencoded and hyper refuses, such as the quotes
//! of JSON in a query.

use hyper::rt::{Read, ReadBuf, ReadBufCursor, Write};
use std::io::{self, IoSlice};
use std::mem::MaybeUninit;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

/// The maximum number of bytes of a head that are inspected. A longer request line stays as it is.
const MAX_INSPECTED_BYTES: usize = 8 * 1024;

/// The beginning of a reply after which the body of the same request follows.
const CONTINUE: &[u8] = b"HTTP/1.1 100";

/// A connection over HTTP/1 whose request lines are percent-encoded before hyper reads them.
pub struct LineEncodingStream<S> {
    stream: S,
    /// Whether the next bytes begin a request: none came since the connection began or the last reply was written.
    awaits_request: bool,
    /// Encoded bytes that did not fit into hyper's buffer yet.
    unread: Vec<u8>,
}

impl<S> LineEncodingStream<S> {
    /// Wraps a connection on which nothing has been read or written.
    pub fn new(stream: S) -> Self {
        Self { stream, awaits_request: true, unread: Vec::new() }
    }
}

/// The bytes with an encoded request line. None if nothing has to be encoded, or the bytes do not begin with a whole
/// request line.
fn with_encoded_line(bytes: &[u8]) -> Option<Vec<u8>> {
    let (line, rest) = bytes.split_at(memchr::memchr(b'\n', bytes)?);
    memchr::memchr3(b'"', b'<', b'>', line)?;
    let target_start = memchr::memchr(b' ', line)?;
    let target_end = line.windows(6).rposition(|window| window == b" HTTP/")?;
    if target_start >= target_end || !line[..target_start].iter().all(u8::is_ascii_uppercase) {
        return None;
    }
    let encode = |byte: &u8| match byte {
        b'"' => b"%22".to_vec(),
        b'<' => b"%3C".to_vec(),
        b'>' => b"%3E".to_vec(),
        byte => vec![*byte],
    };
    let target: Vec<u8> = line[target_start..target_end].iter().flat_map(encode).collect();
    Some([&line[..target_start], &target, &line[target_end..], rest].concat())
}

impl<S: Read + Unpin> Read for LineEncodingStream<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        mut buffer: ReadBufCursor<'_>,
    ) -> Poll<io::Result<()>> {
        let this = &mut *self;
        if this.unread.is_empty() {
            if !this.awaits_request {
                return Pin::new(&mut this.stream).poll_read(context, buffer);
            }
            let mut storage = [MaybeUninit::uninit(); MAX_INSPECTED_BYTES];
            let capacity = buffer.remaining().min(MAX_INSPECTED_BYTES);
            let mut inspected = ReadBuf::uninit(&mut storage[..capacity]);
            ready!(Pin::new(&mut this.stream).poll_read(context, inspected.unfilled()))?;
            this.awaits_request = inspected.filled().is_empty();
            match with_encoded_line(inspected.filled()) {
                Some(encoded) => this.unread = encoded,
                None => {
                    buffer.put_slice(inspected.filled());
                    return Poll::Ready(Ok(()));
                }
            }
        }
        let count = buffer.remaining().min(this.unread.len());
        buffer.put_slice(&this.unread[..count]);
        this.unread.drain(..count);
        Poll::Ready(Ok(()))
    }
}

impl<S: Write + Unpin> Write for LineEncodingStream<S> {
    fn poll_write(mut self: Pin<&mut Self>, context: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        self.awaits_request = !bytes.starts_with(CONTINUE);
        Pin::new(&mut self.stream).poll_write(context, bytes)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        slices: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        self.awaits_request = !slices.first().is_some_and(|slice| slice.starts_with(CONTINUE));
        Pin::new(&mut self.stream).poll_write_vectored(context, slices)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(context)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_request_line_with_quotes_or_angle_brackets_changes() {
        let encoded = |text: &str| with_encoded_line(text.as_bytes()).and_then(|bytes| String::from_utf8(bytes).ok());

        let request = "GET /api?narrow=[\"a\"]&x=<b> HTTP/1.1\r\nx: \"y\"\r\n\r\n";
        let expected = "GET /api?narrow=[%22a%22]&x=%3Cb%3E HTTP/1.1\r\nx: \"y\"\r\n\r\n";
        assert_eq!(encoded(request).as_deref(), Some(expected));
        for unchanged in [
            "GET / HTTP/1.1\r\nx: \"y\"\r\n\r\n",
            "GET /\" HTTP/1.1",
            "\"GET\" / HTTP/1.1\r\n",
            "G<T / HTTP/1.1\r\n",
            "{\"json\": 1}\r\n",
            "",
        ] {
            assert_eq!(encoded(unchanged), None, "{unchanged}");
        }
    }
}
