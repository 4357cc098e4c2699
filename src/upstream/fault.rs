//! Failures between this program and a server, each with a message of one line.

use http::StatusCode;
use std::error::Error;
use std::fmt;
use std::time::Duration;

/// A request without a usable reply.
#[derive(Clone, Debug)]
pub struct Fault {
    /// The method and the URL without its query.
    pub request: String,
    pub reason: Reason,
}

/// Why a reply is not usable.
#[derive(Clone, Debug)]
pub enum Reason {
    /// There is no connection.
    Unreachable(String),
    /// The server's certificate is not trusted.
    Certificate(String),
    /// No reply, or no more of it, came within this time.
    Slow(Duration),
    /// The connection ended after `read` bytes of the reply.
    BrokenOff { read: usize, reason: String },
    /// The reply is larger than this limit in bytes.
    Oversized(usize),
    /// The server redirects to this address.
    Redirected(String),
    /// A page in HTML, with the title if it has one.
    Page { status: StatusCode, title: Option<String> },
    /// Text that is not JSON, or JSON of another shape.
    NotJson { status: StatusCode, reason: String },
    /// A refusal of the API.
    Failed { status: StatusCode, code: String, message: String },
    /// The server does not accept the account's key.
    Account { email: String, message: String },
    /// The server asks for a pause that is too long.
    Busy(Duration),
}

impl Fault {
    /// Whether the reason is temporary: the same request may succeed later.
    pub fn is_passing(&self) -> bool {
        match &self.reason {
            Reason::Unreachable(_) | Reason::Slow(_) | Reason::BrokenOff { .. } | Reason::Page { .. } => true,
            Reason::NotJson { .. } => true,
            Reason::Failed { status, .. } => status.is_server_error(),
            Reason::Certificate(_) | Reason::Oversized(_) | Reason::Redirected(_) | Reason::Account { .. } => false,
            Reason::Busy(_) => false,
        }
    }

    /// Whether the server does not accept the account.
    pub fn is_of_account(&self) -> bool {
        matches!(&self.reason, Reason::Account { .. })
    }

    /// Whether the server refused the request, in the form of the API.
    pub fn is_refusal(&self) -> bool {
        matches!(&self.reason, Reason::Failed { status, .. } if !status.is_server_error())
    }
}

impl Reason {
    /// The reason for an error of the HTTP library, after `read` bytes of the reply.
    pub(super) fn of(error: &reqwest::Error, patience: Duration, read: usize) -> Self {
        let root = root(error);
        if error.is_timeout() {
            Self::Slow(patience)
        } else if root.contains("certificate") {
            Self::Certificate(root)
        } else if error.is_connect() || error.is_builder() {
            Self::Unreachable(root)
        } else {
            Self::BrokenOff { read, reason: root }
        }
    }
}

/// The message of the innermost cause, which is the most specific.
fn root(error: &dyn Error) -> String {
    let mut cause = error;
    while let Some(next) = cause.source() {
        cause = next;
    }
    cause.to_string().split_whitespace().collect::<Vec<_>>().join(" ")
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.request, self.reason)
    }
}

impl Error for Fault {}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unreachable(reason) => write!(f, "no connection to the server: {reason}"),
            Self::Certificate(reason) => {
                write!(f, "the server's certificate is not trusted: {reason}; name the one to trust with --tls-ca")
            }
            Self::Slow(patience) => write!(f, "no reply within {} s (--timeout)", patience.as_secs_f64()),
            Self::BrokenOff { read: 0, reason } => write!(f, "the connection ended without a reply: {reason}"),
            Self::BrokenOff { read, reason } => write!(f, "the reply broke off after {read} bytes: {reason}"),
            Self::Oversized(limit) => write!(f, "the reply is larger than {} MiB", limit >> 20),
            Self::Redirected(to) => write!(f, "the server leads to {to} instead; give the base URL that it leads to"),
            Self::Page { status, title } => {
                write!(f, "the reply is a page in HTML instead of JSON (status {}", status.as_u16())?;
                if let Some(title) = title {
                    write!(f, ", {title:?}")?;
                }
                f.write_str("); is this the base URL of the server, with the path below which it is served?")
            }
            Self::NotJson { status, reason } => {
                write!(f, "the reply is not the JSON of this API (status {}): {reason}", status.as_u16())
            }
            Self::Failed { status, code, message } if code.is_empty() => {
                write!(f, "status {}: {}", status.as_u16(), one_line(message))
            }
            Self::Failed { status, code, message } => {
                write!(f, "status {}, {}: {}", status.as_u16(), one_line(code), one_line(message))
            }
            Self::Account { email, message } => {
                write!(f, "the server does not accept the API key of {email}: {}", one_line(message))
            }
            Self::Busy(pause) => {
                write!(f, "the server asks for a pause of {} s, which is too long", pause.as_secs_f64().ceil())
            }
        }
    }
}

/// A text from the server in one line of at most 300 characters, without control characters.
fn one_line(text: &str) -> String {
    let plain: String = text.chars().map(|one| if one.is_control() { ' ' } else { one }).take(300).collect();
    if plain.trim().is_empty() { "no reason is given".to_owned() } else { plain.trim().to_owned() }
}
