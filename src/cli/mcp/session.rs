//! The session of an agent: runs tools by requests to a server, and records them as scenarios.

use super::session_scenario::{Reply, SessionScenario};
use super::tools::{self, ControlCall};
use crate::cli::scenario::insert_placeholders;
use crate::scenario::client::{Client, Failure, HttpReply, HttpRequest};
use crate::scenario::{Document, Mode, Outcome, Stage, play};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use parking_lot::Mutex;
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;
use tokio_rustls::rustls::ClientConfig;

/// The maximum length of a reply for the agent, in bytes. Longer ones are cut.
const MAX_SHOWN_REPLY_BYTES: usize = 40_000;
const DEFAULT_WORLD: &str = "default";

type Arguments = Map<String, Value>;

/// An agent's session with a server.
pub struct Session {
    url: String,
    control_token: Option<String>,
    client: Client,
    stage: Stage,
    /// What was done in each world, by its name.
    scenarios: Mutex<BTreeMap<String, SessionScenario>>,
}

impl Session {
    /// Creates a session, which sends no request yet.
    ///
    /// # Errors
    ///
    /// If HTTPS is needed and this machine has no trusted certificates.
    pub fn new(
        url: &str,
        control_token: Option<String>,
        tls_config: Option<ClientConfig>,
        stage: Stage,
    ) -> Result<Self, String> {
        let client = Client::new(url, tls_config)?;
        Ok(Self { url: url.to_owned(), control_token, client, stage, scenarios: Mutex::default() })
    }

    /// Runs a tool and returns the text for the agent.
    ///
    /// # Errors
    ///
    /// Why the tool failed, as a sentence for the agent.
    pub async fn run_tool(&self, tool: &str, arguments: &Arguments) -> Result<String, String> {
        if let Some(call) = ControlCall::for_tool(tool) {
            return self.call_control(call, arguments).await;
        }
        check_argument_names(tool, arguments)?;
        match tool {
            "find_operations" => {
                Ok(tools::find_operations(text_argument(arguments, "words").unwrap_or_default()).join("\n"))
            }
            "describe_operation" => describe_operation(required_argument(arguments, "operation")?),
            "act" => self.act(arguments).await,
            "play_scenario" => self.play(required_argument(arguments, "text")?).await,
            "export_scenario" => self.export(arguments).await,
            _ => Err(format!("there is no tool {tool:?}")),
        }
    }

    async fn call_control(&self, call: ControlCall, arguments: &Arguments) -> Result<String, String> {
        let world = text_argument(arguments, "world").unwrap_or(DEFAULT_WORLD);
        let mut remaining_arguments = arguments.clone();
        remaining_arguments.shift_remove("world");
        let mut path = call.path.replace("{name}", &percent_encode(world));
        while let (Some(start), Some(end)) = (path.find('{'), path.find('}')) {
            let name = path[start + 1..end].to_owned();
            let value = remaining_arguments.shift_remove(&name).ok_or_else(|| format!("`{name}` is missing"))?;
            path.replace_range(start..=end, &percent_encode(&to_text(&value)));
        }
        let query_parameters =
            call.query_parameters().filter_map(|name| Some((name.to_owned(), remaining_arguments.shift_remove(name)?)));
        let query = encode_form(&query_parameters.collect());
        let url = if query.is_empty() { format!("{}{path}", self.url) } else { format!("{}{path}?{query}", self.url) };
        let body = (call.method == "POST").then(|| Value::from(remaining_arguments.clone()));
        let reply = self.send_to_control(call.method, url, body.as_ref()).await?;
        // A refused call changes nothing, but an assertion that fails says something about what was done.
        if reply.status < 400 || call.path.ends_with("/verify") {
            self.record_control_call(call, world, &path, &query, body.as_ref(), reply.status);
        }
        Ok(format_reply(&reply))
    }

    async fn send_to_control(&self, method: &str, url: String, body: Option<&Value>) -> Result<HttpReply, String> {
        let mut headers = vec![("content-type".to_owned(), "application/json".to_owned())];
        headers.extend(self.control_token.iter().map(|token| ("authorization".to_owned(), format!("Bearer {token}"))));
        let body = body.map(|body| body.to_string().into_bytes()).unwrap_or_default();
        let request = HttpRequest { method: method.to_owned(), url, headers, body };
        self.client.send(request).await.map_err(|failure| failure.reason().to_owned())
    }

    /// Adds a call of control to the scenario of its world, unless it is a GET request. Calls that make, delete or
    /// reset a world begin, remove or empty a scenario instead.
    fn record_control_call(
        &self,
        call: ControlCall,
        world: &str,
        path: &str,
        query: &str,
        body: Option<&Value>,
        status: u16,
    ) {
        let mut scenarios = self.scenarios.lock();
        let no_parameters = Map::new();
        let parameters = body.and_then(Value::as_object).unwrap_or(&no_parameters);
        match (call.method, call.path) {
            ("GET", _) => {}
            ("POST", "/control/worlds") => {
                let name = parameters.get("name").and_then(Value::as_str).unwrap_or_default().to_owned();
                let source_name = parameters.get("fork_of").and_then(Value::as_str);
                let scenario = match source_name.and_then(|name| scenarios.get(name)) {
                    Some(source) => source.clone(),
                    None => SessionScenario::new(parameters),
                };
                scenarios.insert(name, scenario);
            }
            ("DELETE", "/control/worlds/{name}") => _ = scenarios.remove(world),
            (_, "/control/worlds/{name}/reset") => scenarios.entry(world.to_owned()).or_default().reset(),
            (method, _) => {
                let path_in_world =
                    path.strip_prefix(&format!("/control/worlds/{}", percent_encode(world))).unwrap_or(path);
                let path_in_world =
                    if query.is_empty() { path_in_world.to_owned() } else { format!("{path_in_world}?{query}") };
                scenarios.entry(world.to_owned()).or_default().add_control_call(method, &path_in_world, body, status);
            }
        }
    }

    async fn act(&self, arguments: &Arguments) -> Result<String, String> {
        let world = text_argument(arguments, "world").unwrap_or(DEFAULT_WORLD);
        let user = text_argument(arguments, "user");
        let operation = required_argument(arguments, "operation")?.trim();
        let (method, path) = operation.split_once(' ').ok_or_else(operation_syntax)?;
        let no_params = Map::new();
        let params = match arguments.get("params") {
            Some(Value::Object(params)) => params,
            None | Some(Value::Null) => &no_params,
            Some(_) => return Err("`params` is an object".to_owned()),
        };
        let form = encode_form(params);
        let base_url =
            if world == DEFAULT_WORLD { self.url.clone() } else { format!("{}/w/{}", self.url, percent_encode(world)) };
        let path = path.trim().trim_start_matches("/api/v1");
        let mut request = HttpRequest {
            method: method.to_uppercase(),
            url: format!("{base_url}/api/v1{path}"),
            ..HttpRequest::default()
        };
        match request.method.as_str() {
            "GET" if form.is_empty() => {}
            "GET" => request.url = format!("{}?{form}", request.url),
            _ => {
                request.headers.push(("content-type".to_owned(), "application/x-www-form-urlencoded".to_owned()));
                request.body = form.into_bytes();
            }
        }
        request
            .headers
            .push(("user-agent".to_owned(), concat!("chatdouble-mcp/", env!("CARGO_PKG_VERSION")).to_owned()));
        if let Some(user) = user {
            request.headers.push(("authorization".to_owned(), self.authorization(world, user).await?));
        }
        let method = request.method.clone();
        let result = self.client.send(request).await;
        let (recorded_reply, reply_text) = match &result {
            Ok(reply) => {
                (Reply::Complete(reply.status, remove_url_fields(&reply.body, &base_url)), format_reply(reply))
            }
            Err(Failure::Broken(reason)) => (Reply::Broken, json!({"failure": reason}).to_string()),
            Err(Failure::NoReply(reason)) => return Err(reason.clone()),
        };
        let caller = user.unwrap_or("anonymous");
        let mut scenarios = self.scenarios.lock();
        let scenario = scenarios.entry(world.to_owned()).or_default();
        scenario.add_request(caller, &format!("{method} {path}"), params, &recorded_reply);
        Ok(reply_text)
    }

    /// Requests the API key of a user from control, and returns the `Authorization` header with it.
    async fn authorization(&self, world: &str, user: &str) -> Result<String, String> {
        let url = format!("{}/control/worlds/{}/users?user={}", self.url, percent_encode(world), percent_encode(user));
        let reply = self.send_to_control("GET", url, None).await?;
        let account = &reply.body["users"][0];
        match (account["email"].as_str(), account["api_key"].as_str()) {
            (Some(email), Some(key)) => Ok(format!("Basic {}", STANDARD.encode(format!("{email}:{key}")))),
            _ => Err(reply.body["msg"].as_str().unwrap_or("there is no such user").to_owned()),
        }
    }

    async fn play(&self, text: &str) -> Result<String, String> {
        let document = Document::parse("scenario.md", text)
            .map_err(|mistakes| mistakes.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n"))?;
        let mut lines = Vec::new();
        for scenario in &document.scenarios {
            lines.push(match play(&self.stage, &document, scenario, Mode::Check).await {
                Outcome::Passed => format!("played   {}", scenario.name),
                Outcome::Skipped(reason) => format!("skipped  {}: {reason}", scenario.name),
                Outcome::Failed(difference) => {
                    format!("failed   {}\n{}", scenario.name, difference.describe(&document))
                }
                Outcome::Differs(differences) => {
                    let difference = differences.last().map(|last| last.describe(&document)).unwrap_or_default();
                    format!("differs  {}\n{difference}", scenario.name)
                }
            });
        }
        Ok(lines.join("\n"))
    }

    /// Exports the scenario of a world. It is played once, to replace values that change from run to run with
    /// placeholders.
    async fn export(&self, arguments: &Arguments) -> Result<String, String> {
        let world = text_argument(arguments, "world").unwrap_or(DEFAULT_WORLD);
        let title =
            text_argument(arguments, "title").filter(|title| !title.trim().is_empty()).unwrap_or("What an agent did");
        let draft = self.scenarios.lock().get(world).and_then(|scenario| scenario.to_markdown(title));
        let draft = draft.ok_or_else(|| format!("this session did nothing in the world {world:?}"))?;
        Ok(insert_placeholders(&self.stage, "scenario.md", draft).await)
    }
}

/// Checks that a tool accepts all of the arguments.
fn check_argument_names(tool: &str, arguments: &Arguments) -> Result<(), String> {
    let Some(accepted_names) = tools::argument_names(tool) else { return Ok(()) };
    let quote_all = |names: &[&str]| names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ");
    let unknown_names: Vec<&str> =
        arguments.keys().map(String::as_str).filter(|name| !accepted_names.contains(name)).collect();
    if unknown_names.is_empty() {
        return Ok(());
    }
    let expected_syntax =
        if accepted_names.contains(&"operation") { format!("; {}", operation_syntax()) } else { String::new() };
    Err(format!("{tool} takes {}, not {}{expected_syntax}", quote_all(&accepted_names), quote_all(&unknown_names)))
}

fn operation_syntax() -> String {
    "`operation` is a method and a path, such as \"POST /messages\"".to_owned()
}

fn describe_operation(operation: &str) -> Result<String, String> {
    let (method, path) = operation.trim().split_once(' ').ok_or_else(operation_syntax)?;
    let operation_object = tools::find_operation_object(method, path.trim());
    operation_object
        .map(|operation_object| format!("{operation_object:#}"))
        .ok_or_else(|| format!("there is no operation {operation:?}; `find_operations` lists those that there are"))
}

fn text_argument<'a>(arguments: &'a Arguments, name: &str) -> Option<&'a str> {
    arguments.get(name).and_then(Value::as_str)
}

fn required_argument<'a>(arguments: &'a Arguments, name: &str) -> Result<&'a str, String> {
    text_argument(arguments, name).ok_or_else(|| match name {
        "operation" => format!("`operation` is missing; {}", operation_syntax()),
        _ => format!("`{name}` is missing"),
    })
}

fn encode_form(params: &Arguments) -> String {
    let mut form = form_urlencoded::Serializer::new(String::new());
    for (name, value) in params {
        form.append_pair(name, &to_text(value));
    }
    form.finish()
}

fn to_text(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

fn percent_encode(part: &str) -> String {
    utf8_percent_encode(part, NON_ALPHANUMERIC).to_string()
}

/// Removes fields with URLs of this server from a reply, since they differ on other servers.
fn remove_url_fields(body: &Value, base_url: &str) -> Value {
    match body {
        Value::Object(members) => {
            let contains_base_url = |value: &Value| value.as_str().is_some_and(|text| text.contains(base_url));
            let remaining = members.iter().filter(|(_, value)| !contains_base_url(value));
            remaining
                .map(|(name, value)| (name.clone(), remove_url_fields(value, base_url)))
                .collect::<Map<_, _>>()
                .into()
        }
        Value::Array(items) => items.iter().map(|item| remove_url_fields(item, base_url)).collect(),
        other => other.clone(),
    }
}

/// Formats a reply for the agent, with the hint of a refusal.
fn format_reply(reply: &HttpReply) -> String {
    let body = match &reply.body {
        Value::Null => Value::from(String::from_utf8_lossy(&reply.bytes).into_owned()),
        body => body.clone(),
    };
    let mut document = json!({"status": reply.status, "reply": body});
    if let Some(hint) = reply.headers.get("x-chatdouble-hint").and_then(|hint| hint.to_str().ok()) {
        document["hint"] = hint.into();
    }
    let mut text = document.to_string();
    if text.len() > MAX_SHOWN_REPLY_BYTES {
        text.truncate(text.floor_char_boundary(MAX_SHOWN_REPLY_BYTES));
        text.push('…');
    }
    text
}
