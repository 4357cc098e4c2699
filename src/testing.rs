//! A world for each test of a Rust program, on a server that the tests of a process share.
//!
//! [`world`] gives a fork of the built-in realm that is the test's own: whatever happens in it, no other test sees it. It
//! is labelled with the test's name, and ends with the test. A test that panics prints the last requests that its world
//! got.
//!
//! ```
//! use chatdouble::testing::{self, Fault, Requests};
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() {
//! let world = testing::world();                       // in a test with #[tokio::test], or #[test]
//! let mel = world.user("mel");                        // id, email, api_key
//! let client = my_client::Client::new(world.url(), &mel.email, &mel.api_key);
//!
//! world.faults().add(Fault::drop_after().on(Requests::to("/messages")).times(1));
//! client.send("general", "greetings", "Hello").await;
//! world.journal().verify(Requests::to("/messages").by("mel").param("content", "Hello").exactly(1));
//!
//! let moved = world.clock().advance("1d").await;      // all that falls due on the way is done
//! assert!(moved.fired.iter().any(|due| due.kind == "reminder"));
//! # }
//! # mod my_client {
//! #     pub struct Client(String, String);
//! #     impl Client {
//! #         pub fn new(url: &str, email: &str, key: &str) -> Self {
//! #             use base64::Engine;
//! #             let given = base64::engine::general_purpose::STANDARD.encode(format!("{email}:{key}"));
//! #             Self(url.to_owned(), given)
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
//! The server runs on threads of its own, so that its helpers work under any runtime, and without one. What has nothing to
//! wait for is done when the call returns; what waits for the program under test (a jump of the clock, requests to come) is a
//! future, which [`block_on`] awaits where there is no runtime.
//!
//! What control refuses, and an assertion that does not hold, is a panic that says why: a test ends there.
//! [`TestWorld::control`] gives refusals back, and has the calls that have no helper.

mod calls;
mod clock;
mod entry;
mod faults;
mod journal;
mod networks;
mod queues;
mod report;
mod requests;
mod world;

use crate::control::InitialClock;
use crate::server::{Options, Server, StartError};
use std::sync::{Arc, LazyLock, mpsc};
use tokio::runtime::{Builder, Runtime};

pub use calls::{Refusal, Waiting};
pub use clock::{Clock, Due, Jump, Moved};
pub use entry::Entry;
pub use faults::{Fault, Faults};
pub use journal::Journal;
pub use networks::{Network, Networks, RateLimit, RateLimits};
pub use queues::{Push, Pushes, Queue, Queues};
pub use report::{Finding, FindingRequest, ReportedClient};
pub use requests::Requests;
pub use world::{Snapshots, TestWorld, WorldOptions};

/// Threads of a server.
const THREADS: usize = 2;

/// The server that the tests of this process share: the built-in realm, its clock frozen.
static SHARED: LazyLock<TestServer> = LazyLock::new(|| {
    let options = Options { clock: InitialClock::Frozen, ..Options::default() };
    TestServer::start(options).unwrap_or_else(|error| panic!("the server for tests does not start: {error}"))
});

/// A world of the caller's own: a fork of `default` on the server that the tests of this process share, which the first of
/// them starts.
///
/// # Panics
///
/// When the server can't be started.
#[track_caller]
pub fn world() -> TestWorld {
    SHARED.world()
}

/// A world of the caller's own that is made otherwise.
///
/// # Panics
///
/// When control refuses the options.
#[track_caller]
pub fn world_with(options: WorldOptions) -> TestWorld {
    SHARED.world_with(options)
}

/// Waits for a future in a test that has no runtime.
///
/// # Panics
///
/// Within a runtime: await the future there.
pub fn block_on<T>(future: impl Future<Output = T>) -> T {
    SHARED.running.runtime().block_on(future)
}

/// A server on threads of its own, for tests that want it started otherwise: with HTTPS, a fixture, another dialect. It
/// ends when it and its worlds are dropped.
#[derive(Clone)]
pub struct TestServer {
    running: Arc<Running>,
}

/// A server with the runtime that it is on.
struct Running {
    server: Server,
    /// There until the end.
    runtime: Option<Runtime>,
}

impl Running {
    fn runtime(&self) -> &Runtime {
        self.runtime.as_ref().expect("there until the server is dropped")
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        // Waiting for its threads is not allowed where this may happen: within a runtime.
        if let Some(runtime) = self.runtime.take() {
            runtime.shutdown_background();
        }
    }
}

impl TestServer {
    /// Starts one.
    ///
    /// # Errors
    ///
    /// The fixture's faults, or what the system says of the address.
    ///
    /// # Panics
    ///
    /// When the system gives no threads.
    pub fn start(options: Options) -> Result<Self, StartError> {
        let runtime =
            Builder::new_multi_thread().worker_threads(THREADS).thread_name("chatdouble").enable_all().build();
        let runtime = runtime.expect("threads and an event queue for the server");
        let (tell, started) = mpsc::channel();
        runtime.spawn(async move { tell.send(Server::start_with(options).await) });
        let server = started.recv().expect("the server starts or says why not")?;
        Ok(Self { running: Arc::new(Running { server, runtime: Some(runtime) }) })
    }

    /// The server: its address, its certificate, its worlds.
    pub fn server(&self) -> &Server {
        &self.running.server
    }

    /// A fork of `default`.
    ///
    /// # Panics
    ///
    /// When there is no world `default`.
    #[track_caller]
    pub fn world(&self) -> TestWorld {
        self.world_with(WorldOptions::default())
    }

    /// A world that is made as asked.
    ///
    /// # Panics
    ///
    /// When control refuses the options.
    #[track_caller]
    pub fn world_with(&self, options: WorldOptions) -> TestWorld {
        TestWorld::made(self, options)
    }
}
