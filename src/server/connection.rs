//! The service of a connection: warp's filters for the API, control and the console.

#[cfg(feature = "compression")]
use super::compression::compress_if_accepted;
use super::connection_fault;
use super::idle_tracker::IdleTracker;
use super::non_api_head::{NonApiHead, non_api_head};
use super::pace::limit_speed;
use crate::console;
use crate::control::Control;
use crate::error;
use crate::http::authentication::CredentialsCache;
use crate::http::body::read_body;
use crate::http::request::{IncomingRequest, RequestHead};
use crate::http::{Edge, Response, reply};
use bytes::{Buf, Bytes};
use futures_util::future::Either;
use futures_util::{FutureExt, Stream, StreamExt};
use http::{HeaderValue, Method, Request, Uri, Version, header};
use http_body::Body;
use hyper::body::Incoming;
use hyper::service::{HttpService, service_fn};
use std::cell::RefCell;
use std::convert::Infallible;
use std::error::Error;
use std::fmt::Display;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use tokio::sync::watch;
use tower_service::Service;
use warp::{Filter, Rejection};

/// What a socket serves.
#[derive(Clone)]
pub enum Scope {
    /// The API of all worlds, control and the console.
    AllWorlds(Arc<Control>),
    /// The API of one world, until the world ends.
    OneWorld {
        edge: Arc<Edge>,
        /// The name of the world.
        world: Arc<str>,
        /// Becomes true when the world ends.
        ended: watch::Receiver<bool>,
    },
}

/// Waits for the end of the server, or of a world.
pub async fn wait_for_end(mut stopped: watch::Receiver<bool>) {
    // An error means that the sender was dropped, and so the server or the world.
    let _ = stopped.wait_for(|stopped| *stopped).await;
}

/// The routes of the server's main socket.
pub fn all_routes(
    control: &Arc<Control>,
    #[cfg_attr(not(feature = "watch"), expect(unused_variables, reason = "only watchers wait for the end"))]
    stopped: watch::Receiver<bool>,
) -> impl Filter<Extract = (Response,), Error = Rejection> + Clone + use<> {
    let routes = chat_api(control.edge.clone(), None);
    #[cfg(feature = "watch")]
    let routes = routes.or(super::watch_socket::watch_socket(control.clone(), stopped)).unify();
    routes
        .or(control_api(control.clone()))
        .unify()
        .or(console_page(control.clone()))
        .unify()
        .or(fallback_api(control.edge.clone()))
        .unify()
}

/// The route of the API. A single filter serves all operations: with one filter each, warp would try them in turn.
/// `port_world` is the world to which the socket's port belongs, if any.
pub fn chat_api(
    edge: Arc<Edge>,
    port_world: Option<Arc<str>>,
) -> impl Filter<Extract = (Response,), Error = Rejection> + Clone {
    warp::ext::get::<Arc<RequestHead>>().and(warp::body::stream()).then(move |head, body| {
        // The future is boxed, because it is larger than 4 KB, and warp and hyper move it several times.
        catch_panic(Box::pin(respond(edge.clone(), head, body, port_world.clone())))
    })
}

/// The API for paths that may also belong to the console, when the console does not handle the request.
fn fallback_api(edge: Arc<Edge>) -> impl Filter<Extract = (Response,), Error = Rejection> + Clone {
    non_api_head()
        .and(warp::body::stream())
        .then(move |head, body| catch_panic(Box::pin(respond(edge.clone(), head, body, None))))
}

/// Responds to an API request, whose body arrives no faster than the client's network allows.
async fn respond<E: Display>(
    edge: Arc<Edge>,
    head: Arc<RequestHead>,
    body: impl Stream<Item = Result<impl Buf, E>>,
    port_world: Option<Arc<str>>,
) -> Response {
    let port_world = port_world.as_deref();
    let body = match edge.upload_bandwidth(&head, port_world) {
        Some(bytes_per_second) => Either::Right(limit_speed(body, bytes_per_second)),
        None => Either::Left(body.map(|chunk| chunk.map(|mut chunk| chunk.copy_to_bytes(chunk.remaining())))),
    };
    compress_if_accepted(&head.headers, edge.respond(head.clone(), body, port_world).await)
}

/// Returns the response unchanged, in builds without compression.
#[cfg(not(feature = "compression"))]
fn compress_if_accepted(_: &http::HeaderMap, response: Response) -> Response {
    response
}

/// The route of control, except for the watch socket.
fn control_api(control: Arc<Control>) -> impl Filter<Extract = (Response,), Error = Rejection> + Clone {
    warp::path("control").and(non_api_head()).and(warp::body::stream()).then(move |head: Arc<RequestHead>, body| {
        let control = control.clone();
        async move {
            let mut request = IncomingRequest::from_parts(head.clone(), Bytes::new());
            let (limit, memory) = control.body_limit(&request);
            let is_authorized = || control.guard.check(&head.headers).is_ok();
            match read_body(&head.headers, limit, &memory, body, is_authorized).await {
                Ok(body) => {
                    request.body = body.bytes.clone();
                    // The future is boxed, so that API requests don't reserve memory for it.
                    compress_if_accepted(&head.headers, catch_panic(Box::pin(control.respond(&request))).await)
                }
                Err(error) => control.refuse(&request, &error),
            }
        }
    })
}

/// The route of the console's page and files. Rejects requests that the console does not answer.
fn console_page(control: Arc<Control>) -> impl Filter<Extract = (Response,), Error = Rejection> + Clone {
    warp::path::end().or(warp::path("console")).unify().and(non_api_head()).and_then(move |head: Arc<RequestHead>| {
        let response = console::respond(&control.guard, &head);
        std::future::ready(response.ok_or_else(warp::reject::not_found))
    })
}

static CONNECTION_COUNT: AtomicU64 = AtomicU64::new(0);

/// What the requests of a connection share.
struct ConnectionState {
    /// The number of the connection, from 1.
    number: u64,
    credentials: CredentialsCache,
}

impl ConnectionState {
    /// The state of a new connection, with the next number.
    fn open() -> Self {
        let number = CONNECTION_COUNT.fetch_add(1, Ordering::Relaxed) + 1;
        Self { number, credentials: CredentialsCache::default() }
    }
}

/// Moves the head of a request into its extensions, where the filters find it in one piece. Warp's filters would copy
/// its parts. The head of a request for control or the console is copied instead, because warp also reads it in its
/// place, for its routes and the WebSocket handshake.
fn with_head_extension(
    mut request: Request<Incoming>,
    scheme: &'static str,
    state: &ConnectionState,
    may_be_non_api: fn(&str) -> bool,
) -> Request<Incoming> {
    if request.version() == Version::HTTP_2 {
        normalize_http2(&mut request);
    }
    let uri = request.uri().clone();
    if may_be_non_api(uri.path()) {
        let (method, headers) = (request.method().clone(), request.headers().clone());
        let (connection_number, credentials) = (state.number, state.credentials.read(&headers));
        let head = RequestHead { method, scheme, uri, headers, connection_number, credentials };
        request.extensions_mut().insert(NonApiHead(Arc::new(head)));
    } else {
        let (method, headers) = (std::mem::take(request.method_mut()), std::mem::take(request.headers_mut()));
        let (connection_number, credentials) = (state.number, state.credentials.read(&headers));
        let head = RequestHead { method, scheme, uri, headers, connection_number, credentials };
        request.extensions_mut().insert(Arc::new(head));
    }
    request
}

/// Gives an HTTP/2 request the form of HTTP/1.1: a `Host` header, and a URI without scheme and host.
fn normalize_http2(request: &mut Request<Incoming>) {
    let host = request.uri().authority().and_then(|authority| HeaderValue::from_str(authority.as_str()).ok());
    if let Some(host) = host {
        request.headers_mut().insert(header::HOST, host);
    }
    let path = request.uri().path_and_query().cloned();
    if let Some(path) = path {
        *request.uri_mut() = Uri::from(path);
    }
}

/// Whether a path may belong to control or the console.
pub fn may_be_non_api(path: &str) -> bool {
    let is_in_folder =
        |folder: &str| path.strip_prefix(folder).is_some_and(|suffix| suffix.is_empty() || suffix.starts_with('/'));
    path == "/" || is_in_folder("/control") || is_in_folder("/console")
}

/// The service that answers the requests of one connection with these routes. `may_be_non_api` returns whether a path
/// may belong to control or the console, so that [`NonApiHead`] holds the head. The tracker counts the requests.
pub fn service(
    routes: impl Filter<Extract = (Response,), Error = Rejection, Future: 'static> + Clone + Send,
    scheme: &'static str,
    may_be_non_api: fn(&str) -> bool,
    tracker: Arc<IdleTracker>,
) -> impl HttpService<
    Incoming,
    Future: Send + 'static,
    ResBody: Body<Data = Bytes, Error = Box<dyn Error + Send + Sync>> + Send + 'static,
> + Send {
    // The requests of a connection are dispatched one at a time, so the service can be borrowed mutably.
    let routes = RefCell::new(warp::service(routes));
    let state = ConnectionState::open();
    service_fn(move |request| {
        let active_request = tracker.begin_request();
        let is_multiplexed = request.version() == Version::HTTP_2;
        // In HTTP/1.1, hyper itself omits the body.
        let omits_body = is_multiplexed && request.method() == Method::HEAD;
        let response = routes.borrow_mut().call(with_head_extension(request, scheme, &state, may_be_non_api));
        async move {
            let _active_request = active_request;
            let response = response.await.unwrap_or_else(|never: Infallible| match never {});
            let response = connection_fault::apply_faults(response, is_multiplexed).await?;
            Ok::<_, std::io::Error>(if omits_body { connection_fault::without_body(response) } else { response })
        }
    })
}

/// Replies with an internal error if the response panics, because a closed connection would look like a failure of the
/// network.
async fn catch_panic(response: impl Future<Output = Response>) -> Response {
    // Unwind safe: an incomplete change is dropped with the copy of the realm that it modified.
    let result = AssertUnwindSafe(response).catch_unwind().await;
    result.unwrap_or_else(|_| reply::refusal(&error::Error::Internal, None))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_panic_is_answered_with_an_error_reply() {
        let response = catch_panic(async { panic!("this program has a fault") }).await;

        let body: serde_json::Value = serde_json::from_slice(response.body()).expect("JSON");
        assert_eq!((response.status().as_u16(), &body["result"]), (500, &serde_json::json!("error")));
    }
}
