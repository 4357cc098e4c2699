//! Which paths the operations of the API have, for `cli`, which may not use `http`.

use crate::http::router::Router;

/// Whether an operation of any level has the path, with any method.
pub fn is_known(path: &str) -> bool {
    Router::shared().rows_of_path(path).next().is_some()
}

/// The method and path of the operation with the most similar path. None if no path is similar.
pub fn nearest_operation(method: &str, path: &str) -> Option<String> {
    Router::find_nearest(method, path).map(|row| format!("{} {}", row.route.method, row.route.path))
}
