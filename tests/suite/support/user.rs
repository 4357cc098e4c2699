//! Users that act over HTTP, and their event queues.

use super::reply::{Reply, assert_has};
use base64::Engine;
use bytes::Bytes;
use chatdouble::Credentials;
use http_body_util::{BodyExt, Full};
use hyper_util::client::legacy::Client;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::rt::TokioExecutor;
use serde_json::{Value, json};
use std::time::Duration;

/// Somebody who calls the API.
#[derive(Clone)]
pub struct User {
    base_url: String,
    credentials: Option<Credentials>,
    client: Client<HttpConnector, Full<Bytes>>,
}

/// Parameters as clients send them: texts raw, everything else as JSON text.
pub fn form(params: &Value) -> String {
    let mut form = form_urlencoded::Serializer::new(String::new());
    for (name, value) in params.as_object().into_iter().flatten() {
        form.append_pair(name, &value.as_str().map_or_else(|| value.to_string(), str::to_owned));
    }
    form.finish()
}

impl User {
    /// Somebody at a base URL, with or without credentials.
    pub fn new(base_url: String, credentials: Option<Credentials>) -> Self {
        Self { base_url, credentials, client: Client::builder(TokioExecutor::new()).build_http() }
    }

    /// The user's id.
    #[track_caller]
    pub fn id(&self) -> i64 {
        self.credentials().id.0
    }

    /// The user's address.
    #[track_caller]
    pub fn email(&self) -> &str {
        &self.credentials().email
    }

    /// The user's credentials; None of an anonymous visitor.
    pub fn credentials_if_any(&self) -> Option<&Credentials> {
        self.credentials.as_ref()
    }

    /// The user's credentials.
    #[track_caller]
    pub fn credentials(&self) -> &Credentials {
        self.credentials.as_ref().expect("an anonymous visitor has no credentials")
    }

    /// Somebody else at the same base URL, over the same connections.
    pub fn as_other(&self, credentials: Credentials) -> Self {
        Self { credentials: Some(credentials), ..self.clone() }
    }

    /// The same user with another API key.
    pub fn with_key(&self, api_key: &str) -> Self {
        let credentials = Credentials { api_key: api_key.to_owned(), ..self.credentials().clone() };
        Self { credentials: Some(credentials), ..self.clone() }
    }

    /// GET with a query string.
    pub async fn get(&self, path: &str, params: Value) -> Reply {
        let query = form(&params);
        let path = if query.is_empty() { path.to_owned() } else { format!("{path}?{query}") };
        self.send("GET", &path, &params, Vec::new(), None).await
    }

    /// POST with a form.
    pub async fn post(&self, path: &str, params: Value) -> Reply {
        self.with_form("POST", path, params).await
    }

    /// PATCH with a form.
    pub async fn patch(&self, path: &str, params: Value) -> Reply {
        self.with_form("PATCH", path, params).await
    }

    /// PUT with a form.
    pub async fn put(&self, path: &str, params: Value) -> Reply {
        self.with_form("PUT", path, params).await
    }

    /// DELETE with a form.
    pub async fn delete(&self, path: &str, params: Value) -> Reply {
        self.with_form("DELETE", path, params).await
    }

    /// Uploads a file.
    pub async fn upload(&self, path: &str, name: &str, content_type: &str, bytes: &[u8]) -> Reply {
        let boundary = "the-boundary-of-parts";
        let mut body = format!(
            "--{boundary}\r\nContent-Disposition: form-data; name=\"file\"; filename=\"{name}\"\r\nContent-Type: {content_type}\r\n\r\n"
        )
        .into_bytes();
        body.extend_from_slice(bytes);
        body.extend_from_slice(format!("\r\n--{boundary}--\r\n").as_bytes());
        let kind = format!("multipart/form-data; boundary={boundary}");
        self.send("POST", path, &json!({"file": name}), body, Some(&kind)).await
    }

    async fn with_form(&self, method: &str, path: &str, params: Value) -> Reply {
        let body = form(&params).into_bytes();
        self.send(method, path, &params, body, Some("application/x-www-form-urlencoded")).await
    }

    /// Sends anything. A path that does not begin with `/api` or another folder of the server is one of the API.
    pub async fn send(
        &self,
        method: &str,
        path: &str,
        shown: &Value,
        body: Vec<u8>,
        content_type: Option<&str>,
    ) -> Reply {
        let outside = ["/user_uploads", "/user_avatars", "/avatar", "/static", "/control", "/api", "/w/"];
        let is_outside = outside.iter().any(|folder| path.starts_with(folder))
            && !path.starts_with("/user_uploads?")
            && path != "/user_uploads";
        let path = if is_outside { path.to_owned() } else { format!("/api/v1{path}") };
        let mut request = http::Request::builder().method(method).uri(format!("{}{path}", self.base_url));
        if let Some(credentials) = &self.credentials {
            let pair = format!("{}:{}", credentials.email, credentials.api_key);
            let encoded = base64::engine::general_purpose::STANDARD.encode(pair);
            request = request.header("authorization", format!("Basic {encoded}"));
        }
        if let Some(kind) = content_type {
            request = request.header("content-type", kind);
        }
        let request = request.body(Full::new(Bytes::from(body))).expect("a test's request is well-formed");
        self.raw(request, &format!("{method} {path} {shown}")).await
    }

    /// Sends a request as it is.
    pub async fn raw(&self, request: http::Request<Full<Bytes>>, shown: &str) -> Reply {
        let answered = tokio::time::timeout(Duration::from_secs(20), self.client.request(request)).await;
        let response = answered.unwrap_or_else(|_| panic!("no reply to {shown}"));
        let response = response.unwrap_or_else(|error| panic!("{shown} failed: {error}"));
        let (head, body) = response.into_parts();
        let bytes =
            body.collect().await.unwrap_or_else(|error| panic!("{shown}: the body broke off: {error}")).to_bytes();
        let text = |value: &http::HeaderValue| String::from_utf8_lossy(value.as_bytes()).into_owned();
        Reply {
            request: shown.to_owned(),
            status: head.status.as_u16(),
            headers: head.headers.iter().map(|(name, value)| (name.to_string(), text(value))).collect(),
            body: serde_json::from_slice(&bytes).unwrap_or(Value::Null),
            bytes: bytes.to_vec(),
        }
    }

    /// Registers a queue for these types of events and nothing else.
    pub async fn events<const N: usize>(&self, types: [&str; N]) -> Queue {
        self.register(json!({"event_types": types.to_vec(), "fetch_event_types": []})).await
    }

    /// Registers a queue with capabilities as today's clients have them unless others are given.
    pub async fn register(&self, mut params: Value) -> Queue {
        if params.get("client_capabilities").is_none() {
            params["client_capabilities"] = json!({
                "notification_settings_null": true,
                "bulk_message_deletion": true,
                "stream_typing_notifications": true,
                "linkifier_url_template": true,
                "include_deactivated_groups": true,
                "archived_channels": true,
                "empty_topic_name": true,
            });
        }
        // Older levels need the parameter.
        if let Some(capabilities) = params["client_capabilities"].as_object_mut() {
            capabilities.entry("notification_settings_null").or_insert(false.into());
        }
        let reply = self.post("/register", params).await.success();
        Queue {
            user: self.clone(),
            id: reply["queue_id"].as_str().unwrap_or_default().to_owned(),
            last: reply["last_event_id"].as_i64().unwrap_or(-1),
            buffer: Vec::new(),
            state: reply,
        }
    }

    /// Sends a message to a topic; gives its id.
    pub async fn send_to(&self, channel: &str, topic: &str, content: &str) -> i64 {
        let params = json!({"type": "channel", "to": channel, "topic": topic, "content": content});
        let reply = self.post("/messages", params).await.success();
        reply["id"].as_i64().expect("sending gives an id")
    }

    /// Sends a direct message; gives its id.
    pub async fn send_direct(&self, users: &[i64], content: &str) -> i64 {
        let reply = self.post("/messages", json!({"type": "direct", "to": users, "content": content})).await.success();
        reply["id"].as_i64().expect("sending gives an id")
    }
}

/// A registered event queue, read event by event.
pub struct Queue {
    user: User,
    /// Its id.
    pub id: String,
    last: i64,
    buffer: Vec<Value>,
    /// The register reply.
    pub state: Value,
}

impl Queue {
    /// The next event, which must be there already.
    #[track_caller]
    pub fn next(&mut self) -> impl Future<Output = Seen> {
        let caller = std::panic::Location::caller();
        async move {
            if self.buffer.is_empty() {
                self.fill().await;
            }
            assert!(!self.buffer.is_empty(), "an event should have come, at {caller}");
            Seen(self.buffer.remove(0))
        }
    }

    /// All events that are there, in order.
    pub async fn all(&mut self) -> Vec<Value> {
        self.fill().await;
        std::mem::take(&mut self.buffer)
    }

    /// All events that are there; none for an account that may not poll any more.
    pub async fn all_if_active(&mut self) -> Vec<Value> {
        let is_refused = self.user.get("/users/me", json!({})).await.status == 401;
        if is_refused { Vec::new() } else { self.all().await }
    }

    /// Asserts that no event is there.
    pub async fn none(&mut self) {
        self.fill().await;
        assert!(self.buffer.is_empty(), "no event should have come, but {:#?}", self.buffer);
    }

    /// A poll that waits until something happens.
    pub async fn wait(&mut self) -> Reply {
        self.user.get("/events", json!({"queue_id": self.id, "last_event_id": self.last})).await
    }

    async fn fill(&mut self) {
        let params = json!({"queue_id": self.id, "last_event_id": self.last, "dont_block": true});
        let reply = self.user.get("/events", params).await.success();
        for event in reply["events"].as_array().into_iter().flatten() {
            self.last = self.last.max(event["id"].as_i64().expect("events have ids"));
            self.buffer.push(event.clone());
        }
    }
}

/// An event that came.
pub struct Seen(pub Value);

impl Seen {
    /// Asserts these keys with these values; gives the event.
    #[track_caller]
    pub fn has(self, expected: Value) -> Value {
        assert_has("event", &self.0, &expected);
        self.0
    }

    /// Asserts the whole event but for its id.
    #[track_caller]
    pub fn is(mut self, expected: Value) {
        if let Some(event) = self.0.as_object_mut() {
            event.shift_remove("id");
        }
        super::reply::assert_same("event", &self.0, &expected);
    }
}
