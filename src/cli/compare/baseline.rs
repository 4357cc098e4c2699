//! The baseline: an earlier comparison whose differences are accepted.

use super::record::{ComparisonRecord, DifferenceRecord, RequestRecord};
use crate::cli::CliError;
use crate::cli::baseline_file::{BaselineOption, ResultKind};
use crate::cli::output::eprint_line;
use crate::scenario::server_comparison::ABSENT;
use std::collections::BTreeSet;
use std::path::Path;

const BASELINE_OPTION: BaselineOption = BaselineOption {
    name: "--baseline",
    kind: ResultKind::Comparison,
    wanted: "the result of an earlier comparison in JSON, as --json writes it",
    writer: "--json",
};

/// The accepted differences of an earlier comparison. Two differences are the same if the operation, the probe, the
/// line of the request, its caller and the place in the reply or event are equal, and if it is the same server that
/// lacks a value, or neither. For statuses and codes, the values must be equal too. Other values often change with each
/// run.
#[derive(Debug)]
pub struct Baseline(BTreeSet<DifferenceKey>);

/// What has to be equal for two differences to be the same.
type DifferenceKey = [String; 7];

fn difference_key(operation: &str, request: &RequestRecord, difference: &DifferenceRecord) -> DifferenceKey {
    let is_stable = difference.at == "status" || difference.at.ends_with(".code");
    // Values of JSON are never written like this: a text has quotation marks.
    let comparable = |value: &str| if is_stable || value == ABSENT { value.to_owned() } else { String::new() };
    [
        operation.to_owned(),
        request.probe.clone(),
        request.place.clone(),
        request.who.clone(),
        difference.at.clone(),
        comparable(&difference.first),
        comparable(&difference.second),
    ]
}

impl Baseline {
    /// Reads the JSON file of an earlier comparison.
    ///
    /// # Errors
    ///
    /// If the file can't be read, or is not the JSON of a comparison.
    pub fn read(file: &Path) -> Result<Self, CliError> {
        let record: ComparisonRecord = BASELINE_OPTION.read(file)?;
        if record.incomplete.is_some() || !record.lost.is_empty() {
            eprint_line(format_args!(
                "warning: {} is the result of an incomplete comparison: differences that it did not come to count as new",
                file.display()
            ));
        }
        let keys = record.operations.iter().flat_map(|operation| {
            operation.differences.iter().flat_map(move |request| {
                let differences = request.differences.iter();
                differences.map(move |difference| difference_key(&operation.operation, request, difference))
            })
        });
        Ok(Self(keys.collect()))
    }

    /// The differences of the baseline that no request has any more, each with its operation, request and place.
    /// `compared_places` are the places of the requests that were compared: of others, nothing is known.
    pub fn gone_differences<'a>(
        &self,
        current: impl Iterator<Item = (&'a str, &'a RequestRecord)>,
        compared_places: &BTreeSet<String>,
    ) -> Vec<String> {
        let current: BTreeSet<DifferenceKey> = current
            .flat_map(|(operation, request)| {
                request.differences.iter().map(move |difference| difference_key(operation, request, difference))
            })
            .collect();
        let gone = self.0.difference(&current).filter(|[_, _, place, ..]| compared_places.contains(place));
        gone.map(|[operation, probe, place, _, at, ..]| format!("{operation} ({place}, {probe}): {at}")).collect()
    }

    /// Whether the baseline contains all differences of a request.
    pub fn contains(&self, operation: &str, request: &RequestRecord) -> bool {
        let mut differences = request.differences.iter();
        differences.all(|difference| self.0.contains(&difference_key(operation, request, difference)))
    }
}
