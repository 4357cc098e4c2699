//! `chatdouble fixture`: checks and generates fixture files, and reads fixtures from servers.

mod from;

use super::CliError;
use super::atomic_file::write_atomically;
use super::output::{eprint_line, print_line};
use crate::fixture;
use crate::fixture::generate::{self, Size};
use clap::{Args, Subcommand};
use indicatif::{ProgressBar, ProgressStyle};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

#[derive(Debug, Subcommand)]
pub enum Fixture {
    /// Checks files: silent if they are valid, else prints every mistake as FILE: $.path: reason
    #[command(after_help = "For example:\n\n  chatdouble fixture check ours.json")]
    Check {
        /// Fixture files to check
        #[arg(required = true, value_name = "FILE")]
        files: Vec<PathBuf>,
    },
    /// Generates a large organization of a realistic shape; the same numbers give the same bytes
    Generate(Generate),
    /// Reads an organization from a server, as far as an account sees it, and writes a fixture
    From(Box<from::FromOptions>),
}

#[derive(Debug, Args)]
#[command(after_help = "For example:\n\n  chatdouble fixture generate --users 500 --messages 20000 -o large.json")]
pub struct Generate {
    /// Human users in addition to the cast and the system bots
    #[arg(long, value_name = "N", default_value_t = 10_000, value_parser = clap::value_parser!(u64).range(..=MAX_COUNT))]
    users: u64,

    /// Channels in total
    #[arg(long, value_name = "N", default_value_t = 300, value_parser = clap::value_parser!(u64).range(..=MAX_COUNT))]
    channels: u64,

    /// Messages in total
    #[arg(long, value_name = "N", default_value_t = 100_000, value_parser = clap::value_parser!(u64).range(..=MAX_COUNT))]
    messages: u64,

    /// Seed of everything random
    #[arg(long, value_name = "N", default_value_t = 0)]
    seed: u64,

    /// Fixture file to write; - for standard output
    #[arg(short, long, value_name = "FILE")]
    output: PathBuf,
}

/// The maximum number of users, channels or messages. Larger organizations do not fit into memory.
const MAX_COUNT: u64 = 10_000_000;

pub fn run(command: Fixture) -> Result<ExitCode, CliError> {
    match command {
        Fixture::Check { files } => Ok(check(&files)),
        Fixture::Generate(options) => generate(&options),
        Fixture::From(from) => from::run(&from),
    }
}

fn check(files: &[PathBuf]) -> ExitCode {
    let mut are_valid = true;
    for file in files {
        let name = file.display();
        let text = match std::fs::read_to_string(file) {
            Ok(text) => text,
            Err(error) => {
                eprint_line(format_args!("{name}: $: cannot be read: {error}"));
                are_valid = false;
                continue;
            }
        };
        // Any fixed time and seed will do, since the organization is discarded. The time is 2026-01-01T00:00:00Z.
        let (now, seed) = (crate::time::Timestamp::from_seconds(1_767_225_600), 0);
        let diagnostics = fixture::read(&text, now, seed).err().unwrap_or_default();
        for diagnostic in &diagnostics {
            eprint_line(format_args!("{name}: {diagnostic}"));
        }
        are_valid &= diagnostics.is_empty();
    }
    if are_valid { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

fn generate(options: &Generate) -> Result<ExitCode, CliError> {
    let [users, channels, messages] =
        [options.users, options.channels, options.messages].map(|count| usize::try_from(count).unwrap_or(usize::MAX));
    let size = Size { user_count: users, channel_count: channels, message_count: messages };
    let progress_bar = new_progress_bar(size.total(), &options.output);
    let document =
        generate::generate_document(size, options.seed, &mut |count| progress_bar.set_position(count as u64));
    progress_bar.set_message("writing");
    let text = generate::format_json(&document);
    if options.output.as_os_str() == "-" {
        progress_bar.finish_and_clear();
        print_line(text.trim_end())?;
        return Ok(ExitCode::SUCCESS);
    }
    let result = write_atomically(&options.output, &text);
    progress_bar.finish_and_clear();
    result.map_err(|error| CliError::failure(format!("cannot write {}: {error}", options.output.display())))?;
    Ok(ExitCode::SUCCESS)
}

/// A progress bar, which is shown only if standard error is a terminal.
fn new_progress_bar(total: usize, output: &Path) -> ProgressBar {
    let progress_bar = ProgressBar::new(total as u64);
    if let Ok(style) = ProgressStyle::with_template("{msg} [{wide_bar}] {pos}/{len}") {
        progress_bar.set_style(style);
    }
    progress_bar.set_message(output.display().to_string());
    progress_bar
}
