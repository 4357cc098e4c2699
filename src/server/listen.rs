//! The sockets of a server: binding, accepting and serving connections.

use super::addresses::with_port;
use super::connection::{Scope, all_routes, chat_api, may_be_non_api, service, wait_for_end};
use super::error_rewriting::ErrorRewritingStream;
use super::http2;
use super::idle_tracker::IdleTracker;
use super::real_time::advance_worlds;
use super::request_line::LineEncodingStream;
use crate::control::Control;
use crate::error::Error;
use crate::http::{Edge, reply};
use crate::tls::{SecureStream, TlsConfig};
use crate::world::World;
use futures_util::future::Either;
use http_body_util::Full;
use hyper::rt::{Read, Write};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::TokioIo;
use std::convert::Infallible;
use std::io;
use std::net::{Ipv4Addr, Ipv6Addr, SocketAddr};
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;

/// A connection is closed after it was idle for this time, or for up to twice as long.
const IDLE_TIMEOUT: Duration = Duration::from_secs(15);
/// How often a free port is chosen again if the one for IPv4 is taken for IPv6.
const MAX_PORT_RETRIES: usize = 20;
const HANDSHAKE_TIMEOUT: Duration = Duration::from_secs(10);

/// Sockets that are bound, but not yet served.
pub struct BoundSockets {
    listeners: Vec<TcpListener>,
    address: SocketAddr,
}

impl BoundSockets {
    /// Binds an address; for `::`, also `0.0.0.0` where the system separates the two. Without a host, binds the IPv4
    /// loopback address and, if the system has it, that of IPv6 with the same port.
    ///
    /// # Errors
    ///
    /// The system's error, with the address.
    pub async fn bind(host: Option<&str>, port: u16) -> io::Result<Self> {
        let with_address = |address: String, error: io::Error| {
            io::Error::new(error.kind(), format!("cannot listen on {address}: {error}"))
        };
        if let Some(host) = host {
            let address_text = with_port(host, port);
            let listener = TcpListener::bind(&address_text).await.map_err(|error| with_address(address_text, error))?;
            let address = listener.local_addr()?;
            let mut listeners = vec![listener];
            // Some systems do not accept IPv4 connections on IPv6 sockets.
            if address.ip() == Ipv6Addr::UNSPECIFIED
                && let Ok(ipv4_listener) = TcpListener::bind((Ipv4Addr::UNSPECIFIED, address.port())).await
            {
                listeners.push(ipv4_listener);
            }
            return Ok(Self { listeners, address });
        }
        for retries in 0.. {
            let ipv4_address = SocketAddr::from((Ipv4Addr::LOCALHOST, port));
            let ipv4 =
                TcpListener::bind(ipv4_address).await.map_err(|error| with_address(ipv4_address.to_string(), error))?;
            let address = ipv4.local_addr()?;
            let ipv6_address = SocketAddr::from((Ipv6Addr::LOCALHOST, address.port()));
            match TcpListener::bind(ipv6_address).await {
                Ok(ipv6) => return Ok(Self { listeners: vec![ipv4, ipv6], address }),
                // A port may be free in one address family and taken in the other.
                Err(error) if error.kind() == io::ErrorKind::AddrInUse && port == 0 && retries < MAX_PORT_RETRIES => {}
                Err(error) if error.kind() == io::ErrorKind::AddrInUse => {
                    return Err(with_address(ipv6_address.to_string(), error));
                }
                Err(_) => return Ok(Self { listeners: vec![ipv4], address }),
            }
        }
        unreachable!("the loop ends by returning")
    }

    /// The bound address, with the actual port.
    pub fn address(&self) -> SocketAddr {
        self.address
    }
}

/// The tasks of a running server. Dropping this stops them.
pub struct ServerTasks {
    stop: watch::Sender<bool>,
    address: SocketAddr,
}

impl ServerTasks {
    /// Serves the API of all worlds, control and the console on bound sockets, and does what falls due in the worlds.
    pub fn start(
        bound: BoundSockets,
        control: Arc<Control>,
        tls_config: Option<TlsConfig>,
        stop: watch::Sender<bool>,
    ) -> Self {
        let stopped = stop.subscribe();
        let address = bound.address;
        let worlds = control.edge.worlds.clone();
        for listener in bound.listeners {
            let scope = Scope::AllWorlds(control.clone());
            tokio::spawn(accept(listener, scope, tls_config.clone(), wait_for_end(stopped.clone()), stopped.clone()));
        }
        tokio::spawn(advance_worlds(worlds, stopped));
        Self { stop, address }
    }

    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Stops the tasks, which ends all connections, including parked polls.
    pub fn stop(&self) {
        self.stop.send_replace(true);
    }
}

impl Drop for ServerTasks {
    fn drop(&mut self) {
        self.stop();
    }
}

/// Serves one world on its own port until the world or the server ends. Returns the port.
///
/// # Errors
///
/// The system's error when no port can be bound.
pub async fn serve_world(
    edge: Arc<Edge>,
    world: Arc<World>,
    host: Option<&str>,
    tls_config: Option<TlsConfig>,
    stopped: watch::Receiver<bool>,
) -> io::Result<u16> {
    let bound = BoundSockets::bind(host, 0).await?;
    let port = bound.address().port();
    for listener in bound.listeners {
        let (server_ends, world_ends) = (wait_for_end(stopped.clone()), wait_for_end(world.ended()));
        let shutdown = async move {
            tokio::select! {
                () = server_ends => {}
                () = world_ends => {}
            }
        };
        let scope = Scope::OneWorld { edge: edge.clone(), world: world.name().into(), ended: world.ended() };
        tokio::spawn(accept(listener, scope, tls_config.clone(), shutdown, stopped.clone()));
    }
    Ok(port)
}

/// Accepts connections until `shutdown`. They are closed when `stopped` becomes true.
async fn accept(
    listener: TcpListener,
    scope: Scope,
    tls_config: Option<TlsConfig>,
    shutdown: impl Future<Output = ()>,
    stopped: watch::Receiver<bool>,
) {
    tokio::pin!(shutdown);
    let mut has_warned = false;
    loop {
        tokio::select! {
            accepted = listener.accept() => match accepted {
                Ok((stream, _)) => {
                    tokio::spawn(handle_connection(stream, scope.clone(), tls_config.clone(), stopped.clone()));
                }
                // This may mean too many open files, so the loop gives other connections time to close.
                Err(error) => {
                    if !std::mem::replace(&mut has_warned, true) {
                        tracing::warn!("connections have to wait until others close: {error}");
                    }
                    tokio::time::sleep(Duration::from_millis(10)).await;
                }
            },
            () = &mut shutdown => return,
        }
    }
}

/// Serves a connection until the client closes it, it is idle for too long, or the server or the only world of its port
/// ends.
async fn handle_connection(
    stream: TcpStream,
    scope: Scope,
    tls_config: Option<TlsConfig>,
    stopped: watch::Receiver<bool>,
) {
    let tracker = Arc::new(IdleTracker::default());
    // A separate task serves the connection, so that a request does not also wake the futures that wait
    // for the end.
    let mut serving = tokio::spawn(serve(stream, scope, tls_config, stopped.clone(), tracker.clone()));
    tokio::select! {
        _ = &mut serving => {}
        () = wait_for_end(stopped) => serving.abort(),
        () = tracker.wait_until_idle(IDLE_TIMEOUT) => serving.abort(),
    }
}

async fn serve(
    stream: TcpStream,
    scope: Scope,
    tls_config: Option<TlsConfig>,
    stopped: watch::Receiver<bool>,
    tracker: Arc<IdleTracker>,
) {
    // If this fails, replies are only slower.
    let _ = stream.set_nodelay(true);
    let Some(tls_config) = tls_config else {
        // The world may end before the client sends anything.
        let world_ends = match &scope {
            Scope::OneWorld { ended, .. } => Either::Left(wait_for_end(ended.clone())),
            Scope::AllWorlds(_) => Either::Right(std::future::pending()),
        };
        let is_http2 = tokio::select! {
            is_http2 = http2::begins_with_preface(&stream) => is_http2,
            () = world_ends => return,
        };
        return match is_http2 {
            true => http2::serve_scope(TokioIo::new(stream), scope, stopped, tracker).await,
            false => serve_http1(TokioIo::new(stream), scope, stopped, tracker).await,
        };
    };
    serve_tls(stream, scope, tls_config, stopped, tracker).await;
}

/// Serves a connection with TLS. The future is boxed: otherwise it would enlarge the future of connections without TLS.
fn serve_tls(
    stream: TcpStream,
    scope: Scope,
    tls_config: TlsConfig,
    stopped: watch::Receiver<bool>,
    tracker: Arc<IdleTracker>,
) -> Pin<Box<dyn Future<Output = ()> + Send>> {
    Box::pin(async move {
        match tokio::time::timeout(HANDSHAKE_TIMEOUT, handshake(stream, &tls_config)).await {
            Ok(Some(stream)) if TlsConfig::is_http2(&stream) => {
                http2::serve_scope(TokioIo::new(stream), scope, stopped, tracker).await;
            }
            Ok(Some(stream)) => serve_http1(TokioIo::new(stream), scope, stopped, tracker).await,
            Ok(None) => {}
            Err(_) => tracing::debug!("connection ended: no TLS within {} s", HANDSHAKE_TIMEOUT.as_secs()),
        }
    })
}

/// Performs the TLS handshake. Returns None if it fails. A client that speaks plain HTTP gets an error reply first.
async fn handshake(stream: TcpStream, tls_config: &TlsConfig) -> Option<SecureStream> {
    let mut first_byte = [0];
    if stream.peek(&mut first_byte).await.is_ok() && first_byte[0].is_ascii_uppercase() {
        let error_reply = || async {
            let hint = "this server speaks HTTPS: begin the URL with https://".to_owned();
            Ok::<_, Infallible>(reply::refusal(&Error::MalformedHttp, Some(hint)).map(Full::new))
        };
        let service = service_fn(move |_| error_reply());
        // The connection closes in any case.
        let _ = http1::Builder::new().keep_alive(false).serve_connection(TokioIo::new(stream), service).await;
        return None;
    }
    match tls_config.accept(stream).await {
        Ok(stream) => Some(stream),
        Err(error) => {
            tracing::debug!("connection ended: {error}");
            None
        }
    }
}

async fn serve_http1<S: Read + Write + Unpin + Send + 'static>(
    io: S,
    scope: Scope,
    stopped: watch::Receiver<bool>,
    tracker: Arc<IdleTracker>,
) {
    let io = ErrorRewritingStream::new(LineEncodingStream::new(io), tracker.clone());
    let result = match scope {
        Scope::AllWorlds(control) => {
            let routes = all_routes(&control, stopped);
            let service = service(routes, control.edge.scheme, may_be_non_api, tracker);
            http1::Builder::new().serve_connection(io, service).with_upgrades().await
        }
        Scope::OneWorld { edge, world, ended } => {
            let scheme = edge.scheme;
            let service = service(chat_api(edge, Some(world)), scheme, |_| false, tracker);
            let connection = http1::Builder::new().serve_connection(io, service);
            tokio::pin!(connection);
            tokio::select! {
                biased;
                result = connection.as_mut() => result,
                // An open connection must not reach a later world of the same name.
                () = wait_for_end(ended) => {
                    connection.as_mut().graceful_shutdown();
                    connection.await
                }
            }
        }
    };
    if let Err(error) = result {
        tracing::debug!("connection ended: {error}");
    }
}
