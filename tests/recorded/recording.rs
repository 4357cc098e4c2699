//! A recording: exchanges in order, one JSON object a line, compressed.

use crate::level::Level;
use serde::Deserialize;
use serde_json::Value;
use std::collections::BTreeMap;
use std::io::Read;

/// Texts by name, in the order in which they were sent.
pub type Texts = serde_json::Map<String, Value>;

/// One request, the real server's reply, and what followed.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Exchange {
    /// What the recording was about at that time.
    pub area: String,
    /// Who asked; a key of `accounts.json`, anything else is nobody.
    pub role: String,
    /// Address and key, where they are not the role's own.
    #[serde(default)]
    pub credentials: Option<(String, String)>,
    /// HTTP method.
    pub method: String,
    /// The path below the host. `{{name}}` means a value that an earlier exchange bound.
    pub path: String,
    /// Parameters as sent, with the same placeholders.
    pub params: Texts,
    /// Content type and body, in place of parameters.
    #[serde(default)]
    pub body: Option<(String, String)>,
    /// Files by field: name and base64. If there is such a map, the request is multipart.
    #[serde(default)]
    pub files: Option<BTreeMap<String, (String, String)>>,
    /// Further headers.
    #[serde(default)]
    pub headers: BTreeMap<String, String>,
    /// Names for values of the reply, by their path in it.
    #[serde(default)]
    pub bind: BTreeMap<String, String>,
    /// Seconds that passed before the request because the recording waited.
    #[serde(default)]
    pub advance_seconds: u64,
    /// Queues that were registered before the request.
    #[serde(default)]
    pub queues: Vec<Queues>,
    /// Of messages in the reply only number, flags and matches were recorded.
    #[serde(default)]
    pub slim: bool,
    /// Not all keys of the reply's objects were recorded.
    #[serde(default)]
    pub partial: bool,
    /// Status and body.
    pub real: (u16, Value),
    /// Whose queues were read afterwards.
    #[serde(default)]
    pub looked: Vec<String>,
    /// What was in them, without event IDs; roles without events are missing.
    #[serde(default)]
    pub events: BTreeMap<String, Vec<Value>>,
}

/// A queue for each of several roles.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Queues {
    /// Who registers.
    pub roles: Vec<String>,
    /// Parameters of the registration.
    pub params: Texts,
}

/// Reads a recording of a level.
pub fn read(level: &Level, name: &str) -> Vec<Exchange> {
    let path = level.path(&format!("exchanges/{name}.jsonl.gz"));
    let file = std::fs::File::open(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let mut text = String::new();
    flate2::read::GzDecoder::new(file).read_to_string(&mut text).expect("a recording is compressed text");
    let line = |(at, line): (usize, &str)| {
        serde_json::from_str(line).unwrap_or_else(|error| panic!("{}, exchange {at}: {error}", path.display()))
    };
    text.lines().enumerate().map(line).collect()
}
