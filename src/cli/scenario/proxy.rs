//! A proxy that passes requests and replies on, and keeps copies of them.

use crate::cli::output::tell;
use crate::counted::counted;
use crate::scenario::recording::{Exchange, Sent, basic};
use crate::upstream::{BaseUrl, builder};
use bytes::Bytes;
use flate2::read::GzDecoder;
use futures_util::{Stream, StreamExt, TryStreamExt};
use http::header::{self, HeaderMap, HeaderName, HeaderValue};
use http::{Request, Response};
use http_body_util::combinators::BoxBody;
use http_body_util::{BodyDataStream, BodyExt, Full, StreamBody};
use hyper::body::{Frame, Incoming};
use hyper::service::service_fn;
use hyper_util::rt::TokioIo;
use parking_lot::Mutex;
use serde_json::{Value, json};
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::error::Error;
use std::io::Read;
use std::sync::Arc;
use std::time::{Duration, UNIX_EPOCH};
use tokio::net::TcpListener;
use tokio_rustls::rustls::ClientConfig;

/// The largest body that is copied, in bytes; larger ones only pass.
const LARGEST_BODY: usize = 4 << 20;
/// The largest reply that is decompressed, in bytes.
const LARGEST_REPLY: u64 = 32 << 20;
/// The most bytes of bodies that are copied in all.
const LARGEST_SESSION: usize = 256 << 20;

/// Headers that belong to one connection, and `Host`, which differs for the server.
const OF_CONNECTION: [HeaderName; 8] = [
    header::CONNECTION,
    header::HOST,
    header::PROXY_AUTHORIZATION,
    header::TE,
    header::TRAILER,
    header::TRANSFER_ENCODING,
    header::UPGRADE,
    header::EXPECT,
];

type Body = BoxBody<Bytes, Box<dyn Error + Send + Sync>>;

/// Between clients and a server.
pub struct Proxy {
    base: BaseUrl,
    /// Whether the server gives out URLs at the host that forwarded requests name, as doubles do.
    follows_host: bool,
    http: reqwest::Client,
    noted: Arc<Mutex<Noted>>,
}

/// All that passed.
#[derive(Default)]
struct Noted {
    all: Vec<Raw>,
    bytes: usize,
    unanswered: usize,
    beyond: usize,
}

/// The server closed the connection without a reply.
#[derive(Debug)]
struct NoReply;

impl std::fmt::Display for NoReply {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("the server sent no reply")
    }
}

impl Error for NoReply {}

/// A request and its reply as they passed; the status is 0 where none came.
#[derive(Default)]
struct Raw {
    started: f64,
    ended: f64,
    method: String,
    path: String,
    query: String,
    headers: HeaderMap,
    body: Copied,
    status: u16,
    encoding: String,
    reply: Copied,
    /// Whether the connection to the server ended within the reply.
    is_broken_off: bool,
}

/// The beginning of a body.
#[derive(Default)]
struct Copied {
    bytes: Vec<u8>,
    is_cut: bool,
}

impl Copied {
    fn add(&mut self, chunk: &[u8]) {
        if self.is_cut || self.bytes.len() + chunk.len() > LARGEST_BODY {
            self.is_cut = true;
            self.bytes = Vec::new();
        } else {
            self.bytes.extend_from_slice(chunk);
        }
    }
}

/// Adds an exchange to the recording when its reply has passed, or its client has disconnected.
struct Noting {
    raw: Arc<Mutex<Raw>>,
    noted: Arc<Mutex<Noted>>,
}

impl Drop for Noting {
    fn drop(&mut self) {
        let raw = std::mem::take(&mut *self.raw.lock());
        let mut noted = self.noted.lock();
        let size = raw.body.bytes.len() + raw.reply.bytes.len();
        if noted.bytes + size > LARGEST_SESSION {
            noted.beyond += 1;
            return;
        }
        noted.bytes += size;
        noted.all.push(raw);
    }
}

fn now() -> f64 {
    UNIX_EPOCH.elapsed().map_or(0.0, |time| time.as_secs_f64())
}

impl Proxy {
    /// A proxy for a server, which says within so long what it is.
    ///
    /// # Errors
    ///
    /// What is wrong with the settings of this machine.
    pub async fn new(base: BaseUrl, trusting: ClientConfig, patience: Duration) -> Result<Self, String> {
        let http = builder(trusting).redirect(reqwest::redirect::Policy::none()).no_gzip().build();
        let http = http.map_err(|error| error.to_string())?;
        let follows_host = is_double(&http, &base, patience).await;
        Ok(Self { base, follows_host, http, noted: Arc::default() })
    }

    /// Passes requests on for as long as the future exists.
    pub async fn serve(self: Arc<Self>, listener: TcpListener) {
        loop {
            let Ok((stream, _)) = listener.accept().await else { continue };
            let _ = stream.set_nodelay(true);
            let own = self.clone();
            tokio::spawn(async move {
                let service = service_fn(move |request| {
                    let own = own.clone();
                    async move { own.pass(request).await }
                });
                let _ =
                    hyper::server::conn::http1::Builder::new().serve_connection(TokioIo::new(stream), service).await;
            });
        }
    }

    /// Passes a request on; an error closes the connection to the client, as the server closed its own.
    async fn pass(&self, request: Request<Incoming>) -> Result<Response<Body>, NoReply> {
        let (head, body) = request.into_parts();
        let raw = Arc::new(Mutex::new(Raw {
            started: now(),
            method: head.method.to_string(),
            path: self.below_base(head.uri.path()).to_owned(),
            query: head.uri.query().unwrap_or_default().to_owned(),
            headers: head.headers.clone(),
            ..Raw::default()
        }));
        let target = head.uri.path_and_query().map_or("/", |target| target.as_str());
        let target = self.below_base(target);
        let mut headers = passed_on(&head.headers);
        if let Some(host) = head.headers.get(header::HOST).filter(|_| self.follows_host) {
            headers.insert("x-forwarded-host", host.clone());
            headers.insert("x-forwarded-proto", HeaderValue::from_static("http"));
        }
        accept_gzip_only(&mut headers);
        let has_body =
            head.headers.contains_key(header::CONTENT_LENGTH) || head.headers.contains_key(header::TRANSFER_ENCODING);
        let mut sent = self.http.request(head.method, format!("{}{target}", self.base)).headers(headers);
        if has_body {
            let copy = raw.clone();
            let chunks = BodyDataStream::new(body).inspect_ok(move |chunk| copy.lock().body.add(chunk));
            sent = sent.body(reqwest::Body::wrap_stream(chunks));
        }
        match sent.send().await {
            Ok(reply) => Ok(self.reply(reply, raw)),
            Err(error) if error.is_connect() || error.is_timeout() || error.is_builder() => Ok(self.unanswered(&error)),
            Err(_) => {
                raw.lock().ended = now();
                drop(Noting { raw, noted: self.noted.clone() });
                Err(NoReply)
            }
        }
    }

    /// A path below the base URL. Addresses that a server gives out have its own path in them already.
    fn below_base<'target>(&self, target: &'target str) -> &'target str {
        let (_, rest) = self.base.as_str().split_once("://").unwrap_or_default();
        let own = rest.find('/').map_or("", |path| &rest[path..]);
        target.strip_prefix(own).filter(|rest| rest.starts_with('/')).unwrap_or(target)
    }

    fn reply(&self, reply: reqwest::Response, raw: Arc<Mutex<Raw>>) -> Response<Body> {
        let status = reply.status();
        let headers = passed_on(reply.headers());
        {
            let mut raw = raw.lock();
            raw.status = status.as_u16();
            raw.ended = now();
            let encoding = headers.get(header::CONTENT_ENCODING).and_then(|encoding| encoding.to_str().ok());
            raw.encoding = encoding.unwrap_or_default().to_ascii_lowercase();
        }
        let noting = Noting { raw, noted: self.noted.clone() };
        let chunks = reply.bytes_stream().inspect(move |chunk| {
            let mut raw = noting.raw.lock();
            raw.ended = now();
            match chunk {
                Ok(chunk) => raw.reply.add(chunk),
                Err(_) => raw.is_broken_off = true,
            }
        });
        let mut response = Response::new(streamed(chunks));
        *response.status_mut() = status;
        *response.headers_mut() = headers;
        response
    }

    fn unanswered(&self, error: &reqwest::Error) -> Response<Body> {
        self.noted.lock().unanswered += 1;
        let mut cause: &dyn Error = error;
        while let Some(next) = cause.source() {
            cause = next;
        }
        let message = format!("{} does not answer: {cause}", self.base);
        tell(&message);
        let body = json!({"result": "error", "msg": message, "code": "BAD_GATEWAY"}).to_string();
        let mut response = Response::new(Full::from(body).map_err(|never| match never {}).boxed());
        *response.status_mut() = http::StatusCode::BAD_GATEWAY;
        response.headers_mut().insert(header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
        response
    }

    /// Takes what has passed.
    pub fn passed(&self) -> Passed {
        Passed(std::mem::take(&mut *self.noted.lock()))
    }
}

/// Whether the server is a double: only those have control.
async fn is_double(http: &reqwest::Client, base: &BaseUrl, patience: Duration) -> bool {
    let Ok(mut url) = reqwest::Url::parse(base.as_str()) else { return false };
    url.set_path("/control/health");
    let Ok(reply) = http.get(url).timeout(patience).send().await else { return false };
    reply
        .bytes()
        .await
        .ok()
        .and_then(|body| serde_json::from_slice(&body).ok())
        .is_some_and(|body: Value| body["version"].is_string())
}

fn streamed(chunks: impl Stream<Item = Result<Bytes, reqwest::Error>> + Send + Sync + 'static) -> Body {
    let frames =
        chunks.map(|chunk| chunk.map(Frame::data).map_err(|error| Box::new(error) as Box<dyn Error + Send + Sync>));
    BodyExt::boxed(StreamBody::new(frames))
}

/// Headers without those of the connection.
fn passed_on(headers: &HeaderMap) -> HeaderMap {
    let named: Vec<String> = headers
        .get_all(header::CONNECTION)
        .iter()
        .filter_map(|value| value.to_str().ok())
        .flat_map(|value| value.split(','))
        .map(|name| name.trim().to_ascii_lowercase())
        .collect();
    let is_of_connection = |name: &HeaderName| {
        OF_CONNECTION.contains(name)
            || named.iter().any(|other| other == name.as_str())
            || matches!(name.as_str(), "keep-alive" | "proxy-connection")
    };
    headers
        .iter()
        .filter(|(name, _)| !is_of_connection(name))
        .map(|(name, value)| (name.clone(), value.clone()))
        .collect()
}

/// Offers the server only encodings that the recorder can decode: gzip, if the client accepts it.
fn accept_gzip_only(headers: &mut HeaderMap) {
    let Some(accepted) = headers.get(header::ACCEPT_ENCODING) else { return };
    let takes_gzip = accepted.to_str().is_ok_and(|accepted| accepted.contains("gzip"));
    let offered = HeaderValue::from_static(if takes_gzip { "gzip" } else { "identity" });
    headers.insert(header::ACCEPT_ENCODING, offered);
}

/// What passed.
pub struct Passed(Noted);

impl Passed {
    /// The exchanges that can be part of a scenario.
    pub async fn exchanges(&self) -> Vec<Exchange> {
        let mut exchanges = Vec::new();
        for raw in self.0.all.iter().filter(|raw| raw.flaw().is_none()) {
            exchanges.push(raw.read().await);
        }
        exchanges
    }

    /// What can't be part of a scenario, in sentences.
    pub fn lost(&self) -> Vec<String> {
        let mut flaws: BTreeMap<String, usize> = BTreeMap::new();
        for raw in &self.0.all {
            if let Some(flaw) = raw.flaw() {
                *flaws.entry(format!("{} {}: {flaw}", raw.method, raw.path)).or_default() += 1;
            }
        }
        let times = |count: usize| if count == 1 { String::new() } else { format!(" ({count} times)") };
        let mut lost: Vec<String> = flaws.into_iter().map(|(flaw, count)| flaw + &times(count)).collect();
        if self.0.unanswered > 0 {
            lost.push(format!("{} that the server did not answer", counted(self.0.unanswered, "request")));
        }
        if self.0.beyond > 0 {
            lost.push(format!("{} after the first {} MiB", counted(self.0.beyond, "request"), LARGEST_SESSION >> 20));
        }
        lost
    }
}

impl Raw {
    /// Why the reply can't be expected of another server.
    fn flaw(&self) -> Option<&'static str> {
        let is_page = || self.unpacked().is_some_and(|bytes| bytes.trim_ascii_start().starts_with(b"<"));
        match () {
            () if self.is_broken_off => Some("the reply broke off"),
            () if self.path.starts_with("/api/") && is_page() => Some("the reply is a page in HTML instead of JSON"),
            () => None,
        }
    }

    async fn read(&self) -> Exchange {
        let header =
            |name: HeaderName| self.headers.get(name).and_then(|value| value.to_str().ok()).unwrap_or_default();
        let authorization = header(header::AUTHORIZATION);
        let account = basic(authorization);
        let body = Bytes::copy_from_slice(&self.body.bytes);
        let sent = if self.body.is_cut { Sent::TooLarge } else { Sent::read(header(header::CONTENT_TYPE), body).await };
        Exchange {
            started: self.started,
            ended: self.ended,
            method: self.method.clone(),
            path: self.path.clone(),
            query: self.query.clone(),
            is_session: account.is_none() && (!authorization.is_empty() || self.headers.contains_key(header::COOKIE)),
            account,
            sent,
            status: self.status,
            reply: self.unpacked().and_then(|bytes| serde_json::from_slice(&bytes).ok()).unwrap_or(Value::Null),
        }
    }

    /// The body of the reply without its encoding; None if it can't be decoded.
    fn unpacked(&self) -> Option<Cow<'_, [u8]>> {
        if self.encoding != "gzip" {
            return Some(Cow::Borrowed(&self.reply.bytes));
        }
        let mut bytes = Vec::new();
        let mut decoder = GzDecoder::new(self.reply.bytes.as_slice()).take(LARGEST_REPLY);
        decoder.read_to_end(&mut bytes).is_ok().then_some(Cow::Owned(bytes))
    }
}
