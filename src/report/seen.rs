//! An answered request as rules see it.

use crate::journal::Entry;
use std::collections::BTreeMap;
use std::hash::{BuildHasher, Hash};

/// Bytes of a request's text in a finding.
const REQUEST_MAX_BYTES: usize = 240;
/// Bytes of a parameter's value in that text.
const VALUE_MAX_BYTES: usize = 60;
/// Parameters whose values no report shows.
const SECRETS: &[&str] = &["api_key", "apikey", "key", "new_password", "old_password", "password", "token"];

/// What came back to the client.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Arrival {
    /// The whole reply.
    Whole,
    /// A body that breaks off, or that is no reply of the API.
    Broken,
    /// Nothing.
    Missing,
}

/// A time in the past, by both clocks, in microseconds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Past {
    /// Real time.
    pub real: i64,
    /// The world's time.
    pub world: i64,
}

impl Past {
    /// How long ago a time is: by the clock that moved further.
    pub fn since(self, earlier: Past) -> i64 {
        (self.real - earlier.real).max(self.world - earlier.world)
    }
}

/// What is known of a request besides its entry in the journal.
#[derive(Clone, Copy, Debug, Default)]
pub struct Facts {
    /// The body is JSON, which the API does not read.
    pub sends_json: bool,
    /// Both the query and the body have parameters.
    pub splits_parameters: bool,
    /// The parameter of the query that holds a secret.
    pub secret_in_query: Option<&'static str>,
    /// Number of the connection.
    pub connection: u64,
    /// Hash of the credentials; only for requests that are refused for them.
    pub credentials: u64,
    /// The world's feature level.
    pub level: i64,
    /// The newest feature level.
    pub newest: i64,
}

/// Something that a request uses and that a server no longer has, or will not have for ever.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Doubt {
    /// `parameter x of POST /messages`
    pub what: String,
    /// What became of it.
    pub kind: DoubtKind,
    /// The level at which that happened.
    pub level: i64,
    /// What replaces it; may be empty.
    pub instead: &'static str,
}

/// What became of something.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DoubtKind {
    /// An operation is deprecated.
    DeprecatedOperation,
    /// A parameter or one of its values is deprecated.
    DeprecatedParameter,
    /// A type of events is deprecated.
    DeprecatedEvents,
    /// It is gone.
    Removed,
    /// It has another name.
    Renamed,
}

/// A request with what came back.
#[derive(Clone, Copy)]
pub struct Seen<'a> {
    /// Name and version of the client, from its User-Agent.
    pub client: &'a str,
    /// The entry in the journal.
    pub entry: &'a Entry,
    /// The whole body of the reply.
    pub reply: &'a [u8],
    /// What of it came back.
    pub arrival: Arrival,
    /// The effect of the fault that fired; its key in the rule.
    pub effect: Option<&'a str>,
    /// When the request began, in microseconds of real time.
    pub began: i64,
    /// When it was answered.
    pub ended: i64,
    /// When the reply was sent, which a fault may delay.
    pub sent: Past,
    /// Further facts.
    pub facts: Facts,
    /// What it uses that is deprecated or gone.
    pub doubts: &'a [Doubt],
    /// Whether the queue of an ID exists: it may have ended without its client's knowledge.
    pub is_alive: &'a dyn Fn(&str) -> bool,
}

impl Seen<'_> {
    /// Whether the request is of an operation.
    pub fn is(&self, method: &str, route: &str) -> bool {
        self.entry.route == Some(route) && self.entry.method == method
    }

    /// A parameter's text.
    pub fn param(&self, name: &str) -> Option<&str> {
        self.entry.params.get(name).map(String::as_str)
    }

    /// Whether a parameter is true.
    pub fn is_on(&self, name: &str) -> bool {
        self.param(name) == Some("true")
    }

    /// Whether it succeeded and its whole reply came back.
    pub fn is_success(&self) -> bool {
        self.entry.status == 200 && self.arrival == Arrival::Whole
    }

    /// Whether the client began it after it had that reply.
    pub fn is_after(&self, past: Past) -> bool {
        self.began > past.real
    }

    /// How long the client waited after that: by the clock that moved further, so that no client is taken for faster than it
    /// is.
    pub fn waited(&self, since: Past) -> i64 {
        (self.began - since.real).max(self.sent.world - since.world)
    }

    /// Whether the reply has this code.
    pub fn has_code(&self, code: &str) -> bool {
        self.entry.status >= 400 && memchr::memmem::find(self.reply, code.as_bytes()).is_some()
    }

    /// The same for repetitions of a request: method, path and parameters but for those named.
    pub fn fingerprint(&self, without: &[&str]) -> u64 {
        let params = self.entry.params.iter().filter(|(name, _)| !without.contains(&name.as_str()));
        let mut all: Vec<(&str, &str)> = params.map(|(name, value)| (name.as_str(), value.as_str())).collect();
        all.push((&self.entry.method, &self.entry.path));
        hash(&all)
    }

    /// The request as findings show it.
    pub fn request(&self) -> Box<str> {
        request_line(&self.entry.method, &self.entry.path, &self.entry.params)
    }
}

/// A hash that is the same in every run.
pub fn hash(value: &impl Hash) -> u64 {
    foldhash::fast::FixedState::default().hash_one(value)
}

/// A request in a line: method, path and the beginning of its parameters, without secrets.
pub fn request_line(method: &str, path: &str, params: &BTreeMap<String, String>) -> Box<str> {
    let mut text = format!("{method} {path}");
    for (index, (name, value)) in params.iter().enumerate() {
        let shown = if SECRETS.contains(&name.as_str()) { "…" } else { cut(value, VALUE_MAX_BYTES) };
        let rest = if shown.len() < value.len() && shown != "…" { "…" } else { "" };
        let before = if index == 0 { ' ' } else { '&' };
        text.push(before);
        text.extend([cut(name, VALUE_MAX_BYTES), "=", shown, rest]);
        if text.len() > REQUEST_MAX_BYTES {
            break;
        }
    }
    if text.len() > REQUEST_MAX_BYTES {
        text.truncate(text.floor_char_boundary(REQUEST_MAX_BYTES));
        text.push('…');
    }
    text.into()
}

fn cut(text: &str, bytes: usize) -> &str {
    &text[..text.floor_char_boundary(bytes)]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_short_and_has_no_secrets() {
        let params =
            BTreeMap::from([("content".to_owned(), "ü".repeat(500)), ("password".to_owned(), "hunter2".to_owned())]);
        let line = request_line("POST", "/fetch_api_key", &params);

        assert!(line.starts_with("POST /fetch_api_key content=ü") && line.ends_with("&password=…"), "{line}");
        assert!(line.len() < 300 && !line.contains("hunter2"));
    }

    #[test]
    fn time_passes_by_the_clock_that_moved_further() {
        let earlier = Past { real: 10, world: 1_000 };

        assert_eq!(Past { real: 60, world: 1_000 }.since(earlier), 50);
        assert_eq!(Past { real: 11, world: 4_000 }.since(earlier), 3_000);
    }
}
