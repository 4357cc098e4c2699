//! The harness: a server that starts in one line, users that act over HTTP, replies that are asserted whole.

mod browser;
mod program;
mod receiver;
mod reply;
mod user;

pub use browser::Browser;
pub use program::Program;
pub use receiver::Receiver;
pub use reply::{Reply, assert_has};
pub use user::{Queue, User, form};

use crate::declared::Watch;
use bytes::Bytes;
use chatdouble::fixture::{self, Fixture};
use chatdouble::realm::channel::TopicsPolicy;
use chatdouble::realm::group::SystemGroup;
use chatdouble::{InitialClock, Options, Server, StartError};
use http_body_util::Full;
use serde_json::{Value, json};
use std::io::ErrorKind;
use std::time::{Duration, Instant};

/// The time at which the clock of every test is frozen.
pub const START: &str = "2026-01-01T12:00:00Z";

/// How often it is tried to listen on a certain port, every 100 ms.
const PORT_TRIES: u32 = 100;

/// The seed of a long run by chance (`just soak`), from `CHATDOUBLE_SOAK`: a number, or any other text for one by chance.
pub fn soak_seed() -> Option<u64> {
    use std::hash::{BuildHasher, RandomState};
    let text = std::env::var("CHATDOUBLE_SOAK").ok()?;
    Some(text.parse().unwrap_or_else(|_| RandomState::new().hash_one(0)))
}

/// What something gives that was done several times, and the least time that it took: a busy machine adds its own.
pub async fn least<T>(tries: usize, work: impl AsyncFn() -> T) -> (T, Duration) {
    let mut best: Option<(T, Duration)> = None;
    for _ in 0..tries {
        let began = Instant::now();
        let done = (work().await, began.elapsed());
        if best.as_ref().is_none_or(|(_, took)| done.1 < *took) {
            best = Some(done);
        }
    }
    best.expect("it is done at least once")
}

/// A running server of a test's own, with the built-in realm and a frozen clock.
pub struct TestServer {
    server: Server,
    /// What happens in its default world, where it has one.
    watch: Option<Watch>,
}

impl TestServer {
    /// Starts one.
    pub async fn start() -> Self {
        Self::start_with(|_| {}).await
    }

    /// Starts one with other options.
    pub async fn start_with(change: impl FnOnce(&mut Options)) -> Self {
        let at = START.parse_timestamp();
        let mut options = Options { clock: InitialClock::At(at), ..Options::default() };
        change(&mut options);
        let server = Self::listening(options).await;
        let watch = server.worlds().get("default").map(|world| Watch::of(&world));
        Self { server, watch }
    }

    /// Starts one with the built-in organization, changed as a fixture.
    pub async fn start_in(change: impl FnOnce(&mut Value)) -> Self {
        let text = fixture::built_in("default").expect("it is built in");
        let mut document = serde_json::from_str(text).expect("a fixture is JSON");
        change(&mut document);
        Self::start_with(|options| options.fixture = Fixture::Text(document.to_string().into())).await
    }

    /// A port that was free may be another test's for a while.
    async fn listening(options: Options) -> Server {
        for _ in 0..PORT_TRIES {
            match Server::start_with(options.clone()).await {
                Err(StartError::Listen(error)) if error.kind() == ErrorKind::AddrInUse => {
                    tokio::time::sleep(Duration::from_millis(100)).await;
                }
                started => return started.unwrap_or_else(|error| panic!("the server does not start: {error}")),
            }
        }
        panic!("port {} is in use", options.port);
    }

    /// `http://127.0.0.1:PORT`
    pub fn url(&self) -> String {
        self.server.url().to_owned()
    }

    /// The server itself.
    pub fn server(&self) -> &Server {
        &self.server
    }

    /// A user of the built-in realm, ready to act.
    pub fn user(&self, handle: &str) -> User {
        User::new(self.url(), Some(self.server.user(handle)))
    }

    /// Several users.
    pub fn users<const N: usize>(&self, handles: [&str; N]) -> [User; N] {
        handles.map(|handle| self.user(handle))
    }

    /// Somebody without credentials.
    pub fn anonymous(&self) -> User {
        User::new(self.url(), None)
    }

    /// Sends a request as it is: these headers and no others, this body.
    pub async fn request(&self, method: &str, path: &str, headers: &[(&str, &str)], body: &str) -> Reply {
        let mut request = http::Request::builder().method(method).uri(format!("{}{path}", self.url()));
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        let request = request.body(Full::new(Bytes::from(body.to_owned()))).expect("a well-formed request");
        self.anonymous().raw(request, &format!("{method} {path}")).await
    }

    /// A user of another world, at that world's base URL.
    pub fn user_at(&self, base_url: &str, world: &str, handle: &str) -> User {
        User::new(base_url.to_owned(), Some(self.server.user_of(world, handle)))
    }

    /// Moves the clock on.
    pub async fn advance(&self, seconds: u64) {
        self.server.clock().advance(Duration::from_secs(seconds)).await;
    }

    /// How many polls hang on the default world.
    pub fn parked(&self) -> usize {
        self.server.world("default").parked_poll_count()
    }

    /// Waits until so many polls hang.
    pub async fn until_parked(&self, count: usize) {
        for _ in 0..2_000 {
            if self.parked() == count {
                return;
            }
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
        panic!("{count} polls should hang, {} do", self.parked());
    }

    /// The id of a channel.
    pub fn channel(&self, name: &str) -> i64 {
        let realm = self.server.world("default").snapshot();
        realm.channel_by_name(name).unwrap_or_else(|| panic!("no channel is called {name}")).id.0
    }

    /// The id of the message whose text begins so.
    pub fn message(&self, beginning: &str) -> i64 {
        let realm = self.server.world("default").snapshot();
        let message = realm.messages.values().find(|message| message.body.content.starts_with(beginning));
        message.unwrap_or_else(|| panic!("no message begins with {beginning}")).id.0
    }

    /// The owner changes settings of the organization.
    pub async fn set(&self, name: &str, value: impl Into<Value>) {
        self.user("olive").patch("/realm", json!({name: value.into()})).await.success();
    }

    /// The owner gives a permission of the organization to a system group.
    pub async fn allow(&self, permission: &str, group: SystemGroup) {
        let group = self.system_group(group);
        self.user("olive").patch("/realm", json!({permission: {"new": group}})).await.success();
    }

    /// The owner gives a permission of a channel to a system group.
    pub async fn allow_in(&self, channel: &str, permission: &str, group: SystemGroup) {
        let group = self.system_group(group);
        self.change_channel(channel, json!({permission: {"new": group}})).await;
    }

    /// The owner changes a channel.
    pub async fn change_channel(&self, name: &str, changes: Value) {
        let path = format!("/streams/{}", self.channel(name));
        self.user("olive").patch(&path, changes).await.success();
    }

    /// Lets a channel have the empty topic alone, which the API refuses where messages have topics.
    pub fn empty_topics(&self, channel: &str) {
        self.arrange(|tx| {
            let id = tx.channel_by_name(channel).expect("a channel of the fixture").id;
            tx.channel_mut(id).topics_policy = TopicsPolicy::EmptyTopicOnly;
        });
    }

    /// The owner lets a system group mention a group.
    pub async fn allow_mentions_of(&self, name: &str, group: SystemGroup) {
        let group = self.system_group(group);
        let named = self.server.world("default").snapshot().group_by_name(name).expect("a group of the fixture").id;
        let changes = json!({"can_mention_group": {"new": group}});
        self.user("olive").patch(&format!("/user_groups/{named}"), changes).await.success();
    }

    fn system_group(&self, group: SystemGroup) -> i64 {
        self.server.world("default").snapshot().system_group(group).0
    }

    /// Arranges what the built-in realm does not have, behind the API's back and without events.
    pub fn arrange(&self, change: impl FnOnce(&mut chatdouble::realm::tx::Tx)) {
        let world = self.server.world("default");
        let arranged = world.commit(|tx| {
            change(tx);
            Ok(())
        });
        arranged.expect("arranging can't be refused");
    }
}

/// Whatever a test did, the worlds are sound when it ends, and have answered as is documented.
impl Drop for TestServer {
    fn drop(&mut self) {
        if std::thread::panicking() {
            return;
        }
        let violations = self.server.violations();
        assert!(violations.is_empty(), "{violations:#?}");
        let worlds = self.server.worlds().all();
        let mut undeclared: Vec<String> = worlds.iter().flat_map(|world| crate::declared::undeclared(world)).collect();
        undeclared.extend(self.watch.iter_mut().flat_map(|watch| watch.undeclared(&self.server.world("default"))));
        assert!(undeclared.is_empty(), "{undeclared:#?}");
        let faults: Vec<String> = worlds.iter().flat_map(|world| crate::documented::faults_of_world(world)).collect();
        assert!(faults.is_empty(), "{faults:#?}");
    }
}

/// Reads RFC 3339 where the text is known to be right.
pub trait ParseTimestamp {
    /// The point in time.
    fn parse_timestamp(&self) -> chatdouble::time::Timestamp;
}

impl ParseTimestamp for str {
    fn parse_timestamp(&self) -> chatdouble::time::Timestamp {
        chatdouble::time::Timestamp::parse(self).expect("a test's time is well-formed")
    }
}
