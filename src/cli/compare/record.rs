//! The record of a comparison, which is written as JSON, and read as the baseline of a later one.

use crate::scenario::recording::secrets::Secrets;
use crate::scenario::server_comparison::Step;
use serde::{Deserialize, Serialize};

/// The result of a comparison of two servers.
#[derive(Debug, Serialize, Deserialize)]
pub struct ComparisonRecord {
    /// Why the comparison ended before all probes were played. Absent if all were.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub incomplete: Option<String>,
    /// The reference server, and the server to check.
    pub servers: [ServerRecord; 2],
    pub probes: ProbeCounts,
    /// All operations; with `--only`, those that the selected probes contain.
    pub operations: Vec<OperationRecord>,
    /// Requests of probes that got no complete reply, each with the probe and the reason.
    #[serde(default)]
    pub lost: Vec<String>,
    /// The differences of the baseline that no compared request has any more, each with its operation, location and
    /// place.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub gone: Vec<String>,
    /// Objects that the probes created and could not remove.
    #[serde(rename = "left")]
    pub leftovers: Vec<String>,
}

#[derive(Debug, Serialize, Deserialize)]
pub struct ServerRecord {
    pub url: String,
    pub feature_level: i64,
}

/// The number of probes for each result.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
pub struct ProbeCounts {
    pub agreeing: usize,
    /// Probes in which a reply or an event differs.
    pub differing: usize,
    /// Probes without a difference that left out requests, since a reply or the accounts lack a value that they need.
    #[serde(default)]
    pub cut_short: usize,
    /// Probes without a difference that ended at a request without a complete reply.
    #[serde(default)]
    pub failed: usize,
    /// Probes that sent no request.
    pub not_played: usize,
}

impl ProbeCounts {
    pub fn total(self) -> usize {
        let Self { agreeing, differing, cut_short, failed, not_played } = self;
        agreeing + differing + cut_short + failed + not_played
    }
}

#[derive(Debug, Serialize, Deserialize)]
pub struct OperationRecord {
    /// Method and path, such as `POST /messages`.
    pub operation: String,
    /// `agrees`, `differs`, `not tried`, or `unknown` if neither server knows the path.
    pub result: String,
    /// Number of requests that were compared.
    #[serde(rename = "requests")]
    pub compared_count: usize,
    #[serde(rename = "differences")]
    pub differing_requests: Vec<RequestRecord>,
    /// The reasons why probes did not send their requests, each with the probe.
    pub not_tried: Vec<String>,
}

/// A request whose replies or events differ.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct RequestRecord {
    pub probe: String,
    /// `FILE:LINE` of the request in its probe.
    #[serde(rename = "place")]
    pub location: String,
    /// Handle of the caller, or `anonymous`.
    #[serde(rename = "who")]
    pub caller: String,
    /// Method and path at the first server, without `/api/v1` and the query.
    pub request: String,
    /// Whether the baseline contains all differences.
    pub is_known: bool,
    pub differences: Vec<DifferenceRecord>,
}

/// A difference in one place of a reply or an event.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct DifferenceRecord {
    /// The place in the replies or events, such as `reply.messages[].id` or `event message of mel`.
    #[serde(rename = "at")]
    pub place: String,
    /// The value of the first server as text.
    pub first: String,
    /// The value of the second server as text.
    pub second: String,
}

impl RequestRecord {
    pub fn from_step(document: &str, probe: &str, step: &Step, secrets: &Secrets) -> Self {
        let differences = step.differences.iter().map(|difference| DifferenceRecord {
            place: difference.at.clone(),
            first: secrets.redact(&difference.first),
            second: secrets.redact(&difference.second),
        });
        Self {
            probe: probe.to_owned(),
            location: format!("{document}:{}", step.line),
            caller: step.caller.clone(),
            request: secrets.redact(&format!("{} {}", step.method, step.path)),
            is_known: false,
            differences: differences.collect(),
        }
    }
}
