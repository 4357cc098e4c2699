//! The report on clients: for each rule a client that breaks it and one that is near, over HTTP.

mod calls;
mod economy;
mod exec;
mod parameters;
mod polls;
mod queues;
mod retries;
mod robustness;
mod rows;
mod situations;
mod tomorrow;

use crate::control::Control;
use crate::support::{TestServer, form};
use base64::Engine;
use serde_json::{Value, json};
use std::collections::BTreeSet;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

/// A client with a name of its own, each of whose requests has a connection of its own.
#[derive(Clone)]
pub struct Client {
    address: String,
    world: String,
    agent: &'static str,
    authorization: String,
    control: Control,
}

impl Client {
    /// One of mel's.
    pub fn new(server: &TestServer, agent: &'static str) -> Self {
        Self::of(server, agent, "mel")
    }

    /// One of a user's.
    pub fn of(server: &TestServer, agent: &'static str, handle: &str) -> Self {
        let user = server.user(handle);
        let pair = format!("{}:{}", user.email(), user.credentials().api_key);
        Self {
            address: server.server().address().to_string(),
            world: "default".to_owned(),
            agent,
            authorization: base64::engine::general_purpose::STANDARD.encode(pair),
            control: Control::of(server),
        }
    }

    /// The same client in another world of the same fixture.
    pub fn in_world(&self, world: &str) -> Self {
        Self { world: world.to_owned(), ..self.clone() }
    }

    /// The same client with an API key that nobody has.
    pub fn with_wrong_key(&self) -> Self {
        let pair = format!("mel@chat.test:{}", "x".repeat(32));
        Self { authorization: base64::engine::general_purpose::STANDARD.encode(pair), ..self.clone() }
    }

    /// Sends a request; its status and reply, 0 and null where the connection was closed without one.
    pub async fn send(&self, method: &str, path: &str, params: Value) -> (u16, Value) {
        let sent = form(&params);
        let (query, body) = match method {
            "GET" if !sent.is_empty() => (format!("?{sent}"), String::new()),
            "GET" => (String::new(), String::new()),
            _ => (String::new(), sent),
        };
        self.raw(method, &format!("{path}{query}"), "application/x-www-form-urlencoded", &body).await
    }

    /// Sends a request as it is; a path that is not of an upload is one of the API.
    pub async fn raw(&self, method: &str, path: &str, kind: &str, body: &str) -> (u16, Value) {
        let mut stream = self.begin(method, path, kind, body).await;
        let mut bytes = Vec::new();
        // A connection that breaks off says so in its own way.
        let _ = stream.read_to_end(&mut bytes).await;
        let text = String::from_utf8_lossy(&bytes);
        let Some((head, body)) = text.split_once("\r\n\r\n") else { return (0, Value::Null) };
        let status = head.split(' ').nth(1).and_then(|status| status.parse().ok()).unwrap_or(0);
        (status, serde_json::from_str(body).unwrap_or_default())
    }

    /// Sends a request and does not wait for its reply.
    pub async fn begin(&self, method: &str, path: &str, kind: &str, body: &str) -> TcpStream {
        let Self { address, world, agent, authorization, .. } = self;
        let folder = if path.starts_with("/user_uploads/") { "" } else { "/api/v1" };
        let world = if world == "default" { String::new() } else { format!("/w/{world}") };
        let mut stream = TcpStream::connect(address).await.expect("connected");
        let request = format!(
            "{method} {world}{folder}{path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nUser-Agent: {agent}\r\n\
             Authorization: Basic {authorization}\r\nContent-Type: {kind}\r\nContent-Length: {}\r\n\r\n{body}",
            body.len()
        );
        stream.write_all(request.as_bytes()).await.expect("sent");
        stream
    }

    /// GET.
    pub async fn get(&self, path: &str, params: Value) -> (u16, Value) {
        self.send("GET", path, params).await
    }

    /// POST with a form.
    pub async fn post(&self, path: &str, params: Value) -> (u16, Value) {
        self.send("POST", path, params).await
    }

    /// Registers a queue for messages; its ID.
    pub async fn register(&self) -> String {
        self.register_for(json!(["message"])).await
    }

    /// Registers a queue for these types of events; its ID.
    pub async fn register_for(&self, types: Value) -> String {
        self.register_with(json!({"event_types": types, "fetch_event_types": []})).await
    }

    /// Registers a queue with today's capabilities; its ID.
    pub async fn register_with(&self, mut params: Value) -> String {
        params["client_capabilities"] = json!({
            "notification_settings_null": true, "bulk_message_deletion": true, "user_settings_object": true,
            "stream_typing_notifications": true, "linkifier_url_template": true, "empty_topic_name": true,
        });
        let (status, reply) = self.post("/register", params).await;
        assert_eq!(status, 200, "{reply}");
        reply["queue_id"].as_str().expect("a queue").to_owned()
    }

    /// Polls a queue without waiting.
    pub async fn poll(&self, queue: &str, last: i64) -> (u16, Value) {
        self.get("/events", json!({"queue_id": queue, "last_event_id": last, "dont_block": true})).await
    }

    /// Polls a queue and waits for an event, which must be there.
    pub async fn wait(&self, queue: &str, last: i64) -> (u16, Value) {
        self.get("/events", json!({"queue_id": queue, "last_event_id": last})).await
    }

    /// Sends a message of this content.
    pub async fn say(&self, content: &str) -> (u16, Value) {
        self.post("/messages", json!({"type": "channel", "to": "general", "topic": "report", "content": content})).await
    }

    /// Loses a queue, as a server does that restarts.
    pub async fn lose(&self, queue: &str) {
        self.control.delete(&format!("/worlds/{}/queues/{queue}", self.world)).await.success();
    }

    /// What the report says of the client.
    pub async fn findings(&self) -> Vec<Value> {
        let report = self.control.get("/report").await.success();
        let clients = report["clients"].as_array().expect("a list").clone();
        let own = clients.into_iter().filter(|client| client["client"] == self.agent && client["world"] == self.world);
        own.flat_map(|client| client["findings"].as_array().expect("a list").clone()).collect()
    }

    /// The names of the rules that it broke.
    pub async fn broken(&self) -> BTreeSet<String> {
        let findings = self.findings().await;
        findings.iter().map(|finding| finding["rule"].as_str().expect("a name").to_owned()).collect()
    }
}

/// Asserts that the first client broke this rule and nothing else, and the second no rule.
#[track_caller]
pub fn assert_only(rule: &str, bad: &BTreeSet<String>, good: &BTreeSet<String>) {
    assert_eq!(bad.iter().map(String::as_str).collect::<Vec<_>>(), [rule], "the client that breaks the rule");
    assert_eq!(good.iter().map(String::as_str).collect::<Vec<_>>(), [""; 0], "the client that behaves");
}

/// A server with two clients of mel's: one that is to break a rule, one that is not.
pub async fn clients() -> (TestServer, Client, Client) {
    let server = TestServer::start().await;
    let clients = (Client::new(&server, "bad/1.0"), Client::new(&server, "good/1.0"));
    (server, clients.0, clients.1)
}

/// Sends a message as another user; its ID.
pub async fn event(server: &TestServer) -> i64 {
    server.user("max").send_to("general", "report", "news").await
}
