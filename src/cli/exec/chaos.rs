//! Chaos: runs the command with random faults, and shrinks the first list of faults with which it fails.

pub mod observed_requests;
mod random_faults;
mod shrink;

pub use observed_requests::ObservedRequests;

use super::run_settings::{RunResult, RunSettings};
use crate::cli::CliError;
use crate::cli::atomic_file::{check_writable, write_atomically};
use crate::cli::output::eprint_line;
use crate::cli::shell::quote_for_shell;
use crate::count_format::format_count;
use clap::Args;
use serde_json::Value;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

/// Exit status when the command fails without faults.
const FAILS_WITHOUT_FAULTS_STATUS: u8 = 5;
/// The default time limit of a run with faults is [`EXTRA_TIME`] plus [`TIME_FACTOR`] times the first run.
const EXTRA_TIME: Duration = Duration::from_secs(30);
const TIME_FACTOR: u32 = 10;
/// The name of the faults file in messages, when no file was requested.
const EXAMPLE_FILE_NAME: &str = "faults.json";

#[derive(Debug, Args)]
pub struct ChaosOptions {
    /// Run the command once without faults, then again and again with faults drawn from this seed, each time against a
    /// fresh server; when it fails, find the fewest faults with which it does
    #[arg(long, value_name = "SEED")]
    chaos: Option<u64>,

    /// Number of runs with faults, unless one fails before
    #[arg(long, value_name = "N", default_value_t = 10, requires = "chaos", value_parser = clap::value_parser!(u32).range(1..=100_000))]
    chaos_runs: u32,

    /// Maximum number of faults of a run
    #[arg(long, value_name = "N", default_value_t = 8, requires = "chaos", value_parser = clap::value_parser!(u32).range(1..=1_000))]
    chaos_faults: u32,

    /// File to which to write the fewest faults with which the command fails
    #[arg(long, value_name = "FILE", requires = "chaos")]
    chaos_out: Option<PathBuf>,

    /// Seconds after which a run with faults is ended and counts as failed [default: 30 and ten times the first run]
    #[arg(long, value_name = "SECONDS", requires = "chaos", value_parser = clap::value_parser!(u32).range(1..))]
    chaos_timeout: Option<u32>,
}

impl ChaosOptions {
    /// The seed; None without `--chaos`.
    pub fn seed(&self) -> Option<u64> {
        self.chaos
    }

    /// Checks that the file for the faults can be written, before any run.
    ///
    /// # Errors
    ///
    /// If it can't.
    pub fn check_output(&self) -> Result<(), CliError> {
        let Some(file) = &self.chaos_out else { return Ok(()) };
        check_writable(file).map_err(|error| write_error(file, &error))
    }

    /// Runs the command once without faults, and then with random ones until it fails, or for the requested number of
    /// runs. Shrinks the faults with which it fails.
    ///
    /// # Errors
    ///
    /// If a run can't start or leaves a world with broken invariants, or if the file can't be written.
    pub async fn run(
        &self,
        seed: u64,
        run_once: impl AsyncFn(RunSettings) -> Result<RunResult<ObservedRequests>, CliError>,
    ) -> Result<ExitCode, CliError> {
        let first_run = run_once(RunSettings::default()).await?;
        if first_run.status != 0 {
            eprint_line(format_args!("chaos: without faults the command {}", first_run.summary()));
            return Ok(ExitCode::from(if first_run.is_interrupted {
                first_run.status
            } else {
                FAILS_WITHOUT_FAULTS_STATUS
            }));
        }
        if let Some(reason) = first_run.observation.reason_for_no_fault() {
            eprint_line(format_args!("chaos: no fault can fire: {reason}"));
            return Ok(ExitCode::SUCCESS);
        }
        let time_limit = self.chaos_timeout.map(|seconds| Duration::from_secs(seconds.into()));
        let time_limit = Some(time_limit.unwrap_or(EXTRA_TIME + TIME_FACTOR * first_run.duration));
        for number in 1..=self.chaos_runs {
            let faults = random_faults::draw_faults(&first_run.observation, seed, number, self.chaos_faults);
            let run = run_once(RunSettings { faults: faults.clone(), time_limit, ..RunSettings::default() }).await?;
            let (fault_count_text, seconds) = (format_count(faults.len(), "fault"), run.duration.as_secs_f64());
            eprint_line(format_args!(
                "chaos: run {number} of {}: {fault_count_text}, {} in {seconds:.1} s",
                self.chaos_runs,
                run.summary()
            ));
            if run.is_interrupted {
                return Ok(ExitCode::from(run.status));
            }
            if run.status != 0 {
                return self.shrink(faults, run.status, time_limit, run_once).await;
            }
        }
        Ok(ExitCode::SUCCESS)
    }

    /// Finds and reports a minimal list of faults with which the command fails with the same status. After an
    /// interruption, reports the shortest list found so far.
    ///
    /// # Errors
    ///
    /// Those of [`Self::run`].
    async fn shrink(
        &self,
        faults: Vec<Value>,
        status: u8,
        time_limit: Option<Duration>,
        run_once: impl AsyncFn(RunSettings) -> Result<RunResult<ObservedRequests>, CliError>,
    ) -> Result<ExitCode, CliError> {
        let mut run_count = 0;
        let mut interrupt_status = None;
        let fails = async |faults: &[Value]| {
            // After an interruption, every list counts as passing, so that shrinking ends with the shortest list so
            // far.
            if interrupt_status.is_some() {
                return Ok(false);
            }
            run_count += 1;
            let run = run_once(RunSettings { faults: faults.to_vec(), time_limit, ..RunSettings::default() }).await?;
            if run.is_interrupted {
                interrupt_status = Some(run.status);
            }
            Ok::<bool, CliError>(run.status == status && !run.is_interrupted)
        };
        let minimal = shrink::minimal_faults(faults, fails).await?;
        let text = format_json_list(&minimal);
        let fault_count_text = format_count(minimal.len(), "fault");
        eprint_line(format_args!(
            "chaos: {fault_count_text} with which the command fails, found in {}:\n{text}",
            format_count(run_count, "more run")
        ));
        if let Some(file) = &self.chaos_out {
            write_atomically(file, &format!("{text}\n")).map_err(|error| write_error(file, &error))?;
        }
        let file = self.chaos_out.as_deref().unwrap_or(Path::new(EXAMPLE_FILE_NAME));
        let introduction =
            if self.chaos_out.is_some() { "to repeat it" } else { "to repeat it with that list in a file" };
        eprint_line(format_args!("chaos: {introduction}: {}", repeat_command(std::env::args_os(), file)));
        Ok(ExitCode::from(interrupt_status.unwrap_or(status)))
    }
}

fn write_error(file: &Path, error: &std::io::Error) -> CliError {
    CliError::failure(format!("cannot write {}: {error}", file.display()))
}

/// Formats faults as a JSON list with one fault per line.
fn format_json_list(faults: &[Value]) -> String {
    let lines: Vec<String> = faults.iter().map(|fault| format!("  {fault}")).collect();
    format!("[\n{}\n]", lines.join(",\n"))
}

/// The command line that runs the command with the faults of a file instead of chaos.
fn repeat_command(arguments: impl IntoIterator<Item = OsString>, file: &Path) -> String {
    let mut words = vec!["chatdouble".to_owned()];
    let mut arguments = arguments.into_iter().skip(1).map(|argument| argument.to_string_lossy().into_owned());
    while let Some(argument) = arguments.next() {
        if argument == "--" {
            words.extend(["--faults".to_owned(), quote_for_shell(&file.to_string_lossy()), argument]);
            break;
        }
        match argument.strip_prefix("--chaos") {
            // Skips the value, which is a separate argument.
            Some(option) if !option.contains('=') => _ = arguments.next(),
            Some(_) => {}
            None => words.push(quote_for_shell(&argument)),
        }
    }
    words.extend(arguments.map(|argument| quote_for_shell(&argument)));
    words.join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_line_that_repeats_a_failure_has_no_options_of_chaos() {
        let words = "chatdouble exec --chaos 7 --clock frozen --chaos-out=x.json --chaos-runs 3 --seed 1 -- sh -c";
        let arguments = words.split(' ').chain(["echo 'a'", "--chaos", ""]).map(OsString::from);

        let expected = r"chatdouble exec --clock frozen --seed 1 --faults x.json -- sh -c 'echo '\''a'\''' --chaos ''";
        assert_eq!(repeat_command(arguments, Path::new("x.json")), expected);
    }
}
