//! A world of a test's own.

use super::calls::{Calls, Refusal, body, list, read};
use super::{Clock, Faults, Journal, Networks, Pushes, Queues, RateLimits, ReportedClient, Requests, TestServer};
use crate::server::Credentials;
use http::Method;
use serde::Serialize;
use serde_json::{Value, json};

/// Entries of the journal that a failed test shows.
const SHOWN_ENTRIES: usize = 10;
/// Threads that are not called after a test.
const NAMELESS: [&str; 2] = ["main", "tokio-runtime-worker"];

/// How a world is made.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct WorldOptions {
    #[serde(skip_serializing_if = "Option::is_none")]
    name: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    fixture: Option<Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    fork_of: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    snapshot: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    feature_level: Option<i64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    dialect: Option<Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    clock: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    seed: Option<u64>,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    listen: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    label: Option<String>,
}

impl WorldOptions {
    /// A fork of `default`.
    pub fn new() -> Self {
        Self::default()
    }

    /// Under this name.
    pub fn name(self, name: impl Into<String>) -> Self {
        Self { name: Some(name.into()), ..self }
    }

    /// Made from a fixture instead: the name of a built-in one, or a document.
    pub fn fixture(self, fixture: impl Into<Value>) -> Self {
        Self { fixture: Some(fixture.into()), ..self }
    }

    /// As it was at a snapshot of the world that is forked.
    pub fn snapshot(self, name: impl Into<String>) -> Self {
        Self { snapshot: Some(name.into()), ..self }
    }

    /// At a feature level.
    pub fn feature_level(self, level: i64) -> Self {
        Self { feature_level: Some(level), ..self }
    }

    /// With names on the wire: `neutral`, `zulip`, or a dialect's document.
    pub fn dialect(self, dialect: impl Into<Value>) -> Self {
        Self { dialect: Some(dialect.into()), ..self }
    }

    /// With its clock `real`, `frozen`, or standing at an instant in RFC 3339.
    pub fn clock(self, clock: impl Into<String>) -> Self {
        Self { clock: Some(clock.into()), ..self }
    }

    /// With other chance.
    pub fn seed(self, seed: u64) -> Self {
        Self { seed: Some(seed), ..self }
    }

    /// On a port of its own, for clients whose base URL has no path.
    pub fn on_port(self) -> Self {
        Self { listen: true, ..self }
    }

    /// With any text, shown by the console and in lists; the test's name unless given.
    pub fn label(self, label: impl Into<String>) -> Self {
        Self { label: Some(label.into()), ..self }
    }
}

/// A world of a test's own, which ends when this is dropped. Where the test panics, its last requests are printed.
pub struct TestWorld {
    calls: Calls,
    name: String,
    url: String,
}

impl TestWorld {
    #[track_caller]
    pub(super) fn made(server: &TestServer, mut options: WorldOptions) -> Self {
        if options.fixture.is_none() && options.fork_of.is_none() {
            options.fork_of = Some("default".to_owned());
        }
        if options.label.is_none() {
            let thread = std::thread::current();
            options.label = thread.name().filter(|name| !NAMELESS.contains(name)).map(str::to_owned);
        }
        let mut made = Calls::new(server, String::new()).answer(Method::POST, "/worlds", Some(body(options)));
        let (name, url): (String, String) = (read(made["name"].take()), read(made["url"].take()));
        Self { calls: Calls::new(server, format!("/worlds/{name}")), name, url }
    }

    /// Its name, by which control knows it.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Base URL for clients, without a slash at the end and without `/api/v1`.
    pub fn url(&self) -> &str {
        &self.url
    }

    /// What a user's requests need, by the part of the address before the @.
    ///
    /// # Panics
    ///
    /// When there is no such user.
    #[track_caller]
    pub fn user(&self, handle: &str) -> Credentials {
        self.calls.server().server().user_of(&self.name, handle)
    }

    /// Its time.
    pub fn clock(&self) -> Clock {
        Clock { calls: self.calls.clone() }
    }

    /// Failures on demand.
    pub fn faults(&self) -> Faults {
        Faults { calls: self.calls.clone() }
    }

    /// Networks between its clients and it.
    pub fn network(&self) -> Networks {
        Networks { calls: self.calls.clone() }
    }

    /// How many requests it allows.
    pub fn rate_limit(&self) -> RateLimits {
        RateLimits { calls: self.calls.clone() }
    }

    /// What was asked of it.
    pub fn journal(&self) -> Journal {
        Journal { calls: self.calls.clone() }
    }

    /// Event queues of clients.
    pub fn queues(&self) -> Queues {
        Queues { calls: self.calls.clone() }
    }

    /// What the push relay was handed.
    pub fn pushes(&self) -> Pushes {
        Pushes { calls: self.calls.clone() }
    }

    /// States to go back to.
    pub fn snapshots(&self) -> Snapshots {
        Snapshots { calls: self.calls.clone() }
    }

    /// A copy as it is now: without queues, faults, journal and snapshots.
    #[track_caller]
    pub fn fork(&self) -> Self {
        self.fork_with(WorldOptions::default())
    }

    /// A copy that differs in what the options say.
    #[track_caller]
    pub fn fork_with(&self, options: WorldOptions) -> Self {
        let options = WorldOptions { fork_of: Some(self.name.clone()), ..options };
        Self::made(&self.calls.server(), options)
    }

    /// Its clients, with the rules of the report that they broke until now.
    #[track_caller]
    pub fn report(&self) -> Vec<ReportedClient> {
        list(self.calls.answer(Method::GET, "/report", None), "clients")
    }

    /// Asserts that no client broke a rule until now whose findings are errors or warnings.
    ///
    /// # Panics
    ///
    /// With the findings, when one did.
    #[track_caller]
    pub fn assert_no_findings(&self) {
        let mut found = Vec::new();
        for client in self.report() {
            let worth = client.findings.iter().filter(|finding| finding.severity != "note");
            found.extend(worth.map(|finding| format!("{} {finding}", client.client)));
        }
        assert!(found.is_empty(), "the clients of {} broke rules:\n{}", self.name, found.join("\n"));
    }

    /// Puts everything back to what it was when the world was made: data, clock, faults, journal, report, pushes.
    #[track_caller]
    pub fn reset(&self) {
        self.calls.answer(Method::POST, "/reset", None);
    }

    /// The world as a fixture document.
    #[track_caller]
    pub fn state(&self) -> Value {
        self.calls.answer(Method::GET, "/state", None)["state"].take()
    }

    /// Puts a document in the place of what is there; queues end.
    #[track_caller]
    pub fn put_state(&self, document: &Value) {
        self.calls.answer(Method::PUT, "/state", Some(document.clone()));
    }

    /// What is broken of what must hold of every world, a line each: nothing unless chatdouble has a fault.
    #[track_caller]
    pub fn violations(&self) -> Vec<String> {
        let found: Vec<Value> = list(self.calls.answer(Method::GET, "/invariants", None), "violations");
        found.iter().map(ToString::to_string).collect()
    }

    /// Goes on at a newer feature level, as a server does that is upgraded: queues end.
    #[track_caller]
    pub fn upgrade(&self, level: i64) {
        self.calls.answer(Method::POST, "/upgrade", Some(json!({"to": level})));
    }

    /// Any call of control for this world; `path` is what is behind its name, such as `/invites/KEY/accept`.
    ///
    /// # Errors
    ///
    /// What control refuses.
    pub fn control(&self, method: Method, path: &str, body: Option<Value>) -> Result<Value, Refusal> {
        self.calls.done(method, path, body)
    }
}

impl TestWorld {
    /// What helps to find out why a test failed: the last requests, and the dialect that a client misses.
    fn evidence(&self) -> String {
        let newest = serde_json::to_value(Requests::any().newest(SHOWN_ENTRIES)).unwrap_or_default();
        let entries = self.journal().find(&newest).unwrap_or_default();
        if entries.is_empty() {
            return String::new();
        }
        let lines: String = entries.iter().map(|entry| format!("\n  {entry}")).collect();
        let settings = self.calls.server().server().worlds().get(&self.name).map(|world| world.settings());
        let missing = entries.iter().find_map(|entry| {
            let dialect = settings.as_ref()?.dialect.missing_for(&entry.client)?;
            Some(format!(
                "\nThe client {} looks for other names: WorldOptions::new().dialect({dialect:?})",
                entry.client
            ))
        });
        format!("The last requests to {}:{lines}{}\n", self.name, missing.unwrap_or_default())
    }
}

impl Drop for TestWorld {
    fn drop(&mut self) {
        if std::thread::panicking() {
            eprint!("{}", self.evidence());
        }
        // A test may have ended it already.
        let _ = self.calls.done(Method::DELETE, "", None);
    }
}

/// A world's snapshots.
pub struct Snapshots {
    calls: Calls,
}

impl Snapshots {
    /// Takes one; that of the same name is replaced.
    #[track_caller]
    pub fn save(&self, name: &str) {
        self.calls.answer(Method::POST, "/snapshots", Some(json!({"name": name})));
    }

    /// Goes back to one; queues end.
    #[track_caller]
    pub fn restore(&self, name: &str) {
        self.calls.answer(Method::POST, &format!("/snapshots/{name}/restore"), None);
    }

    /// The names of all.
    #[track_caller]
    pub fn list(&self) -> Vec<String> {
        let rows: Vec<Value> = list(self.calls.answer(Method::GET, "/snapshots", None), "snapshots");
        rows.into_iter().map(|mut row| read(row["name"].take())).collect()
    }

    /// Removes one.
    #[track_caller]
    pub fn remove(&self, name: &str) {
        self.calls.answer(Method::DELETE, &format!("/snapshots/{name}"), None);
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::{self, TestWorld, WorldOptions};
    use std::io::{Read, Write};
    use std::net::TcpStream;

    /// Asks for the settings as a stock client does.
    fn meet(world: &TestWorld) {
        let rest = world.url().strip_prefix("http://").expect("plain HTTP");
        let (address, path) = rest.split_once('/').expect("a path");
        let mut stream = TcpStream::connect(address).expect("the server is there");
        let request = format!(
            "GET /{path}/api/v1/server_settings HTTP/1.0\r\nHost: {address}\r\nUser-Agent: ZulipPython/0.9.1 (Linux)\r\n\r\n"
        );
        stream.write_all(request.as_bytes()).expect("sent");
        stream.read_to_string(&mut String::new()).expect("a reply");
    }

    #[test]
    fn a_failed_test_says_which_dialect_a_client_needs() {
        let (neutral, of_vendor) = (testing::world(), testing::world_with(WorldOptions::new().dialect("zulip")));
        meet(&neutral);
        meet(&of_vendor);

        let said = neutral.evidence();

        assert!(said.contains("\n  200 GET /server_settings\n"), "{said}");
        assert!(
            said.ends_with("\nThe client ZulipPython looks for other names: WorldOptions::new().dialect(\"zulip\")\n"),
            "{said}"
        );
        assert!(of_vendor.evidence().ends_with("200 GET /server_settings\n"));
    }
}
