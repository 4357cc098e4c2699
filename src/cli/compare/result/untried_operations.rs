//! The lines of a result about operations that were not tried.

use super::{ComparisonResult, NO_PROBE_REASON, Operation};
use crate::count_format::format_count;
use crate::scenario::server_comparison::SkipReason;
use std::fmt::Write;

impl ComparisonResult {
    /// A line for each operation that was not tried. Those that the comparison did not reach share a line with their
    /// number. If only reads are played, those that change something and those without a probe are in that line too.
    pub(super) fn untried_text(&self) -> String {
        let mut text = String::new();
        let [mut changing_count, mut unprobed_count, mut unreached_count] = [0; 3];
        for name in self.operation_names() {
            let reasons = match self.operations.get(&name) {
                Some(operation) if operation.compared_count > 0 => continue,
                Some(operation) => operation.reasons_not_tried().collect::<Vec<_>>().join("; "),
                None => NO_PROBE_REASON.to_owned(),
            };
            let is_changing = |operation: &Operation| {
                operation.not_tried.iter().any(|(_, reason)| *reason == SkipReason::ChangesData)
            };
            let is_unreached =
                |operation: &Operation| operation.not_tried.iter().all(|(_, reason)| *reason == SkipReason::NotReached);
            let count = match self.operations.get(&name) {
                None => Some(&mut unprobed_count).filter(|_| self.is_read_only),
                Some(operation) if self.is_read_only && is_changing(operation) => Some(&mut changing_count),
                Some(operation) => Some(&mut unreached_count).filter(|_| is_unreached(operation)),
            };
            match count {
                Some(count) => *count += 1,
                None => {
                    let _ = writeln!(text, "not tried  {name}: {reasons}");
                }
            }
        }
        let total = changing_count + unprobed_count + unreached_count;
        if total > 0 {
            let (changes_data, not_reached) = (SkipReason::ChangesData.to_string(), SkipReason::NotReached.to_string());
            let counts = [
                (changing_count, changes_data.as_str()),
                (unprobed_count, NO_PROBE_REASON),
                (unreached_count, not_reached.as_str()),
            ];
            let reasons: Vec<String> = counts
                .into_iter()
                .filter(|(count, _)| *count > 0)
                .map(|(count, reason)| format!("{reason} ({count})"))
                .collect();
            let total = format_count(total, "operation");
            let _ = writeln!(text, "not tried  {total}: {}; --json FILE lists them", reasons.join(", "));
        }
        text
    }
}
