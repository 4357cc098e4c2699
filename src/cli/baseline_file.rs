//! Reads baselines: results of earlier runs in JSON. The error for a file of another kind says which kind it is, and
//! which kind the option takes.

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
    /// The kind of a file, by its text. None for a file that is no result.
    fn recognize(text: &str) -> Option<Self> {
        let start = text.trim_start();
        if start.starts_with("first:") && start.contains("\nsecond:") {
            return Some(Self::ComparisonText);
        }
        if start.starts_with('<') && start.contains("<testsuites") {
            return Some(Self::Junit);
        }
        let value: Value = serde_json::from_str(text).ok()?;
        let has_keys = |keys: [&str; 2]| keys.iter().all(|key| value.get(key).is_some());
        [
            (["servers", "operations"], Self::Comparison),
            (["clients", "complete"], Self::Report),
            (["runs", "version"], Self::Sarif),
        ]
        .into_iter()
        .find_map(|(keys, kind)| has_keys(keys).then_some(kind))
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

/// The option with which a baseline is given.
pub(super) struct BaselineOption {
    pub name: &'static str,
    /// The kind of file that the option takes.
    pub kind: ResultKind,
    /// Describes that kind, for messages.
    pub expected_file: &'static str,
    /// The option that writes such a file.
    pub writing_option: &'static str,
}

impl BaselineOption {
    /// Reads the file that was given for the option.
    ///
    /// # Errors
    ///
    /// If the file can't be read, is of another kind, or has another form than this version writes.
    pub(super) fn read<T: DeserializeOwned>(&self, file: &Path) -> Result<T, CliError> {
        let Self { name, expected_file, writing_option, .. } = self;
        let file_error = |reason: String| CliError::failure(format!("{}: {reason}", file.display()));
        let text = std::fs::read_to_string(file).map_err(|error| file_error(error.to_string()))?;
        let kind = ResultKind::recognize(&text);
        if let Some(other_kind) = kind.filter(|kind| *kind != self.kind) {
            return Err(file_error(format!("is {}; {name} takes {expected_file}", other_kind.description())));
        }
        if !text.trim_start().starts_with('{') {
            return Err(file_error(format!("takes {expected_file}")));
        }
        json_diagnostic::read(&text).map_err(|mistake| {
            file_error(match kind {
                Some(_) => format!("{mistake}; write the file again with {writing_option}, as this version does"),
                None => format!("{mistake}; {name} takes {expected_file}"),
            })
        })
    }
}
