//! `chatdouble fixture`: working on fixture files.

mod from;

use super::CliError;
use super::file::write_whole;
use super::output::{say, tell};
use crate::fixture;
use crate::fixture::generate::{self, Size};
use clap::{Args, Subcommand};
use indicatif::{ProgressBar, ProgressStyle};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

#[derive(Debug, Subcommand)]
pub enum Fixture {
    /// Checks files: silent if they are valid, else prints every fault as FILE: $.path: reason
    #[command(after_help = "For example:\n\n  chatdouble fixture check ours.json")]
    Check {
        /// Fixture files
        #[arg(required = true, value_name = "FILE")]
        files: Vec<PathBuf>,
    },
    /// Generates a large organization of a realistic shape; the same numbers give the same bytes
    Generate(Generate),
    /// Reads an organization from a server, as far as an account sees it, and writes a fixture
    From(Box<from::From>),
}

#[derive(Debug, Args)]
#[command(after_help = "For example:\n\n  chatdouble fixture generate --users 500 --messages 20000 -o large.json")]
pub struct Generate {
    /// Human users in addition to the cast and the system bots
    #[arg(long, value_name = "N", default_value_t = 10_000, value_parser = clap::value_parser!(u64).range(..=MOST))]
    users: u64,

    /// Channels
    #[arg(long, value_name = "N", default_value_t = 300, value_parser = clap::value_parser!(u64).range(..=MOST))]
    channels: u64,

    /// Messages
    #[arg(long, value_name = "N", default_value_t = 100_000, value_parser = clap::value_parser!(u64).range(..=MOST))]
    messages: u64,

    /// Seed of everything random
    #[arg(long, value_name = "N", default_value_t = 0)]
    seed: u64,

    /// File to write; - for standard output
    #[arg(short, long, value_name = "FILE")]
    output: PathBuf,
}

/// More of anything than this does not fit into memory.
const MOST: u64 = 10_000_000;

pub fn run(command: Fixture) -> Result<ExitCode, CliError> {
    match command {
        Fixture::Check { files } => Ok(check(&files)),
        Fixture::Generate(wanted) => generate(&wanted),
        Fixture::From(from) => from::run(&from),
    }
}

fn check(files: &[PathBuf]) -> ExitCode {
    let mut is_well = true;
    for file in files {
        let name = file.display();
        let text = match std::fs::read_to_string(file) {
            Ok(text) => text,
            Err(error) => {
                tell(format_args!("{name}: $: cannot be read: {error}"));
                is_well = false;
                continue;
            }
        };
        let now = crate::time::Timestamp::from_seconds(1_767_225_600);
        let faults = fixture::read(&text, now, 0).err().unwrap_or_default();
        for fault in &faults {
            tell(format_args!("{name}: {fault}"));
        }
        is_well &= faults.is_empty();
    }
    if is_well { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

fn generate(wanted: &Generate) -> Result<ExitCode, CliError> {
    let [users, channels, messages] =
        [wanted.users, wanted.channels, wanted.messages].map(|count| usize::try_from(count).unwrap_or(usize::MAX));
    let size = Size { users, channels, messages };
    let bar = bar(size.total(), &wanted.output);
    let made = generate::document(size, wanted.seed, &mut |made| bar.set_position(made as u64));
    bar.set_message("writing");
    let text = generate::text(&made);
    if wanted.output.as_os_str() == "-" {
        bar.finish_and_clear();
        say(text.trim_end())?;
        return Ok(ExitCode::SUCCESS);
    }
    let written = write_whole(&wanted.output, &text);
    bar.finish_and_clear();
    written.map_err(|error| CliError::of_start(format!("cannot write {}: {error}", wanted.output.display())))?;
    Ok(ExitCode::SUCCESS)
}

/// A progress bar, shown only on a terminal.
fn bar(total: usize, output: &Path) -> ProgressBar {
    let bar = ProgressBar::new(total as u64);
    if let Ok(style) = ProgressStyle::with_template("{msg} [{wide_bar}] {pos}/{len}") {
        bar.set_style(style);
    }
    bar.set_message(output.display().to_string());
    bar
}
