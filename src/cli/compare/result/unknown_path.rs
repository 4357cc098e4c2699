//! Requests of the user's own probes whose path no operation has, such as a misspelt one: both servers refuse them
//! alike.

use crate::control::api_paths;
use crate::scenario::server_comparison::Step;

/// Whether both servers replied that there is nothing at the path, and no operation of any level has it.
pub fn is_called_by(step: &Step) -> bool {
    step.replies.iter().all(|(status, _)| *status == 404) && !api_paths::is_known(&step.path)
}

/// A warning with the place of the request and the nearest operation.
pub fn warning(document_path: &str, step: &Step) -> String {
    let Step { line, method, path, .. } = step;
    // Paths of probes are without the prefix, which users add all the same.
    let nearest = match api_paths::nearest_operation(method, path.trim_start_matches("/api/v1")) {
        Some(operation) => format!("the nearest operation is {operation}"),
        None => "no operation has a path like this".to_owned(),
    };
    format!("warning: {document_path}:{line}: neither server knows the path of {method} {path}; {nearest}")
}
