//! The client of control that all helpers use: it runs calls on the server's runtime, from any thread.

use super::entry::JournalEntry;
use super::{RunningServer, TestServer};
use http::Method;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use std::fmt;
use std::panic::Location;
use std::pin::Pin;
use std::sync::{Arc, mpsc};
use std::time::Duration;

/// A call that control refused, or an assertion of control that failed.
#[derive(Clone, Debug, PartialEq)]
pub struct Refusal {
    /// HTTP status; 0 if the call or the server ended without a reply.
    pub status: u16,
    /// The reply as JSON, with `msg` and, for requests that were not found, `nearest`.
    pub body: Value,
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.body["msg"].as_str().unwrap_or("refused without a reason"))?;
        let nearest = || self.body["nearest"].as_array().into_iter().flatten();
        let matching: Vec<&Value> = nearest().filter(|row| is_match(row)).collect();
        if !matching.is_empty() {
            write!(f, "\n\nthe requests that match:")?;
        }
        for entry in matching.iter().filter_map(|row| JournalEntry::deserialize(&row["entry"]).ok()) {
            write!(f, "\n  {}", entry.to_string().replace('\n', "\n  "))?;
        }
        for row in nearest().filter(|row| !is_match(row)) {
            match row["diff"].as_str() {
                Some(diff) => write!(f, "\n\nnear it:\n{}", diff.trim_end())?,
                None => write!(f, "\n\nnear it: {row}")?,
            }
        }
        Ok(())
    }
}

impl std::error::Error for Refusal {}

/// Whether a row of `nearest` has no difference to the expected requests.
fn is_match(row: &Value) -> bool {
    row["diff"].as_str().is_some_and(|diff| diff.trim().is_empty())
}

/// The result of a call that waits for the program under test. The call starts at once. Awaiting this returns its
/// result.
pub type Waiting<T> = Pin<Box<dyn Future<Output = T> + Send>>;

/// Makes calls of control whose paths begin with the same prefix, such as `/worlds/NAME`.
#[derive(Clone)]
pub(super) struct ControlClient {
    running: Arc<RunningServer>,
    path_prefix: String,
}

pub(super) type Body = Option<Value>;

impl ControlClient {
    pub(super) fn new(server: &TestServer, path_prefix: String) -> Self {
        Self { running: server.running.clone(), path_prefix }
    }

    pub(super) fn server(&self) -> TestServer {
        TestServer { running: self.running.clone() }
    }

    /// Starts a call on the server's threads.
    fn spawn(&self, method: Method, path: &str, body: Body) -> impl Future<Output = Result<Value, Refusal>> + use<> {
        let (running, path) = (self.running.clone(), format!("{}{path}", self.path_prefix));
        let call = async move {
            let reply = running.server.control(method, &path, body.as_ref()).await;
            let is_success = (200..300).contains(&reply.status);
            if is_success { Ok(reply.body) } else { Err(Refusal { status: reply.status, body: reply.body }) }
        };
        let task = self.running.runtime().spawn(call);
        async move {
            let to_refusal =
                |error| Refusal { status: 0, body: serde_json::json!({"msg": format!("the call ended: {error}")}) };
            task.await.unwrap_or_else(|error| Err(to_refusal(error)))
        }
    }

    /// Makes a call and blocks until it is answered.
    pub(super) fn try_call(&self, method: Method, path: &str, body: Body) -> Result<Value, Refusal> {
        let (sender, receiver) = mpsc::channel();
        let call = self.spawn(method, path, body);
        self.running.runtime().spawn(async move { sender.send(call.await) });
        receiver
            .recv()
            .unwrap_or_else(|_| Err(Refusal { status: 0, body: serde_json::json!({"msg": "the server ended"}) }))
    }

    /// Does the same as [`ControlClient::try_call`], but panics with the refusal.
    #[track_caller]
    pub(super) fn call(&self, method: Method, path: &str, body: Body) -> Value {
        match self.try_call(method, path, body) {
            Ok(reply) => reply,
            Err(refusal) => panic!("{refusal}"),
        }
    }

    /// Starts a call that waits for the program under test. The future panics with the refusal and the caller's
    /// location.
    #[track_caller]
    pub(super) fn call_and_wait(&self, path: &str, body: Value) -> Waiting<Value> {
        let (call, caller) = (self.spawn(Method::POST, path, Some(body)), Location::caller());
        Box::pin(async move { call.await.unwrap_or_else(|refusal| panic!("{refusal}\n\nasked for at {caller}")) })
    }
}

pub(super) fn parse_json<T: DeserializeOwned>(value: Value) -> T {
    serde_json::from_value(value).unwrap_or_else(|error| panic!("the reply has another format: {error}"))
}

pub(super) fn parse_list<T: DeserializeOwned>(mut reply: Value, key: &str) -> Vec<T> {
    parse_json(reply[key].take())
}

#[track_caller]
pub(super) fn to_json(value: impl serde::Serialize) -> Value {
    serde_json::to_value(value).unwrap_or_else(|error| panic!("this can't be converted to JSON: {error}"))
}

/// Formats the fields of an object as the query of a URL.
pub(super) fn query_string(fields: &Value) -> String {
    let mut query = form_urlencoded::Serializer::new(String::new());
    for (name, value) in fields.as_object().into_iter().flatten() {
        query.append_pair(name, &value.as_str().map_or_else(|| value.to_string(), str::to_owned));
    }
    query.finish()
}

/// Adds the time limit of a call that waits.
pub(super) fn with_timeout(mut body: Value, timeout: Duration) -> Value {
    body["timeout_ms"] = u64::try_from(timeout.as_millis()).unwrap_or(u64::MAX).into();
    body
}
