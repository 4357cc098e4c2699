//! HTTP as a client speaks it: one request, its whole reply or why there is none.

use bytes::Bytes;
use http_body_util::{BodyExt, Full};
use hyper_rustls::{HttpsConnector, HttpsConnectorBuilder};
use hyper_util::client::legacy::Client as Pool;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::rt::TokioExecutor;
use serde_json::Value;
use std::time::Duration;
use tokio_rustls::rustls::ClientConfig;

/// How long a reply may take. Long polls are answered within about a minute by every server of this API.
const PATIENCE: Duration = Duration::from_secs(90);

/// A client of a server.
pub struct Client {
    pool: Connections,
}

enum Connections {
    Plain(Pool<HttpConnector, Full<Bytes>>),
    Secure(Pool<HttpsConnector<HttpConnector>, Full<Bytes>>),
}

/// What is sent.
#[derive(Clone, Debug, Default)]
pub struct Ask {
    /// GET, POST, …
    pub method: String,
    /// Whole.
    pub url: String,
    /// Names and values.
    pub headers: Vec<(String, String)>,
    /// What is sent along.
    pub body: Vec<u8>,
}

/// A whole reply.
#[derive(Clone, Debug)]
pub struct Answer {
    /// The HTTP status.
    pub status: u16,
    /// Headers.
    pub headers: http::HeaderMap,
    /// The body as it came.
    pub bytes: Bytes,
    /// The body as JSON; null when it is none.
    pub body: Value,
}

impl Answer {
    /// Why the body is no JSON, as far as the headers tell.
    pub fn unread_reason(&self) -> String {
        let header = |name: &str| self.headers.get(name).and_then(|value| value.to_str().ok());
        match (header("content-encoding"), header("content-type")) {
            (Some(encoding), _) if encoding != "identity" => {
                format!("the reply is encoded with {encoding}, which was not asked for")
            }
            (_, kind) => {
                let kind = kind.map(|kind| format!(", {kind}")).unwrap_or_default();
                format!("the reply is not JSON (status {}{kind})", self.status)
            }
        }
    }
}

/// Why there is no whole reply.
#[derive(Clone, Debug)]
pub enum Failure {
    /// It can't be asked.
    Refused(String),
    /// The connection ended, before a reply or within it.
    Broken(String),
}

impl Failure {
    /// A sentence's end.
    pub fn reason(&self) -> &str {
        let (Failure::Refused(reason) | Failure::Broken(reason)) = self;
        reason
    }
}

impl Client {
    /// A client for a URL's scheme, and for HTTPS one that trusts as asked, or else as this machine does.
    ///
    /// # Errors
    ///
    /// When this machine trusts nobody.
    pub fn new(url: &str, trusting: Option<ClientConfig>) -> Result<Self, String> {
        let pool = Pool::builder(TokioExecutor::new());
        if !url.starts_with("https://") {
            return Ok(Self { pool: Connections::Plain(pool.build_http()) });
        }
        let builder = HttpsConnectorBuilder::new();
        let trusted = match trusting {
            Some(trusting) => builder.with_tls_config(trusting),
            None => {
                builder.with_native_roots().map_err(|error| format!("no certificates to trust were found: {error}"))?
            }
        };
        Ok(Self { pool: Connections::Secure(pool.build(trusted.https_only().enable_http1().build())) })
    }

    /// Asks.
    ///
    /// # Errors
    ///
    /// Why there is no whole reply.
    pub async fn ask(&self, ask: Ask) -> Result<Answer, Failure> {
        let whole = tokio::time::timeout(PATIENCE, self.ask_patiently(ask)).await;
        whole.unwrap_or_else(|_| Err(Failure::Refused(format!("no reply came within {} s", PATIENCE.as_secs()))))
    }

    async fn ask_patiently(&self, ask: Ask) -> Result<Answer, Failure> {
        let mut request = http::Request::builder().method(ask.method.as_str()).uri(&ask.url);
        for (name, value) in &ask.headers {
            request = request.header(name, value);
        }
        let request = request
            .body(Full::new(Bytes::from(ask.body)))
            .map_err(|error| Failure::Refused(format!("{} is no request: {error}", ask.url)))?;
        let sent = match &self.pool {
            Connections::Plain(pool) => pool.request(request).await,
            Connections::Secure(pool) => pool.request(request).await,
        };
        let response = sent.map_err(|error| {
            let reason = std::error::Error::source(&error).map_or_else(|| error.to_string(), ToString::to_string);
            if error.is_connect() { Failure::Refused(reason) } else { Failure::Broken(reason) }
        })?;
        let (head, body) = response.into_parts();
        let bytes = body.collect().await.map_err(|error| Failure::Broken(error.to_string()))?.to_bytes();
        let body = serde_json::from_slice(&bytes).unwrap_or(Value::Null);
        Ok(Answer { status: head.status.as_u16(), headers: head.headers, bytes, body })
    }
}
