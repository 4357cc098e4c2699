//! Reads baselines: results of earlier runs in JSON. A file of another kind is named, with the one that is wanted.

use super::CliError;
use crate::json_diagnostic;
use serde::de::DeserializeOwned;
use serde_json::Value;
use std::path::Path;

/// A kind of file that `compare` or `exec` writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ResultKind {
    Comparison,
    ComparisonText,
    Report,
    Junit,
    Sarif,
}

impl ResultKind {
    /// Recognizes the kind of a file by its text.
    fn of(text: &str) -> Option<Self> {
        let start = text.trim_start();
        if start.starts_with("first:") && start.contains("\nsecond:") {
            return Some(Self::ComparisonText);
        }
        if start.starts_with('<') && start.contains("<testsuites") {
            return Some(Self::Junit);
        }
        let value: Value = serde_json::from_str(text).ok()?;
        let has = |names: [&str; 2]| names.iter().all(|name| value.get(name).is_some());
        [
            (["servers", "operations"], Self::Comparison),
            (["clients", "complete"], Self::Report),
            (["runs", "version"], Self::Sarif),
        ]
        .into_iter()
        .find_map(|(names, kind)| has(names).then_some(kind))
    }

    fn description(self) -> &'static str {
        match self {
            Self::Comparison => "the result of a comparison in JSON, as compare --json writes it",
            Self::ComparisonText => "the result of a comparison as text, as compare -o writes it",
            Self::Report => "a report on clients in JSON, as exec --report FILE.json writes it",
            Self::Junit => "a report on clients as test results, as exec --report FILE.xml writes it",
            Self::Sarif => "a report on clients in SARIF, as exec --report FILE.sarif writes it",
        }
    }
}

/// Where a baseline is given: its option, the kind of file that the option takes, and what writes such a file.
pub(super) struct BaselineOption {
    pub name: &'static str,
    pub kind: ResultKind,
    pub wanted: &'static str,
    pub writer: &'static str,
}

impl BaselineOption {
    /// Reads the file that was given for the option.
    ///
    /// # Errors
    ///
    /// If the file can't be read, is of another kind, or has another form than this version writes.
    pub(super) fn read<T: DeserializeOwned>(&self, file: &Path) -> Result<T, CliError> {
        let Self { name, wanted, writer, .. } = self;
        let file_error = |reason: String| CliError::failure(format!("{}: {reason}", file.display()));
        let text = std::fs::read_to_string(file).map_err(|error| file_error(error.to_string()))?;
        let kind = ResultKind::of(&text);
        if let Some(other_kind) = kind.filter(|kind| *kind != self.kind) {
            return Err(file_error(format!("is {}; {name} takes {wanted}", other_kind.description())));
        }
        if !text.trim_start().starts_with('{') {
            return Err(file_error(format!("takes {wanted}")));
        }
        json_diagnostic::read(&text).map_err(|mistake| {
            file_error(match kind {
                Some(_) => format!("{mistake}; write the file again with {writer}, as this version does"),
                None => format!("{mistake}; {name} takes {wanted}"),
            })
        })
    }
}
