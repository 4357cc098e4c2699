//! The changes between the feature levels of two servers that may explain a difference.

use crate::count_format::format_count;
use crate::level::{ListedChange, Usage};
use crate::scenario::server_comparison::{ServerDifference, Step};

/// The maximum number of changes between feature levels in the text of a request.
const MAX_LEVEL_CHANGES: usize = 5;

/// Lines about the known changes between the feature levels of the two servers that certainly affect a request, first
/// those that name what differs. Beyond [`MAX_LEVEL_CHANGES`], they are counted.
pub fn level_changes(levels: [i64; 2], step: &Step) -> Vec<String> {
    let (older, newer) = (levels[0].min(levels[1]), levels[0].max(levels[1]));
    let mut usage = Usage::default();
    for (status, body) in &step.replies {
        usage.add(&step.method, &step.path, &step.parameters, *status, body.to_string().as_bytes());
    }
    let suspects = usage.suspected_changes(older, newer).into_iter().filter(|suspect| suspect.is_certain);
    let mut changes: Vec<ListedChange> = suspects.map(|suspect| suspect.change).collect();
    changes.sort_by_key(|change| !mentions_difference(&change.change, &step.differences));
    let further_count = changes.len().saturating_sub(MAX_LEVEL_CHANGES);
    let shown = changes.iter().take(MAX_LEVEL_CHANGES);
    let mut lines: Vec<String> =
        shown.map(|change| format!("level {}: {}: {}", change.level, change.on, change.change)).collect();
    if further_count > 0 {
        let further_changes = format_count(further_count, "more change");
        lines.push(format!("and {further_changes} that may concern it: chatdouble levels --between {older} {newer}"));
    }
    lines
}

/// Whether the description of a change names a key or a value that differs.
fn mentions_difference(description: &str, differences: &[ServerDifference]) -> bool {
    let is_named = |text: &str| {
        let word = text.trim_matches('"');
        !word.is_empty()
            && description
                .split(|character: char| !character.is_alphanumeric() && character != '_')
                .any(|part| part == word)
    };
    differences.iter().any(|difference| {
        let key = difference.at.rsplit('.').next().unwrap_or_default().split('[').next().unwrap_or_default();
        is_named(key) || is_named(&difference.first) || is_named(&difference.second)
    })
}
