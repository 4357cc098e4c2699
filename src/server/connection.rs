//! What answers a connection's requests: warp's filters, one of which leads into the table of operations.

#[cfg(feature = "compression")]
use super::compression::encoded;
use super::connection_fault;
use super::idle::IdleTracker;
use super::own_head::{OwnHead, own_head};
use super::pace::paced;
use crate::console;
use crate::control::Control;
use crate::error;
use crate::http::authentication::CredentialsCache;
use crate::http::body::read_body;
use crate::http::request::{ApiRequest, RequestHead};
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
use tokio::sync::watch;
use tower_service::Service;
use warp::{Filter, Rejection};

/// What a socket serves.
#[derive(Clone)]
pub enum Scope {
    /// The API of all worlds, control and the page in the browser.
    AllWorlds(Arc<Control>),
    /// The API of one world, until it ends.
    OneWorld(Arc<Edge>, Arc<str>, watch::Receiver<bool>),
}

/// Waits for the end of the server, or of a world.
pub async fn ended(mut stopped: watch::Receiver<bool>) {
    let _ = stopped.wait_for(|stopped| *stopped).await;
}

/// All that a server's own socket serves.
pub fn all_worlds(
    control: &Arc<Control>,
    #[cfg_attr(not(feature = "watch"), expect(unused_variables, reason = "only watchers wait for the end"))]
    stopped: watch::Receiver<bool>,
) -> impl Filter<Extract = (Response,), Error = Rejection> + Clone + use<> {
    let first = chat_api(control.edge.clone(), None);
    #[cfg(feature = "watch")]
    let first = first.or(super::socket::watch_socket(control.clone(), stopped)).unify();
    first
        .or(control_api(control.clone()))
        .unify()
        .or(console_page(control.clone()))
        .unify()
        .or(rest_of_api(control.edge.clone()))
        .unify()
}

/// The API. One filter leads to the table of operations: warp would try one for each of them in turn. `port_world` is the
/// world that the socket's port belongs to, if it belongs to one.
pub fn chat_api(
    edge: Arc<Edge>,
    port_world: Option<Arc<str>>,
) -> impl Filter<Extract = (Response,), Error = Rejection> + Clone {
    warp::ext::get::<Arc<RequestHead>>().and(warp::body::stream()).then(move |head, body| {
        // The future is larger than 4 KB: all that warp and hyper put around it would be as large, and be moved with it.
        guarded(Box::pin(respond(edge.clone(), head, body, port_world.clone())))
    })
}

/// The API where the page in the browser might have answered and did not.
fn rest_of_api(edge: Arc<Edge>) -> impl Filter<Extract = (Response,), Error = Rejection> + Clone {
    own_head()
        .and(warp::body::stream())
        .then(move |head, body| guarded(Box::pin(respond(edge.clone(), head, body, None))))
}

/// Answers a request whose body arrives as fast as the client's network lets it.
async fn respond<E: Display>(
    edge: Arc<Edge>,
    head: Arc<RequestHead>,
    body: impl Stream<Item = Result<impl Buf, E>>,
    port_world: Option<Arc<str>>,
) -> Response {
    let port_world = port_world.as_deref();
    let body = match edge.uplink(&head, port_world) {
        Some(bytes_per_second) => Either::Right(paced(body, bytes_per_second)),
        None => Either::Left(body.map(|piece| piece.map(|mut piece| piece.copy_to_bytes(piece.remaining())))),
    };
    encoded(&head.headers, edge.respond(head.clone(), body, port_world).await)
}

/// The response as it is: the program is built without compression.
#[cfg(not(feature = "compression"))]
fn encoded(_: &http::HeaderMap, response: Response) -> Response {
    response
}

/// All of control but the WebSocket.
fn control_api(control: Arc<Control>) -> impl Filter<Extract = (Response,), Error = Rejection> + Clone {
    warp::path("control").and(own_head()).and(warp::body::stream()).then(move |head: Arc<RequestHead>, body| {
        let control = control.clone();
        async move {
            let mut incoming = ApiRequest::new(head.clone(), Bytes::new());
            let (limit, room) = control.body_limit(&incoming);
            let is_wanted = || control.guard.check(&head.headers).is_ok();
            match read_body(&head.headers, limit, &room, body, is_wanted).await {
                Ok(body) => {
                    incoming.body = body.bytes.clone();
                    // Apart, since the requests of the API would reserve its room too.
                    encoded(&head.headers, guarded(Box::pin(control.respond(&incoming))).await)
                }
                Err(error) => control.refuse(&incoming, &error),
            }
        }
    })
}

/// The page in the browser and its files.
fn console_page(control: Arc<Control>) -> impl Filter<Extract = (Response,), Error = Rejection> + Clone {
    warp::path::end().or(warp::path("console")).unify().and(own_head()).and_then(move |head: Arc<RequestHead>| {
        let page = console::answer(&control.guard, &head);
        std::future::ready(page.ok_or_else(warp::reject::not_found))
    })
}

/// Moves a request's head to where the filters find it whole; warp's would copy its parts one by one. That of control
/// stays too, since warp has to recognize the WebSocket.
fn with_head_apart(
    mut request: Request<Incoming>,
    scheme: &'static str,
    credentials: &CredentialsCache,
    is_own: fn(&str) -> bool,
) -> Request<Incoming> {
    if request.version() == Version::HTTP_2 {
        with_host(&mut request);
    }
    let uri = request.uri().clone();
    if is_own(uri.path()) {
        let (method, headers) = (request.method().clone(), request.headers().clone());
        let (connection, credentials) = (credentials.connection, credentials.read(&headers));
        let head = RequestHead { method, scheme, uri, headers, connection, credentials };
        request.extensions_mut().insert(OwnHead(Arc::new(head)));
    } else {
        let (method, headers) = (std::mem::take(request.method_mut()), std::mem::take(request.headers_mut()));
        let (connection, credentials) = (credentials.connection, credentials.read(&headers));
        let head = RequestHead { method, scheme, uri, headers, connection, credentials };
        request.extensions_mut().insert(Arc::new(head));
    }
    request
}

/// Gives a request of HTTP/2 the form of others: its host is a header, and its address a path.
fn with_host(request: &mut Request<Incoming>) {
    let host = request.uri().authority().and_then(|authority| HeaderValue::from_str(authority.as_str()).ok());
    if let Some(host) = host {
        request.headers_mut().insert(header::HOST, host);
    }
    let path = request.uri().path_and_query().cloned();
    if let Some(path) = path {
        *request.uri_mut() = Uri::from(path);
    }
}

/// Whether a path may be for control or the page in the browser.
pub fn is_own(path: &str) -> bool {
    let is_below =
        |folder: &str| path.strip_prefix(folder).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'));
    path == "/" || is_below("/control") || is_below("/console")
}

/// Answers the requests of one connection by these filters. `is_own` says which paths may be for others than the API. The
/// tracker learns of each request.
pub fn service(
    routes: impl Filter<Extract = (Response,), Error = Rejection, Future: 'static> + Clone + Send,
    scheme: &'static str,
    is_own: fn(&str) -> bool,
    tracker: Arc<IdleTracker>,
) -> impl HttpService<
    Incoming,
    Future: Send + 'static,
    ResBody: Body<Data = Bytes, Error = Box<dyn Error + Send + Sync>> + Send + 'static,
> + Send {
    // A connection's requests come one after the other, and warp's service wants to be called so.
    let routes = RefCell::new(warp::service(routes));
    let credentials = CredentialsCache::default();
    service_fn(move |request| {
        let active = tracker.begin();
        let is_multiplexed = request.version() == Version::HTTP_2;
        // In HTTP/1.1, hyper leaves the body out by itself.
        let has_no_body = is_multiplexed && request.method() == Method::HEAD;
        let answer = routes.borrow_mut().call(with_head_apart(request, scheme, &credentials, is_own));
        async move {
            let _active = active;
            let response = answer.await.unwrap_or_else(|never: Infallible| match never {});
            let response = connection_fault::apply(response, is_multiplexed).await?;
            Ok::<_, std::io::Error>(if has_no_body { connection_fault::without_body(response) } else { response })
        }
    })
}

/// The response, or the API's own word for a fault of this program: a closed connection would look like one of the network.
async fn guarded(response: impl Future<Output = Response>) -> Response {
    // What a panic leaves behind is dropped with the copy of the realm that it worked on.
    let answered = AssertUnwindSafe(response).catch_unwind().await;
    answered.unwrap_or_else(|_| reply::failure(&error::Error::Internal, None))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_panic_is_answered_in_the_envelope() {
        let response = guarded(async { panic!("this program has a fault") }).await;

        let body: serde_json::Value = serde_json::from_slice(response.body()).expect("JSON");
        assert_eq!((response.status().as_u16(), &body["result"]), (500, &serde_json::json!("error")));
    }
}
