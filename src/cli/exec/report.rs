//! `chatdouble exec --report`: what the command's clients did wrong, as a file.

use crate::cli::CliError;
use crate::cli::file::write_whole;
use crate::cli::output::tell;
use crate::report::format::Format;
use crate::report::{Baseline, Severity, Summary};
use crate::server::Server;
use clap::Args;
use clap::ValueEnum;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::{Mutex, PoisonError};

/// The exit status of findings that the baseline does not have.
pub const HAS_FINDINGS: u8 = 4;
/// The file that means standard error.
const STANDARD_ERROR: &str = "-";

#[derive(Debug, Args)]
pub struct ReportOptions {
    /// File to which to write a report on the command's clients when it has ended; - for standard error
    #[arg(long, value_name = "FILE", conflicts_with = "chaos")]
    report: Option<PathBuf>,

    /// Form of the report [default: by the end of the file's name: .txt, .json, .xml for junit, .sarif]
    #[arg(long, value_name = "FORMAT", value_enum, requires = "report")]
    report_format: Option<FormatName>,

    /// Exit with status 4 if there is a finding at least this severe and the command succeeded
    #[arg(long, value_name = "SEVERITY", value_enum, requires = "report")]
    fail_on: Option<SeverityName>,

    /// An earlier report in JSON whose findings are known and no failure
    #[arg(long, value_name = "FILE", requires = "report")]
    report_baseline: Option<PathBuf>,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum FormatName {
    Text,
    Json,
    Junit,
    Sarif,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum SeverityName {
    Error,
    Warning,
    Note,
}

/// What is to be done with the report.
pub struct Reporting {
    file: Option<(PathBuf, Format)>,
    fail_on: Option<Severity>,
    baseline: Baseline,
    /// What the reports of several runs have.
    joined: Mutex<Summary>,
}

impl ReportOptions {
    /// What is to be done with the report; before the command runs, so that a mistake costs no test run.
    pub fn prepare(&self) -> Result<Reporting, CliError> {
        let file = match &self.report {
            Some(file) => Some((file.clone(), self.format(file)?)),
            None => None,
        };
        let baseline = match &self.report_baseline {
            Some(file) => Baseline::of(&read(file)?),
            None => Baseline::default(),
        };
        let fail_on = self.fail_on.map(|severity| match severity {
            SeverityName::Error => Severity::Error,
            SeverityName::Warning => Severity::Warning,
            SeverityName::Note => Severity::Note,
        });
        Ok(Reporting { file, fail_on, baseline, joined: Mutex::new(Summary { clients: Vec::new(), complete: true }) })
    }

    fn format(&self, file: &Path) -> Result<Format, CliError> {
        let name = file.to_string_lossy();
        match self.report_format {
            Some(FormatName::Text) => Ok(Format::Text),
            Some(FormatName::Json) => Ok(Format::Json),
            Some(FormatName::Junit) => Ok(Format::Junit),
            Some(FormatName::Sarif) => Ok(Format::Sarif),
            None if name == STANDARD_ERROR => Ok(Format::Text),
            None => Format::of_file(&name).ok_or_else(|| {
                CliError::of_usage(format!(
                    "the end of '{name}' names no form of a report (.txt, .json, .xml, .sarif); give --report-format"
                ))
            }),
        }
    }
}

fn read(file: &Path) -> Result<Summary, CliError> {
    let fault = |reason: String| CliError::of_start(format!("{}: {reason}", file.display()));
    let text = std::fs::read_to_string(file).map_err(|error| fault(error.to_string()))?;
    if !text.trim_start().starts_with('{') {
        return Err(fault("takes a report in JSON, as --report FILE.json writes it".to_owned()));
    }
    crate::json_diagnostic::read(&text).map_err(|mistake| fault(mistake.to_string()))
}

impl Reporting {
    /// Writes the report on a server's clients, which have ended; whether it has findings that fail the run.
    pub fn write(&self, server: &Server) -> Result<bool, CliError> {
        if self.file.is_none() {
            return Ok(false);
        }
        self.write_summary(&server.final_report())
    }

    /// Keeps the report on a server's clients for [`Reporting::finish`], each client's world with the server's level; how
    /// many findings it has. None where no report was asked for.
    pub fn add(&self, server: &Server, level: Option<i64>) -> Option<usize> {
        self.file.as_ref()?;
        let mut report = server.final_report();
        if let Some(level) = level {
            for client in &mut report.clients {
                client.world = client.world.take().map(|world| format!("{world} at {level}"));
            }
        }
        let count = report.findings().count();
        self.joined.lock().unwrap_or_else(PoisonError::into_inner).extend(report);
        Some(count)
    }

    /// Writes what was kept of several runs, of which the first that failed had this status; the status of all.
    ///
    /// # Errors
    ///
    /// What keeps the file from being written.
    pub fn report_after(&self, status: ExitCode) -> Result<ExitCode, CliError> {
        if self.file.is_none() {
            return Ok(status);
        }
        let joined = std::mem::take(&mut *self.joined.lock().unwrap_or_else(PoisonError::into_inner));
        let fails = self.write_summary(&joined)?;
        Ok(if fails && status == ExitCode::SUCCESS { ExitCode::from(HAS_FINDINGS) } else { status })
    }

    fn write_summary(&self, report: &Summary) -> Result<bool, CliError> {
        let Some((file, format)) = &self.file else { return Ok(false) };
        let text = format.write(report, &self.baseline, self.fail_on);
        if file.as_os_str() == STANDARD_ERROR {
            // Nobody may read it any more.
            let _ = std::io::stderr().write_all(text.as_bytes());
        } else {
            write_whole(file, &text)
                .map_err(|error| CliError::of_start(format!("cannot write {}: {error}", file.display())))?;
        }
        let fails = |severity: Severity| self.fail_on.is_some_and(|least| severity >= least);
        let findings = report.findings();
        let failing =
            findings.filter(|(client, finding)| fails(finding.severity) && !self.baseline.has(client, finding));
        let count = failing.count();
        if count > 0 && file.as_os_str() != STANDARD_ERROR {
            let findings = if count == 1 { "finding lets" } else { "findings let" };
            tell(format_args!("report: {count} {findings} the run fail; see {}", file.display()));
        }
        Ok(count > 0)
    }
}
