//! The list of all changes by level, for the command line and the generated documentation.

use super::evidence::{evidence, unused_entries};
use super::{Change, ChangeKind, changes};
use crate::api::{OPERATIONS, OperationRow, rows};
use crate::feature::{BACKPORTS, Evidence, FeatureChange};
use serde::Serialize;
use std::fmt::Write;
use std::sync::LazyLock;

/// A change of the API between levels, as the command line and control list it.
#[derive(Clone, Debug, Serialize)]
pub struct ListedChange {
    /// The first level with the change.
    pub level: i64,
    /// The operations, events or objects that changed.
    pub on: String,
    /// Sentences that say what changed.
    pub change: String,
    /// The evidence for the level.
    pub known_by: Evidence,
}

/// Lists all changes, the newest first.
pub fn list_changes() -> Vec<ListedChange> {
    let mut listed_changes: Vec<ListedChange> =
        operation_changes().chain(changes().iter().map(ListedChange::from_change)).collect();
    for (level, first, last) in BACKPORTS {
        let backports: Vec<ListedChange> =
            listed_changes.iter().filter(|row| row.level == *level).map(|row| row.to_backport(*first, *last)).collect();
        listed_changes.extend(backports);
    }
    listed_changes.sort_by_key(|change| std::cmp::Reverse(change.level));
    listed_changes
}

/// The lowest level above `level` with a change whose text begins with `addition`; None if there is none.
pub fn level_of_addition(addition: &str, level: i64) -> Option<i64> {
    static LISTED: LazyLock<Vec<ListedChange>> = LazyLock::new(list_changes);
    let mut from_oldest = LISTED.iter().rev().skip_while(|row| row.level <= level);
    from_oldest.find(|row| row.change.starts_with(addition)).map(|row| row.level)
}

fn operation_changes() -> impl Iterator<Item = ListedChange> {
    let added = rows().filter(|row| row.docs.since > 0).map(ListedChange::of_new_operation);
    added.chain(OPERATIONS.iter().filter_map(ListedChange::of_removed_operation))
}

impl ListedChange {
    fn new(level: i64, on: String, change: String) -> Self {
        let known_by = evidence(level, &on, &change);
        Self { level, on, change, known_by }
    }

    /// The same change in an older series of servers, at the levels from `first` to `last`.
    fn to_backport(&self, first: i64, last: i64) -> Self {
        let change = format!("{} At {first} to {last}, and again from {} on.", self.change, self.level);
        Self { level: first, on: self.on.clone(), change, known_by: self.known_by }
    }

    pub(super) fn of_new_operation(row: &OperationRow) -> Self {
        Self::new(row.docs.since, route_text(row), "New operation.".into())
    }

    /// None if the operation was not removed.
    pub(super) fn of_removed_operation(row: &OperationRow) -> Option<Self> {
        Some(Self::new(row.removed_in?, route_text(row), "Operation is gone.".into()))
    }

    pub(super) fn from_change(change: &Change) -> Self {
        let (on, description) = match change.kind {
            ChangeKind::Parameter { route, name } => (route.to_owned(), format!("New parameter `{name}`.")),
            ChangeKind::RenamedParameter { route, old, since: 0, new } => {
                (route.to_owned(), format!("Parameter `{new}` was `{old}`."))
            }
            ChangeKind::RenamedParameter { route, old, since, new } => {
                (route.to_owned(), format!("Parameter `{new}` was `{old}` (from {since} on)."))
            }
            ChangeKind::RemovedParameter { route, name, since } => {
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
            ChangeKind::RemovedField { object, name, since: 0, .. } => {
                (object.name.to_owned(), format!("Field `{name}` is gone."))
            }
            ChangeKind::RemovedField { object, name, since, .. } => {
                (object.name.to_owned(), format!("Field `{name}` is gone; it was there from {since} on."))
            }
            ChangeKind::Event(pattern) => {
                let op = pattern.op.map(|op| format!(" {op}")).unwrap_or_default();
                let carried_property = pattern.carried_name.map(|(key, name)| format!(" with `{name}` in `{key}`"));
                (format!("event {}{op}", pattern.type_name), format!("New{}.", carried_property.unwrap_or_default()))
            }
            ChangeKind::Behaviour(behaviour) => (behaviour.subject.to_owned(), behaviour.description.to_owned()),
            ChangeKind::Feature(feature, FeatureChange { subject: on, description, .. }) => {
                let known_by = feature.evidence();
                return Self { level: change.level, on: (*on).to_owned(), change: (*description).to_owned(), known_by };
            }
        };
        Self::new(change.level, on, description)
    }
}

fn route_text(row: &OperationRow) -> String {
    format!("{} {}", row.route.method, row.route.path)
}

/// Entries of the table of evidence that belong to no change, as text. Features have their own evidence.
pub fn unused_evidence() -> Vec<String> {
    let other_changes = changes().iter().filter(|change| !matches!(change.kind, ChangeKind::Feature(..)));
    let listed_changes: Vec<ListedChange> =
        operation_changes().chain(other_changes.map(ListedChange::from_change)).collect();
    let rows: Vec<_> =
        listed_changes.iter().map(|row| (row.level, row.on.as_str(), row.change.as_str(), row.known_by)).collect();
    unused_entries(&rows)
}

/// Formats changes as a table in Markdown.
pub fn to_markdown_table(changes: &[ListedChange]) -> String {
    let mut text = "| level | on | change | known by |\n|---|---|---|---|\n".to_owned();
    for ListedChange { level, on, change, known_by } in changes {
        // Writing to a string can't fail.
        let _ = writeln!(text, "| {level} | {on} | {change} | {known_by} |");
    }
    text
}
