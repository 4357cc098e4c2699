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
    /// Its headers.
    pub headers: HeaderMap,
    /// The body, unpacked.
    pub bytes: Bytes,
}

impl Reply {
    /// The body as JSON.
    ///
    /// # Errors
    ///
    /// A page of HTML, or text that is no JSON or of another shape.
    pub fn json<T: DeserializeOwned>(&self) -> Result<T, Reason> {
        self.json_borrowed()
    }

    /// The same as a value that borrows from the reply.
    ///
    /// # Errors
    ///
    /// The same.
    pub fn json_borrowed<'a, T: Deserialize<'a>>(&'a self) -> Result<T, Reason> {
        serde_json::from_slice(&self.bytes).map_err(|error| {
            if self.is_page() {
                Reason::Page { status: self.status, title: self.title() }
            } else {
                Reason::NotJson { status: self.status, reason: error.to_string() }
            }
        })
    }

    /// Whether the body is HTML, such as a proxy's page.
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

    /// Why the reply is no success of the API; None if it is one.
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

    /// For how long the server wants not to be asked, in the body or the header of a refusal; None if it does not say.
    pub fn retry_after(&self) -> Option<Duration> {
        let in_body = || self.json::<Value>().ok()?["retry-after"].as_f64();
        let header = self.headers.get(http::header::RETRY_AFTER).and_then(|value| value.to_str().ok());
        let in_header = || header?.trim().parse::<f64>().ok();
        Duration::try_from_secs_f64(in_body().or_else(in_header)?).ok()
    }
}
