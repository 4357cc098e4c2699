//! `chatdouble scenario record`: records the requests of clients to a server as a scenario.

use super::proxy::Proxy;
use super::traffic::RecordedTraffic;
use crate::cli::CliError;
use crate::cli::atomic_file::{check_writable, write_atomically};
use crate::cli::output::{eprint_line, print_line};
use crate::cli::serve::similar_fixture_hint;
use crate::cli::shutdown::ShutdownListener;
use crate::cli::tls::TrustOptions;
use crate::cli::upstream::parse_base_url;
use crate::count_format::format_count;
use crate::fixture::{Fixture, join_diagnostics};
use crate::json_diagnostic::similar_name;
use crate::scenario::Document;
use crate::scenario::recording::{RecordedScenario, Recording, to_scenario};
use crate::time::Timestamp;
use crate::upstream::{BaseUrl, Options, Upstream};
use clap::Args;
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

#[derive(Debug, Args)]
#[command(
    after_help = "For example:\n\n  chatdouble scenario record --upstream http://127.0.0.1:9991 --port 9992 -o session.md"
)]
pub struct Record {
    /// Base URL of the server
    #[arg(long, value_name = "URL", value_parser = parse_base_url)]
    upstream: BaseUrl,

    /// Port to listen on, on this machine alone; 0 for a free one
    #[arg(long, value_name = "N", default_value_t = 0)]
    port: u16,

    /// File to write, at SIGINT or SIGTERM
    #[arg(short, long, value_name = "FILE")]
    output: PathBuf,

    /// Fixture that the scenario is to be played in: a built-in one by name, or a JSON file, by its path from the
    /// scenario's folder [default: the built-in organization]
    #[arg(long, value_name = "NAME|FILE")]
    fixture: Option<String>,

    /// Name of an account in the scenario, such as mel@example.com=mel; by default what is before the @
    #[arg(long = "as", value_name = "EMAIL=NAME", value_parser = parse_alias)]
    aliases: Vec<(String, String)>,

    /// How long to wait for a reply of the server at the start; clients wait for theirs as long as they like
    #[arg(long, value_name = "SECONDS", default_value_t = 60, value_parser = clap::value_parser!(u64).range(1..=86_400))]
    timeout: u64,

    #[command(flatten)]
    trust: TrustOptions,
}

fn parse_alias(text: &str) -> Result<(String, String), String> {
    let is_name = |name: &str| {
        !name.is_empty() && !name.contains(|character: char| character.is_whitespace() || "{}:".contains(character))
    };
    match text.rsplit_once('=') {
        Some((email, name)) if email.contains('@') && is_name(name) => Ok((email.to_owned(), name.to_owned())),
        _ => Err("takes an address and a name, such as mel@example.com=mel".to_owned()),
    }
}

pub fn run(record: &Record) -> Result<ExitCode, CliError> {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().map_err(CliError::failure)?;
    let status = runtime.block_on(record.run());
    runtime.shutdown_background();
    status
}

impl Record {
    async fn run(&self) -> Result<ExitCode, CliError> {
        let mut shutdown = ShutdownListener::listen()?;
        let write_error = |error| CliError::failure(format!("{} can't be written: {error}", self.output.display()));
        check_writable(&self.output).map_err(write_error)?;
        self.check_aliases(&self.read_fixture()?)?;
        let tls_config = || self.trust.config(self.upstream.is_secure());
        let timeout = Duration::from_secs(self.timeout);
        let options = Options { rate: 0.0, read_timeout: timeout, retries: 0, notify: |line| eprint_line(line) };
        let upstream = Upstream::new(self.upstream.clone(), tls_config()?, options).map_err(CliError::failure)?;
        let settings = tokio::select! {
            settings = fetch_settings(&upstream) => settings?,
            () = shutdown.wait() => return Err(CliError::interrupted("ended before anything was recorded")),
        };
        let proxy =
            Arc::new(Proxy::new(self.upstream.clone(), tls_config()?, timeout).await.map_err(CliError::failure)?);
        let listener = tokio::net::TcpListener::bind(("127.0.0.1", self.port)).await;
        let listener = listener.map_err(|error| CliError::failure(format!("port {}: {error}", self.port)))?;
        let address = listener.local_addr().map_err(CliError::failure)?;
        print_line(format_args!("chatdouble {} listening on http://{address}", env!("CARGO_PKG_VERSION")))?;
        tokio::select! {
            () = proxy.clone().serve(listener) => {}
            () = shutdown.wait() => {}
        }
        let traffic = proxy.take_traffic();
        let scenario = to_scenario(&self.build_recording(traffic, &settings).await);
        if scenario.requests == 0 {
            scenario.omissions.iter().for_each(eprint_line);
            return Err(CliError::failure(format!("nothing was recorded; {} is not written", self.output.display())));
        }
        write_atomically(&self.output, &scenario.text).map_err(write_error)?;
        self.print_summary(&scenario);
        Ok(ExitCode::SUCCESS)
    }

    /// Reads the fixture as the scenario will find it, before anything is recorded.
    fn read_fixture(&self) -> Result<Fixture, CliError> {
        let name = self.fixture_name();
        if !name.ends_with(".json") {
            return Fixture::built_in(name).ok_or_else(|| {
                CliError::usage(format!(
                    "--fixture {name}: is neither a built-in fixture ({}) nor a file that ends with .json{}",
                    Fixture::BUILT_IN_NAMES.join(", "),
                    similar_fixture_hint(name)
                ))
            });
        }
        let folder = self.output.parent().unwrap_or(Path::new(""));
        let file = folder.join(name);
        if file.is_file() {
            let text = std::fs::read_to_string(file);
            return text
                .map(Fixture::from)
                .map_err(|error| CliError::failure(format!("--fixture {name}: cannot be read: {error}")));
        }
        let shown_folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
        let reason = match Path::new(name).is_file() {
            true => "is in this folder; give its path from the scenario's folder",
            false => "is no file in the scenario's folder",
        };
        Err(CliError::failure(format!("--fixture {name}: {reason}, {}", shown_folder.display())))
    }

    fn fixture_name(&self) -> &str {
        self.fixture.as_deref().unwrap_or("default")
    }

    /// Warns of names from `--as` that no user of the fixture has. The scenario may still be played, with accounts that
    /// have these names, and the session may make such users.
    fn check_aliases(&self, fixture: &Fixture) -> Result<(), CliError> {
        if self.aliases.is_empty() {
            return Ok(());
        }
        // The realm is only asked for its users, so any time will do.
        let realm = fixture.build_realm(Timestamp::from_seconds(0), 0).map_err(|mistakes| {
            CliError::failure(format!(
                "--fixture {}: {}",
                self.fixture_name(),
                join_diagnostics(&mistakes, ToString::to_string)
            ))
        })?;
        let emails = realm.users.values().map(|user| user.email.as_str());
        let names: Vec<&str> = emails.flat_map(|email| [email.split('@').next().unwrap_or(email), email]).collect();
        for (email, name) in self.aliases.iter().filter(|(_, name)| !names.contains(&name.as_str())) {
            let nearest = similar_name(name, &names).map(|nearest| format!("; did you mean {nearest}?"));
            eprint_line(format_args!(
                "warning: --as {email}={name}: the fixture {} has no user {name}{}",
                self.fixture_name(),
                nearest.unwrap_or_default()
            ));
        }
        Ok(())
    }

    async fn build_recording(&self, traffic: RecordedTraffic, settings: &Value) -> Recording {
        let level_setting =
            settings.as_object().into_iter().flatten().find(|(name, _)| name.ends_with("_feature_level"));
        let dialect = match level_setting.map(|(name, _)| name.as_str()) {
            Some("zulip_feature_level") => Some("zulip"),
            _ => None,
        };
        Recording {
            exchanges: traffic.exchanges().await,
            base_url: self.upstream.as_str().to_owned(),
            aliases: self.aliases.iter().cloned().collect(),
            fixture: self.fixture.clone(),
            feature_level: level_setting.and_then(|(_, level)| level.as_i64()),
            dialect: dialect.map(str::to_owned),
            omissions: traffic.omissions(),
        }
    }

    fn print_summary(&self, scenario: &RecordedScenario) {
        let name = self.output.display();
        eprint_line(format_args!(
            "{name}: {} and {}",
            format_count(scenario.requests, "request"),
            format_count(scenario.events, "event")
        ));
        for omission in &scenario.omissions {
            eprint_line(format_args!("{name} leaves out: {omission}"));
        }
        if let Err(mistakes) = Document::parse(&name.to_string(), &scenario.text) {
            mistakes.iter().for_each(eprint_line);
        }
    }
}

/// Requests the server's settings, which also checks that it is a server of this API.
async fn fetch_settings(upstream: &Upstream) -> Result<Value, CliError> {
    let reply = upstream.get("/server_settings", &[]).await.map_err(CliError::failure)?;
    reply.json().map_err(CliError::failure)
}
