//! HTTP/2: detecting it on connections without TLS, and serving it.

use super::connection::{Scope, all_routes, chat_api, may_be_non_api, service, wait_for_end};
use super::idle_tracker::IdleTracker;
use bytes::Bytes;
use http_body::Body;
use hyper::body::Incoming;
use hyper::rt::{Read, Write};
use hyper::server::conn::http2;
use hyper::service::HttpService;
use hyper_util::rt::TokioExecutor;
use std::error::Error;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;
use tokio::net::TcpStream;
use tokio::sync::watch;

/// The connection preface of HTTP/2, up to its first empty line (RFC 9113, section 3.4).
const PREFACE: &[u8] = b"PRI * HTTP/2.0\r\n\r\n";
/// Number of bytes that distinguish the preface from any HTTP/1.1 request.
const DISTINCT_BYTES: usize = 4;
/// The first pause between two reads of a connection that has sent too few bytes. The pauses double up to
/// [`MAX_PAUSE`], so that many silent connections cost little.
const FIRST_PAUSE: Duration = Duration::from_millis(1);
const MAX_PAUSE: Duration = Duration::from_millis(500);
/// The maximum size of a request's headers: about that of the buffer in which hyper reads those of HTTP/1.1.
const MAX_HEADER_BYTES: u32 = 400 * 1024;
const MAX_CONCURRENT_REQUESTS: u32 = 250;

/// Whether a connection without TLS begins with the preface, which is not consumed.
pub async fn begins_with_preface(stream: &TcpStream) -> bool {
    let mut first_bytes = [0; PREFACE.len()];
    let mut pause = FIRST_PAUSE;
    loop {
        match stream.peek(&mut first_bytes).await {
            Ok(count) if count >= DISTINCT_BYTES || !PREFACE.starts_with(&first_bytes[..count]) => {
                return PREFACE.starts_with(&first_bytes[..count]);
            }
            Ok(count) if count > 0 => {
                tokio::time::sleep(pause).await;
                pause = MAX_PAUSE.min(2 * pause);
            }
            _ => return false,
        }
    }
}

/// Serves a connection until the client closes it. After `shutdown`, new requests are refused.
///
/// # Errors
///
/// When the connection breaks.
async fn serve<S, B>(
    io: impl Read + Write + Unpin + Send + 'static,
    service: S,
    shutdown: impl Future<Output = ()>,
) -> hyper::Result<()>
where
    S: HttpService<Incoming, ResBody = B, Future: Send + 'static>,
    S::Error: Into<Box<dyn Error + Send + Sync>>,
    B: Body<Data = Bytes, Error: Into<Box<dyn Error + Send + Sync>>> + Send + 'static,
{
    let mut builder = http2::Builder::new(TokioExecutor::new());
    builder.max_header_list_size(MAX_HEADER_BYTES).max_concurrent_streams(MAX_CONCURRENT_REQUESTS);
    let connection = builder.serve_connection(io, service);
    tokio::pin!(connection);
    tokio::select! {
        biased;
        result = connection.as_mut() => result,
        () = shutdown => {
            connection.as_mut().graceful_shutdown();
            connection.await
        }
    }
}

/// Serves the routes of a scope on a connection until it ends. The future is boxed: otherwise it would enlarge the
/// future of every connection.
pub fn serve_scope<S: Read + Write + Unpin + Send + 'static>(
    io: S,
    scope: Scope,
    stopped: watch::Receiver<bool>,
    tracker: Arc<IdleTracker>,
) -> Pin<Box<dyn Future<Output = ()> + Send>> {
    Box::pin(async move {
        let result = match scope {
            Scope::AllWorlds(control) => {
                let routes = all_routes(&control, stopped);
                let service = service(routes, control.edge.scheme, may_be_non_api, tracker);
                serve(io, service, std::future::pending()).await
            }
            Scope::OneWorld { edge, world, ended } => {
                let scheme = edge.scheme;
                let service = service(chat_api(edge, Some(world)), scheme, |_| false, tracker);
                serve(io, service, wait_for_end(ended)).await
            }
        };
        if let Err(error) = result {
            tracing::debug!("connection ended: {error}");
        }
    })
}
