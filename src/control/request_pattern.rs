//! Patterns of requests in verifications, queries and faults: method, path and parameters, checked against the
//! operations.
//!
//! Names are checked since a misspelled one would match no request: a fault would never fire, and a verification that
//! there are no such requests would always succeed.

use super::{refusal, unknown_word_error};
use crate::api::{OperationRow, find_path, rows};
use crate::dialect::Dialect;
use crate::error::Error;
use crate::http::files::{self, FILE_KINDS};
use crate::http::methods_of_page;
use crate::http::router::Router;
use crate::json_diagnostic::{most_similar, path_step};
use crate::openapi::possible_former_names;
use crate::world::World;
use schemars::SchemaGenerator;
use serde_json::Value;
use std::collections::BTreeMap;

/// The methods that a pattern can have.
pub const METHODS: [&str; 7] = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"];
const NOT_FOUND_STATUS: u16 = 404;
const METHOD_NOT_ALLOWED_STATUS: u16 = 405;
/// A parameter that every operation accepts.
const CLIENT_PARAMETER: &str = "client";

/// A pattern of requests. Absent parts match all requests.
#[derive(Default)]
pub struct RequestPattern {
    pub method: Option<String>,
    /// Path, with or without `/api/v1` or `/json`.
    pub path: Option<String>,
    /// Parameters that a request must have, as text.
    pub params: BTreeMap<String, String>,
}

/// What a pattern is used for.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum PatternUse {
    /// A fault: the path is that of an operation or of a kind of files, with placeholders.
    Operations,
    /// Entries of the journal, perhaps with this status: the path may have values instead of placeholders, or be
    /// unknown.
    Entries(Option<u16>),
}

/// A path with the operations or files that it belongs to.
struct MatchedPath {
    /// The path in neutral names, without the prefix `/api/v1` or `/json`.
    path: String,
    /// The operations with this path; empty for files, pages and unknown paths.
    rows: Vec<&'static OperationRow>,
    /// The allowed methods; None for unknown paths.
    methods: Option<Vec<&'static str>>,
}

impl RequestPattern {
    /// Checks each part, and translates paths and parameters to neutral names. `prefix` precedes the parts' names in
    /// errors, such as `$.` in a body.
    ///
    /// # Errors
    ///
    /// `ControlRefused` for a part that no request can have, with the nearest existing name.
    pub fn check_and_translate(self, world: &World, prefix: &str, pattern_use: PatternUse) -> Result<Self, Error> {
        let dialect = &world.settings().dialect;
        let method = self.method.as_deref();
        if let Some(unknown) = method.filter(|method| !METHODS.contains(method)) {
            let expected = format!("an HTTP method in capitals, one of {}", METHODS.join(", "));
            return Err(unknown_word_error(&format!("{prefix}method"), &expected, unknown, &METHODS));
        }
        let matched_path = self
            .path
            .as_deref()
            .map(|path| MatchedPath::find(dialect, path, method, prefix, pattern_use))
            .transpose()?;
        if let Some((matched_path, method)) = matched_path.as_ref().zip(method) {
            matched_path.check_method(method, prefix, pattern_use)?;
        }
        let matching_rows: Vec<&OperationRow> = match &matched_path {
            Some(matched_path) => matched_path.rows.iter().copied().filter(|row| has_method(row, method)).collect(),
            None => rows().filter(|row| has_method(row, method)).collect(),
        };
        let subject = match (&matched_path, matching_rows.as_slice()) {
            (None, _) => "no operation takes".to_owned(),
            (Some(_), [row]) => format!("{} {} does not take", row.route.method, path_in_dialect(dialect, row)),
            (Some(matched_path), _) => format!("{} does not take", matched_path.path),
        };
        let params = self.params.into_iter().map(|(name, value)| {
            let neutral_name = if matching_rows.is_empty() {
                name
            } else {
                neutral_parameter(dialect, &matching_rows, name, &subject, prefix)?
            };
            let value = dialect.neutral_value(&neutral_name, &value).into_owned();
            Ok((neutral_name, value))
        });
        let params = params.collect::<Result<_, Error>>()?;
        Ok(Self { method: self.method, path: matched_path.map(|matched_path| matched_path.path), params })
    }
}

impl MatchedPath {
    fn find(
        dialect: &Dialect,
        path: &str,
        method: Option<&str>,
        prefix: &str,
        pattern_use: PatternUse,
    ) -> Result<Self, Error> {
        if !path.starts_with('/') {
            return Err(refusal(format!("{prefix}path: takes a path, which begins with a slash")));
        }
        let path_without_prefix = ["/api/v1", "/json"].iter().find_map(|api| path.strip_prefix(api));
        let api_path = path_without_prefix.filter(|path| path.starts_with('/')).unwrap_or(path);
        // Clients send the path of uploads with or without a trailing slash.
        let api_path = if api_path == "/tus/" { "/tus" } else { api_path };
        // Neutral names are accepted too, whatever the dialect.
        let matched_path = [api_path, dialect.neutral_path(api_path)]
            .into_iter()
            .find_map(|path| Self::match_neutral(path, pattern_use));
        if let Some(matched_path) = matched_path {
            return Ok(matched_path);
        }
        if pattern_use == PatternUse::Entries(Some(NOT_FOUND_STATUS)) {
            return Ok(Self { path: api_path.to_owned(), rows: Vec::new(), methods: None });
        }
        let matching_row = if has_unfilled_part(api_path) {
            None
        } else {
            let neutral_path = dialect.neutral_path(api_path);
            Router::shared()
                .rows_of_path(neutral_path)
                .find(|row| has_method(row, method))
                .or_else(|| Router::shared().rows_of_path(neutral_path).next())
        };
        let nearest = match (matching_row, Router::find_nearest(method.unwrap_or("GET"), api_path)) {
            (Some(row), _) => format!("; with placeholders, it is {}", path_in_dialect(dialect, row)),
            (None, Some(row)) => format!("; the nearest is {}", path_in_dialect(dialect, row)),
            (None, None) => String::new(),
        };
        let files = FILE_KINDS.join(", ");
        let note = match pattern_use {
            PatternUse::Operations => "",
            PatternUse::Entries(_) => "; requests for other paths are found with status 404",
        };
        Err(refusal(format!("{prefix}path: no operation has the path {path}{nearest}, and files have {files}{note}")))
    }

    /// Finds what a neutral path belongs to.
    fn match_neutral(path: &str, pattern_use: PatternUse) -> Option<Self> {
        let from_rows = |row_path: &str, rows: Vec<&'static OperationRow>| {
            let methods = rows.iter().map(|row| row.route.method).collect();
            Self { path: row_path.to_owned(), rows, methods: Some(methods) }
        };
        if let Some(row_path) = find_path(path) {
            return Some(from_rows(row_path, rows().filter(|row| row.route.path == row_path).collect()));
        }
        let from_file = || Self { path: path.to_owned(), rows: Vec::new(), methods: Some(vec!["GET"]) };
        if pattern_use == PatternUse::Operations || FILE_KINDS.contains(&path) {
            return FILE_KINDS.contains(&path).then(from_file);
        }
        if has_unfilled_part(path) {
            return None;
        }
        let rows_at_path: Vec<&'static OperationRow> = Router::shared().rows_of_path(path).collect();
        if !rows_at_path.is_empty() {
            return Some(from_rows(path, rows_at_path));
        }
        let from_page = |methods: &[&'static str]| Self { methods: Some(methods.to_vec()), ..from_file() };
        files::file_kind(path).map(|_| from_file()).or_else(|| methods_of_page(path).map(from_page))
    }

    fn check_method(&self, method: &str, prefix: &str, pattern_use: PatternUse) -> Result<(), Error> {
        let Some(methods) = &self.methods else { return Ok(()) };
        let is_allowed_in_journal = match pattern_use {
            PatternUse::Operations => false,
            PatternUse::Entries(status) => method == "OPTIONS" || status == Some(METHOD_NOT_ALLOWED_STATUS),
        };
        if is_allowed_in_journal || methods.contains(&method) {
            return Ok(());
        }
        if method == "HEAD" {
            return Err(refusal(format!("{prefix}method: HEAD is carried out and entered as GET")));
        }
        let note = match pattern_use {
            PatternUse::Operations => "",
            PatternUse::Entries(_) => "; requests with other methods are found with status 405",
        };
        let mut methods = methods.clone();
        methods.dedup();
        Err(refusal(format!("{prefix}method: {} has {}{note}", self.path, methods.join(" and "))))
    }
}

/// Whether an operation has the method, if one is given.
fn has_method(row: &OperationRow, method: Option<&str>) -> bool {
    method.is_none_or(|method| row.route.method == method)
}

/// Whether a part of the path is written as a placeholder or a pattern, which no request has.
fn has_unfilled_part(path: &str) -> bool {
    let is_unfilled = |part: &str| {
        part.starts_with(['{', '<', ':', '$']) || part.contains(['?', '*']) || part.len() == 2 && part.starts_with('%')
    };
    path.split('/').any(is_unfilled)
}

/// Checks a parameter's name against the parameters of `rows`, and returns its neutral name. `subject` is the beginning
/// of the refusal of an unknown name.
fn neutral_parameter(
    dialect: &Dialect,
    rows: &[&OperationRow],
    name: String,
    subject: &str,
    prefix: &str,
) -> Result<String, Error> {
    let is_in_path =
        |name: &str| rows.iter().any(|row| row.parameters.iter().any(|info| info.is_in_path && info.name == name));
    let parameters = rows.iter().flat_map(|row| row.parameters).filter(|info| !info.is_in_path);
    let mut known_names: Vec<&str> =
        parameters.flat_map(|info| std::iter::once(&info.name).chain(info.aliases)).copied().collect();
    known_names.push(CLIENT_PARAMETER);
    let location = format!("{prefix}params{}", path_step(&name));
    if rows.iter().all(|row| !row.protocol.reads_query_and_form()) {
        return Err(refusal(format!("{location}: resumable uploads take headers, which are not entered")));
    }
    let neutral_name = dialect.neutral_key(&name);
    let is_former = |name: &str| {
        let route_text = |row: &&OperationRow| format!("{} {}", row.route.method, row.route.path);
        rows.iter().any(|row| possible_former_names(&route_text(row)).contains(&name))
    };
    // `possible_former_names` also returns values that descriptions of changes quote, such as `stream` of `type`.
    let is_value = |name: &str| {
        let mut generator = SchemaGenerator::default();
        let mut values = rows.iter().flat_map(|row| row.parameters).map(|info| (info.schema)(&mut generator));
        values.any(|schema| {
            schema.get("enum").and_then(Value::as_array).is_some_and(|values| values.iter().any(|value| value == name))
        })
    };
    // Neutral names are accepted too, whatever the dialect.
    let mut names = [name.as_str(), neutral_name].into_iter();
    if let Some(known_name) = names.find(|name| known_names.contains(name) || is_former(name) && !is_value(name)) {
        return Ok(known_name.to_owned());
    }
    if is_in_path(&name) {
        return Err(refusal(format!("{location}: is a part of the path; give the path with its value")));
    }
    let nearest =
        most_similar(&name, &known_names).map(|nearest| format!("; the nearest is '{}'", dialect.vendor_key(nearest)));
    Err(refusal(format!("{location}: {subject} a parameter '{name}'{}", nearest.unwrap_or_default())))
}

/// The path of an operation in the names of the dialect.
fn path_in_dialect(dialect: &Dialect, row: &OperationRow) -> String {
    dialect.vendor_path(row.route.path).replace("{*", "{")
}
