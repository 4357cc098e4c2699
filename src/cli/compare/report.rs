//! The result of a comparison: counts of probes, and for each operation whether it agrees.

use super::record::{Baseline, ComparisonRecord, OperationRecord, ProbeCounts, RequestRecord, ServerRecord};
use crate::api::{Row, rows};
use crate::counted::counted;
use crate::level::Usage;
use crate::scenario::recording::is_secret;
use crate::scenario::twin::{Played, Side, Step};
use serde_json::Value;
use std::collections::BTreeMap;
use std::fmt::Write;

/// The most differences of one request that are shown; the others are counted.
const MAX_DIFFERENCES: usize = 12;
/// The most lines that are shown of a diff of two replies.
const MAX_DIFF_LINES: usize = 60;
/// The most rows of the level table that are shown with a difference.
const MAX_LEVEL_ROWS: usize = 5;

/// The result of a comparison.
pub struct Report {
    urls: [String; 2],
    levels: [i64; 2],
    probes: ProbeCounts,
    baseline: Baseline,
    /// Whether only some of the probes were to be played: then operations without a probe are not listed.
    is_partial: bool,
    /// By method and path, as `POST /messages`.
    operations: BTreeMap<String, Operation>,
    leftovers: Vec<String>,
}

#[derive(Default)]
struct Operation {
    requests: usize,
    /// For each request that differs its record, and a text for people.
    differences: Vec<(RequestRecord, String)>,
    /// For each probe that did not send its request, the reason.
    not_tried: Vec<String>,
}

impl Report {
    /// A report without probes on two servers; `is_partial` says that only some of the probes will be played.
    pub fn new(sides: [&Side; 2], baseline: Baseline, is_partial: bool) -> Self {
        let urls = sides.map(|side| side.url.clone());
        Self {
            urls,
            levels: sides.map(|side| side.level),
            probes: ProbeCounts::default(),
            baseline,
            is_partial,
            operations: BTreeMap::new(),
            leftovers: Vec::new(),
        }
    }

    /// Adds the result of a probe: the scenario of a document.
    pub fn add(&mut self, document: &str, scenario: &str, played: Played) {
        let count = match () {
            () if played.steps.is_empty() => &mut self.probes.not_played,
            () if played.steps.iter().any(|step| !step.differences.is_empty()) => &mut self.probes.differing,
            () => &mut self.probes.agreeing,
        };
        *count += 1;
        for step in &played.steps {
            let name = operation_name(&step.method, &step.path);
            let shown = (!step.differences.is_empty()).then(|| {
                let mut record = RequestRecord::of(document, scenario, step);
                record.is_known = self.baseline.has(&name, &record);
                let text = self.difference_text(&record, step);
                (record, text)
            });
            let operation = self.operations.entry(name).or_default();
            operation.requests += 1;
            operation.differences.extend(shown);
        }
        for (request, reason) in played.not_tried {
            let (method, path) = request.split_once(' ').unwrap_or_default();
            let name = operation_name(method, path.split('?').next().unwrap_or_default());
            let reason = format!("{scenario}: {reason}");
            let operation = self.operations.entry(name).or_default();
            if !operation.not_tried.contains(&reason) {
                operation.not_tried.push(reason);
            }
        }
        self.leftovers.extend(played.left);
    }

    /// Whether anything differs that is not in the baseline.
    pub fn differs(&self) -> bool {
        self.differing().any(|(record, _)| !record.is_known)
    }

    fn differing(&self) -> impl Iterator<Item = &(RequestRecord, String)> {
        self.operations.values().flat_map(|operation| &operation.differences)
    }

    /// What the probes created and could not remove.
    pub fn leftovers(&self) -> &[String] {
        &self.leftovers
    }

    fn difference_text(&self, record: &RequestRecord, step: &Step) -> String {
        let known = if record.is_known { ", in the baseline" } else { "" };
        let RequestRecord { probe, place, who, request, .. } = record;
        let mut text = format!("  {who}: {request} ({place}, {probe}{known})\n");
        for (curl, name) in step.curl.iter().zip(["first ", "second"]) {
            let _ = writeln!(text, "    {name}: {curl}");
        }
        for one in step.differences.iter().take(MAX_DIFFERENCES) {
            let _ = writeln!(text, "    {}\n    - {}\n    + {}", one.at, one.first, one.second);
        }
        if step.differences.len() > MAX_DIFFERENCES {
            let _ = writeln!(text, "    and {} more", step.differences.len() - MAX_DIFFERENCES);
        }
        if step.differences.iter().any(|one| one.at == "status" || one.at.starts_with("reply")) {
            let pretty = |(status, body): &(u16, Value)| {
                format!("{status}\n{}", serde_json::to_string_pretty(&without_secrets(body)).unwrap_or_default())
            };
            let [first, second] = [pretty(&step.replies[0]), pretty(&step.replies[1])];
            let diff = similar::TextDiff::from_lines(&first, &second);
            let diff = diff.unified_diff().header(&self.urls[0], &self.urls[1]).to_string();
            for line in diff.lines().take(MAX_DIFF_LINES) {
                let _ = writeln!(text, "      {}", line.chars().take(200).collect::<String>());
            }
        }
        for row in self.rows_of_levels(step) {
            let _ = writeln!(text, "    {row}");
        }
        text
    }

    /// What the table of levels says of a request between the levels of the two servers.
    fn rows_of_levels(&self, step: &Step) -> Vec<String> {
        let (older, newer) = (self.levels[0].min(self.levels[1]), self.levels[0].max(self.levels[1]));
        let mut usage = Usage::default();
        for (_, body) in &step.replies {
            usage.add(&step.method, &step.path, &step.parameters, body.to_string().as_bytes());
        }
        let suspects = usage.suspects(older, newer).into_iter().filter(|suspect| suspect.is_seen);
        let row = |suspect: crate::level::Suspect| {
            format!("level {}: {}: {}", suspect.change.level, suspect.change.on, suspect.change.change)
        };
        suspects.map(row).take(MAX_LEVEL_ROWS).collect()
    }

    /// Whether no probe was played.
    pub fn is_empty(&self) -> bool {
        self.probes.agreeing + self.probes.differing == 0
    }

    /// How many probes and operations agree, differ, and were not played: a line for each.
    pub fn counts(&self) -> String {
        let ProbeCounts { agreeing, differing, not_played } = self.probes;
        let played: Vec<&Operation> = rows().filter_map(|row| self.operations.get(&row_name(row))).collect();
        let count = |is: &dyn Fn(&Operation) -> bool| played.iter().filter(|one| is(one)).count();
        let differ = count(&|operation| !operation.differences.is_empty());
        let agree = count(&|operation| operation.requests > 0 && operation.differences.is_empty());
        let all = if self.is_partial { played.len() } else { rows().count() };
        let untried = all - count(&|operation| operation.requests > 0);
        let known = self.differing().filter(|(record, _)| record.is_known).count();
        let known = match known {
            0 => String::new(),
            known => format!(
                "\n{} that differ{} in the baseline",
                counted(known, "request"),
                if known == 1 { "s is" } else { " are" }
            ),
        };
        let verb = |count: usize| if count == 1 { "agrees" } else { "agree" };
        let was = |count: usize| if count == 1 { "was" } else { "were" };
        format!(
            "{} {}, {differing} differ in a reply or an event, {not_played} {} not played\n\
             {} {}, {differ} differ, {untried} {} not tried{known}",
            counted(agreeing, "probe"),
            verb(agreeing),
            was(not_played),
            counted(agree, "operation"),
            verb(agree),
            was(untried),
        )
    }

    /// All of it, as JSON.
    pub fn record(&self) -> ComparisonRecord {
        let operation = |(name, operation): (&String, &Operation)| OperationRecord {
            operation: name.clone(),
            result: match operation {
                Operation { requests: 0, .. } => "not tried",
                Operation { differences, .. } if differences.is_empty() => "agrees",
                _ => "differs",
            }
            .to_owned(),
            requests: operation.requests,
            differences: operation.differences.iter().map(|(record, _)| record.clone()).collect(),
            not_tried: operation.not_tried.clone(),
        };
        let server = |at: usize| ServerRecord { url: self.urls[at].clone(), feature_level: self.levels[at] };
        ComparisonRecord {
            servers: [server(0), server(1)],
            probes: self.probes,
            operations: self.operations.iter().map(operation).collect(),
            left: self.leftovers.clone(),
        }
    }

    /// All of it, as text.
    pub fn text(&self) -> String {
        let mut text = format!(
            "first:  {} (level {})\nsecond: {} (level {})\n\n",
            self.urls[0], self.levels[0], self.urls[1], self.levels[1]
        );
        for (name, operation) in self.operations.iter().filter(|(_, operation)| !operation.differences.is_empty()) {
            let (differing, all) = (operation.differences.len(), operation.requests);
            let _ = writeln!(text, "differs    {name} ({differing} of {})", counted(all, "request"));
            operation.differences.iter().for_each(|(_, one)| text += one);
        }
        for (name, operation) in &self.operations {
            if operation.requests > 0 && operation.differences.is_empty() {
                let _ = writeln!(text, "agrees     {name} ({})", counted(operation.requests, "request"));
            }
        }
        for row in rows() {
            match self.operations.get(&row_name(row)) {
                Some(operation) if operation.requests > 0 => {}
                Some(operation) => {
                    let _ = writeln!(text, "not tried  {}: {}", row_name(row), operation.not_tried.join("; "));
                }
                None if self.is_partial => {}
                None => {
                    let _ = writeln!(text, "not tried  {}: no probe has it", row_name(row));
                }
            }
        }
        for what in &self.leftovers {
            let _ = writeln!(text, "left       {what}");
        }
        text + "\n" + &self.counts() + "\n"
    }
}

/// A reply with a word in place of keys and passwords.
fn without_secrets(value: &Value) -> Value {
    match value {
        Value::Object(object) => object
            .iter()
            .map(|(name, inner)| match inner {
                Value::String(text) if is_secret(name) && !text.is_empty() => (name.clone(), "left-out".into()),
                other => (name.clone(), without_secrets(other)),
            })
            .collect::<serde_json::Map<_, _>>()
            .into(),
        Value::Array(items) => items.iter().map(without_secrets).collect::<Vec<_>>().into(),
        other => other.clone(),
    }
}

fn row_name(row: &Row) -> String {
    format!("{} {}", row.route.method, row.route.path.replace("{*", "{"))
}

/// The name of the operation of a request; the request itself if there is no such operation.
fn operation_name(method: &str, path: &str) -> String {
    let parts: Vec<&str> = path.split('/').collect();
    let fits = |row: &&Row| {
        let own: Vec<&str> = row.route.path.split('/').collect();
        row.route.method == method
            && own.len() == parts.len()
            && own.iter().zip(&parts).all(|(own, part)| match own.strip_prefix('{') {
                Some(name) if name.ends_with("_id}") => part.bytes().all(|byte| byte.is_ascii_digit()),
                Some(_) => !part.is_empty(),
                None => own == part,
            })
    };
    let placeholders = |row: &&Row| row.route.path.matches('{').count();
    rows().filter(fits).min_by_key(placeholders).map_or_else(|| format!("{method} {path}"), row_name)
}
