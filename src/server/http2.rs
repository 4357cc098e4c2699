//! HTTP/2: which connections speak it, and how their requests are served.

use super::connection::{Scope, all_worlds, chat_api, ended, is_own, service};
use super::idle::IdleTracker;
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
/// Bytes of the preface that no request of HTTP/1.1 begins with.
const DISTINCT_BYTES: usize = 4;
/// Pauses between two reads of a beginning that is too short to tell: each is twice the last, so that many connections
/// that send no more cost little.
const FIRST_PAUSE: Duration = Duration::from_millis(1);
const LONGEST_PAUSE: Duration = Duration::from_millis(500);
/// Bytes of a request's headers, all together.
const MAX_HEADERS: u32 = 400 * 1024;
/// Requests of one connection that are answered at the same time.
const MAX_STREAMS: u32 = 250;

/// Whether the client of a connection without TLS begins with the preface, which stays to be read.
pub async fn begins_with_preface(stream: &TcpStream) -> bool {
    let mut first = [0; PREFACE.len()];
    let mut pause = FIRST_PAUSE;
    loop {
        match stream.peek(&mut first).await {
            Ok(count) if count >= DISTINCT_BYTES || !PREFACE.starts_with(&first[..count]) => {
                return PREFACE.starts_with(&first[..count]);
            }
            Ok(count) if count > 0 => {
                tokio::time::sleep(pause).await;
                pause = LONGEST_PAUSE.min(2 * pause);
            }
            _ => return false,
        }
    }
}

/// Serves a connection until it ends by itself, or begins no further requests after `ending`.
///
/// # Errors
///
/// What broke the connection.
async fn serve<S, B>(
    io: impl Read + Write + Unpin + Send + 'static,
    service: S,
    ending: impl Future<Output = ()>,
) -> hyper::Result<()>
where
    S: HttpService<Incoming, ResBody = B, Future: Send + 'static>,
    S::Error: Into<Box<dyn Error + Send + Sync>>,
    B: Body<Data = Bytes, Error: Into<Box<dyn Error + Send + Sync>>> + Send + 'static,
{
    let mut builder = http2::Builder::new(TokioExecutor::new());
    builder.max_header_list_size(MAX_HEADERS).max_concurrent_streams(MAX_STREAMS);
    let connection = builder.serve_connection(io, service);
    tokio::pin!(connection);
    tokio::select! {
        biased;
        served = connection.as_mut() => served,
        () = ending => {
            connection.as_mut().graceful_shutdown();
            connection.await
        }
    }
}

/// Answers the requests of a connection until it ends. Boxed: the future of every connection would be as large otherwise.
pub fn answer<S: Read + Write + Unpin + Send + 'static>(
    io: S,
    scope: Scope,
    stopped: watch::Receiver<bool>,
    tracker: Arc<IdleTracker>,
) -> Pin<Box<dyn Future<Output = ()> + Send>> {
    Box::pin(async move {
        let served = match scope {
            Scope::AllWorlds(control) => {
                let routes = all_worlds(&control, stopped);
                let service = service(routes, control.edge.scheme, is_own, tracker);
                serve(io, service, std::future::pending()).await
            }
            Scope::OneWorld(edge, world, world_ended) => {
                let scheme = edge.scheme;
                let service = service(chat_api(edge, Some(world)), scheme, |_| false, tracker);
                serve(io, service, ended(world_ended)).await
            }
        };
        if let Err(error) = served {
            tracing::debug!("connection ended: {error}");
        }
    })
}
