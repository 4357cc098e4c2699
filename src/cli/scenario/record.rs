//! `chatdouble scenario record`: a session between clients and a server, written as a scenario.

use super::proxy::{Passed, Proxy};
use crate::cli::CliError;
use crate::cli::ending::EndRequest;
use crate::cli::file::{check_writable, write_whole};
use crate::cli::output::{say, tell};
use crate::cli::secure::Trusting;
use crate::counted::counted;
use crate::scenario::Document;
use crate::scenario::recording::{Session, Written, written};
use crate::upstream::{BaseUrl, Options, Upstream};
use clap::Args;
use serde_json::Value;
use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

#[derive(Debug, Args)]
#[command(
    after_help = "For example:\n\n  chatdouble scenario record --upstream http://127.0.0.1:9991 --port 9992 -o session.md"
)]
pub struct Record {
    /// Base URL of the server
    #[arg(long, value_name = "URL", value_parser = BaseUrl::parse)]
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
    #[arg(long = "as", value_name = "EMAIL=NAME", value_parser = alias)]
    aliases: Vec<(String, String)>,

    /// How long to wait for a reply of the server at the start; clients wait for theirs as long as they like
    #[arg(long, value_name = "SECONDS", default_value_t = 60, value_parser = clap::value_parser!(u64).range(1..=86_400))]
    timeout: u64,

    #[command(flatten)]
    trusting: Trusting,
}

fn alias(text: &str) -> Result<(String, String), String> {
    let is_name =
        |name: &str| !name.is_empty() && !name.contains(|one: char| one.is_whitespace() || "{}:".contains(one));
    match text.rsplit_once('=') {
        Some((email, name)) if email.contains('@') && is_name(name) => Ok((email.to_owned(), name.to_owned())),
        _ => Err("takes an address and a name, such as mel@example.com=mel".to_owned()),
    }
}

pub fn run(record: &Record) -> Result<ExitCode, CliError> {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().map_err(CliError::of_start)?;
    let status = runtime.block_on(record.run());
    runtime.shutdown_background();
    status
}

impl Record {
    async fn run(&self) -> Result<ExitCode, CliError> {
        let mut end = EndRequest::listen()?;
        let cannot_write = |error| CliError::of_start(format!("{} can't be written: {error}", self.output.display()));
        check_writable(&self.output).map_err(cannot_write)?;
        let trusting = || self.trusting.config(self.upstream.is_secure());
        let patience = Duration::from_secs(self.timeout);
        let settings = self.settings(Upstream::new(
            self.upstream.clone(),
            trusting()?,
            Options { rate: 0.0, patience, retries: 0, notice: |line| tell(line) },
        ));
        let settings = tokio::select! {
            settings = settings => settings?,
            () = end.wait() => return Err(CliError::of_interruption("ended before anything was recorded")),
        };
        let proxy =
            Arc::new(Proxy::new(self.upstream.clone(), trusting()?, patience).await.map_err(CliError::of_start)?);
        let listener = tokio::net::TcpListener::bind(("127.0.0.1", self.port)).await;
        let listener = listener.map_err(|error| CliError::of_start(format!("port {}: {error}", self.port)))?;
        let address = listener.local_addr().map_err(CliError::of_start)?;
        say(format_args!("chatdouble {} listening on http://{address}", env!("CARGO_PKG_VERSION")))?;
        let _ = std::io::stdout().flush();
        tokio::select! {
            () = proxy.clone().serve(listener) => {}
            () = end.wait() => {}
        }
        let passed = proxy.passed();
        let made = written(&self.session(passed, &settings).await);
        if made.requests == 0 {
            made.left_out.iter().for_each(tell);
            return Err(CliError::of_start(format!("nothing was recorded; {} is not written", self.output.display())));
        }
        write_whole(&self.output, &made.text).map_err(cannot_write)?;
        self.report(&made);
        Ok(ExitCode::SUCCESS)
    }

    /// What the server says of itself, which shows that it is one of this API.
    async fn settings(&self, upstream: Result<Upstream, String>) -> Result<Value, CliError> {
        let upstream = upstream.map_err(CliError::of_start)?;
        let reply = upstream.get("/server_settings", &[]).await.map_err(CliError::of_start)?;
        reply.json().map_err(CliError::of_start)
    }

    async fn session(&self, passed: Passed, settings: &Value) -> Session {
        let level = settings.as_object().into_iter().flatten().find(|(name, _)| name.ends_with("_feature_level"));
        let dialect = match level.map(|(name, _)| name.as_str()) {
            Some("zulip_feature_level") => Some("zulip"),
            _ => None,
        };
        Session {
            exchanges: passed.exchanges().await,
            upstream: self.upstream.as_str().to_owned(),
            aliases: self.aliases.iter().cloned().collect(),
            fixture: self.fixture.clone(),
            feature_level: level.and_then(|(_, level)| level.as_i64()),
            dialect: dialect.map(str::to_owned),
            lost: passed.lost(),
        }
    }

    fn report(&self, made: &Written) {
        let name = self.output.display();
        tell(format_args!("{name}: {} and {}", counted(made.requests, "request"), counted(made.events, "event")));
        for what in &made.left_out {
            tell(format_args!("{name} leaves out: {what}"));
        }
        if let Err(mistakes) = Document::parse(&name.to_string(), &made.text) {
            mistakes.iter().for_each(tell);
        }
    }
}
