//! From a method and a path to a row of the table of operations.

use crate::api::{NEWEST_FEATURE_LEVEL, OPERATIONS, Row, rows};
use foldhash::fast::RandomState;
use std::borrow::Cow;
use std::collections::HashMap;

/// Paths that are less alike, from 0 to 1, are no hint.
const LIKENESS_MIN: f64 = 0.7;
/// More parts of a path than this, and more of each part, are not compared: no operation's are as long.
const COMPARED_PARTS_MAX: usize = 12;
const COMPARED_PART_MAX_BYTES: usize = 64;

/// The number that replaces larger ones in a path: nothing has it as its ID (A-147 in docs/assumptions.md).
const LARGEST_NUMBER: &str = "999999999999999999";

/// The table of operations, indexed by paths.
pub struct Router {
    /// Paths by their number of segments, the most specific first.
    by_length: HashMap<usize, Vec<Path>, RandomState>,
    /// The paths without placeholders, which go before all others: their length and their place.
    fixed: HashMap<&'static str, (usize, usize), RandomState>,
    /// Paths whose last placeholder takes all that follows.
    open_ended: Vec<Path>,
}

struct Path {
    segments: Vec<Segment>,
    rows: Vec<&'static Row>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Segment {
    Literal(&'static str),
    Digits(&'static str),
    Text(&'static str),
    Rest(&'static str),
}

/// What a request's way leads to.
pub enum RouteMatch {
    /// An operation, with the parts of the path.
    Operation(&'static Row, Vec<(String, String)>),
    /// The path exists with these methods only.
    WrongMethod(Vec<&'static str>),
    /// No operation has the path.
    Nothing,
}

impl RouteMatch {
    /// The operation, if one was found.
    pub fn row(&self) -> Option<&'static Row> {
        match self {
            RouteMatch::Operation(row, _) => Some(row),
            RouteMatch::WrongMethod(_) | RouteMatch::Nothing => None,
        }
    }
}

impl Router {
    /// The index of all operations.
    pub fn new() -> Self {
        let mut by_length: HashMap<usize, Vec<Path>, RandomState> = HashMap::default();
        let mut open_ended = Vec::new();
        for row in rows() {
            let segments = segments_of(row);
            let is_open = matches!(segments.last(), Some(Segment::Rest(_)));
            let paths = if is_open { &mut open_ended } else { by_length.entry(segments.len()).or_default() };
            match paths.iter_mut().find(|path| path.segments == segments) {
                Some(path) => path.rows.push(row),
                None => paths.push(Path { segments, rows: vec![row] }),
            }
        }
        for paths in by_length.values_mut() {
            paths.sort_by(|one, other| one.segments.cmp(&other.segments));
        }
        let places = by_length.iter().flat_map(|(length, paths)| {
            paths.iter().enumerate().filter(|(_, path)| path.is_fixed()).map(|(place, path)| (path, (*length, place)))
        });
        let fixed = places.map(|(path, place)| (path.rows[0].route.path, place)).collect();
        Self { by_length, fixed, open_ended }
    }

    /// Finds the operation for a method and a path without `/api/v1`, among those that a feature level has; the path is
    /// percent-decoded here, part by part.
    pub fn find(&self, method: &str, path: &str, level: i64) -> RouteMatch {
        if let Some((length, place)) = self.fixed.get(path) {
            let candidate = &self.by_length[length][*place];
            if candidate.is_there(level) {
                return candidate.with_method(method, Vec::new(), level);
            }
        }
        let Some(path) = path.strip_prefix('/') else { return RouteMatch::Nothing };
        let parts: Vec<Cow<'_, str>> = path.split('/').map(decode).collect();
        let fixed = self.by_length.get(&parts.len()).into_iter().flatten();
        for candidate in fixed.chain(&self.open_ended) {
            if candidate.is_there(level)
                && let Some(values) = candidate.matches(&parts)
            {
                return candidate.with_method(method, values, level);
            }
        }
        RouteMatch::Nothing
    }

    /// The operations, of all levels and methods, with a path that is filled in.
    pub fn rows_at(&self, path: &str) -> impl Iterator<Item = &'static Row> {
        let parts: Vec<Cow<'_, str>> = path.trim_start_matches('/').split('/').map(decode).collect();
        let fixed = self.by_length.get(&parts.len()).into_iter().flatten();
        let fitting = fixed.chain(&self.open_ended).filter(|candidate| candidate.matches(&parts).is_some());
        fitting.flat_map(|candidate| candidate.rows.iter().copied()).collect::<Vec<_>>().into_iter()
    }

    /// Where a level does not have an operation that another one has: that operation.
    pub fn of_another_level(&self, method: &str, path: &str, level: i64) -> Option<&'static Row> {
        levels_with_other_operations().into_iter().find_map(|other| match self.find(method, path, other) {
            RouteMatch::Operation(row, _) if !row.is_at(level) => Some(row),
            _ => None,
        })
    }

    /// The operation whose way is most like this one, for hints; None where none is alike. Of long paths the beginning
    /// decides.
    pub fn nearest(method: &str, path: &str) -> Option<&'static Row> {
        let cut = |part: &'_ str| part.floor_char_boundary(COMPARED_PART_MAX_BYTES);
        let path = path.strip_prefix('/').unwrap_or(path);
        let wanted: Vec<&str> = path.split('/').take(COMPARED_PARTS_MAX).map(|part| &part[..cut(part)]).collect();
        let compared = OPERATIONS.iter().filter(|row| row.removed_in.is_none()).map(|row| {
            let similarity = shape_similarity(&wanted, &row.route.path[1..]);
            let same_method = if row.route.method == method { 0.02 } else { 0.0 };
            (similarity + same_method, row)
        });
        let alike = compared.filter(|(likeness, _)| *likeness > LIKENESS_MIN);
        alike.max_by(|(one, _), (other, _)| one.total_cmp(other)).map(|(_, row)| row)
    }
}

impl Default for Router {
    fn default() -> Self {
        Self::new()
    }
}

impl Path {
    fn is_fixed(&self) -> bool {
        self.segments.iter().all(|segment| matches!(segment, Segment::Literal(_)))
    }

    fn matches(&self, parts: &[Cow<'_, str>]) -> Option<Vec<(String, String)>> {
        let mut values = Vec::new();
        for (index, segment) in self.segments.iter().enumerate() {
            let part = parts.get(index)?;
            match segment {
                Segment::Literal(literal) if literal == part => {}
                Segment::Digits(name) if !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit()) => {
                    // JSON knows no leading zeros, paths do; and no ID is so long, whatever the number.
                    let number = match part.trim_start_matches('0') {
                        "" => "0",
                        long if long.len() > LARGEST_NUMBER.len() => LARGEST_NUMBER,
                        number => number,
                    };
                    values.push(((*name).to_owned(), number.to_owned()));
                }
                Segment::Text(name) if !part.is_empty() => values.push(((*name).to_owned(), part.clone().into_owned())),
                Segment::Rest(name) if !part.is_empty() => {
                    values.push(((*name).to_owned(), parts[index..].join("/")));
                    return Some(values);
                }
                _ => return None,
            }
        }
        Some(values)
    }

    /// Whether a level has some operation of this path.
    fn is_there(&self, level: i64) -> bool {
        self.rows.iter().any(|row| row.is_at(level))
    }

    fn with_method(&self, method: &str, values: Vec<(String, String)>, level: i64) -> RouteMatch {
        let rows = self.rows.iter().filter(|row| row.is_at(level));
        if let Some(row) = rows.clone().find(|row| row.route.method == method) {
            return RouteMatch::Operation(row, values);
        }
        let mut methods: Vec<&'static str> = rows.map(|row| row.route.method).collect();
        if methods.contains(&"GET") {
            methods.push("HEAD");
        }
        let in_order = ["GET", "POST", "PUT", "PATCH", "DELETE"];
        methods.sort_by_key(|method| in_order.iter().position(|other| other == method).unwrap_or(in_order.len()));
        RouteMatch::WrongMethod(methods)
    }
}

/// Levels that have all operations between them: the newest, and the last of each that is gone.
fn levels_with_other_operations() -> Vec<i64> {
    let gone = OPERATIONS.iter().filter_map(|row| Some(row.removed_in? - 1));
    std::iter::once(NEWEST_FEATURE_LEVEL).chain(gone).collect()
}

fn segments_of(row: &'static Row) -> Vec<Segment> {
    let parts = row.route.path.trim_start_matches('/').split('/');
    let segment = |part: &'static str| {
        let Some(name) = part.strip_prefix('{').and_then(|part| part.strip_suffix('}')) else {
            return Segment::Literal(part);
        };
        if let Some(name) = name.strip_prefix('*') {
            return Segment::Rest(name);
        }
        let is_text = row.parameters.iter().any(|info| info.name == name && !info.is_json);
        if is_text { Segment::Text(name) } else { Segment::Digits(name) }
    };
    parts.map(segment).collect()
}

fn decode(part: &str) -> Cow<'_, str> {
    percent_encoding::percent_decode_str(part).decode_utf8_lossy()
}

/// How alike a path and an operation's are, from 0 to 1: placeholders fit anything well, but not perfectly.
pub fn shape_similarity(wanted: &[&str], path: &str) -> f64 {
    let parts: Vec<&str> = path.split('/').collect();
    let same_length = if parts.len() == wanted.len() { 1.0 } else { 0.6 };
    let pairs = wanted.iter().zip(&parts);
    let fit: f64 =
        pairs.map(|(one, other)| if other.starts_with('{') { 0.8 } else { strsim::jaro_winkler(one, other) }).sum();
    same_length * fit / wanted.len().max(parts.len()) as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_is_found_at_levels_that_have_it() {
        let router = Router::new();

        assert!(matches!(router.find("PUT", "/saved_snippets", 1), RouteMatch::Nothing));
        assert!(matches!(router.find("GET", "/saved_snippets", NEWEST_FEATURE_LEVEL), RouteMatch::Operation(..)));
        assert!(matches!(router.find("PUT", "/saved_snippets", NEWEST_FEATURE_LEVEL), RouteMatch::WrongMethod(_)));
    }
}
