//! Which probes `--only` selects: by operation, or by a text in them.

use super::operations::{operation_name, operations_named};
use crate::api::rows;
use crate::cli::CliError;
use crate::control::api_paths::nearest_operation;
use crate::json_diagnostic::similar_name;
use crate::scenario::server_comparison::requests;
use crate::scenario::{Document, Scenario};

type Probe<'a> = (&'a Document, &'a Scenario);

/// The probes that at least one of the patterns selects; all without patterns.
///
/// # Errors
///
/// A pattern that selects no probe, with what may be meant.
pub fn selected_probes<'a>(documents: &'a [Document], patterns: &[String]) -> Result<Vec<Probe<'a>>, CliError> {
    let probes: Vec<Probe> = documents
        .iter()
        .flat_map(|document| document.scenarios.iter().map(move |scenario| (document, scenario)))
        .collect();
    if patterns.is_empty() {
        return Ok(probes);
    }
    let mut selected_flags = vec![false; probes.len()];
    for pattern in patterns {
        let operations = operations_named(pattern);
        if operations.is_empty() && is_unknown_request(&probes, pattern) {
            return Err(CliError::usage(format!(
                "--only: there is no operation `{pattern}`; {}",
                remedy(documents, &probes, pattern)
            )));
        }
        let is_match = |(document, scenario): &Probe| match operations.is_empty() {
            true => has_text(document, scenario, pattern),
            false => {
                requests(document, scenario).any(|(method, path)| operations.contains(&operation_name(&method, &path)))
            }
        };
        let match_flags: Vec<bool> = probes.iter().map(is_match).collect();
        if !match_flags.contains(&true) {
            return Err(CliError::usage(match operations.is_empty() {
                true => format!("--only `{pattern}` fits no probe; {}", remedy(documents, &probes, pattern)),
                false => format!("--only: no probe plays {}", operations.join(" or ")),
            }));
        }
        selected_flags.iter_mut().zip(match_flags).for_each(|(is_selected, is_match)| *is_selected |= is_match);
    }
    Ok(probes.into_iter().zip(selected_flags).filter(|(_, is_selected)| *is_selected).map(|(probe, _)| probe).collect())
}

/// Whether a pattern that names no operation is a method and a path that no probe has either.
fn is_unknown_request(probes: &[Probe], pattern: &str) -> bool {
    let Some((method, path)) = pattern.split_once(' ') else { return false };
    let is_method = rows().any(|row| row.route.method.eq_ignore_ascii_case(method));
    let is_probed = |(document, scenario): &Probe| {
        requests(document, scenario)
            .any(|(other_method, other_path)| other_method.eq_ignore_ascii_case(method) && other_path == path)
    };
    is_method && path.starts_with('/') && !path.contains('*') && !probes.iter().any(is_probed)
}

/// Whether the name of the file or a line of the section contains a text, in which `*` is anything.
fn has_text(document: &Document, scenario: &Scenario, text: &str) -> bool {
    // Lines of requests are without the prefix, which users add all the same.
    let text = text.strip_prefix("/api/v1").filter(|path| path.starts_with('/')).unwrap_or(text);
    let fragments: Vec<String> = text.split('*').map(regex::escape).collect();
    let Ok(pattern) = regex::RegexBuilder::new(&fragments.join(".*")).case_insensitive(true).build() else {
        return false;
    };
    let start: usize = document.text.lines().take(scenario.line.saturating_sub(1)).map(|line| line.len() + 1).sum();
    let section = &document.text[start.min(document.text.len())..];
    let end = section.find("\n## ").unwrap_or(section.len());
    pattern.is_match(&document.path) || section[..end].lines().any(|line| pattern.is_match(line))
}

/// What to write instead of a pattern that selects no probe.
fn remedy(documents: &[Document], probes: &[Probe], pattern: &str) -> String {
    let file_names = || documents.iter().filter_map(|document| document.path.rsplit('/').next());
    if let Some((method, path)) = pattern.split_once(' ').filter(|(_, path)| path.starts_with('/')) {
        return match nearest_operation(&method.to_uppercase(), path) {
            Some(operation) => format!("the nearest operation is {operation}"),
            None => "no operation has a path like this".to_owned(),
        };
    }
    let names: Vec<&str> = probes.iter().map(|(_, scenario)| scenario.name.as_str()).chain(file_names()).collect();
    match similar_name(pattern, &names) {
        Some(nearest) => format!("did you mean `{nearest}`?"),
        None => format!(
            "it takes an operation, such as POST /typing, or a part of the name of a probe, of a file ({}) or of a \
             request",
            file_names().collect::<Vec<_>>().join(", ")
        ),
    }
}
