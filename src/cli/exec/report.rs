//! `chatdouble exec --report`: writes the report on the command's clients to a file or to standard error.

use crate::cli::CliError;
use crate::cli::atomic_file::{check_writable, write_atomically};
use crate::cli::baseline_file::{BaselineOption, ResultKind};
use crate::cli::output::eprint_line;
use crate::report::format::{Format, client_title};
use crate::report::{Baseline, ClientSummary, FindingSummary, Severity, Summary};
use crate::server::Server;
use clap::{Args, ValueEnum};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::{Mutex, PoisonError};

/// Exit status for findings that are not in the baseline and are at least as severe as `--fail-on`.
pub const FINDINGS_STATUS: u8 = 4;
/// The file name that means standard error.
const STANDARD_ERROR: &str = "-";
/// The maximum number of failing findings of which the rule and the client are printed.
const MAX_NAMED_FINDINGS: usize = 3;
const BASELINE_OPTION: BaselineOption = BaselineOption {
    name: "--report-baseline",
    kind: ResultKind::Report,
    expected_file: "a report in JSON, as --report FILE.json writes it",
    writing_option: "--report FILE.json",
};

#[derive(Debug, Args)]
pub struct ReportOptions {
    /// File to which to write a report on the command's clients when it has ended; - for standard error
    #[arg(long, value_name = "FILE", conflicts_with = "chaos")]
    report: Option<PathBuf>,

    /// Format of the report [default: from the file extension: .txt, .json, .xml for junit, .sarif]
    #[arg(long, value_name = "FORMAT", value_enum, requires = "report")]
    report_format: Option<FormatName>,

    /// Exit with status 4 if there is a finding at least this severe and the command succeeded
    #[arg(long, value_name = "SEVERITY", value_enum, requires = "report")]
    fail_on: Option<SeverityName>,

    /// An earlier JSON report, whose findings do not fail the run
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

/// Writes the report, as requested on the command line.
pub struct Reporter {
    file: Option<(PathBuf, Format)>,
    fail_on: Option<Severity>,
    baseline: Baseline,
    /// The clients of several runs, added by [`Reporter::collect`].
    collected_summary: Mutex<Summary>,
}

impl ReportOptions {
    /// Checks the options before the command runs, so that a mistake in them does not cost a test run.
    ///
    /// # Errors
    ///
    /// If the format is unknown, the report can't be written, or the baseline can't be read.
    pub fn prepare(&self) -> Result<Reporter, CliError> {
        self.check_different_files()?;
        let file = match &self.report {
            Some(file) => {
                let format = self.format(file)?;
                if file.as_os_str() != STANDARD_ERROR {
                    check_writable(file).map_err(|error| write_error(file, &error))?;
                }
                Some((file.clone(), format))
            }
            None => None,
        };
        let baseline = match &self.report_baseline {
            Some(file) => Baseline::from_report(&BASELINE_OPTION.read(file)?),
            None => Baseline::default(),
        };
        let fail_on = self.fail_on.map(|severity| match severity {
            SeverityName::Error => Severity::Error,
            SeverityName::Warning => Severity::Warning,
            SeverityName::Note => Severity::Note,
        });
        Ok(Reporter {
            file,
            fail_on,
            baseline,
            collected_summary: Mutex::new(Summary { clients: Vec::new(), complete: true }),
        })
    }

    /// Refuses to overwrite the baseline: the findings of this run would count as known from the next run on.
    fn check_different_files(&self) -> Result<(), CliError> {
        let canonical_path = |file: &Option<PathBuf>| file.as_deref().and_then(|file| file.canonicalize().ok());
        match (canonical_path(&self.report), canonical_path(&self.report_baseline)) {
            (Some(report), Some(baseline)) if report == baseline => Err(CliError::usage(format!(
                "--report and --report-baseline are the same file, {}: the next run would take what is new in this one \
                 for known; give the report another name",
                baseline.display()
            ))),
            _ => Ok(()),
        }
    }

    fn format(&self, file: &Path) -> Result<Format, CliError> {
        let name = file.to_string_lossy();
        match self.report_format {
            Some(FormatName::Text) => Ok(Format::Text),
            Some(FormatName::Json) => Ok(Format::Json),
            Some(FormatName::Junit) => Ok(Format::Junit),
            Some(FormatName::Sarif) => Ok(Format::Sarif),
            None if name == STANDARD_ERROR => Ok(Format::Text),
            None => Format::from_file_name(&name).ok_or_else(|| {
                CliError::usage(format!(
                    "'{name}' has no extension of a report format (.txt, .json, .xml, .sarif); give --report-format"
                ))
            }),
        }
    }
}

fn write_error(file: &Path, error: &io::Error) -> CliError {
    CliError::failure(format!("cannot write {}: {error}", file.display()))
}

/// The numbers of findings of a run.
#[derive(Clone, Copy, Debug, Default)]
pub struct FindingCounts {
    /// Those that are not in the baseline.
    pub new: usize,
    /// Those in the baseline.
    pub known: usize,
}

impl Reporter {
    /// Writes the report on a server's clients, which have ended. Returns whether it has findings that fail the run;
    /// false if no report was requested.
    ///
    /// # Errors
    ///
    /// If the file can't be written.
    pub fn write(&self, server: &Server) -> Result<bool, CliError> {
        if self.file.is_none() {
            return Ok(false);
        }
        self.write_summary(&server.close_reports())
    }

    /// Collects the report on a server's clients for [`Reporter::write_collected`], with `level` added to the names of
    /// worlds. Returns the numbers of findings; None if no report was requested.
    pub fn collect(&self, server: &Server, level: Option<i64>) -> Option<FindingCounts> {
        self.file.as_ref()?;
        let mut report = server.close_reports();
        if let Some(level) = level {
            for client in &mut report.clients {
                client.world = client.world.take().map(|world| format!("{world} at {level}"));
            }
        }
        let known = report.findings().filter(|(client, finding)| self.baseline.contains(client, finding)).count();
        let new = report.findings().count() - known;
        self.collected_summary.lock().unwrap_or_else(PoisonError::into_inner).extend(report);
        Some(FindingCounts { new, known })
    }

    /// Writes the collected report of several runs. `status` is that of the first failed run, or success. Returns the
    /// exit status of the program.
    ///
    /// # Errors
    ///
    /// When the file can't be written.
    pub fn write_collected(&self, status: ExitCode) -> Result<ExitCode, CliError> {
        if self.file.is_none() {
            return Ok(status);
        }
        let collected_summary =
            std::mem::take(&mut *self.collected_summary.lock().unwrap_or_else(PoisonError::into_inner));
        let has_failing_findings = self.write_summary(&collected_summary)?;
        Ok(if has_failing_findings && status == ExitCode::SUCCESS { ExitCode::from(FINDINGS_STATUS) } else { status })
    }

    fn write_summary(&self, summary: &Summary) -> Result<bool, CliError> {
        let Some((file, format)) = &self.file else { return Ok(false) };
        if summary.clients.is_empty() {
            eprint_line("report: no request reached the server in CHATDOUBLE_URL");
        }
        let text = format.render(summary, &self.baseline, self.fail_on);
        if file.as_os_str() == STANDARD_ERROR {
            // The reader of standard error may have ended.
            let _ = std::io::stderr().write_all(text.as_bytes());
        } else {
            write_atomically(file, &text).map_err(|error| write_error(file, &error))?;
        }
        let is_severe = |severity: Severity| self.fail_on.is_some_and(|min_severity| severity >= min_severity);
        let findings = summary.findings();
        let fails_run = |(client, finding): &(&ClientSummary, &FindingSummary)| {
            is_severe(finding.severity) && !self.baseline.contains(client, finding)
        };
        let failing_findings: Vec<_> = findings.filter(fails_run).collect();
        let count = failing_findings.len();
        if count > 0 && file.as_os_str() != STANDARD_ERROR {
            let subject_and_verb = if count == 1 { "finding makes" } else { "findings make" };
            eprint_line(format_args!("report: {count} {subject_and_verb} the run fail; see {}", file.display()));
            for (client, finding) in failing_findings.iter().take(MAX_NAMED_FINDINGS) {
                eprint_line(format_args!("  {} {}: {}", finding.severity, finding.rule, client_title(client)));
            }
            if count > MAX_NAMED_FINDINGS {
                eprint_line(format_args!("  and {} more", count - MAX_NAMED_FINDINGS));
            }
        }
        Ok(count > 0)
    }
}
