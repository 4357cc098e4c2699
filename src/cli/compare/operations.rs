//! The names of operations, such as `POST /messages`, and which of them a request or a text means.

use crate::api::{OperationRow, rows};
use crate::scenario::server_comparison::{SkipReason, Step};
use std::collections::BTreeSet;

pub fn row_name(row: &OperationRow) -> String {
    format!("{} {}", row.route.method, without_rest_marker(row.route.path))
}

/// A path with `{name}` for `{*name}`, the placeholder that takes the rest of the path: the names of operations do not
/// distinguish the two.
fn without_rest_marker(path: &str) -> String {
    path.replace("{*", "{")
}

/// The method of a request, and the path of the operation that it calls; its own path if there is no such operation.
pub fn operation_name(method: &str, path: &str) -> String {
    let placeholder_count = |row: &&OperationRow| row.route.path.matches('{').count();
    let row = rows_called(method, path).into_iter().min_by_key(placeholder_count);
    row.map_or_else(|| format!("{method} {path}"), row_name)
}

/// Why two servers both refused a request as one that they do not have, though other levels than theirs have such an
/// operation. None for any other request.
pub fn absence_reason(step: &Step, levels: [i64; 2]) -> Option<SkipReason> {
    let is_refused = step.replies.iter().all(|(status, _)| matches!(status, 404 | 405));
    let is_absent = is_refused && step.differences.is_empty();
    is_absent.then(|| absence_reason_at(levels, &step.method, &step.path)).flatten()
}

/// Why servers of two feature levels have nothing at a method and a path, though other levels have an operation there.
/// None if one of the two levels has it, or if no level does.
fn absence_reason_at(levels: [i64; 2], method: &str, path: &str) -> Option<SkipReason> {
    let rows = rows_called(method, path);
    if rows.iter().any(|row| levels.iter().any(|level| row.exists_at(*level))) {
        return None;
    }
    let older = levels[0].min(levels[1]);
    let newer_level = rows.iter().map(|row| row.docs.since).filter(|since| *since > older).min();
    let removal = || rows.iter().filter_map(|row| row.removed_in).max();
    newer_level
        .map(|required| SkipReason::NewerLevel { required, actual: older })
        .or_else(|| removal().map(|removed_in| SkipReason::RemovedOperation { removed_in }))
}

/// The operations of all levels that a request may call: several if their paths differ by their placeholders alone.
fn rows_called(method: &str, path: &str) -> Vec<&'static OperationRow> {
    let parts: Vec<&str> = path.split('/').collect();
    let matches = |row: &&OperationRow| {
        let row_parts: Vec<&str> = row.route.path.split('/').collect();
        row.route.method == method
            && row_parts.len() == parts.len()
            && row_parts.iter().zip(&parts).all(|(row_part, part)| match row_part.strip_prefix('{') {
                Some(name) if name.ends_with("_id}") => part.bytes().all(|byte| byte.is_ascii_digit()),
                Some(_) => !part.is_empty(),
                None => row_part == part,
            })
    };
    rows().filter(matches).collect()
}

/// The operations that a text names: a method and a path, or only a path with placeholders or IDs, which means all
/// methods. The names of placeholders matter only where operations differ by them alone, as `GET /users/{user_id}` and
/// `GET /users/{email}` do. Empty for other texts.
pub fn operations_named(text: &str) -> Vec<String> {
    let (method, path) = match text.split_whitespace().collect::<Vec<_>>()[..] {
        [method, path] => (Some(method.to_uppercase()), path),
        [path] if path.split('/').any(is_variable) => (None, path),
        _ => return Vec::new(),
    };
    let path = without_rest_marker(path.strip_prefix("/api/v1").unwrap_or(path));
    let has_method = |row: &&OperationRow| method.as_ref().is_none_or(|method| row.route.method == method);
    let names = |is_path: &dyn Fn(&str) -> bool| -> Vec<String> {
        let has_path = |row: &&OperationRow| is_path(&without_rest_marker(row.route.path));
        rows().filter(has_method).filter(has_path).map(row_name).collect()
    };
    let exact = names(&|row_path| row_path == path);
    if !exact.is_empty() {
        return exact;
    }
    let same_shape = names(&|row_path| shape(row_path) == shape(&path));
    if !same_shape.is_empty() {
        return same_shape;
    }
    let methods = match &method {
        Some(method) => vec![method.as_str()],
        None => rows().map(|row| row.route.method).collect(),
    };
    let called_operations: BTreeSet<String> = methods.into_iter().map(|method| operation_name(method, &path)).collect();
    called_operations.into_iter().filter(|name| rows().any(|row| row_name(row) == *name)).collect()
}

/// Whether a part of a path is a placeholder or an ID.
fn is_variable(part: &str) -> bool {
    part.contains('{') || !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit())
}

/// A path whose placeholders have no names.
fn shape(path: &str) -> Vec<&str> {
    path.split('/').map(|part| if part.starts_with('{') && part.ends_with('}') { "{}" } else { part }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_operation_of_other_levels_is_absent_for_a_reason() {
        assert_eq!(
            absence_reason_at([387, 388], "GET", "/channel_folders"),
            Some(SkipReason::NewerLevel { required: 389, actual: 387 })
        );
        assert_eq!(
            absence_reason_at([512, 512], "PATCH", "/users/me/subscriptions"),
            Some(SkipReason::RemovedOperation { removed_in: 512 })
        );
        for (path, levels) in [("/channel_folders", [387, 389]), ("/nothing", [387, 387]), ("/users/me", [1, 2])] {
            assert_eq!(absence_reason_at(levels, "GET", path), None, "{path}");
        }
    }

    #[test]
    fn placeholders_by_other_names_and_values_name_the_operation() {
        let reactions = ["POST /messages/{message_id}/reactions"];
        for text in [
            "POST /messages/{message_id}/reactions",
            "post /messages/{id}/reactions",
            "POST /api/v1/messages/{id}/reactions",
            "POST /messages/52/reactions",
        ] {
            assert_eq!(operations_named(text), reactions, "{text}");
        }
        assert_eq!(operations_named("GET /users/{user_id}"), ["GET /users/{user_id}"]);
        assert_eq!(operations_named("GET /users/{id}"), ["GET /users/{user_id}", "GET /users/{email}"]);
        assert_eq!(operations_named("GET /users/me"), ["GET /users/me"]);
        let both = ["DELETE /messages/{message_id}/reactions", "POST /messages/{message_id}/reactions"];
        for text in ["/messages/{id}/reactions", "/messages/52/reactions", "/api/v1/messages/52/reactions"] {
            let mut operations = operations_named(text);
            operations.sort();
            assert_eq!(operations, both, "{text}");
        }
        for text in
            ["reactions", "/drafts", "Alert words", "POST /nothing", "POST /messages/*/reactions", "/nothing/52"]
        {
            assert_eq!(operations_named(text), [""; 0], "{text}");
        }
    }
}
