//! The file formats of the report: text, JSON, JUnit and SARIF.

mod junit;
mod sarif;
mod text;

use super::{Baseline, Severity, Summary};

pub use junit::escape_for_xml;
pub use text::client_title;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    Text,
    /// The report as `GET /control/report` returns it.
    Json,
    /// For CI services that show test results.
    Junit,
    /// SARIF 2.1.0, for services that show findings of static analysis.
    Sarif,
}

impl Format {
    /// The format of a file by its extension. None for an unknown extension.
    pub fn from_file_name(name: &str) -> Option<Self> {
        let (_, extension) = name.rsplit_once('.')?;
        match extension {
            "txt" => Some(Format::Text),
            "json" => Some(Format::Json),
            "xml" => Some(Format::Junit),
            "sarif" => Some(Format::Sarif),
            _ => None,
        }
    }

    /// Formats a report. Text and SARIF mark findings in the baseline as known; JSON has all alike. In JUnit, neither
    /// findings in the baseline nor those that are less severe than `fail_on`, if given, are failures.
    pub fn render(self, report: &Summary, baseline: &Baseline, fail_on: Option<Severity>) -> String {
        match self {
            Format::Text => text::render(report, baseline),
            Format::Json => {
                let mut text = serde_json::to_string_pretty(report).unwrap_or_default();
                text.push('\n');
                text
            }
            Format::Junit => junit::render(report, baseline, fail_on),
            Format::Sarif => sarif::render(report, baseline),
        }
    }
}
