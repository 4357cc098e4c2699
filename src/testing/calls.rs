//! Calls of control, from any thread.

use super::entry::Entry;
use super::{Running, TestServer};
use http::Method;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use std::fmt;
use std::panic::Location;
use std::pin::Pin;
use std::sync::{Arc, mpsc};

/// What control refused, or the assertion that does not hold.
#[derive(Clone, Debug, PartialEq)]
pub struct Refusal {
    /// HTTP status.
    pub status: u16,
    /// The reply.
    pub body: Value,
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.body["msg"].as_str().unwrap_or("refused without a word"))?;
        let shown = || self.body["nearest"].as_array().into_iter().flatten();
        let matching: Vec<&Value> = shown().filter(|near| matches(near)).collect();
        if !matching.is_empty() {
            write!(f, "\n\nthe requests that match:")?;
        }
        for entry in matching.iter().filter_map(|near| Entry::deserialize(&near["entry"]).ok()) {
            write!(f, "\n  {}", entry.to_string().replace('\n', "\n  "))?;
        }
        for near in shown().filter(|near| !matches(near)) {
            match near["diff"].as_str() {
                Some(diff) => write!(f, "\n\nnear it:\n{}", diff.trim_end())?,
                None => write!(f, "\n\nnear it: {near}")?,
            }
        }
        Ok(())
    }
}

impl std::error::Error for Refusal {}

/// Whether a request that is shown differs in nothing from those that were wanted.
fn matches(near: &Value) -> bool {
    near["diff"].as_str().is_some_and(|diff| diff.trim().is_empty())
}

/// What a call gives that waits for the program under test. It is begun at once; await it for what it gives.
pub type Waiting<T> = Pin<Box<dyn Future<Output = T> + Send>>;

/// The calls for one world.
#[derive(Clone)]
pub(super) struct Calls {
    running: Arc<Running>,
    path: String,
}

/// What is sent with a call.
pub(super) type Body = Option<Value>;

impl Calls {
    pub(super) fn new(server: &TestServer, path: String) -> Self {
        Self { running: server.running.clone(), path }
    }

    pub(super) fn server(&self) -> TestServer {
        TestServer { running: self.running.clone() }
    }

    /// Begins a call on the server's threads; what it is answered.
    fn begin(&self, method: Method, path: &str, body: Body) -> impl Future<Output = Result<Value, Refusal>> + use<> {
        let (running, path) = (self.running.clone(), format!("{}{path}", self.path));
        let call = async move {
            let answer = running.server.control(method, &path, body.as_ref()).await;
            let is_done = (200..300).contains(&answer.status);
            if is_done { Ok(answer.body) } else { Err(Refusal { status: answer.status, body: answer.body }) }
        };
        let begun = self.running.runtime().spawn(call);
        async move {
            let lost =
                |error| Refusal { status: 0, body: serde_json::json!({"msg": format!("the call ended: {error}")}) };
            begun.await.unwrap_or_else(|error| Err(lost(error)))
        }
    }

    /// Carries out a call that waits for nothing.
    pub(super) fn done(&self, method: Method, path: &str, body: Body) -> Result<Value, Refusal> {
        let (tell, replies) = mpsc::channel();
        let call = self.begin(method, path, body);
        self.running.runtime().spawn(async move { tell.send(call.await) });
        replies
            .recv()
            .unwrap_or_else(|_| Err(Refusal { status: 0, body: serde_json::json!({"msg": "the server ended"}) }))
    }

    /// What a call that waits for nothing gives.
    #[track_caller]
    pub(super) fn answer(&self, method: Method, path: &str, body: Body) -> Value {
        match self.done(method, path, body) {
            Ok(reply) => reply,
            Err(refusal) => panic!("{refusal}"),
        }
    }

    /// What a call gives that may wait for the program under test.
    #[track_caller]
    pub(super) fn awaited(&self, path: &str, body: Value) -> Waiting<Value> {
        let (call, asked) = (self.begin(Method::POST, path, Some(body)), Location::caller());
        Box::pin(async move { call.await.unwrap_or_else(|refusal| panic!("{refusal}\n\nasked for at {asked}")) })
    }
}

/// A part of a reply as a type of this module.
pub(super) fn read<T: DeserializeOwned>(reply: Value) -> T {
    serde_json::from_value(reply).unwrap_or_else(|error| panic!("a reply of another form: {error}"))
}

/// A list in a reply.
pub(super) fn list<T: DeserializeOwned>(mut reply: Value, name: &str) -> Vec<T> {
    read(reply[name].take())
}

/// What is given as the body of a call.
#[track_caller]
pub(super) fn body(answer: impl serde::Serialize) -> Value {
    serde_json::to_value(answer).unwrap_or_else(|error| panic!("this is no JSON: {error}"))
}
