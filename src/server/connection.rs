//! What answers a connection's requests.
//!
//! Control and the WebSocket are warp's. The API goes from hyper, on which warp stands, straight to the table of
//! operations: the filters around it copied all headers and took a tenth of a small read's time.

use super::connection_fault::{ReplyBody, mangled};
use super::idle::IdleTracker;
use super::socket;
use crate::console;
use crate::control::Control;
use crate::control::pages::token_subprotocol;
use crate::error::Error;
use crate::http::authentication::{CredentialsCache, RequestCredentials};
use crate::http::deferral::Deferral;
use crate::http::request::{self, ApiRequest, BodyLimit, read_body};
use crate::http::{Answer, Edge, Response, reply};
use crate::world::aside::in_place;
use bytes::Bytes;
use futures_util::FutureExt;
use futures_util::future::{Either, Ready, ready};
use http::{HeaderMap, HeaderValue, Method, Request, Uri, header};
use http_body_util::{BodyDataStream, BodyExt};
use hyper::body::{Body, Incoming as IncomingBody};
use std::convert::Infallible;
use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::Pin;
use std::sync::Arc;
use tokio::sync::watch;
use tower_service::Service;
use warp::Filter;

/// What a socket serves.
#[derive(Clone)]
pub enum ServedWorlds {
    /// Everything.
    All(Arc<Control>),
    /// The API of one world, until it ends.
    One(Arc<Edge>, Arc<str>, watch::Receiver<bool>),
}

/// Answers the requests of one connection.
pub struct ConnectionService {
    served: ServedWorlds,
    stopped: watch::Receiver<bool>,
    pulse: Arc<IdleTracker>,
    credentials: CredentialsCache,
}

impl ConnectionService {
    /// Serves a connection until the server is stopped; the pulse tells that it does.
    pub fn new(served: ServedWorlds, stopped: watch::Receiver<bool>, pulse: Arc<IdleTracker>) -> Self {
        Self { served, stopped, pulse, credentials: CredentialsCache::default() }
    }
}

impl hyper::service::Service<Request<IncomingBody>> for ConnectionService {
    type Response = http::Response<ReplyBody>;
    type Error = io::Error;
    type Future =
        Either<Ready<io::Result<Self::Response>>, Pin<Box<dyn Future<Output = io::Result<Self::Response>> + Send>>>;

    fn call(&self, request: Request<IncomingBody>) -> Self::Future {
        let busy = self.pulse.begin();
        let (edge, world) = match &self.served {
            ServedWorlds::All(control) if is_control(request.uri().path()) => {
                let answer = controlled(control.clone(), self.stopped.clone(), request);
                return Either::Right(Box::pin(async move {
                    let _busy = busy;
                    mangled(answer.await)
                }));
            }
            ServedWorlds::All(control) if let Some(page) = console::answer(&control.guard, &request) => {
                return Either::Left(ready(mangled(page)));
            }
            ServedWorlds::All(control) => (&control.edge, None),
            ServedWorlds::One(edge, world, _) => (edge, Some(world)),
        };
        let (head, body) = request.into_parts();
        let credentials = self.credentials.read(&head.headers);
        if !body.is_end_stream() {
            let (edge, world) = (edge.clone(), world.cloned());
            return Either::Right(Box::pin(async move {
                let _busy = busy;
                let limit = BodyLimit::of_api(&head.headers);
                let body = match read_body(&head.headers, limit, BodyDataStream::new(body)).await {
                    Ok(body) => body,
                    Err(error) => return mangled(edge.refuse(&head.method, &head.headers, &error)),
                };
                let mut incoming = incoming(edge.scheme, head, credentials, body);
                if let Some(deferral) = edge.deferral(&incoming, world.as_deref()) {
                    let deferred = deferred(&edge, &mut incoming, world.as_deref(), &deferral);
                    return mangled(Box::pin(deferred).await);
                }
                let sent = request::parameters(&incoming).await;
                mangled(settled(guarded(|| edge.respond(&mut incoming, sent, world.as_deref()))).await)
            }));
        }
        // Most requests have no body and are answered at once, without a future of their own.
        let mut incoming = incoming(edge.scheme, head, credentials, Bytes::new());
        if let Some(deferral) = edge.deferral(&incoming, world.map(AsRef::as_ref)) {
            let (edge, world) = (edge.clone(), world.cloned());
            return Either::Right(Box::pin(async move {
                let _busy = busy;
                mangled(deferred(&edge, &mut incoming, world.as_deref(), &deferral).await)
            }));
        }
        let sent = Ok(request::of_query(&incoming));
        match guarded(|| edge.respond(&mut incoming, sent, world.map(AsRef::as_ref))) {
            Answer::Now(response) => Either::Left(ready(mangled(response))),
            Answer::Later(response) => Either::Right(Box::pin(async move {
                let _busy = busy;
                mangled(guarded_later(response).await)
            })),
        }
    }
}

fn incoming(
    scheme: &'static str,
    head: http::request::Parts,
    credentials: RequestCredentials,
    body: Bytes,
) -> ApiRequest {
    ApiRequest { method: head.method, scheme, uri: head.uri, headers: head.headers, credentials, session: None, body }
}

/// The response to a request that waits, or takes long, where no other request waits behind it.
async fn deferred(edge: &Edge, incoming: &mut ApiRequest, world: Option<&str>, deferral: &Deferral) -> Response {
    let permit = deferral.permitted().await;
    let answer = in_place(|| {
        // All of the body is there, so that reading it waits for nothing.
        let sent = request::parameters(incoming).now_or_never().unwrap_or(Err(Error::Internal));
        guarded(|| edge.respond(incoming, sent, world))
    });
    drop(permit);
    settled(answer).await
}

/// An answer, or the API's own word for a fault of this program: a closed connection would look like one of the network.
fn guarded(answer: impl FnOnce() -> Answer) -> Answer {
    // What a panic leaves behind is dropped with the copy of the realm that it worked on.
    match catch_unwind(AssertUnwindSafe(answer)) {
        Ok(answer) => answer,
        Err(_) => Answer::Now(reply::failure(&Error::Internal, None)),
    }
}

/// The response, once it is there; as [`guarded`].
async fn settled(answer: Answer) -> Response {
    match answer {
        Answer::Now(response) => response,
        Answer::Later(response) => guarded_later(response).await,
    }
}

/// As [`guarded`].
async fn guarded_later(response: impl Future<Output = Response>) -> Response {
    let answered = AssertUnwindSafe(response).catch_unwind().await;
    answered.unwrap_or_else(|_| reply::failure(&Error::Internal, None))
}

fn is_control(path: &str) -> bool {
    path == "/control" || path.starts_with("/control/")
}

/// The answer of warp's filters.
async fn controlled(
    control: Arc<Control>,
    stopped: watch::Receiver<bool>,
    mut request: Request<IncomingBody>,
) -> Response {
    // As a whole, of which warp shows only parts.
    let uri = request.uri().clone();
    request.extensions_mut().insert(uri);
    let mut service = warp::service(watching(control.clone(), stopped).or(controlling(control)));
    let response = service.call(request).await.unwrap_or_else(|never: Infallible| match never {});
    let (head, body) = response.into_parts();
    let body = body.collect().await.map(http_body_util::Collected::to_bytes).unwrap_or_default();
    Response::from_parts(head, body)
}

/// All of control but the WebSocket.
fn controlling(control: Arc<Control>) -> impl Filter<Extract = (Response,), Error = warp::Rejection> + Clone {
    warp::method().and(warp::ext::get::<Uri>()).and(warp::header::headers_cloned()).and(warp::body::stream()).then(
        move |method: Method, uri: Uri, headers: HeaderMap, body| {
            let control = control.clone();
            async move {
                let scheme = control.edge.scheme;
                let mut incoming =
                    ApiRequest { method, scheme, uri, headers, credentials: None, session: None, body: Bytes::new() };
                match read_body(&incoming.headers, control.body_limit(&incoming), body).await {
                    Ok(body) => {
                        incoming.body = body;
                        guarded_later(Box::pin(control.respond(&incoming))).await
                    }
                    Err(error) => control.refuse(&incoming, &error),
                }
            }
        },
    )
}

/// The WebSocket on which a world is watched.
fn watching(
    control: Arc<Control>,
    stopped: watch::Receiver<bool>,
) -> impl Filter<Extract = (Response,), Error = warp::Rejection> + Clone {
    warp::path!("control" / "worlds" / String / "watch")
        .and(warp::ext::get::<Uri>())
        .and(warp::header::headers_cloned())
        .and(warp::ws())
        .map(move |name: String, uri: Uri, headers: HeaderMap, socket: warp::ws::Ws| {
            match control.watched(&name, uri.query(), &headers) {
                Ok((world, per_second)) => {
                    let stopped = stopped.clone();
                    // Before the handshake is answered: what happens right after it is told.
                    let happening = world.watch();
                    let base_url = control.base_url(&headers, &name);
                    let upgraded = socket.on_upgrade(move |socket| {
                        socket::tell(world, base_url, happening, per_second, socket, stopped)
                    });
                    let (mut head, _) = warp::reply::Reply::into_response(upgraded).into_parts();
                    let subprotocol = token_subprotocol(&headers).and_then(|chosen| HeaderValue::from_str(chosen).ok());
                    if let Some(subprotocol) = subprotocol {
                        head.headers.insert(header::SEC_WEBSOCKET_PROTOCOL, subprotocol);
                    }
                    Response::from_parts(head, Bytes::new())
                }
                Err(refused) => refused,
            }
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_panic_is_answered_in_the_envelope() {
        let now = guarded(|| panic!("this program has a fault"));
        let later = guarded(|| Answer::Later(Box::pin(async { panic!("this program has a fault, too") })));

        for response in [settled(now).await, settled(later).await] {
            let body: serde_json::Value = serde_json::from_slice(response.body()).expect("JSON");
            assert_eq!((response.status().as_u16(), &body["result"]), (500, &serde_json::json!("error")));
        }
    }
}
