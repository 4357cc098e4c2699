//! The errors of requests to another server, each with a message of one line.

use http::StatusCode;
use std::error::Error;
use std::fmt;
use std::time::Duration;

/// The error of a request without a usable reply.
#[derive(Clone, Debug)]
pub struct RequestError {
    /// Method and URL. The URL of an operation is without its query.
    pub request: String,
    pub reason: Reason,
}

/// Why there is no usable reply.
#[derive(Clone, Debug)]
pub enum Reason {
    /// No connection was made.
    Unreachable(String),
    /// The server's certificate is not trusted.
    Certificate(String),
    /// The connection was not made, or nothing more arrived, in time. Contains the timeout for replies.
    Timeout(Duration),
    /// The connection ended after `bytes_read` bytes of the reply.
    BrokenOff { bytes_read: usize, reason: String },
    /// The reply is larger than this limit in bytes.
    Oversized(usize),
    /// The server redirects to this URL.
    Redirected(String),
    /// The reply is an HTML page.
    HtmlPage { status: StatusCode, title: Option<String> },
    /// The reply is not JSON, or has an unexpected structure.
    NotJson { status: StatusCode, reason: String },
    /// An error reply of the API. For a download, any status other than 200.
    ErrorReply { status: StatusCode, code: String, message: String },
    /// The server does not accept the account's key.
    AccountRejected { email: String, message: String },
    /// The server asks for a pause that is too long.
    LongPause(Duration),
    /// The server refused the request this many times because of its rate limit.
    TooManyRefusals(u32),
}

impl RequestError {
    /// Whether the same request may succeed if it is repeated soon.
    pub fn is_temporary(&self) -> bool {
        match &self.reason {
            Reason::Unreachable(_) | Reason::Timeout(_) | Reason::BrokenOff { .. } | Reason::HtmlPage { .. } => true,
            Reason::NotJson { .. } => true,
            Reason::ErrorReply { status, .. } => status.is_server_error(),
            Reason::Certificate(_) | Reason::Oversized(_) | Reason::Redirected(_) | Reason::AccountRejected { .. } => {
                false
            }
            Reason::LongPause(_) | Reason::TooManyRefusals(_) => false,
        }
    }

    pub fn is_account_rejected(&self) -> bool {
        matches!(&self.reason, Reason::AccountRejected { .. })
    }

    /// Whether the server refused the request with an error reply of the API. Failures of the server and refused keys
    /// don't count. For a download, any status below 500 other than 200 does.
    pub fn is_refusal(&self) -> bool {
        matches!(&self.reason, Reason::ErrorReply { status, .. } if !status.is_server_error())
    }
}

impl Reason {
    /// Converts an error of the HTTP library that occurred after `bytes_read` bytes of the reply.
    pub(super) fn from_http(error: &reqwest::Error, read_timeout: Duration, bytes_read: usize) -> Self {
        let root_message = root_message(error);
        if error.is_timeout() {
            Self::Timeout(read_timeout)
        } else if root_message.contains("certificate") {
            Self::Certificate(root_message)
        } else if error.is_connect() || error.is_builder() {
            // A builder fails before anything connects, for example because of a wrong proxy.
            Self::Unreachable(root_message)
        } else {
            Self::BrokenOff { bytes_read, reason: root_message }
        }
    }
}

/// The message of the innermost cause, which is the most specific.
fn root_message(error: &dyn Error) -> String {
    let mut cause = error;
    while let Some(source) = cause.source() {
        cause = source;
    }
    cause.to_string().split_whitespace().collect::<Vec<_>>().join(" ")
}

impl fmt::Display for RequestError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.request, self.reason)
    }
}

impl Error for RequestError {}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            // What a TLS client reads when the server speaks plain HTTP.
            Self::Unreachable(reason) if reason.contains("InvalidContentType") => {
                f.write_str("no connection to the server: it does not speak TLS; did you mean http?")
            }
            Self::Unreachable(reason) => write!(f, "no connection to the server: {reason}"),
            Self::Certificate(reason) => {
                write!(f, "the server's certificate is not trusted: {reason}; name the one to trust with --tls-ca")
            }
            Self::Timeout(read_timeout) => write!(f, "no reply within {} s (--timeout)", read_timeout.as_secs_f64()),
            Self::BrokenOff { bytes_read: 0, reason } => write!(f, "the connection ended without a reply: {reason}"),
            Self::BrokenOff { bytes_read, reason } => {
                write!(f, "the reply broke off after {bytes_read} bytes: {reason}")
            }
            Self::Oversized(limit) => write!(f, "the reply is larger than {} MiB", limit >> 20),
            Self::Redirected(url) => write!(f, "the server leads to {url} instead; give the base URL that it leads to"),
            Self::HtmlPage { status, title } => {
                write!(f, "the reply is a page in HTML instead of JSON (status {}", status.as_u16())?;
                if let Some(title) = title {
                    write!(f, ", {title:?}")?;
                }
                f.write_str("); is this the base URL of the server, with the path below which it is served?")
            }
            Self::NotJson { status, reason } => {
                write!(f, "the reply is not the JSON of this API (status {}): {reason}", status.as_u16())
            }
            Self::ErrorReply { status, code, message } if code.is_empty() => {
                write!(f, "status {}: {}", status.as_u16(), one_line(message))
            }
            Self::ErrorReply { status, code, message } => {
                write!(f, "status {}, {}: {}", status.as_u16(), one_line(code), one_line(message))
            }
            Self::AccountRejected { email, message } => {
                write!(f, "the server does not accept the API key of {email}: {}", one_line(message))
            }
            Self::LongPause(pause) => {
                write!(f, "the server asks for a pause of {} s, which is too long", pause.as_secs_f64().ceil())
            }
            Self::TooManyRefusals(count) => {
                write!(f, "the server refused the request {count} times because of its rate limit")
            }
        }
    }
}

/// Converts a text from the server to a single line of at most 300 characters, without control characters.
fn one_line(text: &str) -> String {
    let line: String =
        text.chars().map(|character| if character.is_control() { ' ' } else { character }).take(300).collect();
    if line.trim().is_empty() { "no reason is given".to_owned() } else { line.trim().to_owned() }
}
