//! What only a connection can do to a reply: close without one, or break off in the middle.

use crate::http::{ConnectionFault, Response};
use bytes::Bytes;
use http::header;
use http_body::{Body, Frame};
use http_body_util::{Either, Full};
use std::io;
use std::pin::Pin;
use std::task::{Context, Poll};

/// A body as it is sent, whole or only its beginning.
pub type ReplyBody = Either<Full<Bytes>, Cut>;

/// The beginning of a body, then the end of the connection.
#[derive(Debug)]
pub struct Cut {
    beginning: Option<Bytes>,
    has_paused: bool,
}

impl Body for Cut {
    type Data = Bytes;
    type Error = io::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, io::Error>>> {
        if let Some(beginning) = self.beginning.take() {
            return Poll::Ready(Some(Ok(Frame::data(beginning))));
        }
        if !self.has_paused {
            // What was written goes out while the body seems to be waiting; with the error it would be thrown away.
            self.has_paused = true;
            context.waker().wake_by_ref();
            return Poll::Pending;
        }
        Poll::Ready(Some(Err(io::Error::new(io::ErrorKind::ConnectionAborted, "a fault breaks the reply off"))))
    }
}

/// A reply with what a fault makes of it.
///
/// # Errors
///
/// For a reply that is never sent: hyper closes the connection.
pub fn mangled(response: Response) -> io::Result<http::Response<ReplyBody>> {
    match response.extensions().get::<ConnectionFault>().copied() {
        None => Ok(response.map(|body| Either::Left(Full::new(body)))),
        Some(ConnectionFault::Dropped) => Err(io::Error::other("a fault closes the connection")),
        Some(ConnectionFault::TruncatedAt(bytes)) => {
            let (mut head, whole) = response.into_parts();
            head.headers.insert(header::CONTENT_LENGTH, whole.len().into());
            let beginning = Some(whole.slice(..bytes.min(whole.len())));
            Ok(http::Response::from_parts(head, Either::Right(Cut { beginning, has_paused: false })))
        }
    }
}
