//! The report as JSON: clients with their findings, as control returns it and `--report` writes it.

use super::rule::Severity;
use serde::{Deserialize, Deserializer, Serialize};

/// Longer labels of worlds are shortened.
const MAX_LABEL_CHARACTERS: usize = 200;

/// The report of one or several worlds.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Summary {
    pub clients: Vec<ClientSummary>,
    /// False if clients or findings were dropped because of limits.
    pub complete: bool,
}

/// A client with its findings.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct ClientSummary {
    /// Only in reports of several worlds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub world: Option<String>,
    /// The beginning of that world's label, such as the name of the test that made it, in one line.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub label: Option<String>,
    /// Name and version, from its `X-Chatdouble-Client` or `User-Agent` header; `Unspecified` if it sends neither.
    pub client: String,
    /// Email address in the credentials. None for requests without credentials.
    pub user: Option<String>,
    /// The number of requests that were answered.
    pub requests: u64,
    /// The time of the first answered request, in UNIX seconds of the world's clock.
    pub first_at: f64,
    /// The time of the last answered request, in UNIX seconds of the world's clock.
    pub last_at: f64,
    /// Sorted by severity, the most severe first.
    pub findings: Vec<FindingSummary>,
}

/// A rule that a client broke. If the message names what it is about, such as a parameter, each has its own finding.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct FindingSummary {
    /// The name of the rule, such as `dead-queue-polled`.
    pub rule: String,
    #[serde(deserialize_with = "deserialize_severity")]
    pub severity: Severity,
    /// What the client did.
    pub message: String,
    /// How often the client broke the rule in this way.
    pub count: u64,
    pub first: OccurrenceSummary,
    pub last: OccurrenceSummary,
    /// Why a real server or its users suffer from it.
    #[serde(default)]
    pub why: String,
    /// What to do instead.
    pub help: String,
}

/// A request that a finding is about.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct OccurrenceSummary {
    /// The ID in the journal. None if the request was never answered.
    pub journal_id: Option<u64>,
    /// When it was answered, or its client gave it up; in UNIX seconds of the world's clock.
    pub at: f64,
    /// The request in one line.
    pub request: String,
}

fn deserialize_severity<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Severity, D::Error> {
    let name = String::deserialize(deserializer)?;
    Severity::from_name(&name).ok_or_else(|| serde::de::Error::custom("severity takes error, warning or note"))
}

/// The beginning of a label, which may have any length and several lines, in one line.
fn shorten_label(label: &str) -> String {
    let in_one_line = |character: char| if character.is_control() { ' ' } else { character };
    label.chars().take(MAX_LABEL_CHARACTERS).map(in_one_line).collect()
}

impl Summary {
    /// Sets the world of all clients, with its label.
    pub fn with_world(mut self, world: &str, label: Option<&str>) -> Self {
        for client in &mut self.clients {
            client.world = Some(world.to_owned());
            client.label = label.map(shorten_label);
        }
        self
    }

    /// Adds the clients of another report.
    pub fn extend(&mut self, other: Self) {
        self.clients.extend(other.clients);
        self.complete &= other.complete;
    }

    /// All findings with their clients.
    pub fn findings(&self) -> impl Iterator<Item = (&ClientSummary, &FindingSummary)> {
        self.clients.iter().flat_map(|client| client.findings.iter().map(move |finding| (client, finding)))
    }
}
