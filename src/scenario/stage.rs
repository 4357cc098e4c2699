//! The server on which scenarios are played. With control, each scenario gets its own world. Without control, scenarios
//! are played in the server's organization.

use super::account::{Account, Accounts};
use super::account_key::{key_in_reply, key_request};
use super::client::{Client, Failure, HttpReply, HttpRequest, authorization_header};
use super::directory::{Directory, ScenarioUser, collect_ids};
use super::random_word::random_word;
use super::server_settings::feature_level_in;
use parking_lot::Mutex;
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use tokio_rustls::rustls::ClientConfig;

/// The initial time of a world whose scenario does not set another.
const START_TIME: &str = "2026-01-01T00:00:00Z";

/// The server on which scenarios are played.
pub struct Stage {
    client: Client,
    /// Scheme, host and port.
    origin: String,
    /// The URL that was given, without `/api/v1`. Without control, scenarios are played there.
    base_url: String,
    control_token: Option<String>,
    /// None without control, and with accounts.
    world_defaults: Option<WorldDefaults>,
    accounts: Accounts,
    /// A word that differs for each run. All unique words begin with it.
    run_word: String,
    /// Number of unique words that were given out.
    unique_word_count: AtomicU64,
    /// The control URLs of worlds that were created and not yet ended.
    open_world_urls: Mutex<BTreeSet<String>>,
}

/// What worlds for scenarios are made with unless a `world` block says otherwise, and the newest level.
struct WorldDefaults {
    /// The newest feature level that the server knows, for `feature_level: newest`.
    newest_level: i64,
    /// The feature level of the world at the stage's URL.
    level: i64,
    /// The dialect of the world at the stage's URL, as `POST /control/worlds` takes it. None if it comes from a
    /// document: new worlds then get the dialect of the server's command line.
    dialect: Option<String>,
}

/// The world, or the organization of a server without control, in which a scenario is played.
pub struct World {
    /// Base URL without a trailing slash.
    pub base_url: String,
    /// URL of the world in control. None for a server without control.
    pub control_url: Option<String>,
}

impl Stage {
    /// Connects to a server and finds out whether it has control. With `accounts`, scenarios are played in the existing
    /// organization with these users, as on a server without control.
    ///
    /// # Errors
    ///
    /// If the URL is invalid, no certificates are trusted, the server can't be reached, or control needs another token.
    pub async fn open(url: &str, control_token: Option<String>, accounts: Accounts) -> Result<Self, String> {
        Self::open_with_tls(url, control_token, accounts, None).await
    }

    /// Does the same as [`Stage::open`], with a TLS configuration instead of that of this machine, unless it is None.
    ///
    /// # Errors
    ///
    /// The same as [`Stage::open`].
    pub async fn open_with_tls(
        url: &str,
        control_token: Option<String>,
        accounts: Accounts,
        tls_config: Option<ClientConfig>,
    ) -> Result<Self, String> {
        let base_url = url.trim_end_matches('/').trim_end_matches("/api/v1").trim_end_matches('/').to_owned();
        let Some((scheme, address)) =
            base_url.split_once("://").filter(|(scheme, _)| ["http", "https"].contains(scheme))
        else {
            return Err(format!("'{url}' is no base URL such as http://127.0.0.1:9991"));
        };
        let origin = format!("{scheme}://{}", address.split('/').next().unwrap_or(address));
        let client = Client::new(&origin, tls_config)?;
        let mut stage = Self {
            client,
            origin,
            base_url,
            control_token,
            world_defaults: None,
            accounts,
            run_word: random_word(),
            unique_word_count: AtomicU64::new(0),
            open_world_urls: Mutex::default(),
        };
        let health_reply = stage.call_control("GET", &format!("{}/control/health", stage.origin), None).await;
        let health_reply = health_reply.map_err(|failure| format!("{url} can't be reached: {}", failure.reason()))?;
        // A server that expects another kind of request, such as HTTPS, answers with a hint.
        let hint = health_reply.headers.get("x-chatdouble-hint").and_then(|hint| hint.to_str().ok());
        if let Some(hint) = hint.filter(|_| health_reply.status == 400) {
            return Err(format!("{url} can't be reached: {hint}"));
        }
        // With accounts, scenarios are played in the existing organization, also on a chatdouble server.
        if !stage.accounts.is_empty() {
            return Ok(stage);
        }
        // The health call needs no token, but other calls may.
        let control_reply = stage.call_control("GET", &format!("{}/control", stage.origin), None).await;
        let control_reply = control_reply.map_err(|failure| format!("{url} can't be reached: {}", failure.reason()))?;
        let is_control = health_reply.body["version"].is_string() || health_reply.body["code"] == "UNAUTHORIZED";
        let refusal = [&health_reply, &control_reply].into_iter().find(|reply| [401, 403].contains(&reply.status));
        if let Some(refusal) = refusal.filter(|_| is_control) {
            return Err(format!("{url} refuses to be steered: {}; --control-token may help", refusal.body["msg"]));
        }
        if let Some(newest_level) = health_reply.body["feature_level"].as_i64().filter(|_| health_reply.status == 200) {
            let defaults = stage.read_world_defaults(newest_level).await;
            stage.world_defaults = Some(defaults.map_err(|failure| format!("{url}: {}", failure.reason()))?);
        }
        Ok(stage)
    }

    /// Reads the level and the dialect of the world at the URL of the stage; of `default` if there is none.
    async fn read_world_defaults(&self, newest_level: i64) -> Result<WorldDefaults, Failure> {
        let world_name = self.base_url.split_once("/w/").map(|(_, name)| name.split('/').next().unwrap_or(name));
        let mut world = Value::Null;
        for name in world_name.into_iter().chain(["default"]) {
            let reply = self.call_control("GET", &format!("{}/control/worlds/{name}", self.origin), None).await?;
            if reply.status == 200 {
                world = reply.body["world"].clone();
                break;
            }
        }
        let dialect = world["dialect"].as_str().filter(|name| *name != "custom");
        Ok(WorldDefaults {
            newest_level,
            level: world["feature_level"].as_i64().unwrap_or(newest_level),
            dialect: dialect.map(str::to_owned),
        })
    }

    /// The newest feature level that the server knows. None without control.
    pub(super) fn newest_level(&self) -> Option<i64> {
        self.world_defaults.as_ref().map(|defaults| defaults.newest_level)
    }

    /// Whether scenarios are played with control, each in its own world.
    pub fn has_control(&self) -> bool {
        self.world_defaults.is_some()
    }

    /// Reads the feature level at which scenarios are played: that of the server, or of the world at the stage's URL.
    ///
    /// # Errors
    ///
    /// If there is no reply.
    pub async fn read_level(&self) -> Result<i64, String> {
        if let Some(defaults) = &self.world_defaults {
            return Ok(defaults.level);
        }
        let url = format!("{}/api/v1/server_settings", self.base_url);
        let reply = self.send(HttpRequest { method: "GET".to_owned(), url, ..HttpRequest::default() }).await;
        Ok(feature_level_in(&reply.map_err(|failure| failure.reason().to_owned())?.body))
    }

    /// Creates a world at this level, unless the options contain another. The path of a fixture is relative to
    /// `scenario_path`. Without control, returns the server's organization.
    ///
    /// # Errors
    ///
    /// Why the world can't be created.
    pub async fn make_world(
        &self,
        level: i64,
        options: &[(String, String)],
        scenario_path: &str,
    ) -> Result<World, String> {
        let Some(defaults) = &self.world_defaults else {
            return Ok(World { base_url: self.base_url.clone(), control_url: None });
        };
        let mut body = json!({
            "fixture": "default",
            "clock": START_TIME,
            "feature_level": level,
            "seed": 0,
        });
        if let Some(dialect) = &defaults.dialect {
            body["dialect"] = json!(dialect);
        }
        for (name, text) in options {
            body[name] = match name.as_str() {
                "fixture" => read_fixture_option(text, scenario_path)?,
                "feature_level" if text == "newest" => json!(defaults.newest_level),
                "feature_level" | "seed" => serde_json::from_str(text).unwrap_or_else(|_| text.as_str().into()),
                _ => text.as_str().into(),
            };
        }
        let url = format!("{}/control/worlds", self.origin);
        let reply = self.call_control("POST", &url, Some(&body)).await;
        let reply = reply.map_err(|failure| format!("no world can be made: {}", failure.reason()))?;
        match (reply.status, reply.body["name"].as_str(), reply.body["url"].as_str()) {
            (200, Some(name), Some(world_url)) => {
                let control_url = format!("{}/control/worlds/{name}", self.origin);
                self.open_world_urls.lock().insert(control_url.clone());
                Ok(World { base_url: world_url.to_owned(), control_url: Some(control_url) })
            }
            _ => Err(format!("no world can be made: {}", reply.body["msg"].as_str().unwrap_or("no reason is given"))),
        }
    }

    /// The first broken invariant of a world. None if there is none, without control, or if the call fails.
    pub async fn first_violation(&self, world: &World) -> Option<String> {
        let url = format!("{}/invariants", world.control_url.as_deref()?);
        let reply = self.call_control("GET", &url, None).await.ok()?;
        reply.body["violations"].as_array().and_then(|violations| violations.first()).map(Value::to_string)
    }

    /// Ends a world. Does nothing without control. A failure is only logged.
    pub async fn end_world(&self, world: &World) {
        if let Some(url) = &world.control_url {
            self.end_world_at(url).await;
        }
    }

    /// Ends all worlds that were created and not yet ended.
    pub async fn end_all_worlds(&self) {
        let open_world_urls = self.open_world_urls.lock().clone();
        for url in &open_world_urls {
            self.end_world_at(url).await;
        }
    }

    async fn end_world_at(&self, url: &str) {
        match self.call_control("DELETE", url, None).await {
            Ok(_) => {
                self.open_world_urls.lock().remove(url);
            }
            Err(failure) => tracing::warn!("{url} is left behind: {}", failure.reason()),
        }
    }

    /// Makes a call of control, with the token if there is one. The reply may have any status.
    ///
    /// # Errors
    ///
    /// Why there is no reply.
    pub async fn call_control(&self, method: &str, url: &str, body: Option<&Value>) -> Result<HttpReply, Failure> {
        let mut request = HttpRequest { method: method.to_owned(), url: url.to_owned(), ..HttpRequest::default() };
        if let Some(token) = &self.control_token {
            request.headers.push(("authorization".to_owned(), format!("Bearer {token}")));
        }
        if let Some(body) = body {
            request.headers.push(("content-type".to_owned(), "application/json".to_owned()));
            request.body = body.to_string().into_bytes();
        }
        self.send(request).await
    }

    /// Sends a request to the server. The reply may have any status.
    ///
    /// # Errors
    ///
    /// Why there is no reply.
    pub async fn send(&self, request: HttpRequest) -> Result<HttpReply, Failure> {
        self.client.send(request).await
    }

    /// Reads the users, channels and groups of a world; with control also its messages.
    ///
    /// # Errors
    ///
    /// If there is no reply, or the server refuses an account.
    pub async fn read_directory(&self, world: &World) -> Result<Directory, String> {
        let Some(control_url) = &world.control_url else { return self.read_directory_of_accounts(world).await };
        let state = self.call_control("GET", &format!("{control_url}/state"), None).await;
        Ok(Directory::from_state(&state.map_err(|failure| failure.reason().to_owned())?.body))
    }

    async fn read_directory_of_accounts(&self, world: &World) -> Result<Directory, String> {
        let mut directory = Directory::default();
        for (handle, account) in &self.accounts {
            let (email, api_key) = (&account.email, self.api_key_of(account, world).await?);
            let get = |path: &str| {
                self.send(HttpRequest {
                    method: "GET".to_owned(),
                    url: format!("{}/api/v1{path}", world.base_url),
                    headers: vec![authorization_header(email, &api_key)],
                    body: Vec::new(),
                })
            };
            let own_user = get("/users/me").await.map_err(|failure| failure.reason().to_owned())?;
            let Some(user_id) = own_user.body["user_id"].as_i64() else {
                return Err(format!("the account '{handle}' is refused: {}", own_user.body["msg"]));
            };
            let full_name = own_user.body["full_name"].as_str().unwrap_or_default().to_owned();
            if let Ok(channels) = get("/streams").await {
                collect_ids(&mut directory.channel_ids, &channels.body["streams"], "stream_id");
            }
            if let Ok(groups) = get("/user_groups").await {
                collect_ids(&mut directory.group_ids, &groups.body["user_groups"], "id");
            }
            let user = ScenarioUser { email: email.clone(), api_key, user_id, full_name };
            directory.users.insert(handle.clone(), user);
        }
        Ok(directory)
    }

    /// The API key of an account, which the server is asked for if it is not given.
    async fn api_key_of(&self, account: &Account, world: &World) -> Result<String, String> {
        let Account { email, api_key } = account;
        if !api_key.is_empty() {
            return Ok(api_key.clone());
        }
        let reply =
            self.send(key_request(&world.base_url, email)).await.map_err(|failure| failure.reason().to_owned())?;
        let key = key_in_reply(&reply, &world.base_url, email)?;
        key.ok_or_else(|| format!("{} has no account {email}", world.base_url))
    }

    /// Reads the world's time in UNIX seconds. Without control, it is that of the `Date` header.
    ///
    /// # Errors
    ///
    /// If there is no reply, or it has no date.
    pub async fn read_time(&self, world: &World) -> Result<i64, String> {
        let to_reason = |failure: Failure| failure.reason().to_owned();
        if let Some(control_url) = &world.control_url {
            let clock = self.call_control("GET", &format!("{control_url}/clock"), None).await.map_err(to_reason)?;
            return Ok(clock.body["now"].as_f64().unwrap_or_default().floor() as i64);
        }
        let url = format!("{}/api/v1/server_settings", world.base_url);
        let reply = self
            .send(HttpRequest { method: "GET".to_owned(), url, ..HttpRequest::default() })
            .await
            .map_err(to_reason)?;
        let date = reply.headers.get("date").and_then(|date| date.to_str().ok()).unwrap_or_default();
        let instant = jiff::fmt::rfc2822::DateTimeParser::new().parse_timestamp(date);
        instant.map(jiff::Timestamp::as_second).map_err(|_| "the server does not say what time it is".to_owned())
    }

    /// A word that no other run in the same organization uses. With control, it is always the same, because each run
    /// has a new world.
    pub fn unique_word(&self, world: &World) -> String {
        if world.control_url.is_some() {
            return "1".to_owned();
        }
        let word_index = self.unique_word_count.fetch_add(1, Ordering::Relaxed);
        format!("{}-{word_index}", self.run_word)
    }
}

/// Reads the option `fixture`: a built-in fixture's name, a document, or the path of a file relative to the scenario.
fn read_fixture_option(text: &str, scenario_path: &str) -> Result<Value, String> {
    if text.starts_with('{') {
        return serde_json::from_str(text).map_err(|error| format!("the fixture is no JSON: {error}"));
    }
    if !text.ends_with(".json") {
        return Ok(text.into());
    }
    let path = Path::new(scenario_path).parent().unwrap_or_else(|| Path::new("")).join(text);
    let document = std::fs::read_to_string(&path).map_err(|error| format!("{}: {error}", path.display()))?;
    serde_json::from_str(&document).map_err(|error| format!("{}: {error}", path.display()))
}
