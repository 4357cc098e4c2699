//! The HTTP client of scenarios.

use base64::Engine;
use bytes::Bytes;
use http_body_util::{BodyExt, Full};
use hyper_rustls::{HttpsConnector, HttpsConnectorBuilder};
use hyper_util::client::legacy::Client as Pool;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::rt::TokioExecutor;
use serde_json::Value;
use std::time::Duration;
use tokio_rustls::rustls::ClientConfig;

/// Timeout of a reply. Every server of this API answers long polls within about a minute.
const REPLY_TIMEOUT: Duration = Duration::from_secs(90);

/// A client for one scheme, HTTP or HTTPS.
pub struct Client {
    pool: ConnectionPool,
}

enum ConnectionPool {
    Http(Pool<HttpConnector, Full<Bytes>>),
    Https(Pool<HttpsConnector<HttpConnector>, Full<Bytes>>),
}

/// A request to send, with an absolute URL and an encoded body.
#[derive(Clone, Debug, Default)]
pub struct HttpRequest {
    /// Method in capitals.
    pub method: String,
    /// Absolute URL.
    pub url: String,
    /// The name and value of each header, in the order of sending.
    pub headers: Vec<(String, String)>,
    /// Body; empty for none.
    pub body: Vec<u8>,
}

/// The `Authorization` header of a user.
pub fn authorization_header(email: &str, api_key: &str) -> (String, String) {
    let pair = base64::engine::general_purpose::STANDARD.encode(format!("{email}:{api_key}"));
    ("authorization".to_owned(), format!("Basic {pair}"))
}

/// A reply whose body was received to its end.
#[derive(Clone, Debug)]
pub struct HttpReply {
    pub status: u16,
    pub headers: http::HeaderMap,
    /// Body as received.
    pub bytes: Bytes,
    /// Body as JSON; null if it is not JSON.
    pub body: Value,
}

impl HttpReply {
    /// Why the body is not JSON, according to the headers.
    pub fn not_json_reason(&self) -> String {
        let header = |name: &str| self.headers.get(name).and_then(|value| value.to_str().ok());
        match (header("content-encoding"), header("content-type")) {
            (Some(encoding), _) if encoding != "identity" => {
                format!("the reply is encoded with {encoding}, which was not asked for")
            }
            (_, content_type) => {
                let content_type = content_type.map(|content_type| format!(", {content_type}")).unwrap_or_default();
                format!("the reply is not JSON (status {}{content_type})", self.status)
            }
        }
    }
}

/// Why there is no complete reply.
#[derive(Clone, Debug)]
pub enum Failure {
    /// The request was not sent, or no complete reply came in time.
    NoReply(String),
    /// The connection ended before or during the reply.
    Broken(String),
}

impl Failure {
    /// The reason, as the end of a sentence.
    pub fn reason(&self) -> &str {
        let (Failure::NoReply(reason) | Failure::Broken(reason)) = self;
        reason
    }
}

impl Client {
    /// A client for the scheme of a URL. Without `tls_config`, it trusts the certificates of this machine.
    ///
    /// # Errors
    ///
    /// If the scheme is HTTPS, `tls_config` is None, and this machine has no trusted certificates.
    pub fn new(url: &str, tls_config: Option<ClientConfig>) -> Result<Self, String> {
        let pool = Pool::builder(TokioExecutor::new());
        if !url.starts_with("https://") {
            return Ok(Self { pool: ConnectionPool::Http(pool.build_http()) });
        }
        let builder = HttpsConnectorBuilder::new();
        let connector = match tls_config {
            Some(tls_config) => builder.with_tls_config(tls_config),
            None => {
                builder.with_native_roots().map_err(|error| format!("no certificates to trust were found: {error}"))?
            }
        };
        Ok(Self { pool: ConnectionPool::Https(pool.build(connector.https_only().enable_http1().build())) })
    }

    /// Sends a request and reads the reply.
    ///
    /// # Errors
    ///
    /// Why there is no complete reply.
    pub async fn send(&self, request: HttpRequest) -> Result<HttpReply, Failure> {
        let result = tokio::time::timeout(REPLY_TIMEOUT, self.send_without_timeout(request)).await;
        result.unwrap_or_else(|_| Err(Failure::NoReply(format!("no reply came within {} s", REPLY_TIMEOUT.as_secs()))))
    }

    async fn send_without_timeout(&self, request: HttpRequest) -> Result<HttpReply, Failure> {
        let mut builder = http::Request::builder().method(request.method.as_str()).uri(&request.url);
        for (name, value) in &request.headers {
            builder = builder.header(name, value);
        }
        let http_request = builder
            .body(Full::new(Bytes::from(request.body)))
            .map_err(|error| Failure::NoReply(format!("{} is no request: {error}", request.url)))?;
        let result = match &self.pool {
            ConnectionPool::Http(pool) => pool.request(http_request).await,
            ConnectionPool::Https(pool) => pool.request(http_request).await,
        };
        let response = result.map_err(|error| {
            let reason = innermost_reason(&error);
            if error.is_connect() { Failure::NoReply(reason) } else { Failure::Broken(reason) }
        })?;
        let (head, body) = response.into_parts();
        let bytes = body.collect().await.map_err(|error| Failure::Broken(error.to_string()))?.to_bytes();
        let body = serde_json::from_slice(&bytes).unwrap_or(Value::Null);
        Ok(HttpReply { status: head.status.as_u16(), headers: head.headers, bytes, body })
    }
}

/// The text of the error that caused the others.
fn innermost_reason(error: &dyn std::error::Error) -> String {
    let mut cause = error;
    while let Some(source) = cause.source() {
        cause = source;
    }
    cause.to_string()
}
