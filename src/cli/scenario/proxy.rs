//! The recording proxy: forwards requests and replies, and records them.

use super::traffic::{ExchangeRecorder, RawExchange, RecordedTraffic};
use crate::cli::output::eprint_line;
use crate::upstream::{BaseUrl, client_builder};
use bytes::Bytes;
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
use std::error::Error;
use std::sync::Arc;
use std::time::{Duration, UNIX_EPOCH};
use tokio::net::TcpListener;
use tokio_rustls::rustls::ClientConfig;

/// Headers that are not forwarded: those of a single connection, `Host`, which differs for the server, and `Expect`,
/// which the proxy answers itself.
const UNFORWARDED_HEADERS: [HeaderName; 8] = [
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

/// Forwards requests of clients to a server, and records them.
pub struct Proxy {
    base_url: BaseUrl,
    /// Whether the server uses the host in `X-Forwarded-Host` for URLs in replies, as doubles do.
    follows_forwarded_host: bool,
    client: reqwest::Client,
    traffic: Arc<Mutex<RecordedTraffic>>,
}

/// The server closed the connection without a reply.
#[derive(Debug)]
struct NoReply;

impl std::fmt::Display for NoReply {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str("the server sent no reply")
    }
}

impl Error for NoReply {}

fn now_seconds() -> f64 {
    UNIX_EPOCH.elapsed().map_or(0.0, |time| time.as_secs_f64())
}

impl Proxy {
    /// A proxy for a server. `timeout` limits the request that finds out whether the server is a double.
    ///
    /// # Errors
    ///
    /// Invalid settings of this machine, such as its proxies.
    pub async fn new(base_url: BaseUrl, tls_config: ClientConfig, timeout: Duration) -> Result<Self, String> {
        let client = client_builder(tls_config).redirect(reqwest::redirect::Policy::none()).no_gzip().build();
        let client = client.map_err(|error| error.to_string())?;
        let follows_forwarded_host = is_double(&client, &base_url, timeout).await;
        Ok(Self { base_url, follows_forwarded_host, client, traffic: Arc::default() })
    }

    /// Forwards requests until the future is dropped.
    pub async fn serve(self: Arc<Self>, listener: TcpListener) {
        loop {
            let Ok((stream, _)) = listener.accept().await else { continue };
            let _ = stream.set_nodelay(true);
            let proxy = self.clone();
            tokio::spawn(async move {
                let service = service_fn(move |request| {
                    let proxy = proxy.clone();
                    async move { proxy.forward(request).await }
                });
                let _ =
                    hyper::server::conn::http1::Builder::new().serve_connection(TokioIo::new(stream), service).await;
            });
        }
    }

    /// Forwards a request. An error closes the connection to the client, as the server closed its connection.
    async fn forward(&self, request: Request<Incoming>) -> Result<Response<Body>, NoReply> {
        let (head, body) = request.into_parts();
        let exchange = Arc::new(Mutex::new(RawExchange {
            start_seconds: now_seconds(),
            method: head.method.to_string(),
            path: self.strip_base_path(head.uri.path()).to_owned(),
            query: head.uri.query().unwrap_or_default().to_owned(),
            headers: head.headers.clone(),
            ..RawExchange::default()
        }));
        let full_target = head.uri.path_and_query().map_or("/", |path_and_query| path_and_query.as_str());
        let target = self.strip_base_path(full_target);
        let mut headers = forwarded_headers(&head.headers);
        if let Some(host) = head.headers.get(header::HOST).filter(|_| self.follows_forwarded_host) {
            headers.insert("x-forwarded-host", host.clone());
            headers.insert("x-forwarded-proto", HeaderValue::from_static("http"));
        }
        accept_gzip_only(&mut headers);
        let has_body =
            head.headers.contains_key(header::CONTENT_LENGTH) || head.headers.contains_key(header::TRANSFER_ENCODING);
        let mut forwarded_request =
            self.client.request(head.method, format!("{}{target}", self.base_url)).headers(headers);
        if has_body {
            let shared_exchange = exchange.clone();
            let chunks = BodyDataStream::new(body).inspect_ok(move |chunk| shared_exchange.lock().body.add(chunk));
            forwarded_request = forwarded_request.body(reqwest::Body::wrap_stream(chunks));
        }
        match forwarded_request.send().await {
            Ok(reply) => Ok(self.forward_reply(reply, exchange)),
            Err(error) if error.is_connect() || error.is_timeout() || error.is_builder() => {
                Ok(self.report_unreachable(&error))
            }
            Err(_) => {
                exchange.lock().end_seconds = now_seconds();
                // The recorder records the exchange when it is dropped.
                drop(ExchangeRecorder { exchange, traffic: self.traffic.clone() });
                Err(NoReply)
            }
        }
    }

    /// Removes the path of the base URL from a target. Clients send it, because it is part of the URLs in the server's
    /// replies.
    fn strip_base_path<'target>(&self, target: &'target str) -> &'target str {
        let (_, address) = self.base_url.as_str().split_once("://").unwrap_or_default();
        let base_path = address.find('/').map_or("", |path| &address[path..]);
        target.strip_prefix(base_path).filter(|path| path.starts_with('/')).unwrap_or(target)
    }

    fn forward_reply(&self, reply: reqwest::Response, exchange: Arc<Mutex<RawExchange>>) -> Response<Body> {
        let status = reply.status();
        let headers = forwarded_headers(reply.headers());
        {
            let mut exchange = exchange.lock();
            exchange.status = status.as_u16();
            exchange.end_seconds = now_seconds();
            let encoding = headers.get(header::CONTENT_ENCODING).and_then(|encoding| encoding.to_str().ok());
            exchange.encoding = encoding.unwrap_or_default().to_ascii_lowercase();
        }
        let recorder = ExchangeRecorder { exchange, traffic: self.traffic.clone() };
        let chunks = reply.bytes_stream().inspect(move |chunk| {
            let mut exchange = recorder.exchange.lock();
            exchange.end_seconds = now_seconds();
            match chunk {
                Ok(chunk) => exchange.reply.add(chunk),
                Err(_) => exchange.is_broken_off = true,
            }
        });
        let mut response = Response::new(stream_body(chunks));
        *response.status_mut() = status;
        *response.headers_mut() = headers;
        response
    }

    /// Counts a request for which the server can't be reached, and prints the reason. Returns a reply with status 502
    /// for the client.
    fn report_unreachable(&self, error: &reqwest::Error) -> Response<Body> {
        self.traffic.lock().unreachable_request_count += 1;
        let mut cause: &dyn Error = error;
        while let Some(next) = cause.source() {
            cause = next;
        }
        let message = format!("{} does not answer: {cause}", self.base_url);
        eprint_line(&message);
        let body = json!({"result": "error", "msg": message, "code": "BAD_GATEWAY"}).to_string();
        let mut response = Response::new(Full::from(body).map_err(|never| match never {}).boxed());
        *response.status_mut() = http::StatusCode::BAD_GATEWAY;
        response.headers_mut().insert(header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
        response
    }

    /// Takes the recorded traffic, and leaves none.
    pub fn take_traffic(&self) -> RecordedTraffic {
        std::mem::take(&mut *self.traffic.lock())
    }
}

/// Whether the server is a double. Only doubles have control.
async fn is_double(client: &reqwest::Client, base_url: &BaseUrl, timeout: Duration) -> bool {
    let Ok(mut url) = reqwest::Url::parse(base_url.as_str()) else { return false };
    url.set_path("/control/health");
    let Ok(reply) = client.get(url).timeout(timeout).send().await else { return false };
    reply
        .bytes()
        .await
        .ok()
        .and_then(|body| serde_json::from_slice(&body).ok())
        .is_some_and(|body: Value| body["version"].is_string())
}

fn stream_body(chunks: impl Stream<Item = Result<Bytes, reqwest::Error>> + Send + Sync + 'static) -> Body {
    let frames =
        chunks.map(|chunk| chunk.map(Frame::data).map_err(|error| Box::new(error) as Box<dyn Error + Send + Sync>));
    BodyExt::boxed(StreamBody::new(frames))
}

fn forwarded_headers(headers: &HeaderMap) -> HeaderMap {
    let connection_options: Vec<String> = headers
        .get_all(header::CONNECTION)
        .iter()
        .filter_map(|value| value.to_str().ok())
        .flat_map(|value| value.split(','))
        .map(|name| name.trim().to_ascii_lowercase())
        .collect();
    let is_unforwarded = |name: &HeaderName| {
        UNFORWARDED_HEADERS.contains(name)
            || connection_options.iter().any(|other| other == name.as_str())
            // The crate `http` has no constants for these.
            || matches!(name.as_str(), "keep-alive" | "proxy-connection")
    };
    headers
        .iter()
        .filter(|(name, _)| !is_unforwarded(name))
        .map(|(name, value)| (name.clone(), value.clone()))
        .collect()
}

/// Restricts the accepted encodings to what the recording can decode: gzip, if the client accepts it.
fn accept_gzip_only(headers: &mut HeaderMap) {
    let Some(accepted_encodings) = headers.get(header::ACCEPT_ENCODING) else { return };
    let accepts_gzip = accepted_encodings.to_str().is_ok_and(|accepted_encodings| accepted_encodings.contains("gzip"));
    let offered_encodings = HeaderValue::from_static(if accepts_gzip { "gzip" } else { "identity" });
    headers.insert(header::ACCEPT_ENCODING, offered_encodings);
}
