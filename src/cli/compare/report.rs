//! What came of the probes, per operation.

use crate::api::{Row, rows};
use crate::level::Usage;
use crate::scenario::recording::is_secret;
use crate::scenario::twin::{Played, Side, Step};
use serde_json::Value;
use std::collections::BTreeMap;
use std::fmt::Write;

/// More differences of one request than this are counted only.
const SHOWN: usize = 12;
/// Of a diff of two replies so many lines are shown.
const DIFF_LINES: usize = 60;
/// So many rows of the level table are shown with a difference.
const LEVEL_ROWS: usize = 5;

/// Everything that was found.
pub struct Report {
    urls: [String; 2],
    levels: [i64; 2],
    operations: BTreeMap<String, Found>,
    left: Vec<String>,
}

#[derive(Default)]
struct Found {
    requests: usize,
    differing: Vec<String>,
    not_tried: Vec<String>,
}

impl Report {
    /// An empty one.
    pub fn new(sides: [&Side; 2]) -> Self {
        let urls = sides.map(|side| side.url.clone());
        Self { urls, levels: sides.map(|side| side.level), operations: BTreeMap::new(), left: Vec::new() }
    }

    /// Adds a probe.
    pub fn add(&mut self, document: &str, scenario: &str, played: Played) {
        for step in &played.steps {
            let name = operation(&step.method, &step.path);
            let shown = (!step.differences.is_empty()).then(|| self.shown(document, scenario, step));
            let found = self.operations.entry(name).or_default();
            found.requests += 1;
            found.differing.extend(shown);
        }
        for (way, reason) in played.not_tried {
            let (method, path) = way.split_once(' ').unwrap_or_default();
            let name = operation(method, path.split('?').next().unwrap_or_default());
            let reason = format!("{scenario}: {reason}");
            let found = self.operations.entry(name).or_default();
            if !found.not_tried.contains(&reason) {
                found.not_tried.push(reason);
            }
        }
        self.left.extend(played.left);
    }

    /// Whether anything differs.
    pub fn differs(&self) -> bool {
        self.operations.values().any(|found| !found.differing.is_empty())
    }

    /// What could not be taken away.
    pub fn left(&self) -> &[String] {
        &self.left
    }

    fn shown(&self, document: &str, scenario: &str, step: &Step) -> String {
        let mut text =
            format!("  {}: {} {} ({document}:{}, {scenario})\n", step.who, step.method, step.path, step.line);
        for (curl, name) in step.curl.iter().zip(["first ", "second"]) {
            let _ = writeln!(text, "    {name}: {curl}");
        }
        for one in step.differences.iter().take(SHOWN) {
            let _ = writeln!(text, "    {}\n    - {}\n    + {}", one.at, one.first, one.second);
        }
        if step.differences.len() > SHOWN {
            let _ = writeln!(text, "    and {} more", step.differences.len() - SHOWN);
        }
        if step.differences.iter().any(|one| one.at == "status" || one.at.starts_with("reply")) {
            let pretty = |(status, body): &(u16, Value)| {
                format!("{status}\n{}", serde_json::to_string_pretty(&without_secrets(body)).unwrap_or_default())
            };
            let [first, second] = [pretty(&step.replies[0]), pretty(&step.replies[1])];
            let diff = similar::TextDiff::from_lines(&first, &second);
            let diff = diff.unified_diff().header(&self.urls[0], &self.urls[1]).to_string();
            for line in diff.lines().take(DIFF_LINES) {
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
        suspects.map(row).take(LEVEL_ROWS).collect()
    }

    /// How many operations agree, differ, and were not tried.
    pub fn counts(&self) -> String {
        let of = |is: &dyn Fn(&Found) -> bool| self.operations.values().filter(|found| is(found)).count();
        let differ = of(&|found| !found.differing.is_empty());
        let agree = of(&|found| found.requests > 0 && found.differing.is_empty());
        let untried =
            rows().filter(|row| self.operations.get(&way(row)).is_none_or(|found| found.requests == 0)).count();
        format!("{agree} operations agree, {differ} differ, {untried} were not tried")
    }

    /// All of it, as text.
    pub fn text(&self) -> String {
        let mut text = format!(
            "first:  {} (level {})\nsecond: {} (level {})\n\n",
            self.urls[0], self.levels[0], self.urls[1], self.levels[1]
        );
        for (name, found) in self.operations.iter().filter(|(_, found)| !found.differing.is_empty()) {
            let _ = writeln!(text, "differs    {name} ({} of {} requests)", found.differing.len(), found.requests);
            found.differing.iter().for_each(|one| text += one);
        }
        for (name, found) in &self.operations {
            if found.requests > 0 && found.differing.is_empty() {
                let _ = writeln!(text, "agrees     {name} ({} requests)", found.requests);
            }
        }
        for row in rows() {
            match self.operations.get(&way(row)) {
                Some(found) if found.requests > 0 => {}
                Some(found) => {
                    let _ = writeln!(text, "not tried  {}: {}", way(row), found.not_tried.join("; "));
                }
                None => {
                    let _ = writeln!(text, "not tried  {}: no probe has it", way(row));
                }
            }
        }
        for what in &self.left {
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

fn way(row: &Row) -> String {
    format!("{} {}", row.route.method, row.route.path.replace("{*", "{"))
}

/// The operation that a request is for; the request itself where there is none.
fn operation(method: &str, path: &str) -> String {
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
    rows().filter(fits).min_by_key(placeholders).map_or_else(|| format!("{method} {path}"), way)
}
