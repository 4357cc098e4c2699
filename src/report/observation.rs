//! Observations: answered requests with the facts that the rules need.

use crate::journal::Entry;
use std::collections::BTreeMap;
use std::hash::{BuildHasher, Hash};

/// The maximum length of the line of a request in a finding, without the ellipsis.
const MAX_LINE_BYTES: usize = 240;
/// The maximum length of each name and each value of a parameter in that line.
const MAX_VALUE_BYTES: usize = 60;
/// Parameters whose values are not shown.
const SECRET_PARAMETERS: &[&str] = &["api_key", "apikey", "key", "new_password", "old_password", "password", "token"];

/// How much of the reply the client received.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Receipt {
    Complete,
    /// A truncated body, or one that is not a reply of the API.
    Broken,
    Missing,
}

/// A time by both clocks, in microseconds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Moment {
    /// Real time.
    pub real: i64,
    /// The world's time.
    pub world: i64,
}

impl Moment {
    /// The time since an earlier moment, by the clock that advanced further.
    pub fn since(self, earlier: Moment) -> i64 {
        (self.real - earlier.real).max(self.world - earlier.world)
    }
}

/// Facts about a request that are not in its journal entry.
#[derive(Clone, Copy, Debug, Default)]
pub struct Facts {
    /// Whether the body is JSON, which the API does not read.
    pub sends_json: bool,
    /// Whether both query and body have parameters.
    pub splits_parameters: bool,
    /// The name of a parameter in the query that holds a secret.
    pub secret_query_parameter: Option<&'static str>,
    /// The number of the connection within the process; 0 for a request that did not come over one.
    pub connection_number: u64,
    /// A hash of the credentials, only if they were refused; otherwise 0.
    pub refused_credentials_hash: u64,
    /// The world's feature level.
    pub level: i64,
    /// The newest feature level that the double has.
    pub newest_level: i64,
}

/// A deprecated, renamed or removed part of the API in a request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CompatibilityIssue {
    /// For example `parameter x of POST /messages`.
    pub what: String,
    pub kind: IssueKind,
    /// The first level at which the part is deprecated, renamed or removed.
    pub level: i64,
    /// The replacement; empty if there is none.
    pub replacement: &'static str,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IssueKind {
    DeprecatedOperation,
    /// Also for deprecated values.
    DeprecatedParameter,
    DeprecatedEvents,
    Removed,
    Renamed,
}

/// A request with its reply.
#[derive(Clone, Copy)]
pub struct Observation<'a> {
    /// Name and version, from the header `X-Chatdouble-Client` or `User-Agent`; `Unspecified` without either.
    pub client: &'a str,
    pub entry: &'a Entry,
    /// The complete body, which the journal entry may truncate.
    pub reply: &'a [u8],
    pub receipt: Receipt,
    /// The name of the effect of the fault that fired, or the kind of disturbance of events. None if no fault fired.
    pub effect: Option<&'a str>,
    /// The time at which the request began, in microseconds of real time.
    pub started_at: i64,
    /// The time at which the reply was ready, in microseconds of real time.
    pub answered_at: i64,
    /// When the reply was sent, which a fault may delay; the world's time is that at which the reply was ready.
    pub reply_sent_at: Moment,
    pub facts: Facts,
    pub issues: &'a [CompatibilityIssue],
    /// The names of parameters that were ignored, whether or not the reply says so at its level.
    pub ignored_parameters: &'a [String],
    /// Returns whether a queue exists. It may have ended without the client's knowledge.
    pub is_queue_alive: &'a dyn Fn(&str) -> bool,
}

impl Observation<'_> {
    /// Whether the request is for this operation.
    pub fn is_for(&self, method: &str, route: &str) -> bool {
        self.entry.route == Some(route) && self.entry.method == method
    }

    pub fn param(&self, name: &str) -> Option<&str> {
        self.entry.params.get(name).map(String::as_str)
    }

    /// Whether the parameter is `true`.
    pub fn has_true_param(&self, name: &str) -> bool {
        self.param(name) == Some("true")
    }

    /// Whether the request succeeded and the client received the complete reply.
    pub fn is_success(&self) -> bool {
        self.entry.status == 200 && self.receipt == Receipt::Complete
    }

    /// Whether the request began after a reply was sent, so that the client may have known the reply.
    pub fn is_after(&self, reply_sent: Moment) -> bool {
        self.started_at > reply_sent.real
    }

    /// How long the client waited since a moment, in microseconds. The clock that advanced further counts, so that no
    /// client seems faster than it is. The world's time is that of the answer, because that of the start is not
    /// recorded.
    pub fn waited_since(&self, since: Moment) -> i64 {
        (self.started_at - since.real).max(self.reply_sent_at.world - since.world)
    }

    /// Whether the reply is a refusal with this code.
    pub fn has_code(&self, code: &str) -> bool {
        // Searching is faster than parsing. In refusals of polls, for which the rules ask this, only the code has such
        // a text.
        self.entry.status >= 400 && memchr::memmem::find(self.reply, code.as_bytes()).is_some()
    }

    /// A hash of method, path and parameters except the excluded ones. It is the same for repetitions of a request.
    pub fn fingerprint(&self, excluded_params: &[&str]) -> u64 {
        let params = self.entry.params.iter().filter(|(name, _)| !excluded_params.contains(&name.as_str()));
        let mut hashed_parts: Vec<(&str, &str)> = params.map(|(name, value)| (name.as_str(), value.as_str())).collect();
        hashed_parts.push((&self.entry.method, &self.entry.path));
        stable_hash(&hashed_parts)
    }

    /// The method, and the path with placeholders; for an unknown operation, the path as it was sent.
    pub fn operation(&self) -> String {
        format!("{} {}", self.entry.method, self.entry.route.unwrap_or(&self.entry.path))
    }

    /// The request in one line, for findings.
    pub fn line(&self) -> Box<str> {
        summary_line(&self.entry.method, &self.entry.path, &self.entry.params)
    }
}

/// A hash that is the same in each run of the program.
pub fn stable_hash(value: &impl Hash) -> u64 {
    foldhash::fast::FixedState::default().hash_one(value)
}

/// A request in one line: method, path and the beginning of its parameters, without secrets.
pub fn summary_line(method: &str, path: &str, params: &BTreeMap<String, String>) -> Box<str> {
    let mut text = format!("{method} {path}");
    for (index, (name, value)) in params.iter().enumerate() {
        let displayed_value =
            if SECRET_PARAMETERS.contains(&name.as_str()) { "…" } else { truncate(value, MAX_VALUE_BYTES) };
        let ellipsis = if displayed_value.len() < value.len() && displayed_value != "…" { "…" } else { "" };
        let separator = if index == 0 { ' ' } else { '&' };
        text.push(separator);
        text.extend([truncate(name, MAX_VALUE_BYTES), "=", displayed_value, ellipsis]);
        if text.len() > MAX_LINE_BYTES {
            break;
        }
    }
    if text.len() > MAX_LINE_BYTES {
        text.truncate(text.floor_char_boundary(MAX_LINE_BYTES));
        text.push('…');
    }
    text.into()
}

fn truncate(text: &str, max_bytes: usize) -> &str {
    &text[..text.floor_char_boundary(max_bytes)]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_short_and_has_no_secrets() {
        let params =
            BTreeMap::from([("content".to_owned(), "ü".repeat(500)), ("password".to_owned(), "hunter2".to_owned())]);
        let line = summary_line("POST", "/fetch_api_key", &params);

        assert!(line.starts_with("POST /fetch_api_key content=ü") && line.ends_with("&password=…"), "{line}");
        assert!(line.len() < 300 && !line.contains("hunter2"));
    }

    #[test]
    fn time_is_measured_by_the_clock_that_advanced_further() {
        let earlier = Moment { real: 10, world: 1_000 };

        assert_eq!(Moment { real: 60, world: 1_000 }.since(earlier), 50);
        assert_eq!(Moment { real: 11, world: 4_000 }.since(earlier), 3_000);
    }
}
