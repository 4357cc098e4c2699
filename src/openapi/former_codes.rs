//! Adds the former statuses of errors, and errors without a code, to the document of an older level.

use super::reference::reference_to;
use crate::error::Error;
use serde_json::{Value, json};

/// The name of the schema of refusals that may lack a code, because some errors have one at later levels only.
const ERROR_WITH_OPTIONAL_CODE: &str = "ErrorWithOptionalCode";

/// Adds the former `status` of errors to the operations with these routes, or to all if `routes` is empty. Operations
/// without the newer status of the errors do not change. That status remains, because other errors may have it. An
/// empty `code` means that the errors had none, and makes it optional; otherwise only the status is added.
pub(super) fn undo_code_change(document: &mut Value, errors: &[&str], routes: &[&str], status: u16, code: &str) {
    let rows = Error::TABLE.iter().filter(|row| errors.contains(&row.name));
    let newer_statuses: Vec<String> = rows.map(|row| row.status.to_string()).collect();
    let status = status.to_string();
    for operation in operations_of(document, routes) {
        let Some(responses) = operation.get_mut("responses").and_then(Value::as_object_mut) else { continue };
        let newer_response = newer_statuses.iter().find_map(|newer_status| responses.get(newer_status)).cloned();
        let Some(newer_response) = newer_response else { continue };
        let response = responses.entry(status.clone()).or_insert(newer_response);
        if code.is_empty() {
            replace_reference(response, &reference_to("Error"), &reference_to(ERROR_WITH_OPTIONAL_CODE));
        }
    }
    if code.is_empty() {
        let schemas = &mut document["components"]["schemas"];
        let mut schema = schemas["Error"].clone();
        schema["description"] =
            "A refused request; at this feature level, some errors of its status have no code.".into();
        schema["required"] = json!(["result", "msg"]);
        schemas[ERROR_WITH_OPTIONAL_CODE] = schema;
    }
}

fn replace_reference(part: &mut Value, old: &Value, new: &Value) {
    match part {
        part if part == old => part.clone_from(new),
        Value::Array(members) => members.iter_mut().for_each(|member| replace_reference(member, old, new)),
        Value::Object(keys) => keys.values_mut().for_each(|value| replace_reference(value, old, new)),
        _ => {}
    }
}

/// The operations of the document with these routes, such as `POST /messages`; all operations if `routes` is empty.
fn operations_of<'document>(
    document: &'document mut Value,
    routes: &[&str],
) -> impl Iterator<Item = &'document mut Value> {
    let is_of_routes = move |method: &str, path: &str| {
        routes.is_empty() || routes.contains(&format!("{} {path}", method.to_uppercase()).as_str())
    };
    let items = document["paths"].as_object_mut().into_iter().flatten();
    items.flat_map(move |(path, item)| {
        let operations = item.as_object_mut().into_iter().flatten();
        let matching_operations: Vec<&mut Value> =
            operations.filter(|(method, _)| is_of_routes(method, path)).map(|(_, operation)| operation).collect();
        matching_operations
    })
}
