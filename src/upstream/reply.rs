//! A complete reply of another server, and what it means in the API.

use super::error::Reason;
use bytes::Bytes;
use http::{HeaderMap, StatusCode};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use std::time::Duration;

/// A complete reply, of any status.
#[derive(Clone, Debug)]
pub struct Reply {
    pub status: StatusCode,
    pub headers: HeaderMap,
    /// The body, uncompressed.
    pub body: Bytes,
}

impl Reply {
    /// The body as JSON.
    ///
    /// # Errors
    ///
    /// The reason, if the body is an HTML page, is not JSON, or has an unexpected structure.
    pub fn json<T: DeserializeOwned>(&self) -> Result<T, Reason> {
        self.json_borrowed()
    }

    /// Does the same as [`Reply::json`], for values that borrow from the reply.
    ///
    /// # Errors
    ///
    /// Those of [`Reply::json`].
    pub fn json_borrowed<'a, T: Deserialize<'a>>(&'a self) -> Result<T, Reason> {
        serde_json::from_slice(&self.body).map_err(|error| {
            if self.is_page() {
                Reason::HtmlPage { status: self.status, title: self.title() }
            } else {
                let encoding_message = self
                    .unexpected_encoding()
                    .map(|name| format!("it is encoded with {name}, which was not asked for"));
                let reason = encoding_message.unwrap_or_else(|| error.to_string());
                Reason::NotJson { status: self.status, reason }
            }
        })
    }

    /// A content encoding that the HTTP library did not request and therefore did not decode.
    fn unexpected_encoding(&self) -> Option<&str> {
        let encoding = self.headers.get(http::header::CONTENT_ENCODING)?.to_str().ok()?;
        (encoding != "identity").then_some(encoding)
    }

    /// Whether the body is HTML, by its declared type or its first character.
    pub fn is_page(&self) -> bool {
        let is_declared = self
            .headers
            .get(http::header::CONTENT_TYPE)
            .and_then(|content_type| content_type.to_str().ok())
            .is_some_and(|content_type| content_type.starts_with("text/html"));
        is_declared || self.body.trim_ascii_start().starts_with(b"<")
    }

    /// The title of an HTML page, in at most 80 characters.
    fn title(&self) -> Option<String> {
        let text = String::from_utf8_lossy(&self.body[..self.body.len().min(4_096)]);
        let (_, after_tag) = text.split_once("<title>")?;
        let title = after_tag.split("</title>").next()?.split_whitespace().collect::<Vec<_>>().join(" ");
        Some(title.chars().take(80).collect()).filter(|title: &String| !title.is_empty())
    }

    /// Why the reply is not a success of the API. None if it is a success.
    pub fn failure(&self) -> Option<Reason> {
        if self.status.is_redirection() {
            let location = self
                .headers
                .get(http::header::LOCATION)
                .map(|location| String::from_utf8_lossy(location.as_bytes()).into_owned());
            return Some(Reason::Redirected(location.unwrap_or_default()));
        }
        let body: Value = match self.json() {
            Ok(body) => body,
            Err(reason) => return Some(reason),
        };
        if self.status.is_success() && body["result"] == "success" {
            return None;
        }
        let text = |key: &str| body[key].as_str().unwrap_or_default().to_owned();
        Some(Reason::ErrorReply { status: self.status, code: text("code"), message: text("msg") })
    }

    /// The pause that a refusal asks for, in its body or its header. None if it does not ask for one.
    pub fn retry_after(&self) -> Option<Duration> {
        let from_body = || self.json::<Value>().ok()?["retry-after"].as_f64();
        let header = self.headers.get(http::header::RETRY_AFTER).and_then(|value| value.to_str().ok());
        let from_header = || header?.trim().parse::<f64>().ok();
        Duration::try_from_secs_f64(from_body().or_else(from_header)?).ok()
    }
}
