//! Finds the operation for a method and a path in the table of operations.

use crate::api::{NEWEST_FEATURE_LEVEL, OPERATIONS, OperationRow, rows};
use foldhash::fast::RandomState;
use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::LazyLock;

/// Less similar paths, on a scale from 0 to 1, are not suggested in hints.
const MIN_SIMILARITY: f64 = 0.7;
/// Only the beginning of a longer path is compared for hints; all operations have shorter paths.
const MAX_COMPARED_PARTS: usize = 12;
const MAX_COMPARED_PART_BYTES: usize = 64;

/// Replaces larger numbers in a path, so that they fit in an integer; no object has this ID (A-147 in
/// docs/assumptions.md).
const LARGEST_NUMBER: &str = "999999999999999999";

/// The table of operations, indexed by paths.
pub struct Router {
    /// Paths without [`Segment::Remainder`], by their number of segments; paths of equal length are sorted, most
    /// specific first.
    by_length: HashMap<usize, Vec<Path>, RandomState>,
    /// The paths without placeholders, which take precedence, with their number of segments, which is the key in
    /// `by_length`, and their index in the list of this key.
    fixed: HashMap<&'static str, (usize, usize), RandomState>,
    /// Paths whose last placeholder takes several parts.
    open_ended: Vec<Path>,
}

struct Path {
    segments: Vec<Segment>,
    rows: Vec<&'static OperationRow>,
}

/// Ordered from the most to the least specific; routing depends on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Segment {
    Literal(&'static str),
    /// A placeholder for a number, by its name.
    Digits(&'static str),
    /// A placeholder for a text that is not empty, by its name.
    Text(&'static str),
    /// A placeholder for all remaining parts of the path, by its name.
    Remainder(&'static str),
}

/// The result of [`Router::find`].
pub enum RouteMatch {
    /// An operation, with the names and values of its placeholders.
    Operation(&'static OperationRow, Vec<(String, String)>),
    /// The path exists, but only with these methods.
    WrongMethod(Vec<&'static str>),
    /// No operation has the path.
    UnknownPath,
}

impl RouteMatch {
    pub fn row(&self) -> Option<&'static OperationRow> {
        match self {
            RouteMatch::Operation(row, _) => Some(row),
            RouteMatch::WrongMethod(_) | RouteMatch::UnknownPath => None,
        }
    }
}

impl Router {
    /// The router of all operations, which all servers of the process share.
    pub fn shared() -> &'static Self {
        static ROUTER: LazyLock<Router> = LazyLock::new(Router::new);
        &ROUTER
    }

    fn new() -> Self {
        let mut by_length: HashMap<usize, Vec<Path>, RandomState> = HashMap::default();
        let mut open_ended = Vec::new();
        for row in rows() {
            let segments = path_segments(row);
            let is_open_ended = matches!(segments.last(), Some(Segment::Remainder(_)));
            let paths = if is_open_ended { &mut open_ended } else { by_length.entry(segments.len()).or_default() };
            match paths.iter_mut().find(|path| path.segments == segments) {
                Some(path) => path.rows.push(row),
                None => paths.push(Path { segments, rows: vec![row] }),
            }
        }
        for paths in by_length.values_mut() {
            paths.sort_by(|a, b| a.segments.cmp(&b.segments));
        }
        let positions = by_length.iter().flat_map(|(length, paths)| {
            paths.iter().enumerate().filter(|(_, path)| path.is_fixed()).map(|(index, path)| (path, (*length, index)))
        });
        let fixed = positions.map(|(path, position)| (path.rows[0].route.path, position)).collect();
        Self { by_length, fixed, open_ended }
    }

    /// Finds the operation for a method and a path without `/api/v1`, among those of a feature level. The path is still
    /// percent-encoded.
    pub fn find(&self, method: &str, path: &str, level: i64) -> RouteMatch {
        if let Some((length, index)) = self.fixed.get(path) {
            let candidate = &self.by_length[length][*index];
            if candidate.exists_at(level) {
                return candidate.match_method(method, Vec::new(), level);
            }
        }
        let Some(path) = path.strip_prefix('/') else { return RouteMatch::UnknownPath };
        let parts: Vec<Cow<'_, str>> = path.split('/').map(decode).collect();
        let same_length = self.by_length.get(&parts.len()).into_iter().flatten();
        for candidate in same_length.chain(&self.open_ended) {
            if candidate.exists_at(level)
                && let Some(values) = candidate.match_parts(&parts)
            {
                return candidate.match_method(method, values, level);
            }
        }
        RouteMatch::UnknownPath
    }

    /// The operations of all levels and methods for a path with filled-in placeholders.
    pub fn rows_of_path(&self, path: &str) -> impl Iterator<Item = &'static OperationRow> {
        let parts: Vec<Cow<'_, str>> = path.trim_start_matches('/').split('/').map(decode).collect();
        let same_length = self.by_length.get(&parts.len()).into_iter().flatten();
        let matching_paths =
            same_length.chain(&self.open_ended).filter(|candidate| candidate.match_parts(&parts).is_some());
        matching_paths.flat_map(|candidate| candidate.rows.iter().copied()).collect::<Vec<_>>().into_iter()
    }

    /// The operation that another level has for the method and path; None if no level has one, or this level has the
    /// same.
    pub fn find_at_another_level(&self, method: &str, path: &str, level: i64) -> Option<&'static OperationRow> {
        levels_covering_all_operations().into_iter().find_map(|other_level| {
            match self.find(method, path, other_level) {
                RouteMatch::Operation(row, _) if !row.exists_at(level) => Some(row),
                _ => None,
            }
        })
    }

    /// The operation with the most similar path, for hints; None if no path is similar.
    pub fn find_nearest(method: &str, path: &str) -> Option<&'static OperationRow> {
        let compared_length = |part: &'_ str| part.floor_char_boundary(MAX_COMPARED_PART_BYTES);
        let path = path.strip_prefix('/').unwrap_or(path);
        let parts: Vec<&str> =
            path.split('/').take(MAX_COMPARED_PARTS).map(|part| &part[..compared_length(part)]).collect();
        let candidates = OPERATIONS.iter().filter(|row| row.removed_in.is_none()).map(|row| {
            let similarity = path_similarity(&parts, &row.route.path[1..]);
            // Enough to decide between operations with the same path.
            let method_bonus = if row.route.method == method { 0.02 } else { 0.0 };
            (similarity + method_bonus, row)
        });
        let similar = candidates.filter(|(similarity, _)| *similarity > MIN_SIMILARITY);
        similar.max_by(|(a, _), (b, _)| a.total_cmp(b)).map(|(_, row)| row)
    }
}

impl Path {
    fn is_fixed(&self) -> bool {
        self.segments.iter().all(|segment| matches!(segment, Segment::Literal(_)))
    }

    /// The names and values of the placeholders, if the path has these parts.
    fn match_parts(&self, parts: &[Cow<'_, str>]) -> Option<Vec<(String, String)>> {
        let mut values = Vec::new();
        for (index, segment) in self.segments.iter().enumerate() {
            let part = parts.get(index)?;
            match segment {
                Segment::Literal(literal) if literal == part => {}
                Segment::Digits(name) if !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit()) => {
                    // IDs are parsed as JSON later, which allows no leading zeros.
                    let number = match part.trim_start_matches('0') {
                        "" => "0",
                        digits if digits.len() > LARGEST_NUMBER.len() => LARGEST_NUMBER,
                        number => number,
                    };
                    values.push(((*name).to_owned(), number.to_owned()));
                }
                Segment::Text(name) if !part.is_empty() => values.push(((*name).to_owned(), part.clone().into_owned())),
                Segment::Remainder(name) if !part.is_empty() => {
                    values.push(((*name).to_owned(), parts[index..].join("/")));
                    return Some(values);
                }
                _ => return None,
            }
        }
        Some(values)
    }

    fn exists_at(&self, level: i64) -> bool {
        self.rows.iter().any(|row| row.exists_at(level))
    }

    fn match_method(&self, method: &str, values: Vec<(String, String)>, level: i64) -> RouteMatch {
        let rows = self.rows.iter().filter(|row| row.exists_at(level));
        if let Some(row) = rows.clone().find(|row| row.route.method == method) {
            return RouteMatch::Operation(row, values);
        }
        let mut methods: Vec<&'static str> = rows.map(|row| row.route.method).collect();
        if methods.contains(&"GET") {
            methods.push("HEAD");
        }
        let method_order = ["GET", "POST", "PUT", "PATCH", "DELETE"];
        methods.sort_by_key(|method| {
            method_order.iter().position(|ordered| ordered == method).unwrap_or(method_order.len())
        });
        RouteMatch::WrongMethod(methods)
    }
}

/// The newest level, and the last level of each removed operation. Each operation exists at one of these levels.
fn levels_covering_all_operations() -> Vec<i64> {
    let last_levels = OPERATIONS.iter().filter_map(|row| Some(row.removed_in? - 1));
    std::iter::once(NEWEST_FEATURE_LEVEL).chain(last_levels).collect()
}

fn path_segments(row: &'static OperationRow) -> Vec<Segment> {
    let parts = row.route.path.trim_start_matches('/').split('/');
    let parse_segment = |part: &'static str| {
        let Some(name) = part.strip_prefix('{').and_then(|part| part.strip_suffix('}')) else {
            return Segment::Literal(part);
        };
        if let Some(name) = name.strip_prefix('*') {
            return Segment::Remainder(name);
        }
        let is_text = row.parameters.iter().any(|info| info.name == name && !info.is_json);
        if is_text { Segment::Text(name) } else { Segment::Digits(name) }
    };
    parts.map(parse_segment).collect()
}

fn decode(part: &str) -> Cow<'_, str> {
    percent_encoding::percent_decode_str(part).decode_utf8_lossy()
}

/// The similarity of a path to that of an operation or a call of control, from 0 to 1. A placeholder has a similarity
/// of 0.8 to any part, and more to a placeholder with a similar name; paths of different lengths lose 40 % of their
/// similarity.
pub fn path_similarity(parts: &[&str], operation_path: &str) -> f64 {
    let operation_parts: Vec<&str> = operation_path.split('/').collect();
    let length_factor = if operation_parts.len() == parts.len() { 1.0 } else { 0.6 };
    let pairs = parts.iter().zip(&operation_parts);
    let sum: f64 = pairs.map(|(part, operation_part)| part_similarity(part, operation_part)).sum();
    length_factor * sum / parts.len().max(operation_parts.len()) as f64
}

fn part_similarity(part: &str, operation_part: &str) -> f64 {
    let similarity = || strsim::jaro_winkler(part, operation_part);
    match (operation_part.starts_with('{'), part.starts_with('{')) {
        (true, true) => 0.8 + 0.2 * similarity(),
        (true, false) => 0.8,
        (false, _) => similarity(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_operation_is_found_only_at_levels_that_have_it() {
        let router = Router::shared();

        assert!(matches!(router.find("PUT", "/saved_snippets", 1), RouteMatch::UnknownPath));
        assert!(matches!(router.find("GET", "/saved_snippets", NEWEST_FEATURE_LEVEL), RouteMatch::Operation(..)));
        assert!(matches!(router.find("PUT", "/saved_snippets", NEWEST_FEATURE_LEVEL), RouteMatch::WrongMethod(_)));
    }
}
