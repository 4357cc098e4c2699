//! A receiver of webhooks, as somebody's bot runs one.

use bytes::Bytes;
use http_body_util::{BodyExt, Full};
use hyper::service::service_fn;
use hyper_util::rt::TokioIo;
use serde_json::Value;
use std::collections::VecDeque;
use std::convert::Infallible;
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tokio::net::TcpListener;
use tokio::sync::Notify;

/// What was posted to a receiver.
#[derive(Clone, Debug)]
pub struct Posted {
    /// GET, POST, …
    pub method: String,
    /// `User-Agent`.
    pub user_agent: String,
    /// The path.
    pub path: String,
    /// `Content-Type`.
    pub content_type: String,
    /// The body as text.
    pub text: String,
}

impl Posted {
    /// The body as JSON.
    pub fn json(&self) -> Value {
        serde_json::from_str(&self.text).unwrap_or_else(|error| panic!("{error}: {}", self.text))
    }
}

/// A server on a port of its own with the given answers in order; it repeats the last one for ever.
pub struct Receiver {
    /// Its base URL, with a slash.
    pub url: String,
    state: Arc<State>,
    task: tokio::task::JoinHandle<()>,
}

#[derive(Default)]
struct State {
    posted: Mutex<Vec<Posted>>,
    replies: Mutex<VecDeque<(u16, String)>>,
    /// Whether replies wait until they are let go.
    holds: std::sync::atomic::AtomicBool,
    let_go: Notify,
    came: Notify,
}

impl Receiver {
    /// Starts one that answers with status 200 and these bodies.
    pub async fn answering<const N: usize>(bodies: [Value; N]) -> Self {
        Self::replying(bodies.map(|body| (200, body.to_string()))).await
    }

    /// Starts one that answers with these statuses and bodies; the text of a redirect is its `Location`.
    pub async fn replying<const N: usize>(replies: [(u16, String); N]) -> Self {
        let state = Arc::new(State { replies: Mutex::new(replies.into()), ..State::default() });
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
        let url = format!("http://{}/", listener.local_addr().expect("it is bound"));
        let task = tokio::spawn(serve(listener, state.clone()));
        Self { url, state, task }
    }

    /// Lets replies wait from now on.
    pub fn hold(&self) {
        self.state.holds.store(true, std::sync::atomic::Ordering::SeqCst);
    }

    /// Lets a reply go that waits.
    pub fn let_go(&self) {
        self.state.let_go.notify_one();
    }

    /// What was posted so far.
    pub fn posted(&self) -> Vec<Posted> {
        self.state.posted.lock().expect("nobody panics").clone()
    }

    /// Waits until so much was posted.
    pub async fn until_posted(&self, count: usize) -> Vec<Posted> {
        let waiting = async {
            loop {
                let came = self.state.came.notified();
                let posted = self.posted();
                if posted.len() >= count {
                    return posted;
                }
                came.await;
            }
        };
        tokio::time::timeout(Duration::from_secs(20), waiting).await.expect("so much is posted")
    }
}

impl Drop for Receiver {
    fn drop(&mut self) {
        self.task.abort();
    }
}

async fn serve(listener: TcpListener, state: Arc<State>) {
    while let Ok((stream, _)) = listener.accept().await {
        let state = state.clone();
        let service = service_fn(move |request| {
            let state = state.clone();
            async move { Ok::<_, Infallible>(answer(request, &state).await) }
        });
        tokio::spawn(hyper::server::conn::http1::Builder::new().serve_connection(TokioIo::new(stream), service));
    }
}

async fn answer(request: http::Request<hyper::body::Incoming>, state: &State) -> http::Response<Full<Bytes>> {
    let (head, body) = request.into_parts();
    let header =
        |name: &str| head.headers.get(name).and_then(|value| value.to_str().ok()).unwrap_or_default().to_owned();
    let (content_type, user_agent) = (header("content-type"), header("user-agent"));
    let (method, path) = (head.method.to_string(), head.uri.path().to_owned());
    let bytes = body.collect().await.expect("a whole request").to_bytes();
    let text = String::from_utf8_lossy(&bytes).into_owned();
    state.posted.lock().expect("nobody panics").push(Posted { method, user_agent, path, content_type, text });
    let (status, reply) = {
        let mut replies = state.replies.lock().expect("nobody panics");
        if replies.len() > 1 { replies.pop_front() } else { replies.front().cloned() }.expect("a reply is given")
    };
    // One waits at a time, so that a permit is enough.
    state.came.notify_one();
    if state.holds.load(std::sync::atomic::Ordering::SeqCst) {
        state.let_go.notified().await;
    }
    let response = http::Response::builder().status(status);
    let is_redirect = (300..400).contains(&status) && !reply.is_empty();
    let response = if is_redirect { response.header("location", &reply) } else { response };
    response.body(Full::new(Bytes::from(reply))).expect("well-formed")
}
