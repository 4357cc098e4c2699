//! A server: worlds behind an edge on a socket, as a value that tests and the command line hold.

mod addresses;
#[cfg(feature = "compression")]
mod compression;
mod connection;
mod connection_fault;
mod error_rewriting;
mod http2;
mod idle;
mod invariant_check;
pub mod listen;
mod own_head;
mod pace;
#[cfg(feature = "watch")]
mod socket;
pub mod standing_faults;
mod start_error;
mod webhooks;

use crate::control::{Answer, Control, Defaults, Guard, InitialClock};
use crate::dialect::Dialect;
use crate::fixture;
use crate::http::{Edge, KeyGuard};
use crate::realm::id::UserId;
use crate::realm::webhook::Reach;
use crate::report::Summary;
use crate::time::{Span, Timestamp};
use crate::tls::{Secured, Tls};
use crate::world::{ALIVE, RealTime, World, WorldSettings, Worlds};
use listen::{Bound, Running, WallClock, is_every_address, with_port};
use std::convert::Infallible;
use std::io;
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::watch;

pub use crate::http::authority::Authority;
pub use invariant_check::CheckReport;
pub use start_error::StartError;

/// How a server is to be started; the defaults are those of the command line but for the port, which is free.
///
/// ```
/// use chatdouble::{InitialClock, Options, Server, Timestamp};
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), chatdouble::StartError> {
/// let new_year = Timestamp::parse("2026-01-01T00:00:00Z").expect("an instant");
/// let options = Options { clock: InitialClock::At(new_year), seed: 7, ..Options::default() };
/// let server = Server::start_with(options).await?;
/// assert_eq!(server.clock().now(), new_year);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug)]
pub struct Options {
    /// None: both loopback families.
    pub host: Option<String>,
    /// 0: a free one.
    pub port: u16,
    /// What the default world is made from, and others unless something else is given.
    pub fixture: fixture::Source,
    /// What the default world is made from in place of the fixture: a world's whole state, with its clock.
    pub state: Option<fixture::Source>,
    /// How the clock begins.
    pub clock: InitialClock,
    /// The level that the default world emulates.
    pub feature_level: i64,
    /// Names on the wire.
    pub dialect: Dialect,
    /// The seed of its random generator.
    pub seed: u64,
    /// Which web pages may call the API.
    pub cors_origin: String,
    /// Further names by which the server is called, at which it gives keys of development servers.
    pub host_names: Vec<String>,
    /// Whether there is a world `default`.
    pub has_root_world: bool,
    /// What control asks for; an empty one is none.
    pub control_token: Option<String>,
    /// How long worlds may go without a request before they are ended, unless they are made with a time of their own.
    pub world_ttl: Option<Span>,
    /// HTTPS instead of HTTP.
    pub tls: Option<Tls>,
    /// Where outgoing webhooks are posted to.
    pub webhooks: Reach,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            host: None,
            port: 0,
            fixture: fixture::Source::builtin("default").unwrap_or_else(|| "{}".into()),
            state: None,
            clock: InitialClock::Real,
            feature_level: crate::api::NEWEST_FEATURE_LEVEL,
            dialect: Dialect::neutral(),
            seed: 0,
            cors_origin: "*".into(),
            host_names: Vec::new(),
            has_root_world: true,
            control_token: None,
            world_ttl: None,
            tls: None,
            webhooks: Reach::default(),
        }
    }
}

/// A server that is running; dropping it stops it.
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
    running: Running,
    control: Arc<Control>,
    edge: Arc<Edge>,
    base_url: String,
    secured: Option<Secured>,
    stopped: watch::Receiver<bool>,
}

/// What opens sockets for worlds that are made with one of their own.
fn listener(
    edge: Arc<Edge>,
    host: Option<String>,
    secured: Option<Secured>,
    stopped: watch::Receiver<bool>,
) -> crate::control::Listen {
    Arc::new(move |world| {
        let (edge, host, secured, stopped) = (edge.clone(), host.clone(), secured.clone(), stopped.clone());
        Box::pin(async move { listen::serve_world(edge, world, host.as_deref(), secured, stopped).await })
    })
}

/// For how long a made certificate is valid, in years: phones take none that is valid for more than 825 days.
const CERTIFICATE_YEARS: i16 = 2;

/// The server's side of TLS, if it is to speak that.
fn secured(options: &Options, now: Timestamp) -> Result<Option<Secured>, StartError> {
    let Some(tls) = &options.tls else { return Ok(None) };
    let host = options.host.iter().filter(|host| !is_every_address(host));
    let host = host.map(|host| host.trim_matches(['[', ']']).to_owned());
    let names = host.chain(options.host_names.iter().cloned()).collect();
    let secured = tls.secured(names, addresses::of_machine(), addresses::validity(now, CERTIFICATE_YEARS));
    secured.map(Some).map_err(StartError::Tls)
}

impl Server {
    /// Starts a server with the built-in realm on a free port.
    ///
    /// # Errors
    ///
    /// When no port can be listened on.
    pub async fn start() -> Result<Self, StartError> {
        Self::start_with(Options::default()).await
    }

    /// Starts a server as asked.
    ///
    /// # Errors
    ///
    /// The fixture's faults, or what the system says of the address.
    pub async fn start_with(options: Options) -> Result<Self, StartError> {
        let real_time: Arc<dyn RealTime> = Arc::new(WallClock);
        let settings =
            WorldSettings { feature_level: options.feature_level, dialect: Arc::new(options.dialect.clone()) };
        let worlds = Arc::new(Worlds::default());
        let (stop, stopped) = watch::channel(false);
        worlds.post_through(webhooks::sender(options.webhooks, stopped.clone()));
        let clock = options.clock.clock(real_time.now());
        let (realm, clock) = match &options.state {
            Some(state) => state.resumed(clock, real_time.now(), options.seed).map_err(StartError::State)?,
            None => {
                let now = clock.now(real_time.now());
                (options.fixture.realm(now, options.seed).map_err(StartError::Fixture)?, clock)
            }
        };
        if options.has_root_world {
            worlds.add(Arc::new(World::new(Worlds::DEFAULT.into(), realm, clock, settings.clone(), real_time.clone())));
        }
        let secured = secured(&options, real_time.now())?;
        let bound = Bound::bind(options.host.as_deref(), options.port).await.map_err(StartError::Listen)?;
        let scheme = if secured.is_some() { "https" } else { "http" };
        let host = options.host.as_deref().filter(|host| !is_every_address(host)).unwrap_or("127.0.0.1");
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
        let listen = listener(edge.clone(), options.host, secured.clone(), stopped.clone());
        let control = Arc::new(Control { edge: edge.clone(), guard, defaults, listen, real_time });
        let running = Running::start(bound, control.clone(), secured.clone(), stop);
        Ok(Self { running, control, edge, base_url, secured, stopped })
    }

    /// `http://HOST:PORT`, or with `https`, without a slash at the end; of a server that listens on every address one that
    /// leads there from this machine.
    pub fn url(&self) -> &str {
        &self.base_url
    }

    /// The URLs by which other machines find a server that listens on every address; none for others.
    pub fn urls_elsewhere(&self) -> Vec<String> {
        let address = self.address();
        if !address.ip().is_unspecified() {
            return Vec::new();
        }
        let is_reached = |own: &IpAddr| !own.is_loopback() && (address.is_ipv6() || own.is_ipv4());
        let hosts = addresses::of_machine().into_iter().filter(is_reached).map(|own| own.to_string());
        hosts.map(|host| format!("{}://{}", self.edge.scheme, with_port(&host, address.port()))).collect()
    }

    /// The certificates that a client has to trust, in PEM; None without TLS.
    pub fn trusted_certificate(&self) -> Option<&str> {
        self.secured.as_ref().map(|secured| &*secured.trusted)
    }

    /// The address that it listens on.
    pub fn address(&self) -> SocketAddr {
        self.running.address()
    }

    /// The worlds.
    pub fn worlds(&self) -> &Arc<Worlds> {
        &self.edge.worlds
    }

    /// Adds a world made from a fixture's text, with the options of the default one; its base URL.
    ///
    /// # Errors
    ///
    /// The fixture's faults.
    ///
    /// # Panics
    ///
    /// When the name is taken or can't be one: names are written in tests.
    pub fn add_world(&self, name: &str, fixture: &str, clock: InitialClock, seed: u64) -> Result<String, StartError> {
        let real_time: Arc<dyn RealTime> = Arc::new(WallClock);
        let clock = clock.clock(real_time.now());
        let realm = fixture::read(fixture, clock.now(real_time.now()), seed).map_err(StartError::Fixture)?;
        let world = World::new(name.to_owned(), realm, clock, self.edge.settings.clone(), real_time);
        assert!(Worlds::is_name(name) && self.edge.worlds.add(Arc::new(world)), "a world can't be called {name}");
        Ok(format!("{}/w/{name}", self.base_url))
    }

    /// Serves a world on a port of its own; its base URL.
    ///
    /// # Errors
    ///
    /// What the system says.
    pub async fn listen_for(&self, world: &str) -> io::Result<String> {
        let port =
            listen::serve_world(self.edge.clone(), self.world(world), None, self.secured.clone(), self.stopped.clone())
                .await?;
        Ok(format!("{}://127.0.0.1:{port}", self.edge.scheme))
    }

    /// The default world's credentials of a user, by the part of the address before the @.
    ///
    /// # Panics
    ///
    /// When there is no such user: names are written in tests.
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
    pub fn clock(&self) -> ClockHandle {
        ClockHandle { world: self.world(Worlds::DEFAULT) }
    }

    /// A world by name.
    ///
    /// # Panics
    ///
    /// When there is none.
    pub fn world(&self, name: &str) -> Arc<World> {
        self.edge.worlds.get(name).unwrap_or_else(|| panic!("no world is called {name}"))
    }

    /// Steers the worlds as requests to control do, without one; `path` is what is behind `/control`, with its query.
    pub async fn control(&self, method: http::Method, path: &str, body: Option<&serde_json::Value>) -> Answer {
        let host = self.base_url.split_once("://").map_or(self.base_url.as_str(), |(_, host)| host);
        self.control.call(host, method, path, body).await
    }

    /// What is broken in the worlds, a line each; nothing unless this program has a fault
    /// (`realm::invariants`).
    pub fn violations(&self) -> Vec<String> {
        invariant_check::worlds_by_realm(self.worlds()).iter().flat_map(invariant_check::violations).collect()
    }

    /// As [`Server::violations`], but gives up after a while with what was found until then.
    pub async fn violations_within(&self, limit: Duration) -> CheckReport {
        invariant_check::within(self.worlds(), limit).await
    }

    /// What is known of the clients of all worlds; from now on they count as ended, and so do their queues.
    pub(crate) fn final_report(&self) -> Summary {
        self.worlds().all().iter().for_each(|world| world.close_report(true));
        self.worlds().report()
    }

    /// Stops the server and ends all connections.
    pub async fn stop(self) {
        self.running.stop();
        tokio::task::yield_now().await;
    }
}

/// What a request needs to speak for a user.
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
    /// The user.
    pub id: UserId,
    /// The user name of Basic authentication.
    pub email: String,
    /// The password of Basic authentication.
    pub api_key: String,
}

/// A world's clock, to be moved by a test.
pub struct ClockHandle {
    world: Arc<World>,
}

impl ClockHandle {
    /// The world's time.
    pub fn now(&self) -> Timestamp {
        self.world.now()
    }

    /// Moves the clock on; all that falls due on the way is done when this returns. Clients that are between two polls are
    /// waited for, up to a second: they are not idle.
    pub async fn advance(&self, by: Duration) {
        let to = |now: Timestamp| Ok::<_, Infallible>(now.plus(Span::from_duration(by)));
        let Ok(_) = self.world.with_clients_parked(ALIVE, |clients| self.world.advance(clients, to)).await;
        tokio::task::yield_now().await;
    }
}
