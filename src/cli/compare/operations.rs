//! The names of operations, such as `POST /messages`, and which of them a request or a text means.

use crate::api::{OperationRow, rows};
use std::collections::BTreeSet;

pub fn row_name(row: &OperationRow) -> String {
    format!("{} {}", row.route.method, row.route.path.replace("{*", "{"))
}

/// The method of a request, and the path of the operation that it calls; its own path if there is no such operation.
pub fn operation_name(method: &str, path: &str) -> String {
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
    let placeholder_count = |row: &&OperationRow| row.route.path.matches('{').count();
    rows().filter(matches).min_by_key(placeholder_count).map_or_else(|| format!("{method} {path}"), row_name)
}

/// The operations that a text names: a method and a path, or a path with placeholders or ids for those of all methods.
/// The names of placeholders don't matter, unless the path has another operation under each. Empty for other texts.
pub fn operations_named(text: &str) -> Vec<String> {
    let (method, path) = match text.split_whitespace().collect::<Vec<_>>()[..] {
        [method, path] => (Some(method.to_uppercase()), path),
        [path] if path.split('/').any(is_variable) => (None, path),
        _ => return Vec::new(),
    };
    let path = path.strip_prefix("/api/v1").unwrap_or(path).replace("{*", "{");
    let has_method = |row: &&OperationRow| method.as_ref().is_none_or(|method| row.route.method == method);
    let names = |is_path: &dyn Fn(&str) -> bool| -> Vec<String> {
        let has_path = |row: &&OperationRow| is_path(&row.route.path.replace("{*", "{"));
        rows().filter(has_method).filter(has_path).map(row_name).collect()
    };
    let exact = names(&|row_path| row_path == path);
    if !exact.is_empty() {
        return exact;
    }
    let alike = names(&|row_path| shape(row_path) == shape(&path));
    if !alike.is_empty() {
        return alike;
    }
    let methods = match &method {
        Some(method) => vec![method.as_str()],
        None => rows().map(|row| row.route.method).collect(),
    };
    let called: BTreeSet<String> = methods.into_iter().map(|method| operation_name(method, &path)).collect();
    called.into_iter().filter(|name| rows().any(|row| row_name(row) == *name)).collect()
}

/// Whether a part of a path is a placeholder or an id.
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
            let mut found = operations_named(text);
            found.sort();
            assert_eq!(found, both, "{text}");
        }
        for text in
            ["reactions", "/drafts", "Alert words", "POST /nothing", "POST /messages/*/reactions", "/nothing/52"]
        {
            assert_eq!(operations_named(text), [""; 0], "{text}");
        }
    }
}
