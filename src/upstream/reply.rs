//! A whole reply.

use super::fault::Reason;
use bytes::Bytes;
use http::{HeaderMap, StatusCode};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use std::time::Duration;

/// A whole reply, of any status.
#[derive(Clone, Debug)]
pub struct Reply {
    /// The HTTP status.
    pub status: StatusCode,
    pub headers: HeaderMap,
    /// The body, uncompressed.
    pub bytes: Bytes,
}

impl Reply {
    /// The body as JSON.
    ///
    /// # Errors
    ///
    /// A page in HTML, or text that is not JSON or of another shape.
    pub fn json<T: DeserializeOwned>(&self) -> Result<T, Reason> {
        self.json_borrowed()
    }

    /// The body as JSON, as a value that borrows from the reply.
    ///
    /// # Errors
    ///
    /// Those of [`Reply::json`].
    pub fn json_borrowed<'a, T: Deserialize<'a>>(&'a self) -> Result<T, Reason> {
        serde_json::from_slice(&self.bytes).map_err(|error| {
            if self.is_page() {
                Reason::Page { status: self.status, title: self.title() }
            } else {
                let encoded = self.encoding().map(|name| format!("it is encoded with {name}, which was not asked for"));
                let reason = encoded.unwrap_or_else(|| error.to_string());
                Reason::NotJson { status: self.status, reason }
            }
        })
    }

    /// The encoding that the reply still has; the HTTP library removes those that it asks for.
    fn encoding(&self) -> Option<&str> {
        let encoding = self.headers.get(http::header::CONTENT_ENCODING)?.to_str().ok()?;
        (encoding != "identity").then_some(encoding)
    }

    /// Whether the body is HTML, by its declared type or its first character.
    pub fn is_page(&self) -> bool {
        let is_declared = self
            .headers
            .get(http::header::CONTENT_TYPE)
            .and_then(|kind| kind.to_str().ok())
            .is_some_and(|kind| kind.starts_with("text/html"));
        is_declared || self.bytes.trim_ascii_start().starts_with(b"<")
    }

    fn title(&self) -> Option<String> {
        let text = String::from_utf8_lossy(&self.bytes[..self.bytes.len().min(4_096)]);
        let (_, rest) = text.split_once("<title>")?;
        let title = rest.split("</title>").next()?.split_whitespace().collect::<Vec<_>>().join(" ");
        Some(title.chars().take(80).collect()).filter(|title: &String| !title.is_empty())
    }

    /// Why the reply is not a success of the API; None if it is.
    pub fn failure(&self) -> Option<Reason> {
        if self.status.is_redirection() {
            let to =
                self.headers.get(http::header::LOCATION).map(|to| String::from_utf8_lossy(to.as_bytes()).into_owned());
            return Some(Reason::Redirected(to.unwrap_or_default()));
        }
        let body: Value = match self.json() {
            Ok(body) => body,
            Err(reason) => return Some(reason),
        };
        if self.status.is_success() && body["result"] == "success" {
            return None;
        }
        let text = |key: &str| body[key].as_str().unwrap_or_default().to_owned();
        Some(Reason::Failed { status: self.status, code: text("code"), message: text("msg") })
    }

    /// The pause that a refusal asks for, in its body or its header; None if it names none.
    pub fn retry_after(&self) -> Option<Duration> {
        let in_body = || self.json::<Value>().ok()?["retry-after"].as_f64();
        let header = self.headers.get(http::header::RETRY_AFTER).and_then(|value| value.to_str().ok());
        let in_header = || header?.trim().parse::<f64>().ok();
        Duration::try_from_secs_f64(in_body().or_else(in_header)?).ok()
    }
}
