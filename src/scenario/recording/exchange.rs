//! The recorded exchanges: requests and their replies.

use base64::Engine;
use bytes::Bytes;
use serde_json::Value;
use std::collections::BTreeMap;
use std::convert::Infallible;

/// The recorded exchanges, with facts about the server.
#[derive(Clone, Debug, Default)]
pub struct Recording {
    /// The exchanges in any order.
    pub exchanges: Vec<Exchange>,
    /// Base URL of the server, without a trailing slash.
    pub base_url: String,
    /// Handles of users whose email address does not begin with the handle, by email address.
    pub aliases: BTreeMap<String, String>,
    /// The fixture for playing the scenario: the name of a built-in one, or a path. None for `default`.
    pub fixture: Option<String>,
    /// The server's feature level. None if the server reports none.
    pub feature_level: Option<i64>,
    /// The server's dialect, such as `zulip`. None for `neutral`.
    pub dialect: Option<String>,
    /// Sentences about requests that could not be recorded.
    pub omissions: Vec<String>,
}

/// A request and its reply. Unlike an exchange of the fidelity tests, it has no events: those are in the replies of the
/// polls.
#[derive(Clone, Debug)]
pub struct Exchange {
    /// When the request began, in UNIX seconds.
    pub start_seconds: f64,
    /// When the reply was complete, in UNIX seconds.
    pub end_seconds: f64,
    /// Method in capitals.
    pub method: String,
    /// Path below the base URL without the query, such as `/api/v1/messages`.
    pub path: String,
    /// Query as sent, without the question mark; empty for none.
    pub query: String,
    /// Email address and API key of the account, if the request has credentials of the scheme Basic.
    pub account: Option<(String, String)>,
    /// Whether the request is authenticated by a cookie or by a scheme other than Basic.
    pub uses_other_authentication: bool,
    /// Body, parsed according to its media type.
    pub body: RequestBody,
    /// HTTP status of the reply, or 0 if there is no reply.
    pub status: u16,
    /// Body of the reply as JSON, or null if it is not JSON.
    pub reply_body: Value,
}

/// The body of a request.
#[derive(Clone, Debug)]
pub enum RequestBody {
    /// No body.
    Empty,
    /// Parameters in the order in which they were sent.
    Form(Vec<(String, String)>),
    /// A multipart form: its parameters and files.
    Multipart(Vec<(String, String)>, Vec<Upload>),
    /// Media type and JSON.
    Json(String, Value),
    /// The media type of any other body, and of one that can't be parsed.
    Other(String),
    /// A body that was too large to be recorded.
    TooLarge,
}

/// An uploaded file.
#[derive(Clone, Debug)]
pub struct Upload {
    /// File name as sent.
    pub name: String,
    /// The bytes of the file.
    pub content: Bytes,
}

impl RequestBody {
    /// Parses a body according to its content type.
    pub async fn parse(content_type: &str, body: Bytes) -> Self {
        let media_type = content_type.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
        match media_type.as_str() {
            _ if body.is_empty() => Self::Empty,
            "application/x-www-form-urlencoded" => Self::Form(form_urlencoded::parse(&body).into_owned().collect()),
            "multipart/form-data" => Self::parse_multipart(content_type, body).await,
            "application/json" => match serde_json::from_slice(&body) {
                Ok(value) => Self::Json(media_type, value),
                Err(_) => Self::Other(media_type),
            },
            _ => Self::Other(media_type),
        }
    }

    async fn parse_multipart(content_type: &str, body: Bytes) -> Self {
        let unparsed = || Self::Other("multipart/form-data".to_owned());
        let Ok(boundary) = multer::parse_boundary(content_type) else { return unparsed() };
        let stream = futures_util::stream::once(async move { Ok::<_, Infallible>(body) });
        let mut parts = multer::Multipart::new(stream, boundary);
        let (mut parameters, mut files) = (Vec::new(), Vec::new());
        loop {
            let part = match parts.next_field().await {
                Ok(Some(part)) => part,
                Ok(None) => return Self::Multipart(parameters, files),
                Err(_) => return unparsed(),
            };
            let name = part.name().unwrap_or_default().to_owned();
            let file_name = part.file_name().map(str::to_owned);
            let Ok(content) = part.bytes().await else { return unparsed() };
            match file_name {
                Some(file_name) => files.push(Upload { name: file_name, content }),
                None => parameters.push((name, String::from_utf8_lossy(&content).into_owned())),
            }
        }
    }
}

/// The email address and the API key in an `Authorization` header of the scheme Basic. None for any other header.
pub fn basic_credentials(header: &str) -> Option<(String, String)> {
    let (scheme, encoded) = header.split_once(' ')?;
    let decoded = base64::engine::general_purpose::STANDARD.decode(encoded.trim()).ok()?;
    let text = String::from_utf8(decoded).ok()?;
    let (email, key) = text.split_once(':')?;
    scheme.eq_ignore_ascii_case("basic").then(|| (email.to_owned(), key.to_owned()))
}

impl Exchange {
    /// The path without `/api/v1`. None if the path is not below it.
    pub fn api_path(&self) -> Option<&str> {
        self.path.strip_prefix("/api/v1").filter(|path| path.starts_with('/'))
    }

    /// The parameters in the query and in the form.
    pub fn parameters(&self) -> Vec<(String, String)> {
        let mut parameters: Vec<(String, String)> =
            form_urlencoded::parse(self.query.as_bytes()).into_owned().collect();
        match &self.body {
            RequestBody::Form(form) | RequestBody::Multipart(form, _) => parameters.extend(form.iter().cloned()),
            _ => {}
        }
        parameters
    }

    /// The first value of a parameter, in the query or in the form.
    pub fn parameter(&self, name: &str) -> Option<String> {
        self.parameters().into_iter().find(|(other_name, _)| other_name == name).map(|(_, value)| value)
    }

    /// Whether this is a successful poll of an event queue.
    pub fn is_successful_poll(&self) -> bool {
        self.method == "GET" && self.api_path() == Some("/events") && self.status == 200
    }
}
