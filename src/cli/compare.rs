//! `chatdouble compare`: plays the same probes on two servers and reports the differences.

mod accounts;
mod baseline;
mod differing_request;
mod level_changes;
mod operations;
mod record;
mod result;
mod result_files;
mod selection;
mod transport;
mod warnings;

use super::CliError;
use super::output::eprint_line;
use super::signals::TerminationSignals;
use super::tls::TrustOptions;
use super::upstream::parse_rate;
use crate::cli::upstream::parse_base_url;
use crate::scenario::server_comparison::{ComparedServer, Correspondence, ProbeSettings, handles, play};
use crate::scenario::{Document, Scenario, random_word};
use crate::upstream::{BaseUrl, Options, Upstream};
use accounts::{Accounts, account_name, similar_handle};
pub use accounts::{handle_of, role_names};
use baseline::Baseline;
use clap::Args;
use result::ComparisonResult;
use result_files::ResultFiles;
use selection::selected_probes;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, UNIX_EPOCH};
use transport::Transport;
use warnings::{account_warnings, dialect_warning};

/// The built-in probes: scenarios whose expected replies only capture values.
const PROBES: &[(&str, &str)] = &[
    ("scenarios/probes/accounts.md", include_str!("../../scenarios/probes/accounts.md")),
    ("scenarios/probes/channels.md", include_str!("../../scenarios/probes/channels.md")),
    ("scenarios/probes/groups.md", include_str!("../../scenarios/probes/groups.md")),
    ("scenarios/probes/messages.md", include_str!("../../scenarios/probes/messages.md")),
    ("scenarios/probes/organization.md", include_str!("../../scenarios/probes/organization.md")),
    ("scenarios/probes/personal.md", include_str!("../../scenarios/probes/personal.md")),
    ("scenarios/probes/reads.md", include_str!("../../scenarios/probes/reads.md")),
    ("scenarios/probes/refusals.md", include_str!("../../scenarios/probes/refusals.md")),
];

/// Exit status when the servers could not be compared.
const COMPARISON_FAILED_STATUS: u8 = 2;
/// The time between two lines of progress on standard error. Most comparisons of doubles are shorter.
const PROGRESS_INTERVAL: Duration = Duration::from_secs(30);

#[derive(Debug, Args)]
#[command(
    after_help = "For example:\n\n  chatdouble compare https://chat.example.com http://127.0.0.1:9991 --accounts accounts.json --read-only"
)]
pub struct Compare {
    /// Base URLs of two servers: the one to compare with, and the one in question
    #[arg(required = true, num_args = 2, value_name = "URL", value_parser = parse_base_url)]
    urls: Vec<BaseUrl>,

    /// JSON file of accounts: {"admin": {"email": "…", "api_key": "…"}, "member": …}
    #[arg(long, value_name = "FILE")]
    accounts: PathBuf,

    /// Only probes of this operation, such as 'POST /typing', or with this text in their name, file or requests, in
    /// which * matches anything; may be given several times
    #[arg(long, value_name = "PATTERN")]
    only: Vec<String>,

    /// File for the result; by default it is printed
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,

    /// File to which to write the result in JSON as well
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,

    /// An earlier result in JSON whose differences are known and no failure
    #[arg(long, value_name = "FILE")]
    baseline: Option<PathBuf>,

    /// Play only what changes nothing on the servers
    #[arg(long)]
    read_only: bool,

    /// Exit status 2 if requests were not played, for what the servers or the accounts lack or since an earlier reply
    /// differed, and if neither server knows the path of a request
    #[arg(long)]
    fail_on_skip: bool,

    /// Files of further probes, in the format of scenarios
    #[arg(long, value_name = "FILE")]
    probes: Vec<PathBuf>,

    /// Requests a second at most to each server; 0 for no limit
    #[arg(long, value_name = "N", default_value_t = 0.0, value_parser = parse_rate)]
    rate: f64,

    /// How long to wait for a reply, or for more of it
    #[arg(long, value_name = "SECONDS", default_value_t = 60, value_parser = clap::value_parser!(u64).range(1..=86_400))]
    timeout: u64,

    #[command(flatten)]
    trust: TrustOptions,
}

pub fn run(compare: &Compare) -> Result<ExitCode, CliError> {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().map_err(CliError::failure)?;
    let status = runtime.block_on(compare.run());
    runtime.shutdown_background();
    // Status 1 means that the servers differ.
    status.map_err(|error| CliError {
        status: if error.status == 1 { COMPARISON_FAILED_STATUS } else { error.status },
        ..error
    })
}

impl Compare {
    async fn run(&self) -> Result<ExitCode, CliError> {
        if let [first, second] = self.urls.as_slice()
            && first == second
        {
            return Err(CliError::usage(format!("takes two servers, not {} twice", first.as_str())));
        }
        let files = ResultFiles::prepare(
            self.output.as_deref(),
            self.json.as_deref(),
            &self.accounts,
            self.baseline.as_deref(),
        )?;
        let baseline = self.baseline.as_deref().map(Baseline::read).transpose()?;
        let documents = self.read_documents()?;
        let probes = selected_probes(&documents, &self.only)?;
        let probe_handles = documents.iter().flat_map(handles).collect();
        let accounts = Accounts::read(&self.accounts, &probe_handles)?;
        let mut signals = TerminationSignals::listen().map_err(CliError::failure)?;
        let open_servers = async { Ok([self.open_server(0, &accounts).await?, self.open_server(1, &accounts).await?]) };
        let mut servers = tokio::select! {
            servers = open_servers => servers?,
            () = signals.wait() => return Err(CliError::interrupted("interrupted before anything was compared")),
        };
        files.remove_former_results();
        let warnings =
            dialect_warning([&servers[0], &servers[1]]).into_iter().chain(account_warnings([&servers[0], &servers[1]]));
        warnings.for_each(eprint_line);
        let mut comparison =
            ComparisonResult::new([&servers[0], &servers[1]], baseline, !self.only.is_empty(), self.read_only);
        let is_interrupted = AtomicBool::new(false);
        let played_count = AtomicUsize::new(0);
        let mut progress = tokio::time::interval(PROGRESS_INTERVAL);
        progress.reset();
        let result = {
            let mut play =
                std::pin::pin!(self.play(&probes, &mut servers, &mut comparison, &is_interrupted, &played_count));
            loop {
                tokio::select! {
                    result = &mut play => break result,
                    _ = progress.tick() => {
                        let count = played_count.load(Ordering::Relaxed);
                        eprint_line(format_args!("{count} of {} probes are played", probes.len()));
                    }
                    () = signals.wait() => {
                        if is_interrupted.swap(true, Ordering::Relaxed) {
                            let message = "interrupted twice: what the last probe made is left behind";
                            return Err(CliError::interrupted(message));
                        }
                        eprint_line("interrupted: takes away what the last probe made; interrupt again to end at once");
                    }
                }
            }
        };
        comparison.leftovers().iter().for_each(|leftover| eprint_line(format_args!("left behind: {leftover}")));
        let interruption = || CliError::interrupted("interrupted before all was compared");
        let error = result.err().or_else(|| is_interrupted.load(Ordering::Relaxed).then(interruption));
        if let Some(error) = error {
            if let Err(write_error) = files.write(&comparison) {
                eprint_line(format_args!("error: {}", write_error.message));
            }
            return Err(error);
        }
        if comparison.is_empty() {
            let message = format!("nothing was compared: {}", comparison.reasons_not_tried().join("; "));
            return Err(CliError::failure(message));
        }
        comparison.unknown_paths().iter().for_each(eprint_line);
        files.write(&comparison)?;
        self.exit_status(&comparison)
    }

    /// The exit status after a complete comparison.
    ///
    /// # Errors
    ///
    /// If replies were lost, or if requests were not played and that is not allowed.
    fn exit_status(&self, comparison: &ComparisonResult) -> Result<ExitCode, CliError> {
        if let Some(lost_text) = comparison.lost_text() {
            return Err(CliError::failure(lost_text));
        }
        if comparison.has_new_differences() {
            return Ok(ExitCode::FAILURE);
        }
        if self.fail_on_skip && !comparison.unknown_paths().is_empty() {
            let message = "neither server knows the path of a request, which --fail-on-skip does not allow";
            return Err(CliError::failure(message));
        }
        let skip_texts = comparison.skip_texts();
        if self.fail_on_skip && !skip_texts.is_empty() {
            return Err(CliError::failure(format!("{}, which --fail-on-skip does not allow", skip_texts.join("; "))));
        }
        Ok(ExitCode::SUCCESS)
    }

    /// Plays the probes and adds them to the result. Stops after the current probe if the user has interrupted it, if a
    /// server does not answer any more, or if the reply to a write was lost. Meanwhile, `played_count` is kept up to
    /// date for the lines about progress.
    async fn play(
        &self,
        probes: &[(&Document, &Scenario)],
        [first, second]: &mut [ComparedServer; 2],
        comparison: &mut ComparisonResult,
        is_interrupted: &AtomicBool,
        played_count: &AtomicUsize,
    ) -> Result<(), CliError> {
        let mut correspondence = initial_correspondence(first, second);
        let describe_missing_account = |handle: &str, url: Option<&str>| {
            let place = url.map(|url| format!(" for {url}")).unwrap_or_default();
            let suggestion =
                similar_handle(handle).map(|handle| format!("; did you mean `{handle}`?")).unwrap_or_default();
            format!("{} has no account `{}`{place}{suggestion}", self.accounts.display(), account_name(handle))
        };
        let run_word = random_word();
        let failed_wait_count = AtomicUsize::new(0);
        for (index, (document, scenario)) in probes.iter().enumerate() {
            if is_interrupted.load(Ordering::Relaxed) {
                break;
            }
            let unique_word = format!("probe{run_word}x{}x", index + 1);
            let settings = ProbeSettings {
                unique_word: &unique_word,
                now: UNIX_EPOCH.elapsed().map_or(0, |time| time.as_secs() as i64),
                is_read_only: self.read_only,
                describe_missing_account: &describe_missing_account,
                is_interrupted,
                failed_wait_count: &failed_wait_count,
            };
            let result = play([first, second], &mut correspondence, document, scenario, &settings).await;
            let failure = result.failure.clone();
            let is_user_probe = !PROBES.iter().any(|(name, _)| *name == document.path);
            comparison.add(&document.path, &scenario.name, is_user_probe, result);
            if let Some(failure) = failure
                && !(failure.is_read && is_reachable(first).await && is_reachable(second).await)
            {
                comparison.end_before(&failure.reason, &probes[index + 1..]);
                return Err(CliError::failure(failure.reason));
            }
            played_count.store(index + 1, Ordering::Relaxed);
        }
        if is_interrupted.load(Ordering::Relaxed) {
            comparison.end_before("interrupted", &probes[played_count.load(Ordering::Relaxed)..]);
        }
        Ok(())
    }

    /// Parses the built-in probes, and reads those in the files of the user.
    fn read_documents(&self) -> Result<Vec<Document>, CliError> {
        let mut files: Vec<(String, String)> =
            PROBES.iter().map(|(name, text)| ((*name).to_owned(), (*text).to_owned())).collect();
        for file in &self.probes {
            let name = file.display().to_string();
            let text = std::fs::read_to_string(file).map_err(|error| CliError::failure(format!("{name}: {error}")))?;
            files.push((name, text));
        }
        let mut documents = Vec::new();
        for (name, text) in files {
            documents.push(Document::parse(&name, &text).map_err(|mistakes| {
                let lines: Vec<String> = mistakes.iter().map(ToString::to_string).collect();
                CliError::failure(lines.join("; "))
            })?);
        }
        Ok(documents)
    }

    /// Connects to a server. `position` is its place on the command line, 0 or 1.
    async fn open_server(&self, position: usize, accounts: &Accounts) -> Result<ComparedServer, CliError> {
        let base_url = &self.urls[position];
        let timeout = Duration::from_secs(self.timeout);
        let tls_config = || self.trust.config(base_url.is_secure());
        let options = Options { rate: self.rate, read_timeout: timeout, retries: 0, notify: |line| eprint_line(line) };
        let upstream = Upstream::new(base_url.clone(), tls_config()?, options).map_err(CliError::failure)?;
        let settings = upstream.get("/server_settings", &[]).await.map_err(CliError::failure)?;
        let settings = settings.json().map_err(CliError::failure)?;
        let transport = Arc::new(Transport::new(tls_config()?, self.rate, timeout)?);
        let accounts = accounts.for_server(position, base_url.as_str());
        ComparedServer::open(base_url.as_str().to_owned(), transport, settings, &accounts, account_name)
            .await
            .map_err(CliError::failure)
    }
}

/// Whether a server still replies.
async fn is_reachable(server: &ComparedServer) -> bool {
    server.get("/server_settings", None).await.is_ok()
}

/// The correspondence of the two servers before any probe: replacements for their URLs and for the texts of accounts,
/// and the IDs of the users, channels and groups that have the same handle or name on both.
fn initial_correspondence(first: &ComparedServer, second: &ComparedServer) -> Correspondence {
    let mut correspondence = Correspondence::default();
    for (index, server) in [first, second].into_iter().enumerate() {
        let urls = ["realm_url", "realm_uri"].iter().filter_map(|key| server.settings[*key].as_str());
        let urls = urls.filter(|url| url.starts_with("http://") || url.starts_with("https://"));
        for url in urls.chain([server.url.as_str()]) {
            correspondence.add_replacement(index, url, "URL");
            let host = url.split_once("://").map_or(url, |(_, address)| address).split('/').next().unwrap_or_default();
            correspondence.add_replacement(index, host, "HOST");
        }
        // On a server with a base path, URLs without a host begin with that path.
        let path = server.url.split_once("://").and_then(|(_, address)| address.split_once('/'));
        if let Some((_, path)) = path {
            correspondence.add_replacement(index, &format!("/{path}/"), "/");
        }
        for (handle, user) in &server.scope.directory.users {
            // Where addresses are hidden, the API shows another one than that of the login.
            let own_user = server.own_users.get(handle);
            let shown_emails = ["email", "delivery_email"].iter().filter_map(|key| own_user?.get(*key)?.as_str());
            for email in shown_emails.chain([user.email.as_str()]) {
                correspondence.add_replacement(index, email, &format!("EMAIL of {handle}"));
            }
            correspondence.add_replacement(index, &user.api_key, "KEY");
        }
    }
    for (handle, user) in &first.scope.directory.users {
        if let Some(second_user) = second.scope.directory.user(handle) {
            correspondence.pair("user", user.user_id, second_user.user_id);
            // Different accounts have different names, which are no difference. Names of one account with one address
            // are left as they are, so that they show as a difference.
            if user.full_name != second_user.full_name && !user.is_renamed(second_user) {
                correspondence.add_replacement(0, &user.full_name, &format!("NAME of {handle}"));
                correspondence.add_replacement(1, &second_user.full_name, &format!("NAME of {handle}"));
            }
        }
    }
    for (name, id) in &first.scope.directory.channel_ids {
        if let Some(second_id) = second.scope.directory.channel_id(name) {
            correspondence.pair("channel", *id, second_id);
        }
    }
    for (name, id) in &first.scope.directory.group_ids {
        if let Some(second_id) = second.scope.directory.group_id(name) {
            correspondence.pair("group", *id, second_id);
        }
    }
    correspondence
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_probes_are_well_formed() {
        for (name, text) in PROBES {
            let document = Document::parse(name, text).unwrap_or_else(|mistakes| panic!("{mistakes:#?}"));
            assert!(!document.scenarios.is_empty(), "{name}");
        }
    }
}
