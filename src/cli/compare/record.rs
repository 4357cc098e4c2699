//! The JSON form of a comparison, and the baseline: an earlier comparison whose differences are accepted.

use crate::cli::CliError;
use crate::json_diagnostic;
use crate::scenario::server_comparison::Step;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use std::path::Path;

#[derive(Debug, Serialize, Deserialize)]
pub struct ComparisonRecord {
    /// The reference server, and the server to check.
    pub servers: [ServerRecord; 2],
    pub probes: ProbeCounts,
    /// The operations that the probes contain.
    pub operations: Vec<OperationRecord>,
    /// Objects that the probes created and could not remove.
    pub left: Vec<String>,
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
    /// Probes that sent no request.
    pub not_played: usize,
}

#[derive(Debug, Serialize, Deserialize)]
pub struct OperationRecord {
    /// Method and path, such as `POST /messages`.
    pub operation: String,
    /// `agrees`, `differs` or `not tried`.
    pub result: String,
    /// Number of requests that were compared.
    pub requests: usize,
    /// One record for each request with differences.
    pub differences: Vec<RequestRecord>,
    /// The reasons of probes that did not send their request.
    pub not_tried: Vec<String>,
}

/// A request whose replies or events differ.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct RequestRecord {
    pub probe: String,
    /// `FILE:LINE` of the request in its probe.
    pub place: String,
    pub who: String,
    pub request: String,
    /// Whether the baseline contains all differences.
    pub is_known: bool,
    pub differences: Vec<DifferenceRecord>,
}

/// A difference in one place of a reply or an event.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct DifferenceRecord {
    /// The place, such as `reply.messages[].id` or `event message of mel`.
    pub at: String,
    /// The value of the first server, in JSON.
    pub first: String,
    /// The value of the second server, in JSON.
    pub second: String,
}

impl RequestRecord {
    pub fn from_step(document: &str, probe: &str, step: &Step) -> Self {
        let differences = step.differences.iter().map(|difference| DifferenceRecord {
            at: difference.at.clone(),
            first: difference.first.clone(),
            second: difference.second.clone(),
        });
        Self {
            probe: probe.to_owned(),
            place: format!("{document}:{}", step.line),
            who: step.caller.clone(),
            request: format!("{} {}", step.method, step.path),
            is_known: false,
            differences: differences.collect(),
        }
    }
}

/// The accepted differences of an earlier comparison. Two differences are the same if operation, probe and place are
/// equal. The values count only for statuses and codes, since other values often change with each run.
#[derive(Debug, Default)]
pub struct Baseline(BTreeSet<[String; 4]>);

/// What has to be equal for two differences to be the same.
fn baseline_key(operation: &str, probe: &str, difference: &DifferenceRecord) -> [String; 4] {
    let is_stable = difference.at == "status" || difference.at.ends_with(".code");
    let values = if is_stable { format!("{} {}", difference.first, difference.second) } else { String::new() };
    [operation.to_owned(), probe.to_owned(), difference.at.clone(), values]
}

impl Baseline {
    /// Reads the JSON file of an earlier comparison.
    ///
    /// # Errors
    ///
    /// When the file can't be read, or is not the JSON of a comparison.
    pub fn read(file: &Path) -> Result<Self, CliError> {
        let file_error = |reason: &dyn std::fmt::Display| CliError::failure(format!("{}: {reason}", file.display()));
        let text = std::fs::read_to_string(file).map_err(|error| file_error(&error))?;
        if !text.trim_start().starts_with('{') {
            return Err(file_error(&"takes the result of an earlier comparison in JSON, as --json writes it"));
        }
        let record: ComparisonRecord = json_diagnostic::read(&text).map_err(|mistake| file_error(&mistake))?;
        let keys = record.operations.iter().flat_map(|operation| {
            operation.differences.iter().flat_map(move |request| {
                request
                    .differences
                    .iter()
                    .map(move |difference| baseline_key(&operation.operation, &request.probe, difference))
            })
        });
        Ok(Self(keys.collect()))
    }

    /// Whether the baseline contains all differences of a request.
    pub fn contains(&self, operation: &str, request: &RequestRecord) -> bool {
        request
            .differences
            .iter()
            .all(|difference| self.0.contains(&baseline_key(operation, &request.probe, difference)))
    }
}
