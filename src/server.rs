//! The library's `Server`: starting and stopping it, and access to its worlds, their users and control.

pub mod addresses;
#[cfg(feature = "compression")]
mod compression;
mod connection;
mod connection_fault;
mod error_rewriting;
#[cfg(feature = "http2")]
mod http2;
#[cfg(not(feature = "http2"))]
mod http2_stubs;
mod idle_tracker;
mod invariant_check;
pub mod listen;
mod non_api_head;
mod options;
mod pace;
pub mod real_time;
mod request_line;
#[cfg(feature = "cli")]
pub mod standing_faults;
mod start_error;
mod tls_setup;
#[cfg(feature = "watch")]
mod watch_socket;
mod webhooks;

use crate::control::{Control, ControlReply, Defaults, Guard, InitialClock};
use crate::fixture;
use crate::http::{Edge, KeyGuard};
use crate::realm::id::UserId;
#[cfg(feature = "cli")]
use crate::report::Summary;
use crate::time::{Span, Timestamp};
use crate::tls::TlsConfig;
use crate::world::{MAX_POLL_PAUSE, RealTime, World, WorldSettings, Worlds};
use addresses::{is_unspecified, with_port};
#[cfg(not(feature = "http2"))]
use http2_stubs as http2;
use listen::{BoundSockets, ServerTasks};
use real_time::WallClock;
use std::convert::Infallible;
use std::io;
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;
use tls_setup::prepare_tls;
use tokio::sync::watch;

pub use crate::http::host::Host;
pub use invariant_check::CheckOutcome;
pub use options::Options;
pub use start_error::StartError;

/// A running server. Dropping it stops it.
///
/// ```
/// use std::time::Duration;
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), chatdouble::StartError> {
/// let server = chatdouble::Server::start().await?;
/// let before = server.clock().now();
/// server.clock().advance(Duration::from_secs(86_400)).await;
/// assert!(server.clock().now() > before);
/// server.stop().await;
/// # Ok(())
/// # }
/// ```
pub struct Server {
    tasks: ServerTasks,
    control: Arc<Control>,
    edge: Arc<Edge>,
    base_url: String,
    tls_config: Option<TlsConfig>,
    stopped: watch::Receiver<bool>,
}

/// The function with which control opens a port for one world.
fn world_listener(
    edge: Arc<Edge>,
    host: Option<String>,
    tls_config: Option<TlsConfig>,
    stopped: watch::Receiver<bool>,
) -> crate::control::WorldListener {
    Arc::new(move |world| {
        let (edge, host, tls_config, stopped) = (edge.clone(), host.clone(), tls_config.clone(), stopped.clone());
        Box::pin(async move { listen::serve_world(edge, world, host.as_deref(), tls_config, stopped).await })
    })
}

impl Server {
    /// Starts a server with the built-in fixture on a free port.
    ///
    /// # Errors
    ///
    /// When no port can be bound.
    pub async fn start() -> Result<Self, StartError> {
        Self::start_with(Options::default()).await
    }

    /// Starts a server with these options.
    ///
    /// # Errors
    ///
    /// When the fixture or the state has errors, the certificate can't be used, or the address can't be bound.
    pub async fn start_with(options: Options) -> Result<Self, StartError> {
        let real_time: Arc<dyn RealTime> = Arc::new(WallClock);
        let settings =
            WorldSettings { feature_level: options.feature_level, dialect: Arc::new(options.dialect.clone()) };
        let worlds = Arc::new(Worlds::default());
        let (stop, stopped) = watch::channel(false);
        worlds.set_webhook_sender(webhooks::start_sender(options.webhooks, stopped.clone()));
        let clock = options.clock.start_at(real_time.now());
        let (realm, clock) = match &options.state {
            Some(state) => state.resume(clock, real_time.now(), options.seed).map_err(StartError::State)?,
            None => {
                let now = clock.now(real_time.now());
                (options.fixture.build_realm(now, options.seed).map_err(StartError::Fixture)?, clock)
            }
        };
        if options.has_default_world {
            worlds.add(Arc::new(World::new(Worlds::DEFAULT.into(), realm, clock, settings.clone(), real_time.clone())));
        }
        let tls_config = prepare_tls(&options, real_time.now())?;
        let bound = BoundSockets::bind(options.host.as_deref(), options.port).await.map_err(StartError::Listen)?;
        let scheme = if tls_config.is_some() { "https" } else { "http" };
        let host = options.host.as_deref().filter(|host| !is_unspecified(host)).unwrap_or("127.0.0.1");
        let base_url = format!("{scheme}://{}", with_port(host, bound.address().port()));
        let token = options.control_token.filter(|token| !token.is_empty());
        let guard = Guard { host: options.host.clone().unwrap_or_default(), token };
        let defaults = Defaults {
            fixture: options.fixture,
            clock: options.clock,
            feature_level: options.feature_level,
            dialect: settings.dialect.clone(),
            seed: options.seed,
            world_ttl: options.world_ttl,
        };
        let key_guard =
            KeyGuard { host: options.host.clone(), host_names: options.host_names, cors_origin: options.cors_origin };
        let mut edge = Edge::new(worlds, key_guard, settings);
        edge.scheme = scheme;
        edge.lists_worlds = guard.token.is_none();
        let edge = Arc::new(edge);
        let listen = world_listener(edge.clone(), options.host, tls_config.clone(), stopped.clone());
        let control = Arc::new(Control { edge: edge.clone(), guard, defaults, listen, real_time });
        let tasks = ServerTasks::start(bound, control.clone(), tls_config.clone(), stop);
        Ok(Self { tasks, control, edge, base_url, tls_config, stopped })
    }

    /// The base URL, such as `http://127.0.0.1:9991`, without a trailing slash. For a server that listens on all
    /// interfaces, it is the URL on this machine.
    pub fn url(&self) -> &str {
        &self.base_url
    }

    /// The URLs by which other machines reach the server; empty unless it listens on all interfaces, and in builds without
    /// the feature `tls`.
    pub fn external_urls(&self) -> Vec<String> {
        let address = self.address();
        if !address.ip().is_unspecified() {
            return Vec::new();
        }
        let is_reachable =
            |local_address: &IpAddr| !local_address.is_loopback() && (address.is_ipv6() || local_address.is_ipv4());
        let hosts = addresses::machine_addresses()
            .into_iter()
            .filter(is_reachable)
            .map(|local_address| local_address.to_string());
        hosts.map(|host| format!("{}://{}", self.edge.scheme, with_port(&host, address.port()))).collect()
    }

    /// The certificate that clients have to trust, in PEM. None without TLS.
    pub fn trusted_certificate(&self) -> Option<&str> {
        self.tls_config.as_ref().map(|tls_config| &*tls_config.trusted)
    }

    /// The address on which the server listens. If it listens on both loopback addresses, this is the IPv4 one.
    pub fn address(&self) -> SocketAddr {
        self.tasks.address()
    }

    /// All worlds of the server.
    pub fn worlds(&self) -> &Arc<Worlds> {
        &self.edge.worlds
    }

    /// Adds a world from the text of a fixture, at the server's feature level and in its dialect. Returns its base URL.
    ///
    /// # Errors
    ///
    /// When the fixture has errors.
    ///
    /// # Panics
    ///
    /// When the name is invalid or already taken.
    pub fn add_world(&self, name: &str, fixture: &str, clock: InitialClock, seed: u64) -> Result<String, StartError> {
        let real_time: Arc<dyn RealTime> = Arc::new(WallClock);
        let clock = clock.start_at(real_time.now());
        let realm = fixture::read(fixture, clock.now(real_time.now()), seed).map_err(StartError::Fixture)?;
        let world = World::new(name.to_owned(), realm, clock, self.edge.settings.clone(), real_time);
        assert!(Worlds::is_valid_name(name) && self.edge.worlds.add(Arc::new(world)), "a world can't be called {name}");
        Ok(format!("{}/w/{name}", self.base_url))
    }

    /// Serves a world on its own port of the loopback addresses. Returns its base URL there.
    ///
    /// # Errors
    ///
    /// The system's error when no port can be bound.
    ///
    /// # Panics
    ///
    /// When there is no such world.
    pub async fn listen_for(&self, world: &str) -> io::Result<String> {
        let port = listen::serve_world(
            self.edge.clone(),
            self.world(world),
            None,
            self.tls_config.clone(),
            self.stopped.clone(),
        )
        .await?;
        Ok(format!("{}://127.0.0.1:{port}", self.edge.scheme))
    }

    /// The credentials of a user of the default world. The handle is the part of the email address before the @.
    ///
    /// # Panics
    ///
    /// When there is no default world, or no such user.
    #[track_caller]
    pub fn user(&self, handle: &str) -> Credentials {
        self.user_of(Worlds::DEFAULT, handle)
    }

    /// The credentials of a user of any world.
    ///
    /// # Panics
    ///
    /// When there is no such world or user.
    #[track_caller]
    pub fn user_of(&self, world: &str, handle: &str) -> Credentials {
        let realm = self.world(world).snapshot();
        let host = &realm.organization.host;
        let Some(user) = realm.user_by_email(&format!("{handle}@{host}")) else {
            let handles = realm.users.values().filter_map(|user| user.email.split('@').next());
            let nearest = handles.max_by_key(|other| (strsim::jaro_winkler(handle, other) * 1e6) as i64);
            let nearest = nearest.map(|nearest| format!("; the nearest is '{nearest}'"));
            panic!("no user of the world '{world}' is called '{handle}'{}", nearest.unwrap_or_default())
        };
        Credentials { id: user.id, email: user.email.clone(), api_key: user.api_key.clone() }
    }

    /// The default world's clock.
    ///
    /// # Panics
    ///
    /// When there is no default world.
    pub fn clock(&self) -> ClockHandle {
        ClockHandle { world: self.world(Worlds::DEFAULT) }
    }

    /// Returns a world by its name.
    ///
    /// # Panics
    ///
    /// When there is no such world.
    pub fn world(&self, name: &str) -> Arc<World> {
        self.edge.worlds.get(name).unwrap_or_else(|| panic!("no world is called {name}"))
    }

    /// Makes a call of control without an HTTP request. `path` begins after `/control`, and may have a query.
    pub async fn control(&self, method: http::Method, path: &str, body: Option<&serde_json::Value>) -> ControlReply {
        let host = self.base_url.split_once("://").map_or(self.base_url.as_str(), |(_, host)| host);
        self.control.call(host, method, path, body).await
    }

    /// The broken invariants of all worlds, one line each. Empty unless this program has a bug.
    pub fn violations(&self) -> Vec<String> {
        invariant_check::shared_realms(self.worlds()).iter().flat_map(invariant_check::violations).collect()
    }

    /// Like [`Server::violations`], but returns what was found within a time limit.
    pub async fn violations_within(&self, limit: Duration) -> CheckOutcome {
        invariant_check::check_within(self.worlds(), limit).await
    }

    /// The report on the clients of all worlds. Clients and their queues count as ended from now on.
    #[cfg(feature = "cli")]
    pub(crate) fn close_reports(&self) -> Summary {
        self.worlds().all().iter().for_each(|world| world.close_report(true));
        self.worlds().report()
    }

    /// Stops the server and ends all connections.
    pub async fn stop(self) {
        self.tasks.stop();
        // On a runtime with one thread, the tasks of connections notice the stop only when this task gives way.
        tokio::task::yield_now().await;
    }
}

/// The credentials with which a client acts as a user.
///
/// ```
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), chatdouble::StartError> {
/// let server = chatdouble::Server::start().await?;
/// let mel = server.user("mel");
/// let basic = format!("{}:{}", mel.email, mel.api_key);
/// assert!(basic.starts_with("mel@"));
/// assert_ne!(mel, server.user("max"));
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Credentials {
    /// ID of the user.
    pub id: UserId,
    /// The user name of Basic authentication.
    pub email: String,
    /// The password of Basic authentication.
    pub api_key: String,
}

/// The clock of a world, which tests can move.
pub struct ClockHandle {
    world: Arc<World>,
}

impl ClockHandle {
    /// The current time of the world.
    pub fn now(&self) -> Timestamp {
        self.world.now()
    }

    /// Moves the clock forward. All items that fall due have happened when this returns. Clients that are between two
    /// polls get up to a second of real time to poll again, so that they do not count as idle.
    pub async fn advance(&self, by: Duration) {
        let target = |now: Timestamp| Ok::<_, Infallible>(now.plus(Span::from_duration(by)));
        let Ok(_) = self.world.with_clients_parked(MAX_POLL_PAUSE, |clients| self.world.advance(clients, target)).await;
        // On a runtime with one thread, the polls that the jump has woken reply only when this task gives way.
        tokio::task::yield_now().await;
    }
}
