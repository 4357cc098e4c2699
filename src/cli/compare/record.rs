//! The result of a comparison as JSON, and such a result as the baseline of a later one.

use crate::cli::CliError;
use crate::json_diagnostic;
use crate::scenario::twin::Step;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use std::path::Path;

/// The result of a comparison.
#[derive(Debug, Serialize, Deserialize)]
pub struct ComparisonRecord {
    /// The one to compare with, and the one in question.
    pub servers: [ServerRecord; 2],
    /// The numbers of probes by their result.
    pub probes: ProbeCounts,
    /// Those that probes have.
    pub operations: Vec<OperationRecord>,
    /// What the probes created and could not remove.
    pub left: Vec<String>,
}

/// One of the two servers.
#[derive(Debug, Serialize, Deserialize)]
pub struct ServerRecord {
    pub url: String,
    pub feature_level: i64,
}

/// How many probes came to which result.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
pub struct ProbeCounts {
    pub agreeing: usize,
    /// With a reply or an event that differs.
    pub differing: usize,
    /// Without any request that was sent.
    pub not_played: usize,
}

/// An operation.
#[derive(Debug, Serialize, Deserialize)]
pub struct OperationRecord {
    /// Method and path, as `POST /messages`.
    pub operation: String,
    /// `agrees`, `differs` or `not tried`.
    pub result: String,
    /// The number of those that were compared.
    pub requests: usize,
    /// A record for each request that differs.
    pub differences: Vec<RequestRecord>,
    /// For each probe that did not send its request, the reason.
    pub not_tried: Vec<String>,
}

/// A request whose replies or events differ.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct RequestRecord {
    pub probe: String,
    /// The file of the probe and the line of the request in it.
    pub place: String,
    pub who: String,
    pub request: String,
    /// Whether the baseline has all its differences.
    pub is_known: bool,
    pub differences: Vec<DifferenceRecord>,
}

/// A place that differs.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct DifferenceRecord {
    /// Such as `reply.messages[].id` or `event message of mel`.
    pub at: String,
    /// The value of the first server, in JSON.
    pub first: String,
    /// The value of the second server, in JSON.
    pub second: String,
}

impl RequestRecord {
    pub fn of(document: &str, probe: &str, step: &Step) -> Self {
        let differences = step.differences.iter().map(|one| DifferenceRecord {
            at: one.at.clone(),
            first: one.first.clone(),
            second: one.second.clone(),
        });
        Self {
            probe: probe.to_owned(),
            place: format!("{document}:{}", step.line),
            who: step.who.clone(),
            request: format!("{} {}", step.method, step.path),
            is_known: false,
            differences: differences.collect(),
        }
    }
}

/// Differences that are known and no failure: an earlier result in JSON. A difference is the same one if the operation, the
/// probe and the place are the same; of statuses and codes also the values, since others tend to change with each run.
#[derive(Debug, Default)]
pub struct Baseline(BTreeSet<[String; 4]>);

fn identity(operation: &str, probe: &str, difference: &DifferenceRecord) -> [String; 4] {
    let is_stable = difference.at == "status" || difference.at.ends_with(".code");
    let values = if is_stable { format!("{} {}", difference.first, difference.second) } else { String::new() };
    [operation.to_owned(), probe.to_owned(), difference.at.clone(), values]
}

impl Baseline {
    /// Reads the file of an earlier result.
    ///
    /// # Errors
    ///
    /// A file that can't be read, or is not the result of a comparison.
    pub fn read(file: &Path) -> Result<Self, CliError> {
        let fault = |reason: &dyn std::fmt::Display| CliError::of_start(format!("{}: {reason}", file.display()));
        let text = std::fs::read_to_string(file).map_err(|error| fault(&error))?;
        if !text.trim_start().starts_with('{') {
            return Err(fault(&"takes the result of an earlier comparison in JSON, as --json writes it"));
        }
        let record: ComparisonRecord = json_diagnostic::read(&text).map_err(|mistake| fault(&mistake))?;
        let known = record.operations.iter().flat_map(|operation| {
            operation.differences.iter().flat_map(move |request| {
                request.differences.iter().map(move |one| identity(&operation.operation, &request.probe, one))
            })
        });
        Ok(Self(known.collect()))
    }

    /// Whether it has all differences of a request.
    pub fn has(&self, operation: &str, request: &RequestRecord) -> bool {
        request.differences.iter().all(|one| self.0.contains(&identity(operation, &request.probe, one)))
    }
}
