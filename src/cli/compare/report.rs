//! The report of a comparison: the differences of each operation, and counts of probes and operations.

mod counts;
mod unknown_path;

use super::baseline::Baseline;
use super::operations::{absence_reason, operation_name, row_name};
use super::record::{ComparisonRecord, OperationRecord, ProbeCounts, RequestRecord, ServerRecord};
use super::request_text::request_text;
use crate::api::rows;
use crate::counted::counted;
use crate::scenario::recording::secrets::Secrets;
use crate::scenario::server_comparison::{ComparedServer, ProbeResult, SkipReason, Step};
use crate::scenario::{Document, Scenario};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

/// The maximum number of reasons in the message that nothing was compared.
const MAX_REASONS: usize = 3;

/// The reason why an operation is not tried that no probe has.
const NO_PROBE_REASON: &str = "no probe has it";

pub struct Report {
    urls: [String; 2],
    levels: [i64; 2],
    probes: ProbeCounts,
    /// None without `--baseline`.
    baseline: Option<Baseline>,
    /// Whether only selected probes are played, so that operations without a probe are not listed.
    is_partial: bool,
    /// Whether only reads are played, so that most operations are not tried. They are then counted, not listed.
    is_read_only: bool,
    /// By method and path, such as `POST /messages`.
    operations: BTreeMap<String, Operation>,
    /// What requests lacked that were not played, each with the number of requests.
    skips_by_lack: BTreeMap<String, usize>,
    /// Requests whose replies have different statuses, each with the number of later requests not tried for that.
    skips_by_difference: BTreeMap<String, usize>,
    /// Requests without a complete reply, each with its probe and the reason.
    lost: Vec<String>,
    /// Why the comparison ended before all probes were played.
    incomplete: Option<String>,
    /// Warnings of requests of the user's own probes whose path no operation has.
    unknown_paths: Vec<String>,
    /// The requests that were compared, each as `FILE:LINE`.
    compared_places: BTreeSet<String>,
    leftovers: Vec<String>,
    /// The keys of the accounts, and the secrets in the replies.
    secrets: Secrets,
}

#[derive(Default)]
struct Operation {
    requests: usize,
    /// Number of requests of built-in probes that both servers refused alike.
    refused_requests: usize,
    /// Whether it is the path of a request that neither server knows.
    is_unknown: bool,
    /// What both servers said to requests of the user's own probes that they refused alike.
    refusals: Vec<String>,
    /// The requests with differences, each as a record and as text.
    differences: Vec<(RequestRecord, String)>,
    /// The reasons why probes did not send their requests, each after the probe.
    not_tried: Vec<(String, SkipReason)>,
}

impl Operation {
    fn agrees(&self) -> bool {
        self.requests > 0 && self.differences.is_empty()
    }

    /// The number of requests, and what both servers said to those of the user's own probes that they refused alike, or
    /// that they refused all.
    fn agreeing_text(&self) -> String {
        let requests = counted(self.requests, "request");
        if self.refusals.is_empty() {
            let are_all_refused = self.refused_requests == self.requests;
            return if are_all_refused { format!("{requests}, all refused by both") } else { requests };
        }
        let count = match self.refusals.len() {
            count if count == self.requests => String::new(),
            count => format!(" {count}"),
        };
        let texts: BTreeSet<&str> = self.refusals.iter().map(String::as_str).collect();
        let further = if texts.len() > MAX_REASONS { ", …" } else { "" };
        let texts: Vec<&str> = texts.into_iter().take(MAX_REASONS).collect();
        format!("{requests}, both refuse{count}: {}{further}", texts.join(", "))
    }

    fn add_not_tried(&mut self, probe: &str, reason: SkipReason) {
        let entry = (probe.to_owned(), reason);
        if !self.not_tried.contains(&entry) {
            self.not_tried.push(entry);
        }
    }

    fn reasons_not_tried(&self) -> impl Iterator<Item = String> {
        self.not_tried.iter().map(|(probe, reason)| format!("{probe}: {reason}"))
    }
}

impl Report {
    /// An empty report. `is_partial` means that only selected probes will be played, `is_read_only` that only reads.
    pub fn new(
        servers: [&ComparedServer; 2],
        baseline: Option<Baseline>,
        is_partial: bool,
        is_read_only: bool,
    ) -> Self {
        let urls = servers.map(|server| server.url.clone());
        let mut secrets = Secrets::default();
        for user in servers.iter().flat_map(|server| server.scope.directory.users.values()) {
            secrets.add(&user.api_key);
        }
        Self {
            urls,
            levels: servers.map(|server| server.feature_level),
            probes: ProbeCounts::default(),
            baseline,
            is_partial,
            is_read_only,
            operations: BTreeMap::new(),
            skips_by_lack: BTreeMap::new(),
            skips_by_difference: BTreeMap::new(),
            lost: Vec::new(),
            incomplete: None,
            unknown_paths: Vec::new(),
            compared_places: BTreeSet::new(),
            leftovers: Vec::new(),
            secrets,
        }
    }

    /// Adds the result of a probe, which is a scenario in a document. `is_own` means that the user wrote it: built-in
    /// probes ask for refusals on purpose, but in the user's own probes a refusal may be a mistake.
    pub fn add(&mut self, document: &str, scenario: &str, is_own: bool, result: ProbeResult) {
        let levels = self.levels;
        let is_unknown =
            |step: &Step| is_own && unknown_path::is_called_by(step) || absence_reason(step, levels).is_some();
        let count = match () {
            () if result.steps.iter().all(|step| step.differences.is_empty()) && result.failure.is_some() => {
                &mut self.probes.failed
            }
            () if result.steps.iter().all(|step| is_unknown(step) && step.differences.is_empty()) => {
                &mut self.probes.not_played
            }
            () if result.steps.iter().any(|step| !step.differences.is_empty()) => &mut self.probes.differing,
            () if result.is_cut_short => &mut self.probes.cut_short,
            () => &mut self.probes.agreeing,
        };
        *count += 1;
        self.collect_secrets(&result.steps);
        for step in &result.steps {
            let name = operation_name(&step.method, &step.path);
            if let Some(reason) = absence_reason(step, levels) {
                self.operations.entry(name).or_default().add_not_tried(scenario, reason);
                continue;
            }
            if unknown_path::is_called_by(step) {
                if is_own {
                    self.unknown_paths.push(unknown_path::warning(document, step));
                }
                if step.differences.is_empty() {
                    if is_own {
                        self.operations.entry(name).or_default().is_unknown = true;
                    }
                    continue;
                }
            }
            let record_and_text = (!step.differences.is_empty()).then(|| {
                let mut record = RequestRecord::from_step(document, scenario, step, &self.secrets);
                record.is_known = self.baseline.as_ref().is_some_and(|baseline| baseline.contains(&name, &record));
                let text = request_text(&record, step, self.baseline.is_some(), &self.urls, self.levels);
                (record, self.secrets.redact(&text))
            });
            self.compared_places.insert(format!("{document}:{}", step.line));
            let operation = self.operations.entry(name).or_default();
            operation.requests += 1;
            operation.differences.extend(record_and_text);
            match step.common_refusal() {
                Some(text) if is_own => operation.refusals.push(self.secrets.redact(&text)),
                refusal => operation.refused_requests += usize::from(refusal.is_some()),
            }
        }
        self.add_skipped_requests(scenario, result.skipped);
        self.leftovers.extend(result.unremoved_objects);
        self.lost.extend(result.failure.map(|failure| format!("{scenario}: {}", self.secrets.redact(&failure.reason))));
    }

    fn add_skipped_requests(&mut self, scenario: &str, skipped: Vec<(String, SkipReason)>) {
        for (request, reason) in skipped {
            let (method, path) = request.split_once(' ').unwrap_or_default();
            let name = operation_name(method, path.split('?').next().unwrap_or_default());
            let reason = match reason {
                SkipReason::MissingRequirement(what) => SkipReason::MissingRequirement(self.secrets.redact(&what)),
                SkipReason::NoReply(reason) => SkipReason::NoReply(self.secrets.redact(&reason)),
                other => other,
            };
            match &reason {
                SkipReason::MissingRequirement(what) => *self.skips_by_lack.entry(what.clone()).or_default() += 1,
                SkipReason::EarlierDifference(earlier) => {
                    let (method, path) = earlier.split_once(' ').unwrap_or_default();
                    let differing_request = format!("{}: {}", scenario, operation_name(method, path));
                    *self.skips_by_difference.entry(differing_request).or_default() += 1;
                }
                _ => {}
            }
            self.operations.entry(name).or_default().add_not_tried(scenario, reason);
        }
    }

    /// Notes why the comparison ends before these probes, which were not played.
    pub fn end_before(&mut self, reason: &str, unplayed: &[(&Document, &Scenario)]) {
        let total = self.probes.total() + unplayed.len();
        for (document, scenario) in unplayed {
            self.add(&document.path, &scenario.name, false, ProbeResult::not_reached(scenario));
        }
        let reason = self.secrets.redact(reason);
        let played = total - unplayed.len();
        self.incomplete = Some(format!("ended after {played} of {}: {reason}", counted(total, "probe")));
    }

    fn collect_secrets(&mut self, steps: &[Step]) {
        for step in steps {
            step.parameters.iter().for_each(|(name, value)| self.secrets.collect_parameter(name, value));
            step.replies.iter().for_each(|(_, body)| self.secrets.collect(body));
        }
    }

    /// Whether there are differences that are not in the baseline.
    pub fn has_new_differences(&self) -> bool {
        self.differing_requests().any(|(record, _)| !record.is_known)
    }

    /// The differences of the baseline that are gone, each with its operation, request and place.
    fn gone_differences(&self) -> Vec<String> {
        let current = self
            .operations
            .iter()
            .flat_map(|(name, operation)| operation.differences.iter().map(move |(record, _)| (name.as_str(), record)));
        self.baseline.as_ref().map_or(Vec::new(), |baseline| baseline.gone_differences(current, &self.compared_places))
    }

    fn differing_requests(&self) -> impl Iterator<Item = &(RequestRecord, String)> {
        self.operations.values().flat_map(|operation| &operation.differences)
    }

    /// Warnings of requests whose path neither server knows, each with its place and the nearest operation.
    pub fn unknown_paths(&self) -> &[String] {
        &self.unknown_paths
    }

    /// Objects that the probes created and could not remove.
    pub fn leftovers(&self) -> &[String] {
        &self.leftovers
    }

    /// Whether no probe sent a request.
    pub fn is_empty(&self) -> bool {
        self.operations.values().all(|operation| operation.requests == 0) && self.unknown_paths.is_empty()
    }

    /// Up to [`MAX_REASONS`] different reasons why probes did not send requests, each with the probe.
    pub fn reasons_not_tried(&self) -> Vec<String> {
        let reasons: BTreeSet<String> = self.operations.values().flat_map(Operation::reasons_not_tried).collect();
        reasons.into_iter().take(MAX_REASONS).collect()
    }

    /// Converts the report for the JSON file.
    pub fn to_record(&self) -> ComparisonRecord {
        let operation = |(name, operation): (&String, &Operation)| OperationRecord {
            operation: name.clone(),
            result: match operation {
                Operation { requests: 0, is_unknown: true, .. } => "unknown",
                Operation { requests: 0, .. } => "not tried",
                _ if operation.agrees() => "agrees",
                _ => "differs",
            }
            .to_owned(),
            requests: operation.requests,
            differences: operation.differences.iter().map(|(record, _)| record.clone()).collect(),
            not_tried: operation.reasons_not_tried().collect(),
        };
        let untried_operation = |name: String| OperationRecord {
            operation: name,
            result: "not tried".to_owned(),
            requests: 0,
            differences: Vec::new(),
            not_tried: vec![NO_PROBE_REASON.to_owned()],
        };
        let mut operations: Vec<OperationRecord> = self.operations.iter().map(operation).collect();
        let names = self.operation_names().into_iter().filter(|name| !self.operations.contains_key(name));
        operations.extend(names.map(untried_operation));
        operations.sort_by(|first, second| first.operation.cmp(&second.operation));
        let server = |index: usize| ServerRecord { url: self.urls[index].clone(), feature_level: self.levels[index] };
        ComparisonRecord {
            incomplete: self.incomplete.clone(),
            servers: [server(0), server(1)],
            probes: self.probes,
            operations,
            lost: self.lost.clone(),
            gone: self.gone_differences(),
            left: self.leftovers.clone(),
        }
    }

    pub fn to_text(&self) -> String {
        let level = |index: usize| match self.levels[index] {
            0 => "no feature level".to_owned(),
            level => format!("level {level}"),
        };
        let mut text = format!("first:  {} ({})\nsecond: {} ({})\n\n", self.urls[0], level(0), self.urls[1], level(1));
        let has_new = |operation: &Operation| operation.differences.iter().any(|(record, _)| !record.is_known);
        let mut differing: Vec<(&String, &Operation)> =
            self.operations.iter().filter(|(_, operation)| !operation.differences.is_empty()).collect();
        differing.sort_by_key(|(_, operation)| !has_new(operation));
        for (name, operation) in differing {
            let (different, total) = (operation.differences.len(), operation.requests);
            let _ = writeln!(text, "differs    {name} ({different} of {})", counted(total, "request"));
            let (known, new): (Vec<_>, Vec<_>) = operation.differences.iter().partition(|(record, _)| record.is_known);
            new.into_iter().chain(known).for_each(|(_, difference)| text += difference);
        }
        for (name, operation) in &self.operations {
            if operation.agrees() {
                let _ = writeln!(text, "agrees     {name} ({})", operation.agreeing_text());
            }
        }
        text += &self.untried_text();
        for difference in self.gone_differences() {
            let _ = writeln!(text, "gone       {difference}");
        }
        for warning in &self.unknown_paths {
            let _ = writeln!(text, "{warning}");
        }
        for leftover in &self.leftovers {
            let _ = writeln!(text, "left       {leftover}");
        }
        text + "\n" + &self.counts() + "\n"
    }

    /// The names of the operations that are counted: those that probes have, and all others unless only selected probes
    /// are played.
    fn operation_names(&self) -> BTreeSet<String> {
        let is_path_known = |operation: &Operation| operation.requests > 0 || !operation.is_unknown;
        let probed = self.operations.iter().filter(|(_, operation)| is_path_known(operation));
        let all = rows().map(row_name).filter(|_| !self.is_partial);
        probed.map(|(name, _)| name.clone()).chain(all).collect()
    }

    /// A line for each operation that was not tried. Those that the comparison did not reach are one line together, and
    /// if only reads are played, also those that this leaves out and those without a probe.
    fn untried_text(&self) -> String {
        let mut text = String::new();
        let [mut changing_count, mut unprobed_count, mut unreached_count] = [0; 3];
        for name in self.operation_names() {
            let reasons = match self.operations.get(&name) {
                Some(operation) if operation.requests > 0 => continue,
                Some(operation) => operation.reasons_not_tried().collect::<Vec<_>>().join("; "),
                None => NO_PROBE_REASON.to_owned(),
            };
            let is_changing =
                |operation: &Operation| operation.not_tried.iter().any(|(_, reason)| *reason == SkipReason::OnlyReads);
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
            let (only_reads, not_reached) = (SkipReason::OnlyReads.to_string(), SkipReason::NotReached.to_string());
            let counts = [
                (changing_count, only_reads.as_str()),
                (unprobed_count, NO_PROBE_REASON),
                (unreached_count, not_reached.as_str()),
            ];
            let reasons: Vec<String> = counts
                .into_iter()
                .filter(|(count, _)| *count > 0)
                .map(|(count, reason)| format!("{reason} ({count})"))
                .collect();
            let total = counted(total, "operation");
            let _ = writeln!(text, "not tried  {total}: {}; --json FILE lists them", reasons.join(", "));
        }
        text
    }
}
