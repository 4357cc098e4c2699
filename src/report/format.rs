//! The report as files: text for people, JSON, JUnit and SARIF.

mod junit;
mod sarif;
mod text;

use super::{Baseline, Severity, Summary};

pub use junit::escaped_for_xml;

/// A form of the report.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// For people.
    Text,
    /// As control gives it.
    Json,
    /// For CI services that show tests.
    Junit,
    /// For services that show findings of static analysis; SARIF 2.1.0.
    Sarif,
}

impl Format {
    /// The form of a file by the end of its name.
    pub fn of_file(name: &str) -> Option<Self> {
        let (_, end) = name.rsplit_once('.')?;
        match end {
            "txt" => Some(Format::Text),
            "json" => Some(Format::Json),
            "xml" => Some(Format::Junit),
            "sarif" => Some(Format::Sarif),
            _ => None,
        }
    }

    /// A report in this form. Findings of the baseline are marked as known. Where findings are failures, those less severe
    /// than `fail_on` are none.
    pub fn write(self, report: &Summary, baseline: &Baseline, fail_on: Option<Severity>) -> String {
        match self {
            Format::Text => text::write(report, baseline),
            Format::Json => {
                let mut text = serde_json::to_string_pretty(report).unwrap_or_default();
                text.push('\n');
                text
            }
            Format::Junit => junit::write(report, baseline, fail_on),
            Format::Sarif => sarif::write(report, baseline),
        }
    }
}
