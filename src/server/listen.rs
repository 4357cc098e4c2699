//! Binding, accepting, answering; the only place that reads the wall clock.

use super::malformed::Enveloping;
use super::mangle::Mangling;
use super::socket;
use crate::control::Control;
use crate::error::Error;
use crate::http::request::{Incoming, read_body};
use crate::http::{Edge, Response, reply};
use crate::time::Timestamp;
use crate::world::{RealTime, World, Worlds};
use futures_util::FutureExt;
use http::{HeaderMap, Method};
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use std::io;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use warp::Filter;

/// How long a connection may take to send a request's head.
const HEAD_TIMEOUT: Duration = Duration::from_secs(15);
/// How often worlds that go with real time look for what is due.
const TICK: Duration = Duration::from_millis(100);

/// The wall clock.
#[derive(Clone, Copy, Debug, Default)]
pub struct WallClock;

impl RealTime for WallClock {
    fn now(&self) -> Timestamp {
        let since_epoch = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        Timestamp::from_micros(i64::try_from(since_epoch.as_micros()).unwrap_or(i64::MAX))
    }
}

/// Sockets that are bound and not yet served.
pub struct Bound {
    listeners: Vec<TcpListener>,
    address: SocketAddr,
}

impl Bound {
    /// Binds an address; without a host both loopback families, one port.
    ///
    /// # Errors
    ///
    /// What the system says, with the address.
    pub async fn bind(host: Option<&str>, port: u16) -> io::Result<Self> {
        let named = |address: String, error: io::Error| {
            io::Error::new(error.kind(), format!("cannot listen on {address}: {error}"))
        };
        if let Some(host) = host {
            let target = if host.contains(':') && !host.starts_with('[') {
                format!("[{host}]:{port}")
            } else {
                format!("{host}:{port}")
            };
            let listener = TcpListener::bind(&target).await.map_err(|error| named(target, error))?;
            let address = listener.local_addr()?;
            return Ok(Self { listeners: vec![listener], address });
        }
        for attempt in 0.. {
            let target = SocketAddr::from((Ipv4Addr::LOCALHOST, port));
            let first = TcpListener::bind(target).await.map_err(|error| named(target.to_string(), error))?;
            let address = first.local_addr()?;
            let other = SocketAddr::from((Ipv6Addr::LOCALHOST, address.port()));
            match TcpListener::bind(other).await {
                Ok(second) => return Ok(Self { listeners: vec![first, second], address }),
                // A free port of one family may be taken in the other: try another one.
                Err(error) if error.kind() == io::ErrorKind::AddrInUse && port == 0 && attempt < 20 => {}
                Err(error) if error.kind() == io::ErrorKind::AddrInUse => return Err(named(other.to_string(), error)),
                Err(_) => return Ok(Self { listeners: vec![first], address }),
            }
        }
        unreachable!("the loop ends by returning")
    }

    /// The address, with the port that was given.
    pub fn address(&self) -> SocketAddr {
        self.address
    }
}

/// A server that is running. Dropping it stops it.
pub struct Running {
    stop: watch::Sender<bool>,
    address: SocketAddr,
}

impl Running {
    /// Serves bound sockets: the API of all worlds, and control.
    pub fn start(bound: Bound, control: Arc<Control>, stop: watch::Sender<bool>) -> Self {
        let stopped = stop.subscribe();
        let address = bound.address;
        let worlds = control.edge.worlds.clone();
        for listener in bound.listeners {
            tokio::spawn(accept(listener, Served::All(control.clone()), ended(stopped.clone()), stopped.clone()));
        }
        tokio::spawn(tick(worlds, stopped));
        Self { stop, address }
    }

    /// The address that it listens on.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Ends all connections, parked polls included.
    pub fn stop(&self) {
        self.stop.send_replace(true);
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.stop();
    }
}

async fn tick(worlds: Arc<Worlds>, stopped: watch::Receiver<bool>) {
    let ending = ended(stopped);
    tokio::pin!(ending);
    let mut interval = tokio::time::interval(TICK);
    interval.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Skip);
    loop {
        tokio::select! {
            _ = interval.tick() => {}
            () = &mut ending => return,
        }
        for world in worlds.all() {
            world.snapshot();
        }
    }
}

/// What a socket serves.
#[derive(Clone)]
enum Served {
    /// Everything.
    All(Arc<Control>),
    /// The API of one world, until it ends.
    One(Arc<Edge>, Arc<str>, watch::Receiver<bool>),
}

/// Serves a further socket of the server's host for one world alone, until the world or the server ends; its port.
///
/// # Errors
///
/// What the system says.
pub async fn serve_world(
    edge: Arc<Edge>,
    world: Arc<World>,
    host: Option<&str>,
    stopped: watch::Receiver<bool>,
) -> io::Result<u16> {
    let bound = Bound::bind(host, 0).await?;
    let port = bound.address().port();
    for listener in bound.listeners {
        let (server_ends, world_ends) = (ended(stopped.clone()), ended(world.ended()));
        let ending = async move {
            tokio::select! {
                () = server_ends => {}
                () = world_ends => {}
            }
        };
        let served = Served::One(edge.clone(), world.name().into(), world.ended());
        tokio::spawn(accept(listener, served, ending, stopped.clone()));
    }
    Ok(port)
}

async fn accept(
    listener: TcpListener,
    served: Served,
    ending: impl Future<Output = ()>,
    stopped: watch::Receiver<bool>,
) {
    tokio::pin!(ending);
    loop {
        tokio::select! {
            accepted = listener.accept() => match accepted {
                Ok((stream, _)) => {
                    let connection = connection(stream, served.clone(), stopped.clone());
                    let ending = ended(stopped.clone());
                    tokio::spawn(async move {
                        tokio::select! {
                            () = connection => {}
                            () = ending => {}
                        }
                    });
                }
                // Out of file descriptors, for one: give others time to close.
                Err(_) => tokio::time::sleep(Duration::from_millis(10)).await,
            },
            () = &mut ending => return,
        }
    }
}

/// Waits for the end of the server.
async fn ended(mut stopped: watch::Receiver<bool>) {
    let _ = stopped.wait_for(|stopped| *stopped).await;
}

async fn connection(stream: TcpStream, served: Served, stopped: watch::Receiver<bool>) {
    let _ = stream.set_nodelay(true);
    let builder = || {
        let mut builder = http1::Builder::new();
        builder.timer(TokioTimer::new()).header_read_timeout(HEAD_TIMEOUT).half_close(false);
        builder
    };
    let io = Enveloping::new(TokioIo::new(stream));
    let served = match served {
        Served::All(control) => {
            let service = warp::service(watching(control.clone(), stopped).or(everything(
                control.edge.clone(),
                Some(control),
                None,
            )));
            builder().serve_connection(io, TowerToHyperService::new(Mangling(service))).with_upgrades().await
        }
        Served::One(edge, world, world_ended) => {
            let service = warp::service(everything(edge, None, Some(world)));
            let connection = builder().serve_connection(io, TowerToHyperService::new(Mangling(service)));
            tokio::pin!(connection);
            tokio::select! {
                served = connection.as_mut() => served,
                // A connection that is kept open must not lead to a later world of the same name.
                () = ended(world_ended) => {
                    connection.as_mut().graceful_shutdown();
                    connection.await
                }
            }
        }
    };
    if let Err(error) = served {
        tracing::debug!("connection ended: {error}");
    }
}

/// The one filter: everything goes to the table of operations, but for control.
fn everything(
    edge: Arc<Edge>,
    control: Option<Arc<Control>>,
    world: Option<Arc<str>>,
) -> impl Filter<Extract = (Response,), Error = warp::Rejection> + Clone {
    let query = warp::query::raw().or(warp::any().map(String::new)).unify();
    warp::method()
        .and(warp::path::full())
        .and(query)
        .and(warp::header::headers_cloned())
        .and(warp::body::stream())
        .then(move |method: Method, path: warp::path::FullPath, query: String, headers: HeaderMap, body| {
            let edge = edge.clone();
            let control = control.clone();
            let world = world.clone();
            // On the heap: the filters around it move their futures, one in another, and this one is large.
            Box::pin(async move {
                let incoming = match read_body(&headers, body).await {
                    Ok(body) => Ok(Incoming { method, path: path.as_str().to_owned(), query, headers, body }),
                    Err(error) => Err((headers, error)),
                };
                match (&incoming, control) {
                    (Ok(incoming), Some(control)) if is_control(&incoming.path) => {
                        guarded(Box::pin(control.respond(incoming))).await
                    }
                    _ => guarded(edge.respond(incoming, world.as_deref())).await,
                }
            })
        })
}

/// An answer, or the API's own word for a fault of this program: a closed connection would look like one of the network.
async fn guarded(answer: impl Future<Output = Response>) -> Response {
    // What a panic leaves behind is dropped with the copy of the realm that it worked on.
    let answered = AssertUnwindSafe(answer).catch_unwind().await;
    answered.unwrap_or_else(|_| reply::failure(&Error::Internal, None))
}

fn is_control(path: &str) -> bool {
    path == "/control" || path.starts_with("/control/")
}

/// The WebSocket on which a world is watched.
fn watching(
    control: Arc<Control>,
    stopped: watch::Receiver<bool>,
) -> impl Filter<Extract = (Response,), Error = warp::Rejection> + Clone {
    warp::path!("control" / "worlds" / String / "watch").and(warp::header::headers_cloned()).and(warp::ws()).map(
        move |name: String, headers: HeaderMap, socket: warp::ws::Ws| match control.watched(&name, headers) {
            Ok(world) => {
                let stopped = stopped.clone();
                let upgraded = socket.on_upgrade(move |socket| socket::tell(world, socket, stopped));
                let (head, _) = warp::reply::Reply::into_response(upgraded).into_parts();
                Response::from_parts(head, bytes::Bytes::new())
            }
            Err(refused) => refused,
        },
    )
}

/// Whether an address is reached from this machine alone.
pub fn is_loopback(host: &str) -> bool {
    host == "localhost" || host.trim_matches(['[', ']']).parse::<IpAddr>().is_ok_and(|address| address.is_loopback())
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
