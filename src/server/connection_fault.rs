//! What only a connection can do to a reply: close without one, or break off in the middle.

use crate::http::ConnectionFault;
use bytes::Bytes;
use http::{Response, header};
use http_body::{Body, Frame};
use http_body_util::{BodyExt, Either};
use std::io;
use std::pin::Pin;
use std::task::{Context, Poll};

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
pub async fn apply<B: Body<Data = Bytes>>(response: Response<B>) -> io::Result<Response<Either<B, Cut>>> {
    match response.extensions().get::<ConnectionFault>().copied() {
        None => Ok(response.map(Either::Left)),
        Some(ConnectionFault::Dropped) => Err(io::Error::other("a fault closes the connection")),
        Some(ConnectionFault::TruncatedAt(bytes)) => {
            let (mut head, body) = response.into_parts();
            // It is there already.
            let whole = body.collect().await.map(http_body_util::Collected::to_bytes).unwrap_or_default();
            head.headers.insert(header::CONTENT_LENGTH, whole.len().into());
            let beginning = Some(whole.slice(..bytes.min(whole.len())));
            Ok(Response::from_parts(head, Either::Right(Cut { beginning, has_paused: false })))
        }
    }
}
