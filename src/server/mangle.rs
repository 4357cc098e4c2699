//! What only a connection can do to a reply: close without one, or break off in the middle.

use crate::http::Mangled;
use bytes::Bytes;
use http::{Request, Response, Uri, header};
use http_body::{Body, Frame};
use http_body_util::Either;
use std::convert::Infallible;
use std::io;
use std::pin::Pin;
use std::task::{Context, Poll};
use tower_service::Service;

/// A service whose replies may be mangled, around one whose replies say so.
#[derive(Clone)]
pub struct Mangling<S>(pub S);

/// A body that is whole, or breaks off.
pub type MaybeCut<B> = Either<B, Cut>;

/// The beginning of a body, and then an error, which closes the connection.
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

impl<S, R, B> Service<Request<R>> for Mangling<S>
where
    S: Service<Request<R>, Response = Response<B>, Error = Infallible>,
    S::Future: Send + 'static,
    B: Body<Data = Bytes> + Send + 'static,
    B::Error: std::error::Error + Send + Sync,
{
    type Response = Response<MaybeCut<B>>;
    type Error = io::Error;
    type Future = Pin<Box<dyn Future<Output = Result<Self::Response, io::Error>> + Send>>;

    fn poll_ready(&mut self, context: &mut Context<'_>) -> Poll<Result<(), io::Error>> {
        self.0.poll_ready(context).map_err(|never| match never {})
    }

    fn call(&mut self, mut request: Request<R>) -> Self::Future {
        // CONNECT names a host and no path, over which warp panics.
        if request.uri().path_and_query().is_none() {
            *request.uri_mut() = Uri::from_static("/");
        }
        let reply = self.0.call(request);
        Box::pin(async move {
            let response = reply.await.unwrap_or_else(|never| match never {});
            match response.extensions().get::<Mangled>().copied() {
                None => Ok(response.map(Either::Left)),
                Some(Mangled::Dropped) => Err(io::Error::other("a fault closes the connection")),
                Some(Mangled::TruncatedAt(bytes)) => Ok(cut(response, bytes).await),
            }
        })
    }
}

async fn cut<B>(response: Response<B>, bytes: usize) -> Response<MaybeCut<B>>
where
    B: Body<Data = Bytes>,
{
    use http_body_util::BodyExt;
    let (mut head, body) = response.into_parts();
    let whole = body.collect().await.map(http_body_util::Collected::to_bytes).unwrap_or_default();
    head.headers.insert(header::CONTENT_LENGTH, whole.len().into());
    let beginning = Some(whole.slice(..bytes.min(whole.len())));
    Response::from_parts(head, Either::Right(Cut { beginning, has_paused: false }))
}
