//! Every change by level, for people: the tables of this module and the operations' first levels.

use super::evidence::{evidence, stale};
use super::{Change, ChangeKind, changes};
use crate::api::{OPERATIONS, Row, rows};
use crate::feature::{BACKPORTS, Evidence};
use serde::Serialize;
use std::fmt::Write;

/// A change as it is listed.
#[derive(Clone, Debug, Serialize)]
pub struct Listed {
    /// The first level that has it.
    pub level: i64,
    /// An operation, an object, an event.
    pub on: String,
    /// What changed.
    pub change: String,
    /// How the level is known.
    pub known_by: Evidence,
}

/// Every change, the newest first.
pub fn listed() -> Vec<Listed> {
    let operations = rows().filter(|row| row.about.since > 0).map(Listed::of_new);
    let gone = OPERATIONS.iter().filter_map(Listed::of_gone);
    let mut all: Vec<Listed> = operations.chain(gone).chain(changes().iter().map(Listed::of)).collect();
    for (level, first, last) in BACKPORTS {
        let came_earlier: Vec<Listed> =
            all.iter().filter(|row| row.level == *level).map(|row| row.ported(*first, *last)).collect();
        all.extend(came_earlier);
    }
    all.sort_by_key(|listed| std::cmp::Reverse(listed.level));
    all
}

impl Listed {
    fn new(level: i64, on: String, change: String) -> Self {
        let known_by = evidence(level, &on, &change);
        Self { level, on, change, known_by }
    }

    /// The same change as it came to an older series of servers.
    fn ported(&self, first: i64, last: i64) -> Self {
        let change = format!("{} At {first} to {last}, and again from {} on.", self.change, self.level);
        Self { level: first, on: self.on.clone(), change, known_by: self.known_by }
    }

    /// The level that brought an operation.
    pub(super) fn of_new(row: &Row) -> Self {
        Self::new(row.about.since, on(row), "New operation.".into())
    }

    /// The first level without an operation, if it is gone.
    pub(super) fn of_gone(row: &Row) -> Option<Self> {
        Some(Self::new(row.removed_in?, on(row), "Operation is gone.".into()))
    }

    pub(super) fn of(change: &Change) -> Self {
        let (on, change_text) = match change.kind {
            ChangeKind::Parameter { route, name } => (route.to_owned(), format!("New parameter `{name}`.")),
            ChangeKind::RenamedParameter { route, old, since: 0, new } => {
                (route.to_owned(), format!("Parameter `{new}` was `{old}`."))
            }
            ChangeKind::RenamedParameter { route, old, since, new } => {
                (route.to_owned(), format!("Parameter `{new}` was `{old}` (from {since} on)."))
            }
            ChangeKind::GoneParameter { route, name, since } => {
                (route.to_owned(), format!("Parameter `{name}` is gone; it was there from {since} on."))
            }
            ChangeKind::Capability(name) => ("client_capabilities".to_owned(), format!("New key `{name}`.")),
            ChangeKind::NarrowTerm { operator, operand: None } => {
                ("narrow".to_owned(), format!("New operator `{operator}`."))
            }
            ChangeKind::NarrowTerm { operator, operand: Some(operand) } => {
                ("narrow".to_owned(), format!("New operand `{operator}:{operand}`."))
            }
            ChangeKind::Field { object, name } => (object.name.to_owned(), format!("New field `{name}`.")),
            ChangeKind::RenamedField { object, old, new } => {
                (object.name.to_owned(), format!("Field `{new}` was `{old}`."))
            }
            ChangeKind::GoneField { object, name, since: 0, .. } => {
                (object.name.to_owned(), format!("Field `{name}` is gone."))
            }
            ChangeKind::GoneField { object, name, since, .. } => {
                (object.name.to_owned(), format!("Field `{name}` is gone; it was there from {since} on."))
            }
            ChangeKind::Event(pattern) => {
                let op = pattern.op.map(|op| format!(" {op}")).unwrap_or_default();
                let carried = pattern.carries.map(|(key, name)| format!(" with `{name}` in `{key}`"));
                (format!("event {}{op}", pattern.kind), format!("New{}.", carried.unwrap_or_default()))
            }
            ChangeKind::Behaviour(behaviour) => (behaviour.on.to_owned(), behaviour.words.to_owned()),
        };
        Self::new(change.level, on, change_text)
    }
}

fn on(row: &Row) -> String {
    format!("{} {}", row.route.method, row.route.path)
}

/// What is said of evidence that no row has.
pub fn stale_evidence(listed: &[Listed]) -> Vec<String> {
    let rows: Vec<_> =
        listed.iter().map(|row| (row.level, row.on.as_str(), row.change.as_str(), row.known_by)).collect();
    stale(&rows)
}

/// A listing as a table in Markdown.
pub fn table(listed: &[Listed]) -> String {
    let mut text = "| level | on | change | known by |\n|---|---|---|---|\n".to_owned();
    for Listed { level, on, change, known_by } in listed {
        let _ = writeln!(text, "| {level} | {on} | {change} | {known_by} |");
    }
    text
}
