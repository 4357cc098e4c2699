//! The baseline: an earlier comparison whose differences are accepted.

use super::record::{ComparisonRecord, DifferenceRecord, RequestRecord};
use crate::cli::CliError;
use crate::cli::baseline_file::{BaselineOption, ResultKind};
use crate::cli::output::eprint_line;
use crate::scenario::server_comparison::ABSENT;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

const BASELINE_OPTION: BaselineOption = BaselineOption {
    name: "--baseline",
    kind: ResultKind::Comparison,
    expected_file: "the result of an earlier comparison in JSON, as --json writes it",
    writing_option: "--json",
};

/// The accepted differences of an earlier comparison, each with the largest number of times that one request had it.
///
/// Two differences are the same if the operation, the probe, the location of the request, its caller, the place in the
/// reply or event and the JSON types of both values are equal. For statuses and codes, the values must be equal too.
/// Other values often change with each run.
#[derive(Debug)]
pub struct Baseline(BTreeMap<DifferenceKey, usize>);

/// What has to be equal for two differences to be the same.
type DifferenceKey = [String; 7];

fn difference_key(operation: &str, request: &RequestRecord, difference: &DifferenceRecord) -> DifferenceKey {
    let is_stable = difference.place == "status" || difference.place.ends_with(".code");
    let comparable_value = |value: &str| if is_stable { value.to_owned() } else { type_name(value).to_owned() };
    [
        operation.to_owned(),
        request.probe.clone(),
        request.location.clone(),
        request.caller.clone(),
        difference.place.clone(),
        comparable_value(&difference.first),
        comparable_value(&difference.second),
    ]
}

/// The JSON type of a value in a record, or that there is none. Empty for texts that are no JSON, such as the names of
/// events in their order.
fn type_name(value: &str) -> &'static str {
    match value {
        ABSENT => ABSENT,
        "null" => "null",
        "true" | "false" => "boolean",
        _ if value.starts_with('"') => "string",
        _ if value.starts_with('{') => "object",
        _ if value.starts_with('[') => "array",
        _ if value.starts_with(|first: char| first == '-' || first.is_ascii_digit()) => "number",
        _ => "",
    }
}

/// The differences of a request, each with how often it occurs.
fn count_differences(operation: &str, request: &RequestRecord) -> BTreeMap<DifferenceKey, usize> {
    let mut counts = BTreeMap::new();
    for difference in &request.differences {
        *counts.entry(difference_key(operation, request, difference)).or_default() += 1;
    }
    counts
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
        let mut largest_counts = BTreeMap::new();
        for operation in &record.operations {
            for request in &operation.differing_requests {
                for (key, count) in count_differences(&operation.operation, request) {
                    let largest: &mut usize = largest_counts.entry(key).or_default();
                    *largest = count.max(*largest);
                }
            }
        }
        Ok(Self(largest_counts))
    }

    /// The differences of the baseline that no request has any more, each with its operation, location and place.
    /// `compared_locations` are the locations of the requests that were compared: of others, nothing is known.
    pub fn gone_differences<'a>(
        &self,
        current_requests: impl Iterator<Item = (&'a str, &'a RequestRecord)>,
        compared_locations: &BTreeSet<String>,
    ) -> Vec<String> {
        let current_keys: BTreeSet<DifferenceKey> = current_requests
            .flat_map(|(operation, request)| {
                request.differences.iter().map(move |difference| difference_key(operation, request, difference))
            })
            .collect();
        let gone_keys = self.0.keys().filter(|key| !current_keys.contains(*key));
        let gone_keys = gone_keys.filter(|[_, _, location, ..]| compared_locations.contains(location));
        gone_keys
            .map(|[operation, probe, location, _, place, ..]| format!("{operation} ({location}, {probe}): {place}"))
            .collect()
    }

    /// Whether the baseline contains all differences of a request, and as many of each.
    pub fn contains(&self, operation: &str, request: &RequestRecord) -> bool {
        let mut counts = count_differences(operation, request).into_iter();
        counts.all(|(key, count)| self.0.get(&key).is_some_and(|known_count| count <= *known_count))
    }
}
