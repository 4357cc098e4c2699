//! Chaos: a command is run with faults by chance, and the first list of faults that it fails with is made as short as it
//! gets.

mod draw;
pub mod seen;
mod shrink;

pub use seen::Seen;

use super::attempt::{Attempt, Attempted};
use crate::cli::CliError;
use crate::cli::file::write_whole;
use crate::cli::output::tell;
use crate::counted::counted;
use clap::Args;
use serde_json::Value;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

/// The status for a command that fails without faults: nothing can be learned from it.
const LEARNS_NOTHING: u8 = 5;
/// A run with faults may take so much longer than the first.
const GRACE: Duration = Duration::from_secs(30);
const SLOWNESS: u32 = 10;
/// The name that a file of faults has in what is said, where none was asked for.
const NAMELESS: &str = "faults.json";

/// What is drawn, and how often.
#[derive(Debug, Args)]
pub struct Chaos {
    /// Run the command once without faults, then again and again with faults drawn from this seed, each time against a
    /// fresh server; when it fails, find the fewest faults with which it does
    #[arg(long, value_name = "SEED")]
    chaos: Option<u64>,

    /// Number of runs with faults
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

impl Chaos {
    /// The seed, if there is to be chaos.
    pub fn seed(&self) -> Option<u64> {
        self.chaos
    }

    /// Runs the command until it fails, or as often as asked.
    ///
    /// # Errors
    ///
    /// What keeps a run from starting, or the file from being written.
    pub async fn run(
        &self,
        seed: u64,
        attempt: impl AsyncFn(Attempt) -> Result<Attempted<Seen>, CliError>,
    ) -> Result<ExitCode, CliError> {
        let first = attempt(Attempt::default()).await?;
        if first.status != 0 {
            tell(format_args!("chaos: without faults the command {}", first.result()));
            return Ok(ExitCode::from(if first.is_interrupted { first.status } else { LEARNS_NOTHING }));
        }
        if first.seen.is_empty() {
            tell(
                "chaos: no fault can fire: the command sent no request of an operation to the server in CHATDOUBLE_URL",
            );
            return Ok(ExitCode::SUCCESS);
        }
        let limit = self.chaos_timeout.map(|seconds| Duration::from_secs(seconds.into()));
        let limit = Some(limit.unwrap_or(GRACE + SLOWNESS * first.took));
        for number in 1..=self.chaos_runs {
            let faults = draw::faults(&first.seen, seed, number, self.chaos_faults);
            let run = attempt(Attempt { faults: faults.clone(), limit, ..Attempt::default() }).await?;
            let (count, took) = (counted(faults.len(), "fault"), run.took.as_secs_f64());
            tell(format_args!("chaos: run {number} of {}: {count}, {} in {took:.1} s", self.chaos_runs, run.result()));
            if run.is_interrupted {
                return Ok(ExitCode::from(run.status));
            }
            if run.status != 0 {
                return self.shrink(faults, run.status, limit, attempt).await;
            }
        }
        Ok(ExitCode::SUCCESS)
    }

    /// Finds the fewest faults with which the command fails as it did, and tells them.
    async fn shrink(
        &self,
        faults: Vec<Value>,
        status: u8,
        limit: Option<Duration>,
        attempt: impl AsyncFn(Attempt) -> Result<Attempted<Seen>, CliError>,
    ) -> Result<ExitCode, CliError> {
        let mut runs = 0;
        let mut interrupted = None;
        let fails = async |faults: &[Value]| {
            if interrupted.is_some() {
                return Ok(false);
            }
            runs += 1;
            let run = attempt(Attempt { faults: faults.to_vec(), limit, ..Attempt::default() }).await?;
            if run.is_interrupted {
                interrupted = Some(run.status);
            }
            Ok::<bool, CliError>(run.status == status && !run.is_interrupted)
        };
        let fewest = shrink::fewest(faults, fails).await?;
        let text = written(&fewest);
        let count = counted(fewest.len(), "fault");
        tell(format_args!(
            "chaos: {count} with which the command fails, found in {}:\n{text}",
            counted(runs, "more run")
        ));
        if let Some(file) = &self.chaos_out {
            write_whole(file, &format!("{text}\n"))
                .map_err(|error| CliError::of_start(format!("cannot write {}: {error}", file.display())))?;
        }
        let file = self.chaos_out.as_deref().unwrap_or(Path::new(NAMELESS));
        let how = if self.chaos_out.is_some() { "to repeat it" } else { "to repeat it with that list in a file" };
        tell(format_args!("chaos: {how}: {}", repeating(std::env::args_os(), file)));
        Ok(ExitCode::from(interrupted.unwrap_or(status)))
    }
}

/// Rules as a file has them, a line each.
fn written(rules: &[Value]) -> String {
    let lines: Vec<String> = rules.iter().map(|rule| format!("  {rule}")).collect();
    format!("[\n{}\n]", lines.join(",\n"))
}

/// The command line that runs the command with the faults in a file, in place of chaos.
fn repeating(arguments: impl IntoIterator<Item = OsString>, file: &Path) -> String {
    let mut words = vec!["chatdouble".to_owned()];
    let mut arguments = arguments.into_iter().skip(1).map(|argument| argument.to_string_lossy().into_owned());
    while let Some(argument) = arguments.next() {
        if argument == "--" {
            words.extend(["--faults".to_owned(), quoted(&file.to_string_lossy()), argument]);
            break;
        }
        match argument.strip_prefix("--chaos") {
            // The value is a word of its own.
            Some(option) if !option.contains('=') => _ = arguments.next(),
            Some(_) => {}
            None => words.push(quoted(&argument)),
        }
    }
    words.extend(arguments.map(|argument| quoted(&argument)));
    words.join(" ")
}

/// A word as shells take it.
fn quoted(word: &str) -> String {
    let is_plain = |one: char| one.is_ascii_alphanumeric() || "-_./:=,@%+".contains(one);
    if !word.is_empty() && word.chars().all(is_plain) {
        return word.to_owned();
    }
    format!("'{}'", word.replace('\'', r"'\''"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_line_that_repeats_a_failure_has_all_but_the_chaos() {
        let words = "chatdouble exec --chaos 7 --clock frozen --chaos-out=x.json --chaos-runs 3 --seed 1 -- sh -c";
        let arguments = words.split(' ').chain(["echo 'a'", "--chaos", ""]).map(OsString::from);

        let expected = r"chatdouble exec --clock frozen --seed 1 --faults x.json -- sh -c 'echo '\''a'\''' --chaos ''";
        assert_eq!(repeating(arguments, Path::new("x.json")), expected);
    }
}
