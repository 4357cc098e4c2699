//! A server to play on: with control, where each scenario gets a world, or without, in the realm that is there.

use super::client::{Answer, Ask, Client, Failure};
use super::directory::{Accounts, Directory, Person};
use base64::Engine;
use parking_lot::Mutex;
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use tokio_rustls::rustls::ClientConfig;

/// Where the clock of every world is when its scenario begins.
const START: &str = "2026-01-01T00:00:00Z";

/// A server to play on.
pub struct Stage {
    client: Client,
    /// Scheme, host and port.
    root: String,
    /// Where the API is found without control, without `/api/v1`.
    base_url: String,
    control_token: Option<String>,
    /// The newest level that the server knows; none: it has no control.
    newest_level: Option<i64>,
    accounts: Accounts,
    played: AtomicU64,
    /// Control of the worlds that were made and not yet ended.
    made: Mutex<BTreeSet<String>>,
}

/// A realm that a scenario is played in.
pub struct World {
    /// The base URL, without a slash at the end.
    pub base_url: String,
    /// The URL of its control; none: it has none.
    pub control: Option<String>,
}

impl Stage {
    /// Finds out what there is at a URL: a server with control, or just one of this API. The accounts tell who is who
    /// where nobody can be asked for keys.
    ///
    /// # Errors
    ///
    /// When the server can't be reached, or control asks for another token.
    pub async fn open(url: &str, control_token: Option<String>, accounts: Accounts) -> Result<Self, String> {
        Self::open_trusting(url, control_token, accounts, None).await
    }

    /// As [`Stage::open`], with other authorities than this machine's to trust over HTTPS.
    ///
    /// # Errors
    ///
    /// As there.
    pub async fn open_trusting(
        url: &str,
        control_token: Option<String>,
        accounts: Accounts,
        trusting: Option<ClientConfig>,
    ) -> Result<Self, String> {
        let base_url = url.trim_end_matches('/').trim_end_matches("/api/v1").trim_end_matches('/').to_owned();
        let Some((scheme, rest)) = base_url.split_once("://").filter(|(scheme, _)| ["http", "https"].contains(scheme))
        else {
            return Err(format!("'{url}' is no base URL such as http://127.0.0.1:9991"));
        };
        let root = format!("{scheme}://{}", rest.split('/').next().unwrap_or(rest));
        let client = Client::new(&root, trusting)?;
        let mut stage = Self {
            client,
            root,
            base_url,
            control_token,
            newest_level: None,
            accounts,
            played: AtomicU64::new(0),
            made: Mutex::default(),
        };
        let health = stage.control("GET", &format!("{}/control/health", stage.root), None).await;
        let health = health.map_err(|failure| format!("{url} can't be reached: {}", failure.reason()))?;
        // A server that would answer, were it asked in another way.
        let hint = health.headers.get("x-chatdouble-hint").and_then(|hint| hint.to_str().ok());
        if let Some(hint) = hint.filter(|_| health.status == 400) {
            return Err(format!("{url} can't be reached: {hint}"));
        }
        // Health needs no token; all else may.
        let calls = stage.control("GET", &format!("{}/control", stage.root), None).await;
        let calls = calls.map_err(|failure| format!("{url} can't be reached: {}", failure.reason()))?;
        let is_control = health.body["version"].is_string() || health.body["code"] == "UNAUTHORIZED";
        let refused = [&health, &calls].into_iter().find(|answer| [401, 403].contains(&answer.status));
        if let Some(refused) = refused.filter(|_| is_control) {
            return Err(format!("{url} refuses to be steered: {}; --control-token may help", refused.body["msg"]));
        }
        stage.newest_level = health.body["feature_level"].as_i64().filter(|_| health.status == 200);
        Ok(stage)
    }

    /// Whether worlds can be made and steered.
    pub fn has_control(&self) -> bool {
        self.newest_level.is_some()
    }

    /// The newest feature level that a scenario can be played at: that of worlds that are made, or of the realm that is
    /// there.
    ///
    /// # Errors
    ///
    /// When the server does not answer.
    pub async fn level(&self) -> Result<i64, String> {
        if let Some(newest) = self.newest_level {
            return Ok(newest);
        }
        let url = format!("{}/api/v1/server_settings", self.base_url);
        let answer = self.ask(Ask { method: "GET".to_owned(), url, ..Ask::default() }).await;
        let settings = answer.map_err(|failure| failure.reason().to_owned())?.body;
        // Each product has a name of its own before the underscore; a server without the field is of level 0.
        let level = settings.as_object().into_iter().flatten().find(|(name, _)| name.ends_with("_feature_level"));
        Ok(level.and_then(|(_, level)| level.as_i64()).unwrap_or_default())
    }

    /// Makes a world at this level, unless the options name another, or gives the realm that is there.
    ///
    /// # Errors
    ///
    /// Why it can't be made.
    pub async fn make_world(&self, level: i64, options: &[(String, String)], file: &str) -> Result<World, String> {
        if !self.has_control() {
            return Ok(World { base_url: self.base_url.clone(), control: None });
        }
        let mut body = json!({
            "fixture": "default",
            "clock": START,
            "feature_level": level,
            "dialect": "neutral",
            "seed": 0,
        });
        for (name, text) in options {
            body[name] = match name.as_str() {
                "fixture" => fixture(text, file)?,
                "feature_level" | "seed" => serde_json::from_str(text).unwrap_or_else(|_| text.as_str().into()),
                _ => text.as_str().into(),
            };
        }
        let url = format!("{}/control/worlds", self.root);
        let answer = self.control("POST", &url, Some(&body)).await;
        let answer = answer.map_err(|failure| format!("no world can be made: {}", failure.reason()))?;
        match (answer.status, answer.body["name"].as_str(), answer.body["url"].as_str()) {
            (200, Some(name), Some(base)) => {
                let control = format!("{}/control/worlds/{name}", self.root);
                self.made.lock().insert(control.clone());
                Ok(World { base_url: base.to_owned(), control: Some(control) })
            }
            _ => Err(format!("no world can be made: {}", answer.body["msg"].as_str().unwrap_or("no reason is given"))),
        }
    }

    /// What is broken in a world that was made, if anything is.
    pub async fn violation(&self, world: &World) -> Option<String> {
        let url = format!("{}/invariants", world.control.as_deref()?);
        let answer = self.control("GET", &url, None).await.ok()?;
        answer.body["violations"].as_array().and_then(|all| all.first()).map(Value::to_string)
    }

    /// Ends a world that was made.
    pub async fn end_world(&self, world: &World) {
        if let Some(url) = &world.control {
            self.end(url).await;
        }
    }

    /// Ends the worlds that were made and are still there, when the playing is broken off.
    pub async fn end_all(&self) {
        let made = self.made.lock().clone();
        for url in &made {
            self.end(url).await;
        }
    }

    async fn end(&self, url: &str) {
        match self.control("DELETE", url, None).await {
            Ok(_) => {
                self.made.lock().remove(url);
            }
            Err(failure) => tracing::warn!("{url} is left behind: {}", failure.reason()),
        }
    }

    /// Calls control.
    ///
    /// # Errors
    ///
    /// Why there is no reply.
    pub async fn control(&self, method: &str, url: &str, body: Option<&Value>) -> Result<Answer, Failure> {
        let mut ask = Ask { method: method.to_owned(), url: url.to_owned(), ..Ask::default() };
        if let Some(token) = &self.control_token {
            ask.headers.push(("authorization".to_owned(), format!("Bearer {token}")));
        }
        if let Some(body) = body {
            ask.headers.push(("content-type".to_owned(), "application/json".to_owned()));
            ask.body = body.to_string().into_bytes();
        }
        self.ask(ask).await
    }

    /// Asks anything.
    ///
    /// # Errors
    ///
    /// Why there is no reply.
    pub async fn ask(&self, ask: Ask) -> Result<Answer, Failure> {
        self.client.ask(ask).await
    }

    /// Who and what there is in a world.
    ///
    /// # Errors
    ///
    /// When it can't be asked, or accounts of a foreign realm are wrong.
    pub async fn directory(&self, world: &World) -> Result<Directory, String> {
        let Some(control) = &world.control else { return self.foreign_directory(world).await };
        let state = self.control("GET", &format!("{control}/state"), None).await;
        Ok(Directory::of_state(&state.map_err(|failure| failure.reason().to_owned())?.body))
    }

    async fn foreign_directory(&self, world: &World) -> Result<Directory, String> {
        let mut directory = Directory::default();
        for (handle, account) in &self.accounts {
            let get = |path: &str| {
                self.ask(Ask {
                    method: "GET".to_owned(),
                    url: format!("{}/api/v1{path}", world.base_url),
                    headers: vec![credentials(&account.email, &account.api_key)],
                    body: Vec::new(),
                })
            };
            let own = get("/users/me").await.map_err(|failure| failure.reason().to_owned())?;
            let Some(user_id) = own.body["user_id"].as_i64() else {
                return Err(format!("the account '{handle}' is refused: {}", own.body["msg"]));
            };
            let full_name = own.body["full_name"].as_str().unwrap_or_default().to_owned();
            let (email, api_key) = (account.email.clone(), account.api_key.clone());
            directory.people.insert(handle.clone(), Person { email, api_key, user_id, full_name });
            if let Ok(channels) = get("/streams").await {
                Directory::add_named(&mut directory.channels, &channels.body["streams"], "stream_id");
            }
            if let Ok(groups) = get("/user_groups").await {
                Directory::add_named(&mut directory.groups, &groups.body["user_groups"], "id");
            }
        }
        Ok(directory)
    }

    /// The world's time in UNIX seconds: what its control says, or the date of a reply.
    ///
    /// # Errors
    ///
    /// When neither is to be had.
    pub async fn now(&self, world: &World) -> Result<i64, String> {
        let in_words = |failure: Failure| failure.reason().to_owned();
        if let Some(control) = &world.control {
            let clock = self.control("GET", &format!("{control}/clock"), None).await.map_err(in_words)?;
            return Ok(clock.body["now"].as_f64().unwrap_or_default().floor() as i64);
        }
        let url = format!("{}/api/v1/server_settings", world.base_url);
        let answer = self.ask(Ask { method: "GET".to_owned(), url, ..Ask::default() }).await.map_err(in_words)?;
        let date = answer.headers.get("date").and_then(|date| date.to_str().ok()).unwrap_or_default();
        let instant = jiff::fmt::rfc2822::DateTimeParser::new().parse_timestamp(date);
        instant.map(jiff::Timestamp::as_second).map_err(|_| "the server does not say what time it is".to_owned())
    }

    /// A word that no earlier playing has used, as far as the realm lasts longer than the playing.
    pub async fn unique(&self, world: &World) -> Result<String, String> {
        if world.control.is_some() {
            return Ok("1".to_owned());
        }
        let played = self.played.fetch_add(1, Ordering::Relaxed);
        Ok(format!("{}-{played}", self.now(world).await?))
    }
}

/// The header by which somebody acts.
pub fn credentials(email: &str, api_key: &str) -> (String, String) {
    let pair = base64::engine::general_purpose::STANDARD.encode(format!("{email}:{api_key}"));
    ("authorization".to_owned(), format!("Basic {pair}"))
}

/// A built-in fixture's name, a document, or one in a file next to the scenario's.
fn fixture(text: &str, file: &str) -> Result<Value, String> {
    if text.starts_with('{') {
        return serde_json::from_str(text).map_err(|error| format!("the fixture is no JSON: {error}"));
    }
    if !text.ends_with(".json") {
        return Ok(text.into());
    }
    let path = Path::new(file).parent().unwrap_or_else(|| Path::new("")).join(text);
    let document = std::fs::read_to_string(&path).map_err(|error| format!("{}: {error}", path.display()))?;
    serde_json::from_str(&document).map_err(|error| format!("{}: {error}", path.display()))
}
