//! The options of a server.

use crate::control::InitialClock;
use crate::dialect::Dialect;
use crate::fixture;
use crate::realm::webhook::Reach;
use crate::time::Span;
use crate::tls::Tls;

/// The options of a server. The defaults are those of the command line, except that the port is a free one.
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
    /// Host name or address to listen on. None for the IPv4 and IPv6 loopback addresses.
    pub host: Option<String>,
    /// Port to listen on; 0 for a free one.
    pub port: u16,
    /// The fixture of the default world, and of new worlds that are created without one.
    pub fixture: fixture::Fixture,
    /// A saved state, from which the default world is created instead of the fixture. A state of a whole world has its
    /// own clock, which replaces `clock`.
    pub state: Option<fixture::Fixture>,
    /// The initial clock of the default world, and of new worlds that are created without one.
    pub clock: InitialClock,
    /// The feature level of the default world, and of new worlds that are created without one.
    pub feature_level: i64,
    /// The names on the wire in the default world, and in new worlds that are created without a dialect.
    pub dialect: Dialect,
    /// The seed of the random generator of the default world, and of new worlds that are created without one.
    pub seed: u64,
    /// The origin of web pages that may call the API; `*` for all.
    pub cors_origin: String,
    /// Additional host names of the server, under which it returns API keys without a password, as development servers
    /// do. A certificate that is generated for HTTPS has them too.
    pub host_names: Vec<String>,
    /// Whether the server has the world `default`, whose URL is the root of the server.
    pub has_default_world: bool,
    /// The token that calls of control must send; None or empty for no token.
    pub control_token: Option<String>,
    /// Worlds that control creates are ended when they have no requests and no parked polls for this time, unless they
    /// are created with another limit. None for no limit.
    pub world_ttl: Option<Span>,
    /// The certificate for HTTPS. None for HTTP.
    pub tls: Option<Tls>,
    /// The addresses to which outgoing webhooks may be sent.
    pub webhooks: Reach,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            host: None,
            port: 0,
            fixture: fixture::Fixture::built_in("default").unwrap_or_else(|| "{}".into()),
            state: None,
            clock: InitialClock::Real,
            feature_level: crate::api::NEWEST_FEATURE_LEVEL,
            dialect: Dialect::neutral(),
            seed: 0,
            cors_origin: "*".into(),
            host_names: Vec::new(),
            has_default_world: true,
            control_token: None,
            world_ttl: None,
            tls: None,
            webhooks: Reach::default(),
        }
    }
}
