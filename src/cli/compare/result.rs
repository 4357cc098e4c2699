//! The result of a comparison: the differences of each operation, and counts of probes and operations.

mod counts;
mod unknown_path;
mod untried_operations;

use super::baseline::Baseline;
use super::differing_request::describe_differing_request;
use super::operations::{absence_reason, operation_name, row_name};
use super::record::{ComparisonRecord, OperationRecord, ProbeCounts, RequestRecord, ServerRecord};
use crate::api::rows;
use crate::count_format::format_count;
use crate::scenario::recording::secrets::Secrets;
use crate::scenario::server_comparison::{ComparedServer, ProbeResult, SkipReason, Step};
use crate::scenario::{Document, Scenario};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

/// The maximum number of reasons in the message that nothing was compared.
const MAX_REASONS: usize = 3;

/// The reason why an operation is not tried that no probe has.
const NO_PROBE_REASON: &str = "no probe has it";

pub struct ComparisonResult {
    urls: [String; 2],
    levels: [i64; 2],
    probe_counts: ProbeCounts,
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
    lost_requests: Vec<String>,
    /// Why the comparison ended before all probes were played.
    end_reason: Option<String>,
    /// Warnings of requests of the user's own probes whose path no operation has.
    unknown_paths: Vec<String>,
    /// The requests that were compared, each as `FILE:LINE`.
    compared_locations: BTreeSet<String>,
    leftovers: Vec<String>,
    /// The keys of the accounts, and the secrets in the replies.
    secrets: Secrets,
}

#[derive(Default)]
struct Operation {
    compared_count: usize,
    /// Number of requests of built-in probes that both servers refused alike.
    refused_count: usize,
    /// Whether it is the path of a request that neither server knows.
    is_unknown: bool,
    /// What both servers said to requests of the user's own probes that they refused alike.
    refusals: Vec<String>,
    /// The requests with differences, each as a record and as text.
    differing_requests: Vec<(RequestRecord, String)>,
    /// The reasons why probes did not send their requests, each after the probe.
    not_tried: Vec<(String, SkipReason)>,
}

impl Operation {
    fn agrees(&self) -> bool {
        self.compared_count > 0 && self.differing_requests.is_empty()
    }

    /// The number of requests. If both servers refused some requests of the user's own probes alike, also what they
    /// said; otherwise, if they refused all requests, also that.
    fn agreeing_text(&self) -> String {
        let requests = format_count(self.compared_count, "request");
        if self.refusals.is_empty() {
            let are_all_refused = self.refused_count == self.compared_count;
            return if are_all_refused { format!("{requests}, all refused by both") } else { requests };
        }
        let count_text = match self.refusals.len() {
            count if count == self.compared_count => String::new(),
            count => format!(" {count}"),
        };
        let texts: BTreeSet<&str> = self.refusals.iter().map(String::as_str).collect();
        let further = if texts.len() > MAX_REASONS { ", …" } else { "" };
        let texts: Vec<&str> = texts.into_iter().take(MAX_REASONS).collect();
        format!("{requests}, both refuse{count_text}: {}{further}", texts.join(", "))
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

impl ComparisonResult {
    /// An empty result. `is_partial` means that only selected probes will be played, `is_read_only` that only reads.
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
            probe_counts: ProbeCounts::default(),
            baseline,
            is_partial,
            is_read_only,
            operations: BTreeMap::new(),
            skips_by_lack: BTreeMap::new(),
            skips_by_difference: BTreeMap::new(),
            lost_requests: Vec::new(),
            end_reason: None,
            unknown_paths: Vec::new(),
            compared_locations: BTreeSet::new(),
            leftovers: Vec::new(),
            secrets,
        }
    }

    /// Adds the result of a probe, which is a scenario in a document. `is_user_probe` means that the user wrote it:
    /// built-in probes ask for refusals on purpose, but in the user's own probes a refusal may be a mistake.
    pub fn add(&mut self, document_path: &str, probe: &str, is_user_probe: bool, result: ProbeResult) {
        let levels = self.levels;
        let is_unknown =
            |step: &Step| is_user_probe && unknown_path::is_called_by(step) || absence_reason(step, levels).is_some();
        let count = match () {
            () if result.steps.iter().all(|step| step.differences.is_empty()) && result.failure.is_some() => {
                &mut self.probe_counts.failed
            }
            () if result.steps.iter().all(|step| is_unknown(step) && step.differences.is_empty()) => {
                &mut self.probe_counts.not_played
            }
            () if result.steps.iter().any(|step| !step.differences.is_empty()) => &mut self.probe_counts.differing,
            () if result.is_cut_short => &mut self.probe_counts.cut_short,
            () => &mut self.probe_counts.agreeing,
        };
        *count += 1;
        self.collect_secrets(&result.steps);
        for step in &result.steps {
            let name = operation_name(&step.method, &step.path);
            if let Some(reason) = absence_reason(step, levels) {
                self.operations.entry(name).or_default().add_not_tried(probe, reason);
                continue;
            }
            if unknown_path::is_called_by(step) {
                if is_user_probe {
                    self.unknown_paths.push(unknown_path::warning(document_path, step));
                }
                if step.differences.is_empty() {
                    // Built-in probes ask for unknown paths on purpose: equal refusals say nothing about an operation.
                    if is_user_probe {
                        self.operations.entry(name).or_default().is_unknown = true;
                    }
                    continue;
                }
            }
            let record_and_text = (!step.differences.is_empty()).then(|| {
                let mut record = RequestRecord::from_step(document_path, probe, step, &self.secrets);
                record.is_known = self.baseline.as_ref().is_some_and(|baseline| baseline.contains(&name, &record));
                let text = describe_differing_request(&record, step, self.baseline.is_some(), &self.urls, self.levels);
                (record, self.secrets.redact(&text))
            });
            self.compared_locations.insert(format!("{document_path}:{}", step.line));
            let operation = self.operations.entry(name).or_default();
            operation.compared_count += 1;
            operation.differing_requests.extend(record_and_text);
            match step.common_refusal() {
                Some(text) if is_user_probe => operation.refusals.push(self.secrets.redact(&text)),
                refusal => operation.refused_count += usize::from(refusal.is_some()),
            }
        }
        self.add_skipped_requests(probe, result.skipped);
        self.leftovers.extend(result.unremoved_objects);
        self.lost_requests
            .extend(result.failure.map(|failure| format!("{probe}: {}", self.secrets.redact(&failure.reason))));
    }

    fn add_skipped_requests(&mut self, probe: &str, skipped: Vec<(String, SkipReason)>) {
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
                    let differing_request = format!("{probe}: {}", operation_name(method, path));
                    *self.skips_by_difference.entry(differing_request).or_default() += 1;
                }
                _ => {}
            }
            self.operations.entry(name).or_default().add_not_tried(probe, reason);
        }
    }

    /// Notes why the comparison ends before these probes, which were not played.
    pub fn end_before(&mut self, reason: &str, unplayed: &[(&Document, &Scenario)]) {
        let total = self.probe_counts.total() + unplayed.len();
        for (document, scenario) in unplayed {
            self.add(&document.path, &scenario.name, false, ProbeResult::not_reached(scenario));
        }
        let reason = self.secrets.redact(reason);
        let played = total - unplayed.len();
        self.end_reason = Some(format!("ended after {played} of {}: {reason}", format_count(total, "probe")));
    }

    fn collect_secrets(&mut self, steps: &[Step]) {
        for step in steps {
            step.parameters.iter().for_each(|(name, value)| self.secrets.add_from_parameter(name, value));
            step.replies.iter().for_each(|(_, body)| self.secrets.add_from_value(body));
        }
    }

    /// Whether there are differences that are not in the baseline.
    pub fn has_new_differences(&self) -> bool {
        self.differing_requests().any(|(record, _)| !record.is_known)
    }

    /// The differences of the baseline that are gone, each with its operation, location and place.
    fn gone_differences(&self) -> Vec<String> {
        let current = self.operations.iter().flat_map(|(name, operation)| {
            operation.differing_requests.iter().map(move |(record, _)| (name.as_str(), record))
        });
        self.baseline
            .as_ref()
            .map_or(Vec::new(), |baseline| baseline.gone_differences(current, &self.compared_locations))
    }

    fn differing_requests(&self) -> impl Iterator<Item = &(RequestRecord, String)> {
        self.operations.values().flat_map(|operation| &operation.differing_requests)
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
        self.operations.values().all(|operation| operation.compared_count == 0) && self.unknown_paths.is_empty()
    }

    /// Up to [`MAX_REASONS`] different reasons why probes did not send requests, each with the probe.
    pub fn reasons_not_tried(&self) -> Vec<String> {
        let reasons: BTreeSet<String> = self.operations.values().flat_map(Operation::reasons_not_tried).collect();
        reasons.into_iter().take(MAX_REASONS).collect()
    }

    /// Converts the result for the JSON file.
    pub fn to_record(&self) -> ComparisonRecord {
        let operation = |(name, operation): (&String, &Operation)| OperationRecord {
            operation: name.clone(),
            result: match operation {
                Operation { compared_count: 0, is_unknown: true, .. } => "unknown",
                Operation { compared_count: 0, .. } => "not tried",
                _ if operation.agrees() => "agrees",
                _ => "differs",
            }
            .to_owned(),
            compared_count: operation.compared_count,
            differing_requests: operation.differing_requests.iter().map(|(record, _)| record.clone()).collect(),
            not_tried: operation.reasons_not_tried().collect(),
        };
        let untried_operation = |name: String| OperationRecord {
            operation: name,
            result: "not tried".to_owned(),
            compared_count: 0,
            differing_requests: Vec::new(),
            not_tried: vec![NO_PROBE_REASON.to_owned()],
        };
        let mut operations: Vec<OperationRecord> = self.operations.iter().map(operation).collect();
        let names = self.operation_names().into_iter().filter(|name| !self.operations.contains_key(name));
        operations.extend(names.map(untried_operation));
        operations.sort_by(|first, second| first.operation.cmp(&second.operation));
        let server = |index: usize| ServerRecord { url: self.urls[index].clone(), feature_level: self.levels[index] };
        ComparisonRecord {
            incomplete: self.end_reason.clone(),
            servers: [server(0), server(1)],
            probes: self.probe_counts,
            operations,
            lost: self.lost_requests.clone(),
            gone: self.gone_differences(),
            leftovers: self.leftovers.clone(),
        }
    }

    pub fn to_text(&self) -> String {
        let level = |index: usize| match self.levels[index] {
            0 => "no feature level".to_owned(),
            level => format!("level {level}"),
        };
        let mut text = format!("first:  {} ({})\nsecond: {} ({})\n\n", self.urls[0], level(0), self.urls[1], level(1));
        let has_new = |operation: &Operation| operation.differing_requests.iter().any(|(record, _)| !record.is_known);
        let mut differing_operations: Vec<(&String, &Operation)> =
            self.operations.iter().filter(|(_, operation)| !operation.differing_requests.is_empty()).collect();
        differing_operations.sort_by_key(|(_, operation)| !has_new(operation));
        for (name, operation) in differing_operations {
            let (differing_count, total) = (operation.differing_requests.len(), operation.compared_count);
            let _ = writeln!(text, "differs    {name} ({differing_count} of {})", format_count(total, "request"));
            let (known, new): (Vec<_>, Vec<_>) =
                operation.differing_requests.iter().partition(|(record, _)| record.is_known);
            new.into_iter().chain(known).for_each(|(_, request_text)| text += request_text);
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
        text + "\n" + &self.counts_text() + "\n"
    }

    /// The names of the operations that are counted: those that probes have, and all others unless only selected probes
    /// are played.
    fn operation_names(&self) -> BTreeSet<String> {
        let is_path_known = |operation: &Operation| operation.compared_count > 0 || !operation.is_unknown;
        let probed = self.operations.iter().filter(|(_, operation)| is_path_known(operation));
        let all = rows().map(row_name).filter(|_| !self.is_partial);
        probed.map(|(name, _)| name.clone()).chain(all).collect()
    }
}
