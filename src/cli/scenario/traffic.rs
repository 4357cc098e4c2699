//! The traffic that the proxy has recorded, and its conversion to exchanges of a recording.

use crate::count_format::format_count;
use crate::scenario::recording::{Exchange, RequestBody, basic_credentials};
use bytes::Bytes;
use flate2::read::GzDecoder;
use http::header::{self, HeaderMap, HeaderName};
use parking_lot::Mutex;
use serde_json::Value;
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::io::Read;
use std::sync::Arc;

/// The maximum size of a recorded body. Larger bodies are forwarded, but not recorded.
const MAX_BODY_BYTES: usize = 4 << 20;
/// The maximum size of a decompressed reply. Of a larger one, only the beginning is decompressed.
const MAX_DECOMPRESSED_BYTES: u64 = 32 << 20;
/// The maximum total size of the recorded bodies.
const MAX_RECORDING_BYTES: usize = 256 << 20;

/// The recorded exchanges, and counts of those that were not recorded.
#[derive(Default)]
pub struct RecordedTraffic {
    exchanges: Vec<RawExchange>,
    /// Size of the bodies in `exchanges`.
    total_bytes: usize,
    /// Number of requests for which the server could not be reached.
    pub unreachable_request_count: usize,
    /// Number of exchanges that would have exceeded [`MAX_RECORDING_BYTES`].
    over_limit_exchange_count: usize,
}

/// A request and its reply as they were forwarded. The status is 0 without a reply.
#[derive(Default)]
pub struct RawExchange {
    /// When the request began, in UNIX seconds.
    pub start_seconds: f64,
    /// When the last part of the reply came, or the server closed the connection, in UNIX seconds.
    pub end_seconds: f64,
    pub method: String,
    pub path: String,
    pub query: String,
    pub headers: HeaderMap,
    pub body: CopiedBody,
    pub status: u16,
    /// The content encoding of the reply, in lower case. Empty for none.
    pub encoding: String,
    pub reply: CopiedBody,
    /// Whether the connection ended in the middle of the reply.
    pub is_broken_off: bool,
}

/// The copy of a body. It is empty if the body is larger than [`MAX_BODY_BYTES`].
#[derive(Default)]
pub struct CopiedBody {
    bytes: Vec<u8>,
    is_too_large: bool,
}

impl CopiedBody {
    pub fn add(&mut self, chunk: &[u8]) {
        if self.is_too_large || self.bytes.len() + chunk.len() > MAX_BODY_BYTES {
            self.is_too_large = true;
            self.bytes = Vec::new();
        } else {
            self.bytes.extend_from_slice(chunk);
        }
    }
}

/// Records an exchange when this value is dropped: after the reply was forwarded, or the client has disconnected.
pub struct ExchangeRecorder {
    pub exchange: Arc<Mutex<RawExchange>>,
    pub traffic: Arc<Mutex<RecordedTraffic>>,
}

impl Drop for ExchangeRecorder {
    fn drop(&mut self) {
        let exchange = std::mem::take(&mut *self.exchange.lock());
        let mut traffic = self.traffic.lock();
        let size = exchange.body.bytes.len() + exchange.reply.bytes.len();
        if traffic.total_bytes + size > MAX_RECORDING_BYTES {
            traffic.over_limit_exchange_count += 1;
            return;
        }
        traffic.total_bytes += size;
        traffic.exchanges.push(exchange);
    }
}

impl RecordedTraffic {
    /// The exchanges that can be part of a scenario.
    pub async fn exchanges(&self) -> Vec<Exchange> {
        let mut exchanges = Vec::new();
        for exchange in self.exchanges.iter().filter(|exchange| exchange.omission_reason().is_none()) {
            exchanges.push(exchange.to_exchange().await);
        }
        exchanges
    }

    /// Descriptions of the exchanges that can't be part of a scenario.
    pub fn omissions(&self) -> Vec<String> {
        let mut counts_by_reason: BTreeMap<String, usize> = BTreeMap::new();
        for exchange in &self.exchanges {
            if let Some(reason) = exchange.omission_reason() {
                *counts_by_reason.entry(format!("{} {}: {reason}", exchange.method, exchange.path)).or_default() += 1;
            }
        }
        let repetitions = |count: usize| if count == 1 { String::new() } else { format!(" ({count} times)") };
        let mut omissions: Vec<String> =
            counts_by_reason.into_iter().map(|(reason, count)| reason + &repetitions(count)).collect();
        if self.unreachable_request_count > 0 {
            omissions.push(format!(
                "{} that did not reach the server",
                format_count(self.unreachable_request_count, "request")
            ));
        }
        if self.over_limit_exchange_count > 0 {
            omissions.push(format!(
                "{} after the first {} MiB",
                format_count(self.over_limit_exchange_count, "request"),
                MAX_RECORDING_BYTES >> 20
            ));
        }
        omissions
    }
}

impl RawExchange {
    /// The reason why a scenario can't expect this reply from another server; None if it can.
    fn omission_reason(&self) -> Option<&'static str> {
        let is_page = || self.decoded_reply().is_some_and(|bytes| bytes.trim_ascii_start().starts_with(b"<"));
        match () {
            () if self.path == "/control" || self.path.starts_with("/control/") => {
                Some("a scenario has control in blocks of its own, which docs/scenarios.md names")
            }
            () if self.is_broken_off => Some("the reply broke off"),
            () if self.path.starts_with("/api/") && is_page() => Some("the reply is a page in HTML instead of JSON"),
            () => None,
        }
    }

    async fn to_exchange(&self) -> Exchange {
        let header =
            |name: HeaderName| self.headers.get(name).and_then(|value| value.to_str().ok()).unwrap_or_default();
        let authorization = header(header::AUTHORIZATION);
        let account = basic_credentials(authorization);
        let bytes = Bytes::copy_from_slice(&self.body.bytes);
        let body = if self.body.is_too_large {
            RequestBody::TooLarge
        } else {
            RequestBody::parse(header(header::CONTENT_TYPE), bytes).await
        };
        Exchange {
            start_seconds: self.start_seconds,
            end_seconds: self.end_seconds,
            method: self.method.clone(),
            path: self.path.clone(),
            query: self.query.clone(),
            uses_other_authentication: account.is_none()
                && (!authorization.is_empty() || self.headers.contains_key(header::COOKIE)),
            account,
            body,
            status: self.status,
            reply: self.decoded_reply().and_then(|bytes| serde_json::from_slice(&bytes).ok()).unwrap_or(Value::Null),
        }
    }

    /// The body of the reply, decompressed if it is in gzip; None if that fails. Other encodings remain.
    fn decoded_reply(&self) -> Option<Cow<'_, [u8]>> {
        if self.encoding != "gzip" {
            return Some(Cow::Borrowed(&self.reply.bytes));
        }
        let mut bytes = Vec::new();
        let mut decoder = GzDecoder::new(self.reply.bytes.as_slice()).take(MAX_DECOMPRESSED_BYTES);
        decoder.read_to_end(&mut bytes).is_ok().then_some(Cow::Owned(bytes))
    }
}
