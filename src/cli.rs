//! The command-line program: its arguments, and a module for each command.

mod atomic_file;
mod baseline_file;
mod compare;
mod environment_variables;
mod exec;
mod fixture;
mod health;
mod levels;
mod log;
#[cfg(feature = "mcp")]
mod mcp;
mod open_files;
mod openapi;
mod output;
mod rules;
mod scenario;
mod serve;
mod shell;
mod shutdown;
mod signals;
mod state_file;
mod tls;
mod upstream;
mod usage;
mod watch;

use clap::{CommandFactory, FromArgMatches, Parser, Subcommand};
use std::ffi::OsString;
use std::process::ExitCode;

/// An in-memory test double of team-chat servers that speak the Zulip REST API.
#[derive(Debug, Parser)]
#[command(
    name = "chatdouble",
    version,
    about,
    override_usage = "chatdouble [OPTIONS] [COMMAND]",
    after_help = "Without a command it serves, and takes the options of serve:\n\n  chatdouble --clock frozen"
)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Serves the built-in organization or a fixture (the default command)
    Serve(Box<serve::Serve>),
    /// Serves on a free port while a command runs, which finds the server in CHATDOUBLE_URL
    Exec(Box<exec::Exec>),
    /// Ends a command when the `exec` that started it is gone
    #[cfg(unix)]
    #[command(hide = true)]
    Guard(exec::guard::Guard),
    /// Reports by its exit status whether a server can answer: 0 if it can, else 1
    Health(health::Health),
    /// Shows a world's requests and events live
    Watch(watch::Watch),
    /// Lists what each feature level changed
    Levels(levels::Levels),
    /// Lists the rules of the report on clients
    Rules(rules::Rules),
    /// Works on fixture files
    #[command(subcommand)]
    Fixture(fixture::Fixture),
    /// Plays and records scenarios: requests and expected replies in Markdown
    #[command(subcommand)]
    Scenario(scenario::ScenarioCommand),
    /// Gives agents tools over standard input and output, by the Model Context Protocol
    #[cfg(feature = "mcp")]
    Mcp(mcp::Mcp),
    /// Plays the same probes on two servers, and tells what differs: exit status 1 if anything new does
    Compare(Box<compare::Compare>),
    /// Prints the OpenAPI 3.1 document of the operations that a feature level has
    Openapi(openapi::Openapi),
}

impl Command {
    /// Whether the command starts a server, and neither the command line nor a variable sets its level.
    fn starts_server_without_level(&self) -> bool {
        match self {
            Command::Serve(serve) => !serve.has_level(),
            Command::Exec(exec) => !exec.has_level(),
            #[cfg(feature = "mcp")]
            Command::Mcp(mcp) => !mcp.has_server(),
            _ => false,
        }
    }
}

/// An error that ends the program.
#[derive(Debug)]
pub struct CliError {
    /// Exit status: 1 for a failure, 2 for wrong usage or a comparison that failed, 3 for a bug of this program, 130
    /// for an interruption. For a command that can't be run, the status that shells use.
    pub status: u8,
    /// One line, without `error:`.
    pub message: String,
}

impl CliError {
    fn failure(message: impl ToString) -> Self {
        Self { status: 1, message: message.to_string() }
    }

    fn internal(message: impl ToString) -> Self {
        Self { status: 3, message: message.to_string() }
    }

    /// An error with the status that shells use for a program that Ctrl-C ended.
    fn interrupted(message: impl ToString) -> Self {
        Self { status: 130, message: message.to_string() }
    }

    fn usage(message: impl ToString) -> Self {
        Self { status: 2, message: message.to_string() }
    }
}

/// The definition of the command line, for the generated reference.
pub fn command() -> clap::Command {
    Cli::command()
}

/// Runs the program with these arguments and returns its exit status.
///
/// # Errors
///
/// Wrong usage, or the error of the command. The caller prints it.
pub fn run(arguments: impl IntoIterator<Item = OsString>) -> Result<ExitCode, CliError> {
    let arguments = insert_default_command(arguments.into_iter().collect());
    let mut command = environment_variables::prepare_variables(Cli::command());
    environment_variables::misspelled_variable_warnings(&Cli::command(), std::env::vars_os().map(|(name, _)| name))
        .iter()
        .for_each(output::eprint_line);
    let cli = command.try_get_matches_from_mut(&arguments).and_then(|matches| Cli::from_arg_matches(&matches));
    let cli = match cli {
        Ok(cli) => cli,
        Err(error) if !error.use_stderr() => {
            // clap reports --help and --version as errors, too.
            // If standard output is closed, nobody reads the text.
            let _ = error.print();
            return Ok(ExitCode::SUCCESS);
        }
        Err(error) => return Err(CliError::usage(usage::error_message(&error, &command, &arguments))),
    };
    if cli.command.starts_server_without_level()
        && let Some(warning) = environment_variables::level_variable_warning()
    {
        output::eprint_line(warning);
    }
    match cli.command {
        Command::Serve(serve) => serve::run(*serve),
        Command::Exec(exec) => exec::run(*exec),
        #[cfg(unix)]
        Command::Guard(guard) => exec::guard::run(&guard),
        Command::Health(health) => health::run(&health),
        Command::Watch(watch) => watch::run(&watch),
        Command::Levels(levels) => levels::run(&levels),
        Command::Rules(rules) => rules::run(&rules),
        Command::Fixture(fixture) => fixture::run(fixture),
        Command::Scenario(command) => scenario::run(command),
        #[cfg(feature = "mcp")]
        Command::Mcp(mcp) => mcp::run(&mcp),
        Command::Compare(compare) => compare::run(&compare),
        Command::Openapi(openapi) => openapi::run(&openapi),
    }
}

/// Inserts the command `serve` if there are no arguments, or if the first one is an option other than those for help
/// and version, or is not UTF-8.
fn insert_default_command(mut arguments: Vec<OsString>) -> Vec<OsString> {
    let first = arguments.get(1).and_then(|argument| argument.to_str());
    let is_help_or_version = matches!(first, Some("-h" | "--help" | "-V" | "--version"));
    if first.is_none_or(|argument| argument.starts_with('-') && !is_help_or_version) {
        let position = arguments.len().min(1);
        arguments.insert(position, "serve".into());
    }
    arguments
}
