//! Sends recorded requests as they were sent.

use crate::numbers::Numbers;
use crate::recording::{Exchange, Texts};
use base64::Engine;
use bytes::Bytes;
use http_body_util::{BodyExt, Full};
use hyper_util::client::legacy::Client;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::rt::TokioExecutor;
use serde_json::{Value, json};
use std::collections::BTreeMap;

const BOUNDARY: &str = "XXboundaryXX";
const BASE64: base64::engine::GeneralPurpose = base64::engine::general_purpose::STANDARD;

/// Address and API key.
pub type Account = (String, String);

/// What speaks to one server.
pub struct Sender {
    base_url: String,
    client: Client<HttpConnector, Full<Bytes>>,
    accounts: BTreeMap<String, Account>,
}

impl Sender {
    /// Speaks to the server at this base URL, as one of these accounts.
    pub fn new(base_url: String, accounts: &str) -> Self {
        let accounts = serde_json::from_str(accounts).expect("the accounts are well-formed");
        Self { base_url, client: Client::builder(TokioExecutor::new()).build_http(), accounts }
    }

    /// Gives a role another API key from now on.
    pub fn change_key(&mut self, role: &str, key: &str) {
        if let Some(account) = self.accounts.get_mut(role) {
            key.clone_into(&mut account.1);
        }
    }

    /// Sends the request of an exchange; status and body.
    pub async fn send(&self, exchange: &Exchange, numbers: &Numbers) -> (u16, Value) {
        let path = numbers.fill(&exchange.path);
        let params = filled(&exchange.params, numbers);
        let mut request = http::Request::builder().method(exchange.method.as_str());
        // The recording has a word in place of wrong keys of the right form.
        let given = exchange.credentials.clone().map(|(name, key)| (name, key.replace("KEY", &"x".repeat(32))));
        let account = given.as_ref().or_else(|| self.accounts.get(&exchange.role));
        if let Some(account) = account.filter(|_| !exchange.headers.contains_key("Authorization")) {
            request = request.header("authorization", basic(account));
        }
        for (name, value) in &exchange.headers {
            request = request.header(name, value);
        }
        let mut uri = format!("{}{path}", self.base_url);
        let mut kind = Some("application/x-www-form-urlencoded".to_owned());
        let mut body = Vec::new();
        if let Some(files) = &exchange.files {
            kind = Some(format!("multipart/form-data; boundary={BOUNDARY}"));
            body = multipart(&params, files);
        } else if let Some((content_type, text)) = &exchange.body {
            kind = Some(content_type.clone());
            body = text.clone().into_bytes();
        } else if exchange.method == "GET" {
            kind = None;
            if !params.is_empty() {
                uri = format!("{uri}?{}", form(&params));
            }
        } else {
            body = form(&params).into_bytes();
        }
        if let Some(kind) = kind {
            request = request.header("content-type", kind);
        }
        let request = request.uri(uri).body(Full::new(Bytes::from(body))).expect("a recorded request is well-formed");
        self.answer(request).await
    }

    /// Registers a queue for a role.
    pub async fn register(&self, role: &str, params: &Texts) -> Queue {
        let params = filled(params, &Numbers::default());
        let (status, body) = self.call(role, "POST", "/api/v1/register", form(&params)).await;
        assert_eq!(status, 200, "{role} can't register: {body}");
        let id = body["queue_id"].as_str().expect("a queue has an ID").to_owned();
        Queue { role: role.to_owned(), id, last_event_id: body["last_event_id"].as_i64().unwrap_or(-1) }
    }

    /// The events that are there, without their IDs, heartbeats and presence.
    pub async fn events(&self, queue: &mut Queue) -> Vec<Value> {
        let path =
            format!("/api/v1/events?queue_id={}&last_event_id={}&dont_block=true", queue.id, queue.last_event_id);
        let (_, body) = self.call(&queue.role, "GET", &path, String::new()).await;
        let mut events = body["events"].as_array().cloned().unwrap_or_default();
        for event in &mut events {
            let id = event.as_object_mut().and_then(|event| event.shift_remove("id"));
            queue.last_event_id = queue.last_event_id.max(id.and_then(|id| id.as_i64()).unwrap_or(-1));
        }
        events.retain(|event| event["type"] != "heartbeat" && event["type"] != "presence");
        events
    }

    async fn call(&self, role: &str, method: &str, path: &str, body: String) -> (u16, Value) {
        let request = http::Request::builder()
            .method(method)
            .uri(format!("{}{path}", self.base_url))
            .header("authorization", basic(&self.accounts[role]))
            .header("content-type", "application/x-www-form-urlencoded")
            .body(Full::new(Bytes::from(body)));
        self.answer(request.expect("well-formed")).await
    }

    async fn answer(&self, mut request: http::Request<Full<Bytes>>) -> (u16, Value) {
        let agent = http::HeaderValue::from_static("oracle-driver/1.0");
        request.headers_mut().insert("user-agent", agent);
        let shown = format!("{} {}", request.method(), request.uri());
        let response = self.client.request(request).await.unwrap_or_else(|error| panic!("{shown}: {error}"));
        let status = response.status().as_u16();
        let body = response.into_body().collect().await.unwrap_or_else(|error| panic!("{shown}: {error}")).to_bytes();
        let body = serde_json::from_slice(&body).unwrap_or_else(|_| {
            let text: String = String::from_utf8_lossy(&body).chars().take(300).collect();
            json!({ "_text": text })
        });
        (status, body)
    }
}

/// A registered queue of the double.
pub struct Queue {
    /// Whose it is.
    pub role: String,
    id: String,
    last_event_id: i64,
}

fn basic((email, key): &Account) -> String {
    format!("Basic {}", BASE64.encode(format!("{email}:{key}")))
}

fn filled(params: &Texts, numbers: &Numbers) -> Vec<(String, String)> {
    let text = |value: &Value| numbers.fill(value.as_str().expect("recorded parameters are texts"));
    params.iter().map(|(name, value)| (name.clone(), text(value))).collect()
}

fn form(params: &[(String, String)]) -> String {
    form_urlencoded::Serializer::new(String::new()).extend_pairs(params).finish()
}

fn multipart(params: &[(String, String)], files: &BTreeMap<String, (String, String)>) -> Vec<u8> {
    let mut body = Vec::new();
    let disposition = format!("--{BOUNDARY}\r\nContent-Disposition: form-data; name=");
    for (name, value) in params {
        body.extend_from_slice(format!("{disposition}\"{name}\"\r\n\r\n{value}\r\n").as_bytes());
    }
    for (field, (name, content)) in files {
        let head =
            format!("{disposition}\"{field}\"; filename=\"{name}\"\r\nContent-Type: application/octet-stream\r\n\r\n");
        body.extend_from_slice(head.as_bytes());
        body.extend_from_slice(&BASE64.decode(content).expect("recorded files are base64"));
        body.extend_from_slice(b"\r\n");
    }
    body.extend_from_slice(format!("--{BOUNDARY}--\r\n").as_bytes());
    body
}
