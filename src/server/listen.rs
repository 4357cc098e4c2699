//! Binding, accepting, answering; the only place that reads the wall clock.

use super::connection::{Scope, all_worlds, chat_api, ended, is_own, service};
use super::error_rewriting::ErrorRewritingStream;
use super::http2;
use super::idle::IdleTracker;
use crate::control::Control;
use crate::error::Error;
use crate::http::{Edge, reply};
use crate::time::Timestamp;
use crate::tls::{SecureStream, Secured};
use crate::world::blocking::in_place;
use crate::world::{RealTime, World, Worlds};
use futures_util::future::Either;
use http_body_util::Full;
use hyper::rt::{Read, Write};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::TokioIo;
use std::convert::Infallible;
use std::io;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::Pin;
use std::sync::{Arc, Weak};
use std::time::{Duration, SystemTime, UNIX_EPOCH};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;

/// How long a connection may be silent before it is closed, at least; at most twice as long.
const PATIENCE: Duration = Duration::from_secs(15);
/// How long a client may take to begin with TLS.
const HANDSHAKE_TIME: Duration = Duration::from_secs(10);
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
            let target = with_port(host, port);
            let listener = TcpListener::bind(&target).await.map_err(|error| named(target, error))?;
            let address = listener.local_addr()?;
            let mut listeners = vec![listener];
            // Where sockets of the sixth version are not of the fourth too.
            if address.ip() == Ipv6Addr::UNSPECIFIED
                && let Ok(other) = TcpListener::bind((Ipv4Addr::UNSPECIFIED, address.port())).await
            {
                listeners.push(other);
            }
            return Ok(Self { listeners, address });
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
    pub fn start(bound: Bound, control: Arc<Control>, secured: Option<Secured>, stop: watch::Sender<bool>) -> Self {
        let stopped = stop.subscribe();
        let address = bound.address;
        let worlds = control.edge.worlds.clone();
        for listener in bound.listeners {
            let scope = Scope::AllWorlds(control.clone());
            tokio::spawn(accept(listener, scope, secured.clone(), ended(stopped.clone()), stopped.clone()));
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

/// Worlds that can't do what is due. A later one of the same name is another.
#[derive(Default)]
struct Broken(Vec<Weak<World>>);

impl Broken {
    fn has(&self, world: &Arc<World>) -> bool {
        self.0.iter().any(|one| Weak::as_ptr(one) == Arc::as_ptr(world))
    }

    /// Adds one, and forgets those that are gone.
    fn add(&mut self, world: &Arc<World>) {
        self.0.retain(|one| one.strong_count() > 0);
        self.0.push(Arc::downgrade(world));
    }
}

async fn tick(worlds: Arc<Worlds>, stopped: watch::Receiver<bool>) {
    let ending = ended(stopped);
    tokio::pin!(ending);
    let mut interval = tokio::time::interval(TICK);
    interval.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Skip);
    let mut broken = Broken::default();
    loop {
        tokio::select! {
            _ = interval.tick() => {}
            () = &mut ending => return,
        }
        // Handing over to another thread costs more than the look, and what one thread allocated the other frees.
        if worlds.have_abandoned() {
            in_place(|| worlds.end_abandoned());
        }
        for world in worlds.all() {
            if !world.is_due() || broken.has(&world) {
                continue;
            }
            // What one world can't do must not get in the way of others.
            if in_place(|| catch_unwind(AssertUnwindSafe(|| world.snapshot()))).is_err() {
                tracing::error!("world {} can't do what is due and no longer advances", world.name());
                broken.add(&world);
            }
        }
    }
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
    secured: Option<Secured>,
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
        let scope = Scope::OneWorld(edge.clone(), world.name().into(), world.ended());
        tokio::spawn(accept(listener, scope, secured.clone(), ending, stopped.clone()));
    }
    Ok(port)
}

async fn accept(
    listener: TcpListener,
    scope: Scope,
    secured: Option<Secured>,
    ending: impl Future<Output = ()>,
    stopped: watch::Receiver<bool>,
) {
    tokio::pin!(ending);
    let mut is_logged = false;
    loop {
        tokio::select! {
            accepted = listener.accept() => match accepted {
                Ok((stream, _)) => {
                    tokio::spawn(connection(stream, scope.clone(), secured.clone(), stopped.clone()));
                }
                // Out of open files, for one: give others time to close.
                Err(error) => {
                    if !std::mem::replace(&mut is_logged, true) {
                        tracing::warn!("connections have to wait until others close: {error}");
                    }
                    tokio::time::sleep(Duration::from_millis(10)).await;
                }
            },
            () = &mut ending => return,
        }
    }
}

/// Serves a connection until it ends by itself, is silent for too long, or the server ends.
async fn connection(stream: TcpStream, scope: Scope, secured: Option<Secured>, stopped: watch::Receiver<bool>) {
    let tracker = Arc::new(IdleTracker::default());
    // On a task of its own: its requests are not to wake what waits for the end.
    let mut serving = tokio::spawn(serve(stream, scope, secured, stopped.clone(), tracker.clone()));
    tokio::select! {
        _ = &mut serving => {}
        () = ended(stopped) => serving.abort(),
        () = tracker.idle_for(PATIENCE) => serving.abort(),
    }
}

async fn serve(
    stream: TcpStream,
    scope: Scope,
    secured: Option<Secured>,
    stopped: watch::Receiver<bool>,
    tracker: Arc<IdleTracker>,
) {
    let _ = stream.set_nodelay(true);
    let Some(secured) = secured else {
        // A world may end before its client has begun.
        let world_ends = match &scope {
            Scope::OneWorld(_, _, world_ended) => Either::Left(ended(world_ended.clone())),
            Scope::AllWorlds(_) => Either::Right(std::future::pending()),
        };
        let speaks_http2 = tokio::select! {
            speaks_http2 = http2::begins_with_preface(&stream) => speaks_http2,
            () = world_ends => return,
        };
        return match speaks_http2 {
            true => http2::answer(TokioIo::new(stream), scope, stopped, tracker).await,
            false => answer(TokioIo::new(stream), scope, stopped, tracker).await,
        };
    };
    serve_securely(stream, scope, secured, stopped, tracker).await;
}

/// Boxed: the future of connections without TLS would be as large otherwise.
fn serve_securely(
    stream: TcpStream,
    scope: Scope,
    secured: Secured,
    stopped: watch::Receiver<bool>,
    tracker: Arc<IdleTracker>,
) -> Pin<Box<dyn Future<Output = ()> + Send>> {
    Box::pin(async move {
        match tokio::time::timeout(HANDSHAKE_TIME, opened(stream, &secured)).await {
            Ok(Some(stream)) if Secured::is_http2(&stream) => {
                http2::answer(TokioIo::new(stream), scope, stopped, tracker).await;
            }
            Ok(Some(stream)) => answer(TokioIo::new(stream), scope, stopped, tracker).await,
            Ok(None) => {}
            Err(_) => tracing::debug!("connection ended: no TLS within {} s", HANDSHAKE_TIME.as_secs()),
        }
    })
}

/// The stream inside a TLS connection; None for a client that speaks something else, which gets a reply that says so if that is HTTP.
async fn opened(stream: TcpStream, secured: &Secured) -> Option<SecureStream> {
    let mut first = [0];
    if stream.peek(&mut first).await.is_ok() && first[0].is_ascii_uppercase() {
        let refuse = || async {
            let hint = "this server speaks HTTPS: begin the URL with https://".to_owned();
            Ok::<_, Infallible>(reply::failure(&Error::MalformedHttp, Some(hint)).map(Full::new))
        };
        let refusing = service_fn(move |_| refuse());
        let _ = http1::Builder::new().keep_alive(false).serve_connection(TokioIo::new(stream), refusing).await;
        return None;
    }
    match secured.accept(stream).await {
        Ok(stream) => Some(stream),
        Err(error) => {
            tracing::debug!("connection ended: {error}");
            None
        }
    }
}

async fn answer<S: Read + Write + Unpin + Send + 'static>(
    io: S,
    scope: Scope,
    stopped: watch::Receiver<bool>,
    tracker: Arc<IdleTracker>,
) {
    let io = ErrorRewritingStream::new(io, tracker.clone());
    let served = match scope {
        Scope::AllWorlds(control) => {
            let routes = all_worlds(&control, stopped);
            let service = service(routes, control.edge.scheme, is_own, tracker);
            http1::Builder::new().serve_connection(io, service).with_upgrades().await
        }
        Scope::OneWorld(edge, world, world_ended) => {
            let scheme = edge.scheme;
            let service = service(chat_api(edge, Some(world)), scheme, |_| false, tracker);
            let connection = http1::Builder::new().serve_connection(io, service);
            tokio::pin!(connection);
            tokio::select! {
                biased;
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

/// `HOST:PORT`; an address of the sixth version is in brackets.
pub fn with_port(host: &str, port: u16) -> String {
    if host.contains(':') && !host.starts_with('[') { format!("[{host}]:{port}") } else { format!("{host}:{port}") }
}

/// Whether it means all of a machine's addresses.
pub fn is_every_address(host: &str) -> bool {
    host.trim_matches(['[', ']']).parse::<IpAddr>().is_ok_and(|address| address.is_unspecified())
}

/// Whether an address is reached from this machine alone.
pub fn is_loopback(host: &str) -> bool {
    host == "localhost" || host.trim_matches(['[', ']']).parse::<IpAddr>().is_ok_and(|address| address.is_loopback())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::Source;
    use crate::time::Clock;
    use crate::world::WorldSettings;

    #[test]
    fn a_world_that_takes_the_place_of_a_broken_one_is_not_broken() {
        let made = || {
            let now = Timestamp::from_micros(0);
            let realm = Source::builtin("empty").expect("built in").realm(now, 0).expect("sound");
            let settings = WorldSettings { feature_level: 0, dialect: Arc::new(crate::dialect::Dialect::neutral()) };
            let clock = Clock::Frozen { at: now };
            Arc::new(World::new("blue".to_owned(), realm, clock, settings, Arc::new(WallClock)))
        };
        let (first, mut broken) = (made(), Broken::default());
        broken.add(&first);
        assert!(broken.has(&first));

        let second = made();

        assert!(!broken.has(&second));
        drop(first);
        broken.add(&second);
        assert_eq!(broken.0.len(), 1, "those that are gone are forgotten");
    }
}
