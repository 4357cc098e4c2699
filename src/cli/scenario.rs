//! `chatdouble scenario`: plays scenarios against a server, or records them.

mod proxy;
mod record;
mod results;
mod traffic;

use super::CliError;
use super::atomic_file::{check_writable, write_atomically};
use super::compare::{handle_of, role_names};
use super::output::{eprint_line, print_line};
use super::tls::{TrustOptions, with_tls_hint};
use crate::json_diagnostic::{self, similar_name};
use crate::scenario::server_comparison::handles;
use crate::scenario::{
    Accounts, Difference, Document, Edit, Mode, Outcome, Scenario, Stage, apply_edits, level_of_world, play,
};
use crate::server::Server;
use clap::{Args, Subcommand};
use results::{Results, Verdict};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

#[derive(Debug, Subcommand)]
pub enum ScenarioCommand {
    /// Plays scenarios, each in a new world whose clock is frozen at 2026-01-01T00:00:00Z
    Run(Run),
    /// Records what passes between clients and a server as a scenario: clients connect to the address that it prints
    Record(Box<record::Record>),
}

#[derive(Debug, Args)]
#[command(
    after_help = "For example:\n\n  chatdouble scenario run lunch.md\n  chatdouble scenario run --url http://127.0.0.1:9991 --junit results.xml *.md"
)]
pub struct Run {
    /// Markdown files with scenarios; of a folder, its *.md
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,

    /// Server to play against, at its feature level and in its dialect; by default one is started
    #[arg(long, value_name = "URL")]
    url: Option<String>,

    /// JSON file with accounts of the server at URL, by role or by the names of the scenarios' users; its organization
    /// is then played as it is; needed without /control: {"mel": {"email": "…", "api_key": "…"}, …}
    #[arg(long, value_name = "FILE", requires = "url")]
    accounts: Option<PathBuf>,

    /// Token that the server's /control requires
    #[arg(long, env = "CHATDOUBLE_CONTROL_TOKEN", value_name = "TOKEN", hide_env_values = true)]
    control_token: Option<String>,

    #[command(flatten)]
    trust: TrustOptions,

    /// Rewrite expected replies that differ to the actual ones
    #[arg(long)]
    update: bool,

    /// Exit with status 1 if a scenario is skipped
    #[arg(long)]
    fail_on_skip: bool,

    /// File to which to write the results in the JUnit format, with a test case for each scenario
    #[arg(long, value_name = "FILE")]
    junit: Option<PathBuf>,
}

pub fn run(command: ScenarioCommand) -> Result<ExitCode, CliError> {
    let run = match command {
        ScenarioCommand::Run(run) => run,
        ScenarioCommand::Record(record) => return record::run(&record),
    };
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().map_err(CliError::failure)?;
    let status = runtime.block_on(play_files(&run));
    runtime.shutdown_background();
    status
}

async fn play_files(run: &Run) -> Result<ExitCode, CliError> {
    let accounts = run.accounts.as_deref().map_or_else(|| Ok(Accounts::new()), read_accounts)?;
    let junit_error =
        |file: &Path, error: std::io::Error| CliError::failure(format!("{} can't be written: {error}", file.display()));
    if let Some(file) = &run.junit {
        check_writable(file).map_err(|error| junit_error(file, error))?;
    }
    let Some(documents) = read_documents(&list_files(&run.files)?) else { return Ok(ExitCode::FAILURE) };
    check_names(run.accounts.as_deref(), &accounts, &documents)?;
    let started_server = match run.url {
        Some(_) => None,
        None => Some(Server::start().await.map_err(CliError::failure)?),
    };
    let url = started_server.as_ref().map_or_else(|| run.url.as_deref().unwrap_or_default(), Server::url);
    let tls_config = run.trust.config_for(url)?;
    let stage = Stage::open_with_tls(url, run.control_token.clone(), accounts, tls_config).await;
    let stage = stage.map_err(|reason| CliError::failure(with_tls_hint(reason)))?;
    let mut results = Results::default();
    let play_all = async {
        for document in &documents {
            play_document(run, &stage, document, &mut results).await?;
        }
        Ok(())
    };
    tokio::select! {
        result = play_all => result?,
        _ = tokio::signal::ctrl_c() => {
            stage.end_all_worlds().await;
            return Err(CliError::interrupted("interrupted before all was played"));
        }
    }
    if let Some(server) = started_server {
        server.stop().await;
    }
    if let Some(file) = &run.junit {
        write_atomically(file, &results.junit()).map_err(|error| junit_error(file, error))?;
    }
    print_line(results.counts_line())?;
    results.status(run.fail_on_skip)
}

/// Reads accounts, which may be named by role, as those of `compare` are.
fn read_accounts(file: &Path) -> Result<Accounts, CliError> {
    let file_error = |reason: String| CliError::failure(format!("{}: {reason}", file.display()));
    let text = std::fs::read_to_string(file).map_err(|error| file_error(error.to_string()))?;
    let named_accounts: Accounts = json_diagnostic::read(&text).map_err(|mistake| {
        file_error(format!(
            "{mistake}; scenario run takes accounts of one server, by role or by the names of the scenarios' users: \
             {{\"mel\": {{\"email\": …, \"api_key\": …}}}}"
        ))
    })?;
    let mut accounts = Accounts::new();
    for (name, account) in named_accounts {
        let handle = handle_of(&name).to_owned();
        if accounts.contains_key(&handle) {
            return Err(file_error(format!("$.{name}: the account for {handle} is given twice")));
        }
        accounts.insert(handle, account);
    }
    Ok(accounts)
}

/// Warns of accounts whose names are similar to a role or to a user of the scenarios, and checks that at least one
/// account is such a user.
///
/// # Errors
///
/// If none is, with the names of the scenarios' users.
fn check_names(file: Option<&Path>, accounts: &Accounts, documents: &[Document]) -> Result<(), CliError> {
    let Some(file) = file else { return Ok(()) };
    let used_handles: BTreeSet<String> = documents.iter().flat_map(handles).collect();
    let known_names: Vec<&str> =
        role_names().chain(role_names().map(handle_of)).chain(used_handles.iter().map(String::as_str)).collect();
    for name in accounts.keys().filter(|name| !known_names.contains(&name.as_str())) {
        if let Some(similar) = similar_name(name, &known_names).filter(|similar| handle_of(similar) != name) {
            eprint_line(format_args!(
                "warning: {}: $.{name}: no scenario uses this account; did you mean `{similar}`?",
                file.display()
            ));
        }
    }
    if used_handles.is_empty() || accounts.keys().any(|name| used_handles.contains(name)) {
        return Ok(());
    }
    let handle_list: Vec<&str> = used_handles.iter().map(String::as_str).collect();
    let nearest = accounts.keys().find_map(|name| similar_name(name, &handle_list).map(|handle| (name, handle)));
    let suggestion = nearest.map(|(name, handle)| format!("; is `{name}` meant by {handle}?")).unwrap_or_default();
    Err(CliError::failure(format!(
        "{}: no scenario uses these accounts; the users of the scenarios are {}{suggestion}",
        file.display(),
        handle_list.join(", ")
    )))
}

/// The files to play: the paths that are files, and the `*.md` in those that are folders.
fn list_files(paths: &[PathBuf]) -> Result<Vec<PathBuf>, CliError> {
    let mut files = Vec::new();
    for path in paths {
        if !path.is_dir() {
            files.push(path.clone());
            continue;
        }
        let folder_error = |reason: String| CliError::failure(format!("{}: {reason}", path.display()));
        let entries = std::fs::read_dir(path).map_err(|error| folder_error(error.to_string()))?;
        let mut scenario_files: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
        scenario_files.retain(|file| file.is_file() && file.extension().is_some_and(|extension| extension == "md"));
        if scenario_files.is_empty() {
            return Err(folder_error("the folder has no *.md".to_owned()));
        }
        scenario_files.sort();
        files.extend(scenario_files);
    }
    Ok(files)
}

/// Reads all files. If there are mistakes, prints them and returns None.
fn read_documents(files: &[PathBuf]) -> Option<Vec<Document>> {
    let mut documents = Vec::new();
    for file in files {
        let name = file.to_string_lossy();
        match std::fs::read_to_string(file) {
            Ok(text) => match Document::parse(&name, &text) {
                Ok(document) => documents.push(document),
                Err(mistakes) => mistakes.iter().for_each(eprint_line),
            },
            Err(error) => eprint_line(format_args!("{name}:1: can't be read: {error}")),
        }
    }
    (documents.len() == files.len()).then_some(documents)
}

/// Prints the parts that `--update` removes from a file, since they are no longer checked afterwards.
fn report_removals(document: &Document, difference: &Difference) {
    for edit in difference.edits.iter().filter(|edit| edit.text.is_empty() && !edit.range.is_empty()) {
        let line = document.text[..edit.range.start].matches('\n').count() + 1;
        let removed_text = document.text[edit.range.clone()]
            .trim_matches(|character: char| character == ',' || character.is_whitespace());
        eprint_line(format_args!("{}:{line}: takes away {removed_text}, which did not come", document.path));
    }
}

/// Plays the scenarios of a text, and replaces values that change from run to run with placeholders. A text with
/// mistakes is returned unchanged.
pub(super) async fn insert_placeholders(stage: &Stage, name: &str, text: String) -> String {
    let Ok(document) = Document::parse(name, &text) else { return text };
    let mut edits: Vec<Edit> = Vec::new();
    for scenario in &document.scenarios {
        if let Outcome::Differs(differences) = play(stage, &document, scenario, Mode::Settle).await {
            edits.extend(differences.into_iter().flat_map(|difference| difference.edits));
        }
    }
    apply_edits(&document.text, &edits)
}

/// A note that a scenario was played at another level than the server's, as its `world` block says. None if it was not.
async fn level_note(stage: &Stage, document: &Document, scenario: &Scenario) -> Result<Option<String>, CliError> {
    let Some(level) = level_of_world(stage, document, scenario) else { return Ok(None) };
    let server_level = stage.level().await.map_err(CliError::failure)?;
    let note = || format!(" (at level {level}, as its world block says; the server is at {server_level})");
    Ok((level != server_level).then(note))
}

async fn play_document(run: &Run, stage: &Stage, document: &Document, results: &mut Results) -> Result<(), CliError> {
    let mode = if run.update { Mode::Update } else { Mode::Check };
    let mut edits: Vec<Edit> = Vec::new();
    for scenario in &document.scenarios {
        let title = format!("{}: {}", document.path, scenario.name);
        let verdict = match play(stage, document, scenario, mode).await {
            Outcome::Passed => {
                // A server that was started for the scenarios has no level of interest.
                let level_note = match run.url {
                    Some(_) => level_note(stage, document, scenario).await?,
                    None => None,
                };
                let level_note = level_note.unwrap_or_default();
                print_line(format_args!("played   {title}{level_note}"))?;
                Verdict::Played
            }
            Outcome::Skipped(reason) => {
                print_line(format_args!("skipped  {title}: {reason}"))?;
                Verdict::Skipped(reason)
            }
            Outcome::Failed(difference) => {
                print_line(format_args!("failed   {title}"))?;
                let text = difference.describe(document);
                eprint_line(&text);
                Verdict::Failed(text)
            }
            Outcome::Differs(differences)
                if run.update && differences.iter().all(|difference| !difference.edits.is_empty()) =>
            {
                print_line(format_args!("rewrote  {title}"))?;
                differences.iter().for_each(|difference| report_removals(document, difference));
                edits.extend(differences.into_iter().flat_map(|difference| difference.edits));
                Verdict::Rewritten
            }
            Outcome::Differs(differences) => {
                print_line(format_args!("differs  {title}"))?;
                // All differences before the last one can be rewritten; otherwise playing would have stopped there.
                let text = differences.last().map(|difference| difference.describe(document)).unwrap_or_default();
                eprint_line(&text);
                if run.update {
                    differences.iter().for_each(|difference| report_removals(document, difference));
                }
                edits.extend(differences.into_iter().flat_map(|difference| difference.edits));
                Verdict::Differs(text)
            }
        };
        results.add(&document.path, &scenario.name, verdict);
    }
    if run.update && !edits.is_empty() {
        let text = insert_placeholders(stage, &document.path, apply_edits(&document.text, &edits)).await;
        std::fs::write(&document.path, text)
            .map_err(|error| CliError::failure(format!("{} can't be written: {error}", document.path)))?;
    }
    Ok(())
}
