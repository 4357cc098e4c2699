//! The world of a test: its options, its helpers and its snapshots.

use super::control_client::{ControlClient, Refusal, parse_json, parse_list, to_json};
use super::{Clock, Faults, Journal, Networks, Pushes, Queues, RateLimits, ReportedClient, RequestPattern, TestServer};
use crate::server::Credentials;
use http::Method;
use serde::Serialize;
use serde_json::{Value, json};

/// The maximum number of journal entries that a failed test prints.
const MAX_PRINTED_ENTRIES: usize = 10;
/// Names of threads that may run more than one test, so that their names can't label a world.
const SHARED_THREADS: [&str; 2] = ["main", "tokio-runtime-worker"];

/// Options of a new world: a fork, unless they name a fixture. They have the names that control gives them.
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
    /// The options of a fork of `default`.
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets the world's name; control chooses one otherwise.
    pub fn name(self, name: impl Into<String>) -> Self {
        Self { name: Some(name.into()), ..self }
    }

    /// Creates the world from a fixture instead of a fork: the name of a built-in one, or a document.
    pub fn fixture(self, fixture: impl Into<Value>) -> Self {
        Self { fixture: Some(fixture.into()), ..self }
    }

    /// Forks a snapshot of the original world instead of its current state.
    pub fn snapshot(self, name: impl Into<String>) -> Self {
        Self { snapshot: Some(name.into()), ..self }
    }

    /// Sets the feature level that the world emulates.
    pub fn feature_level(self, level: i64) -> Self {
        Self { feature_level: Some(level), ..self }
    }

    /// Sets the names on the wire: `neutral`, `zulip`, or a dialect as JSON.
    pub fn dialect(self, dialect: impl Into<Value>) -> Self {
        Self { dialect: Some(dialect.into()), ..self }
    }

    /// Sets the clock: `real`, `frozen`, or frozen at a time in RFC 3339.
    pub fn clock(self, clock: impl Into<String>) -> Self {
        Self { clock: Some(clock.into()), ..self }
    }

    /// Sets the seed of the world's random generator.
    pub fn seed(self, seed: u64) -> Self {
        Self { seed: Some(seed), ..self }
    }

    /// Gives the world its own port, for clients that accept only a base URL without a path.
    pub fn listen(self) -> Self {
        Self { listen: true, ..self }
    }

    /// Sets the label, which the console and lists show. The default is the test's name.
    pub fn label(self, label: impl Into<String>) -> Self {
        Self { label: Some(label.into()), ..self }
    }
}

/// The world of a test. Dropping it ends the world; if the test panics, its last requests are printed.
///
/// The methods have the same names as in the packages for other languages, such as `network`, `rate_limit` and
/// `put_state`.
pub struct TestWorld {
    control: ControlClient,
    name: String,
    url: String,
}

impl TestWorld {
    #[track_caller]
    pub(super) fn create(server: &TestServer, mut options: WorldOptions) -> Self {
        if options.fixture.is_none() && options.fork_of.is_none() {
            options.fork_of = Some("default".to_owned());
        }
        if options.label.is_none() {
            let thread = std::thread::current();
            options.label = thread.name().filter(|name| !SHARED_THREADS.contains(name)).map(str::to_owned);
        }
        let mut created =
            ControlClient::new(server, String::new()).call(Method::POST, "/worlds", Some(to_json(options)));
        let (name, url): (String, String) = (parse_json(created["name"].take()), parse_json(created["url"].take()));
        Self { control: ControlClient::new(server, format!("/worlds/{name}")), name, url }
    }

    /// Name of the world, as in the paths of control.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Base URL for clients, without a slash at the end and without `/api/v1`.
    pub fn url(&self) -> &str {
        &self.url
    }

    /// The credentials of a user. The handle is the part of the email address before the @.
    ///
    /// # Panics
    ///
    /// When there is no such user.
    #[track_caller]
    pub fn user(&self, handle: &str) -> Credentials {
        self.control.server().server().user_of(&self.name, handle)
    }

    /// The world's clock.
    pub fn clock(&self) -> Clock {
        Clock { control: self.control.clone() }
    }

    /// The world's faults.
    pub fn faults(&self) -> Faults {
        Faults { control: self.control.clone() }
    }

    /// The networks between clients and the world.
    pub fn network(&self) -> Networks {
        Networks { control: self.control.clone() }
    }

    /// The world's rate limits.
    pub fn rate_limit(&self) -> RateLimits {
        RateLimits { control: self.control.clone() }
    }

    /// The world's journal of requests.
    pub fn journal(&self) -> Journal {
        Journal { control: self.control.clone() }
    }

    /// The event queues of the world's clients.
    pub fn queues(&self) -> Queues {
        Queues { control: self.control.clone() }
    }

    /// The pushes that the world's push relay received.
    pub fn pushes(&self) -> Pushes {
        Pushes { control: self.control.clone() }
    }

    /// The world's snapshots.
    pub fn snapshots(&self) -> Snapshots {
        Snapshots { control: self.control.clone() }
    }

    /// Creates a world with the current data, clock, feature level and dialect of this one, but without its queues,
    /// faults, networks, rate limits, pushes, journal entries and snapshots.
    #[track_caller]
    pub fn fork(&self) -> Self {
        self.fork_with(WorldOptions::default())
    }

    /// Does the same as [`TestWorld::fork`], with options.
    #[track_caller]
    pub fn fork_with(&self, options: WorldOptions) -> Self {
        let options = WorldOptions { fork_of: Some(self.name.clone()), ..options };
        Self::create(&self.control.server(), options)
    }

    /// The world's clients, with the rules that they have broken.
    #[track_caller]
    pub fn report(&self) -> Vec<ReportedClient> {
        parse_list(self.control.call(Method::GET, "/report", None), "clients")
    }

    /// Asserts that the report has no errors or warnings. Notes are allowed.
    ///
    /// # Panics
    ///
    /// If there are errors or warnings, which the message lists.
    #[track_caller]
    pub fn assert_no_findings(&self) {
        let mut lines = Vec::new();
        for client in self.report() {
            let findings = client.findings.iter().filter(|finding| finding.severity != "note");
            lines.extend(findings.map(|finding| format!("{} {finding}", client.client)));
        }
        assert!(lines.is_empty(), "the clients of {} broke rules:\n{}", self.name, lines.join("\n"));
    }

    /// Resets the world to its initial state: data, clock, faults, networks, rate limits, journal, report and pushes.
    /// Queues end, and snapshots remain.
    #[track_caller]
    pub fn reset(&self) {
        self.control.call(Method::POST, "/reset", None);
    }

    /// The world's state as a fixture document.
    #[track_caller]
    pub fn state(&self) -> Value {
        self.control.call(Method::GET, "/state", None)["state"].take()
    }

    /// Replaces the world's state with a fixture document; queues end.
    #[track_caller]
    pub fn put_state(&self, document: &Value) {
        self.control.call(Method::PUT, "/state", Some(document.clone()));
    }

    /// Broken invariants, one line each. Empty unless chatdouble itself has a bug.
    #[track_caller]
    pub fn violations(&self) -> Vec<String> {
        let violations: Vec<Value> = parse_list(self.control.call(Method::GET, "/invariants", None), "violations");
        violations.iter().map(ToString::to_string).collect()
    }

    /// Upgrades the world to a newer feature level; queues end.
    #[track_caller]
    pub fn upgrade(&self, level: i64) {
        self.control.call(Method::POST, "/upgrade", Some(json!({"to": level})));
    }

    /// Makes any call of control for this world. `path` begins after the world's name, such as `/invites/KEY/accept`.
    ///
    /// # Errors
    ///
    /// The refusal by control.
    pub fn control(&self, method: Method, path: &str, body: Option<Value>) -> Result<Value, Refusal> {
        self.control.try_call(method, path, body)
    }
}

impl TestWorld {
    /// The text that a failed test prints: the last requests, and a hint for a client that needs another dialect.
    fn failure_text(&self) -> String {
        let newest = serde_json::to_value(RequestPattern::any().newest(MAX_PRINTED_ENTRIES)).unwrap_or_default();
        let entries = self.journal().find(&newest).unwrap_or_default();
        if entries.is_empty() {
            return String::new();
        }
        let lines: String = entries.iter().map(|entry| format!("\n  {entry}")).collect();
        let settings = self.control.server().server().worlds().get(&self.name).map(|world| world.settings());
        let dialect_hint = entries.iter().find_map(|entry| {
            let dialect = settings.as_ref()?.dialect.name_expected_instead_by(&entry.client)?;
            Some(format!(
                "\nThe client {} looks for other names: WorldOptions::new().dialect({dialect:?})",
                entry.client
            ))
        });
        format!("The last requests to {}:{lines}{}\n", self.name, dialect_hint.unwrap_or_default())
    }
}

impl Drop for TestWorld {
    fn drop(&mut self) {
        if std::thread::panicking() {
            eprint!("{}", self.failure_text());
        }
        // This fails if the test has already ended the world itself.
        let _ = self.control.try_call(Method::DELETE, "", None);
    }
}

/// The snapshots of a world.
pub struct Snapshots {
    control: ControlClient,
}

impl Snapshots {
    /// Takes a snapshot; an existing one of the same name is replaced.
    #[track_caller]
    pub fn save(&self, name: &str) {
        self.control.call(Method::POST, "/snapshots", Some(json!({"name": name})));
    }

    /// Returns the world to a snapshot; queues end.
    #[track_caller]
    pub fn restore(&self, name: &str) {
        self.control.call(Method::POST, &format!("/snapshots/{name}/restore"), None);
    }

    /// The names of all snapshots.
    #[track_caller]
    pub fn list(&self) -> Vec<String> {
        let rows: Vec<Value> = parse_list(self.control.call(Method::GET, "/snapshots", None), "snapshots");
        rows.into_iter().map(|mut row| parse_json(row["name"].take())).collect()
    }

    /// Removes a snapshot.
    #[track_caller]
    pub fn remove(&self, name: &str) {
        self.control.call(Method::DELETE, &format!("/snapshots/{name}"), None);
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::{self, TestWorld, WorldOptions};
    use std::io::{Read, Write};
    use std::net::TcpStream;

    /// Sends the first request of a stock client.
    fn request_settings(world: &TestWorld) {
        let url = world.url().strip_prefix("http://").expect("plain HTTP");
        let (address, path) = url.split_once('/').expect("a path");
        let mut stream = TcpStream::connect(address).expect("the server is there");
        let request = format!(
            "GET /{path}/api/v1/server_settings HTTP/1.0\r\nHost: {address}\r\nUser-Agent: ZulipPython/0.9.1 (Linux)\r\n\r\n"
        );
        stream.write_all(request.as_bytes()).expect("sent");
        stream.read_to_string(&mut String::new()).expect("a reply");
    }

    #[test]
    fn a_failed_test_says_which_dialect_a_client_needs() {
        let (neutral, zulip) = (testing::world(), testing::world_with(WorldOptions::new().dialect("zulip")));
        request_settings(&neutral);
        request_settings(&zulip);

        let text = neutral.failure_text();

        assert!(text.contains("\n  200 GET /server_settings\n"), "{text}");
        assert!(
            text.ends_with("\nThe client ZulipPython looks for other names: WorldOptions::new().dialect(\"zulip\")\n"),
            "{text}"
        );
        assert!(zulip.failure_text().ends_with("200 GET /server_settings\n"));
    }
}
