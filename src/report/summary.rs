//! The report as it is shown.

use super::rule::Severity;
use serde::{Deserialize, Deserializer, Serialize};

/// The clients of one or several worlds.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Summary {
    /// A row per client.
    pub clients: Vec<ClientSummary>,
    /// False when limits made it forget something.
    pub complete: bool,
}

/// A client with its findings.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct ClientSummary {
    /// The world, where several are reported.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub world: Option<String>,
    /// Name and version, from its User-Agent.
    pub client: String,
    /// Address of the user.
    pub user: Option<String>,
    /// Number of requests.
    pub requests: u64,
    /// Seconds of the world's time.
    pub first_at: f64,
    /// Likewise.
    pub last_at: f64,
    /// The worst first.
    pub findings: Vec<FindingSummary>,
}

/// A rule that a client broke.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct FindingSummary {
    /// Name of the rule.
    pub rule: String,
    /// How much it matters.
    #[serde(deserialize_with = "severity")]
    pub severity: Severity,
    /// What the client did.
    pub message: String,
    /// How often.
    pub count: u64,
    /// The first time.
    pub first: OccurrenceSummary,
    /// The last time.
    pub last: OccurrenceSummary,
    /// Why it hurts.
    #[serde(default)]
    pub why: String,
    /// What to do instead.
    pub help: String,
}

/// A request that a finding is about.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct OccurrenceSummary {
    /// Its entry in the journal; null where it was never answered.
    pub journal_id: Option<u64>,
    /// Seconds of the world's time.
    pub at: f64,
    /// The request in a line.
    pub request: String,
}

fn severity<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Severity, D::Error> {
    let name = String::deserialize(deserializer)?;
    Severity::named(&name).ok_or_else(|| serde::de::Error::custom("severity takes error, warning or note"))
}

impl Summary {
    /// The clients of this world, marked with its name.
    pub fn of_world(mut self, world: &str) -> Self {
        self.clients.iter_mut().for_each(|client| client.world = Some(world.to_owned()));
        self
    }

    /// Adds those of another one.
    pub fn extend(&mut self, other: Self) {
        self.clients.extend(other.clients);
        self.complete &= other.complete;
    }

    /// All findings with their clients.
    pub fn findings(&self) -> impl Iterator<Item = (&ClientSummary, &FindingSummary)> {
        self.clients.iter().flat_map(|client| client.findings.iter().map(move |finding| (client, finding)))
    }
}
