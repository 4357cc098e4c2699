//! Binding, accepting, answering; the only place that reads the wall clock.

use crate::http::request::{Incoming, read_body};
use super::mangle::Mangling;
use crate::http::{Edge, Response};
use crate::time::Timestamp;
use crate::world::{RealTime, Worlds};
use http::{HeaderMap, Method};
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use std::io;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
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
    /// Serves bound sockets.
    pub fn start(bound: Bound, edge: Arc<Edge>) -> Self {
        let (stop, stopped) = watch::channel(false);
        let address = bound.address;
        for listener in bound.listeners {
            tokio::spawn(accept(listener, edge.clone(), None, stopped.clone()));
        }
        tokio::spawn(tick(edge.worlds.clone(), stopped));
        Self { stop, address }
    }

    /// The address that it listens on.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Serves a further socket for one world alone.
    pub fn also_serve(&self, bound: Bound, edge: &Arc<Edge>, world: &str) {
        for listener in bound.listeners {
            tokio::spawn(accept(listener, edge.clone(), Some(world.into()), self.stop.subscribe()));
        }
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

async fn accept(listener: TcpListener, edge: Arc<Edge>, world: Option<Arc<str>>, stopped: watch::Receiver<bool>) {
    let ending = ended(stopped.clone());
    tokio::pin!(ending);
    loop {
        tokio::select! {
            accepted = listener.accept() => match accepted {
                Ok((stream, _)) => {
                    let connection = connection(stream, edge.clone(), world.clone());
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

async fn connection(stream: TcpStream, edge: Arc<Edge>, world: Option<Arc<str>>) {
    let _ = stream.set_nodelay(true);
    let service = TowerToHyperService::new(Mangling(warp::service(filter(edge, world))));
    let served = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(HEAD_TIMEOUT)
        .half_close(false)
        .serve_connection(TokioIo::new(stream), service)
        .with_upgrades();
    if let Err(error) = served.await {
        tracing::debug!("connection ended: {error}");
    }
}

/// The one filter: everything goes to the table of operations.
fn filter(
    edge: Arc<Edge>,
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
            let world = world.clone();
            async move {
                let incoming = match read_body(&headers, body).await {
                    Ok(body) => Ok(Incoming { method, path: path.as_str().to_owned(), query, headers, body }),
                    Err(error) => Err((headers, error)),
                };
                edge.respond(incoming, world.as_deref()).await
            }
        })
}

/// Whether an address is reached from this machine alone.
pub fn is_loopback(host: &str) -> bool {
    host == "localhost" || host.trim_matches(['[', ']']).parse::<IpAddr>().is_ok_and(|address| address.is_loopback())
}
