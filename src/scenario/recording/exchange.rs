//! What passed: requests and their replies.

use base64::Engine;
use bytes::Bytes;
use serde_json::Value;
use std::collections::BTreeMap;
use std::convert::Infallible;

/// The exchanges of a recording, and what is known of the server.
#[derive(Clone, Debug, Default)]
pub struct Session {
    /// In any order.
    pub exchanges: Vec<Exchange>,
    /// The address of the server, without a slash at its end.
    pub upstream: String,
    /// Names for users whose address does not begin with their handle, by address.
    pub aliases: BTreeMap<String, String>,
    /// The fixture in which the scenario is played; `default` if it is None.
    pub fixture: Option<String>,
    /// The server's feature level.
    pub feature_level: Option<i64>,
    /// The server's dialect: `zulip` or `neutral`.
    pub dialect: Option<String>,
    /// What was not recorded, in sentences.
    pub lost: Vec<String>,
}

/// A request and its reply.
#[derive(Clone, Debug)]
pub struct Exchange {
    /// When the request began, in UNIX seconds.
    pub started: f64,
    /// When the reply was complete, in UNIX seconds.
    pub ended: f64,
    /// GET, POST, …
    pub method: String,
    /// Below the server's address, without a query: `/api/v1/messages`.
    pub path: String,
    /// The query, as it was sent.
    pub query: String,
    /// Address and API key of the account.
    pub account: Option<(String, String)>,
    /// Whether it acts by a cookie or another scheme than Basic.
    pub is_session: bool,
    /// The body.
    pub sent: Sent,
    /// The status of the reply; 0 where none came.
    pub status: u16,
    /// The body of the reply as JSON; null when it is none.
    pub reply: Value,
}

/// The body of a request.
#[derive(Clone, Debug)]
pub enum Sent {
    /// None.
    Nothing,
    /// A form.
    Form(Vec<(String, String)>),
    /// A form in parts, with files.
    Parts(Vec<(String, String)>, Vec<Upload>),
    /// JSON and its type.
    Json(String, Value),
    /// Another one, of this type.
    Other(String),
    /// More of it than is recorded.
    TooLarge,
}

/// A file that was uploaded.
#[derive(Clone, Debug)]
pub struct Upload {
    /// Its name.
    pub name: String,
    /// Its content.
    pub content: Bytes,
}

impl Sent {
    /// Reads a body by its type.
    pub async fn read(content_type: &str, body: Bytes) -> Self {
        let kind = content_type.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
        match kind.as_str() {
            _ if body.is_empty() => Self::Nothing,
            "application/x-www-form-urlencoded" => Self::Form(form_urlencoded::parse(&body).into_owned().collect()),
            "multipart/form-data" => Self::parts(content_type, body).await,
            "application/json" => match serde_json::from_slice(&body) {
                Ok(value) => Self::Json(kind, value),
                Err(_) => Self::Other(kind),
            },
            _ => Self::Other(kind),
        }
    }

    async fn parts(content_type: &str, body: Bytes) -> Self {
        let other = || Self::Other("multipart/form-data".to_owned());
        let Ok(boundary) = multer::parse_boundary(content_type) else { return other() };
        let stream = futures_util::stream::once(async move { Ok::<_, Infallible>(body) });
        let mut parts = multer::Multipart::new(stream, boundary);
        let (mut parameters, mut files) = (Vec::new(), Vec::new());
        loop {
            let part = match parts.next_field().await {
                Ok(Some(part)) => part,
                Ok(None) => return Self::Parts(parameters, files),
                Err(_) => return other(),
            };
            let name = part.name().unwrap_or_default().to_owned();
            let file = part.file_name().map(str::to_owned);
            let Ok(content) = part.bytes().await else { return other() };
            match file {
                Some(name) => files.push(Upload { name, content }),
                None => parameters.push((name, String::from_utf8_lossy(&content).into_owned())),
            }
        }
    }
}

/// Address and key in a header `Authorization`.
pub fn basic(header: &str) -> Option<(String, String)> {
    let (scheme, encoded) = header.split_once(' ')?;
    let decoded = base64::engine::general_purpose::STANDARD.decode(encoded.trim()).ok()?;
    let text = String::from_utf8(decoded).ok()?;
    let (email, key) = text.split_once(':')?;
    scheme.eq_ignore_ascii_case("basic").then(|| (email.to_owned(), key.to_owned()))
}

impl Exchange {
    /// The path below `/api/v1`, if it is of the API.
    pub fn operation(&self) -> Option<&str> {
        self.path.strip_prefix("/api/v1").filter(|path| path.starts_with('/'))
    }

    /// The parameters in the query and in a form.
    pub fn parameters(&self) -> Vec<(String, String)> {
        let mut all: Vec<(String, String)> = form_urlencoded::parse(self.query.as_bytes()).into_owned().collect();
        match &self.sent {
            Sent::Form(form) | Sent::Parts(form, _) => all.extend(form.iter().cloned()),
            _ => {}
        }
        all
    }

    /// A parameter, wherever it is.
    pub fn parameter(&self, name: &str) -> Option<String> {
        self.parameters().into_iter().find(|(other, _)| other == name).map(|(_, value)| value)
    }

    /// Whether it reads an event queue and succeeded.
    pub fn is_poll(&self) -> bool {
        self.method == "GET" && self.operation() == Some("/events") && self.status == 200
    }
}
