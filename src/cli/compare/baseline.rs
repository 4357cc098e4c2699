//! The baseline: an earlier comparison whose differences are accepted.

use super::record::{ComparisonRecord, DifferenceRecord, RequestRecord};
use crate::cli::CliError;
use crate::json_diagnostic;
use std::collections::BTreeSet;
use std::path::Path;

/// The accepted differences of an earlier comparison. Two differences are the same if operation, probe and place are
/// equal. For statuses and codes, the values must be equal too. Other values often change with each run.
#[derive(Debug)]
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
    /// If the file can't be read, or is not the JSON of a comparison.
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
