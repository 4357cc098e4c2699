//! What tools do: calls of control and of the API over HTTP, and the scenario of what was done.

use super::recording::{Answered, Recording};
use super::tools::{self, ControlCall};
use crate::cli::scenario::settled;
use crate::scenario::client::{Answer, Ask, Client, Failure};
use crate::scenario::{Document, Mode, Outcome, Stage, play};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use parking_lot::Mutex;
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;
use tokio_rustls::rustls::ClientConfig;

/// Characters of a reply that an agent is shown.
const MAX_SHOWN: usize = 40_000;
const DEFAULT_WORLD: &str = "default";

type Arguments = Map<String, Value>;

/// An agent's session with a server.
pub struct Session {
    url: String,
    control_token: Option<String>,
    client: Client,
    stage: Stage,
    recordings: Mutex<BTreeMap<String, Recording>>,
}

impl Session {
    /// A session with the server at a URL.
    ///
    /// # Errors
    ///
    /// Where this machine has no trusted certificates.
    pub fn new(
        url: &str,
        control_token: Option<String>,
        trusting: Option<ClientConfig>,
        stage: Stage,
    ) -> Result<Self, String> {
        let client = Client::new(url, trusting)?;
        Ok(Self { url: url.to_owned(), control_token, client, stage, recordings: Mutex::default() })
    }

    /// Does what a tool does; gives the text that the agent reads.
    ///
    /// # Errors
    ///
    /// Why it was not done, in a sentence.
    pub async fn call(&self, tool: &str, arguments: &Arguments) -> Result<String, String> {
        if let Some(call) = ControlCall::of(tool) {
            return self.control(call, arguments).await;
        }
        check_names(tool, arguments)?;
        match tool {
            "find_operations" => Ok(tools::operations_with(text(arguments, "words").unwrap_or_default()).join("\n")),
            "describe_operation" => describe(required(arguments, "operation")?),
            "act" => self.act(arguments).await,
            "play_scenario" => self.play(required(arguments, "text")?).await,
            "export_scenario" => self.export(arguments).await,
            _ => Err(format!("there is no tool {tool:?}")),
        }
    }

    async fn control(&self, call: ControlCall, arguments: &Arguments) -> Result<String, String> {
        let world = text(arguments, "world").unwrap_or(DEFAULT_WORLD);
        let mut arguments = arguments.clone();
        arguments.shift_remove("world");
        let mut path = call.path.replace("{name}", &encoded(world));
        while let (Some(start), Some(end)) = (path.find('{'), path.find('}')) {
            let name = path[start + 1..end].to_owned();
            let value = arguments.shift_remove(&name).ok_or_else(|| format!("`{name}` is missing"))?;
            path.replace_range(start..=end, &encoded(&as_text(&value)));
        }
        let in_query = call.in_query().filter_map(|name| Some((name.to_owned(), arguments.shift_remove(name)?)));
        let query = form(&in_query.collect());
        let url = if query.is_empty() { format!("{}{path}", self.url) } else { format!("{}{path}?{query}", self.url) };
        let body = (call.method == "POST").then(|| Value::from(arguments.clone()));
        let answer = self.ask_control(call.method, url, body.as_ref()).await?;
        if answer.status < 400 || call.path.ends_with("/verify") {
            self.note(call, world, &path, &query, body.as_ref(), answer.status);
        }
        shown(&answer)
    }

    async fn ask_control(&self, method: &str, url: String, body: Option<&Value>) -> Result<Answer, String> {
        let mut headers = vec![("content-type".to_owned(), "application/json".to_owned())];
        headers.extend(self.control_token.iter().map(|token| ("authorization".to_owned(), format!("Bearer {token}"))));
        let body = body.map(|body| body.to_string().into_bytes()).unwrap_or_default();
        let ask = Ask { method: method.to_owned(), url, headers, body };
        self.client.ask(ask).await.map_err(|failure| failure.reason().to_owned())
    }

    /// Notes a call of control for the scenario of its world.
    fn note(&self, call: ControlCall, world: &str, path: &str, query: &str, body: Option<&Value>, status: u16) {
        let mut recordings = self.recordings.lock();
        let empty = Map::new();
        let parameters = body.and_then(Value::as_object).unwrap_or(&empty);
        match (call.method, call.path) {
            ("GET", _) => {}
            ("POST", "/control/worlds") => {
                let name = parameters.get("name").and_then(Value::as_str).unwrap_or_default().to_owned();
                let origin = parameters.get("fork_of").and_then(Value::as_str);
                let made = match origin.and_then(|origin| recordings.get(origin)) {
                    Some(origin) => origin.clone(),
                    None => Recording::of(parameters),
                };
                recordings.insert(name, made);
            }
            ("DELETE", "/control/worlds/{name}") => _ = recordings.remove(world),
            (_, "/control/worlds/{name}/reset") => recordings.entry(world.to_owned()).or_default().reset(),
            (method, _) => {
                let below = path.strip_prefix(&format!("/control/worlds/{}", encoded(world))).unwrap_or(path);
                let below = if query.is_empty() { below.to_owned() } else { format!("{below}?{query}") };
                recordings.entry(world.to_owned()).or_default().add_control(method, &below, body, status);
            }
        }
    }

    async fn act(&self, arguments: &Arguments) -> Result<String, String> {
        let world = text(arguments, "world").unwrap_or(DEFAULT_WORLD);
        let user = text(arguments, "user");
        let operation = required(arguments, "operation")?.trim();
        let (method, path) = operation.split_once(' ').ok_or_else(operation_form)?;
        let none = Map::new();
        let params = match arguments.get("params") {
            Some(Value::Object(params)) => params,
            None | Some(Value::Null) => &none,
            Some(_) => return Err("`params` is an object".to_owned()),
        };
        let form = form(params);
        let base = if world == DEFAULT_WORLD { self.url.clone() } else { format!("{}/w/{}", self.url, encoded(world)) };
        let path = path.trim().trim_start_matches("/api/v1");
        let mut ask = Ask { method: method.to_uppercase(), url: format!("{base}/api/v1{path}"), ..Ask::default() };
        match ask.method.as_str() {
            "GET" if form.is_empty() => {}
            "GET" => ask.url = format!("{}?{form}", ask.url),
            _ => {
                ask.headers.push(("content-type".to_owned(), "application/x-www-form-urlencoded".to_owned()));
                ask.body = form.into_bytes();
            }
        }
        ask.headers.push(("user-agent".to_owned(), concat!("chatdouble-mcp/", env!("CARGO_PKG_VERSION")).to_owned()));
        if let Some(user) = user {
            ask.headers.push(("authorization".to_owned(), self.authorization(world, user).await?));
        }
        let method = ask.method.clone();
        let answered = self.client.ask(ask).await;
        let (noted, shown) = match &answered {
            Ok(answer) => (Answered::Whole(answer.status, without_url(&answer.body, &base)), shown(answer)?),
            Err(Failure::Broken(reason)) => (Answered::Broken, json!({"failure": reason}).to_string()),
            Err(Failure::Refused(reason)) => return Err(reason.clone()),
        };
        let who = user.unwrap_or("anonymous");
        let mut recordings = self.recordings.lock();
        let recording = recordings.entry(world.to_owned()).or_default();
        recording.add_request(who, &format!("{method} {path}"), params, &noted);
        Ok(shown)
    }

    /// The header with which a user logs in.
    async fn authorization(&self, world: &str, user: &str) -> Result<String, String> {
        let url = format!("{}/control/worlds/{}/users?user={}", self.url, encoded(world), encoded(user));
        let answer = self.ask_control("GET", url, None).await?;
        let account = &answer.body["users"][0];
        match (account["email"].as_str(), account["api_key"].as_str()) {
            (Some(email), Some(key)) => Ok(format!("Basic {}", STANDARD.encode(format!("{email}:{key}")))),
            _ => Err(answer.body["msg"].as_str().unwrap_or("there is no such user").to_owned()),
        }
    }

    async fn play(&self, text: &str) -> Result<String, String> {
        let document = Document::parse("scenario.md", text)
            .map_err(|mistakes| mistakes.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n"))?;
        let mut lines = Vec::new();
        for scenario in &document.scenarios {
            lines.push(match play(&self.stage, &document, scenario, Mode::Check).await {
                Outcome::Played => format!("played   {}", scenario.name),
                Outcome::Skipped(reason) => format!("skipped  {}: {reason}", scenario.name),
                Outcome::Differs(differences) => {
                    let shown = differences.last().map(|last| last.shown(&document)).unwrap_or_default();
                    format!("differs  {}\n{shown}", scenario.name)
                }
            });
        }
        Ok(lines.join("\n"))
    }

    /// What was done, played once: what changes from run to run becomes a placeholder.
    async fn export(&self, arguments: &Arguments) -> Result<String, String> {
        let world = text(arguments, "world").unwrap_or(DEFAULT_WORLD);
        let title = text(arguments, "title").filter(|title| !title.trim().is_empty()).unwrap_or("What an agent did");
        let draft = self.recordings.lock().get(world).and_then(|recording| recording.scenario(title));
        let draft = draft.ok_or_else(|| format!("this session did nothing in the world {world:?}"))?;
        Ok(settled(&self.stage, "scenario.md", draft).await)
    }
}

/// Asserts that a tool is given nothing that it does not take.
fn check_names(tool: &str, arguments: &Arguments) -> Result<(), String> {
    let Some(taken) = tools::arguments(tool) else { return Ok(()) };
    let quoted = |names: &[&str]| names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ");
    let unknown: Vec<&str> = arguments.keys().map(String::as_str).filter(|name| !taken.contains(name)).collect();
    if unknown.is_empty() {
        return Ok(());
    }
    let form = if taken.contains(&"operation") { format!("; {}", operation_form()) } else { String::new() };
    Err(format!("{tool} takes {}, not {}{form}", quoted(&taken), quoted(&unknown)))
}

fn operation_form() -> String {
    "`operation` is a method and a path, such as \"POST /messages\"".to_owned()
}

fn describe(operation: &str) -> Result<String, String> {
    let (method, path) = operation.trim().split_once(' ').ok_or_else(operation_form)?;
    let described = tools::described(method, path.trim());
    described
        .map(|described| format!("{described:#}"))
        .ok_or_else(|| format!("there is no operation {operation:?}; `find_operations` lists those that there are"))
}

fn text<'a>(arguments: &'a Arguments, name: &str) -> Option<&'a str> {
    arguments.get(name).and_then(Value::as_str)
}

fn required<'a>(arguments: &'a Arguments, name: &str) -> Result<&'a str, String> {
    text(arguments, name).ok_or_else(|| match name {
        "operation" => format!("`operation` is missing; {}", operation_form()),
        _ => format!("`{name}` is missing"),
    })
}

/// Parameters as clients send them.
fn form(params: &Arguments) -> String {
    let mut form = form_urlencoded::Serializer::new(String::new());
    for (name, value) in params {
        form.append_pair(name, &as_text(value));
    }
    form.finish()
}

fn as_text(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

fn encoded(part: &str) -> String {
    utf8_percent_encode(part, NON_ALPHANUMERIC).to_string()
}

/// The reply without what begins with the address of the server, which is another one elsewhere.
fn without_url(body: &Value, base: &str) -> Value {
    match body {
        Value::Object(members) => {
            let is_here = |value: &Value| value.as_str().is_some_and(|text| text.contains(base));
            let remaining = members.iter().filter(|(_, value)| !is_here(value));
            remaining.map(|(name, value)| (name.clone(), without_url(value, base))).collect::<Map<_, _>>().into()
        }
        Value::Array(items) => items.iter().map(|item| without_url(item, base)).collect(),
        other => other.clone(),
    }
}

/// A reply as an agent reads it: a refusal comes with its hint.
///
/// # Errors
///
/// None.
fn shown(answer: &Answer) -> Result<String, String> {
    let reply = match &answer.body {
        Value::Null => Value::from(String::from_utf8_lossy(&answer.bytes).into_owned()),
        body => body.clone(),
    };
    let mut shown = json!({"status": answer.status, "reply": reply});
    if let Some(hint) = answer.headers.get("x-chatdouble-hint").and_then(|hint| hint.to_str().ok()) {
        shown["hint"] = hint.into();
    }
    let mut text = shown.to_string();
    if text.len() > MAX_SHOWN {
        text.truncate(text.floor_char_boundary(MAX_SHOWN));
        text.push('…');
    }
    Ok(text)
}
