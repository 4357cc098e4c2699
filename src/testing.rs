//! A world for each test of a Rust program, on a server that the tests of a process share.
//!
//! [`world`] returns a fork of the built-in organization that no other test sees. It is labelled with the test's name
//! and ends with the test. A test that panics prints the last requests to its world.
//!
//! ```
//! use chatdouble::testing::{self, Fault, RequestPattern};
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() {
//! let world = testing::world();                       // in a test with #[tokio::test], or #[test]
//! let mel = world.user("mel");                        // id, email, api_key
//! let client = my_client::Client::new(world.url(), &mel.email, &mel.api_key);
//!
//! world.faults().add(Fault::drop_after().on(RequestPattern::to("/messages")).times(1));
//! client.send("general", "greetings", "Hello").await;
//! world.journal().verify(RequestPattern::to("/messages").by("mel").param("content", "Hello").exactly(1));
//!
//! let jump = world.clock().advance("1d").await;       // what falls due in that time happens
//! assert!(jump.fired.iter().any(|item| item.kind == "reminder"));
//! # }
//! # mod my_client {
//! #     pub struct Client(String, String);
//! #     impl Client {
//! #         pub fn new(url: &str, email: &str, key: &str) -> Self {
//! #             use base64::Engine;
//! #             let credentials = base64::engine::general_purpose::STANDARD.encode(format!("{email}:{key}"));
//! #             Self(url.to_owned(), credentials)
//! #         }
//! #         pub async fn send(&self, channel: &str, topic: &str, content: &str) {
//! #             let form = format!("type=channel&to={channel}&topic={topic}&content={content}");
//! #             let client = hyper_util::client::legacy::Client::builder(hyper_util::rt::TokioExecutor::new()).build_http();
//! #             let request = http::Request::post(format!("{}/api/v1/messages", self.0))
//! #                 .header("Authorization", format!("Basic {}", self.1))
//! #                 .header("Content-Type", "application/x-www-form-urlencoded")
//! #                 .body(http_body_util::Full::new(bytes::Bytes::from(form)));
//! #             assert!(client.request(request.unwrap()).await.is_err(), "the reply is lost");
//! #         }
//! #     }
//! # }
//! ```
//!
//! The server has its own threads, so the helpers work under any runtime and without one. Most helpers return when
//! their work is done. Those that wait for the program under test (jumps of the clock, expected requests, pushes and
//! parked polls) return a future; in tests without a runtime, await it with [`block_on`].
//!
//! A refusal by control and a failed assertion panic with the reason. [`TestWorld::control`] returns refusals instead,
//! and makes calls for which there is no helper.

mod clock;
mod control_client;
mod entry;
mod faults;
mod journal;
mod networks;
mod pushes;
mod queues;
mod rate_limits;
mod report;
mod request_pattern;
mod world;

use crate::control::InitialClock;
use crate::server::{Options, Server, StartError};
use std::sync::{Arc, LazyLock, mpsc};
use tokio::runtime::{Builder, Runtime};

pub use clock::{AgendaItem, Clock, Jump, JumpResult};
pub use control_client::{Refusal, Waiting};
pub use entry::JournalEntry;
pub use faults::{Fault, Faults};
pub use journal::Journal;
pub use networks::{Network, Networks};
pub use pushes::{Push, Pushes};
pub use queues::{Queue, Queues};
pub use rate_limits::{RateLimit, RateLimits};
pub use report::{Finding, FindingRequest, ReportedClient};
pub use request_pattern::RequestPattern;
pub use world::{Snapshots, TestWorld, WorldOptions};

const SERVER_THREADS: usize = 2;

/// The server that all tests of this process share, with the built-in organization and a frozen clock.
static SHARED: LazyLock<TestServer> = LazyLock::new(|| {
    let options = Options { clock: InitialClock::Frozen, ..Options::default() };
    TestServer::start(options).unwrap_or_else(|error| panic!("the server for tests does not start: {error}"))
});

/// Creates a world for the calling test: a fork of `default` on the server that the tests of this process share. The
/// first call starts the server.
///
/// # Panics
///
/// When the server can't be started.
#[track_caller]
pub fn world() -> TestWorld {
    SHARED.world()
}

/// Creates a world for the calling test with other options than those of [`world`].
///
/// # Panics
///
/// When the server can't be started, or control refuses the options.
#[track_caller]
pub fn world_with(options: WorldOptions) -> TestWorld {
    SHARED.world_with(options)
}

/// Waits for a future in a test that has no runtime.
///
/// # Panics
///
/// Within a runtime, where the future can be awaited instead, or when the server that tests share can't be started.
pub fn block_on<T>(future: impl Future<Output = T>) -> T {
    SHARED.running.runtime().block_on(future)
}

/// A server with its own threads and options, such as HTTPS, a fixture or another dialect. It ends when all its clones,
/// its worlds and their helpers are dropped.
#[derive(Clone)]
pub struct TestServer {
    running: Arc<RunningServer>,
}

struct RunningServer {
    server: Server,
    /// None only while this value is being dropped.
    runtime: Option<Runtime>,
}

impl RunningServer {
    fn runtime(&self) -> &Runtime {
        self.runtime.as_ref().expect("there until the server is dropped")
    }
}

impl Drop for RunningServer {
    fn drop(&mut self) {
        // This may run within another runtime, where waiting for threads is not allowed.
        if let Some(runtime) = self.runtime.take() {
            runtime.shutdown_background();
        }
    }
}

impl TestServer {
    /// Starts a server and waits until it listens.
    ///
    /// # Errors
    ///
    /// When the fixture or the state has errors, the certificate can't be used, or the address can't be bound.
    ///
    /// # Panics
    ///
    /// When no threads can be started.
    pub fn start(options: Options) -> Result<Self, StartError> {
        let runtime =
            Builder::new_multi_thread().worker_threads(SERVER_THREADS).thread_name("chatdouble").enable_all().build();
        let runtime = runtime.expect("threads and an event queue for the server");
        let (sender, receiver) = mpsc::channel();
        runtime.spawn(async move { sender.send(Server::start_with(options).await) });
        let server = receiver.recv().expect("the server starts or says why not")?;
        Ok(Self { running: Arc::new(RunningServer { server, runtime: Some(runtime) }) })
    }

    /// The server: its address, its certificate, its worlds.
    pub fn server(&self) -> &Server {
        &self.running.server
    }

    /// Creates a world that is a fork of `default`.
    ///
    /// # Panics
    ///
    /// When there is no world `default`.
    #[track_caller]
    pub fn world(&self) -> TestWorld {
        self.world_with(WorldOptions::default())
    }

    /// Creates a world with these options.
    ///
    /// # Panics
    ///
    /// When control refuses the options.
    #[track_caller]
    pub fn world_with(&self, options: WorldOptions) -> TestWorld {
        TestWorld::create(self, options)
    }
}
