//! `chatdouble compare`: the same probes on two servers, and what differs.

mod accounts;
mod report;
mod transport;

use super::CliError;
use super::file::write_whole;
use super::output::{say, tell};
use super::secure::Trusting;
use crate::scenario::Document;
use crate::scenario::twin::{Likeness, Side, play};
use crate::upstream::BaseUrl;
use accounts::Accounts;
use clap::Args;
use report::Report;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::UNIX_EPOCH;
use transport::Transport;

/// The probes of the program: scenarios whose expectations only give names to values.
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

#[derive(Debug, Args)]
pub struct Compare {
    /// Base URLs of two servers: the one to compare with, and the one in question
    #[arg(required = true, num_args = 2, value_name = "URL", value_parser = BaseUrl::parse)]
    urls: Vec<BaseUrl>,

    /// JSON file of accounts: {"admin": {"email": "…", "api_key": "…"}, "member": …}
    #[arg(long, value_name = "FILE")]
    accounts: PathBuf,

    /// Only probes with this in their name, file or requests; * matches anything
    #[arg(long, value_name = "PATTERN")]
    only: Option<String>,

    /// File for the result; by default it is printed
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,

    /// Play only what changes nothing on the servers
    #[arg(long)]
    read_only: bool,

    /// Files of further probes, in the format of scenarios
    #[arg(long, value_name = "FILE")]
    probes: Vec<PathBuf>,

    /// Requests a second at most to each server; 0 for as many as there are
    #[arg(long, value_name = "N", default_value_t = 0.0)]
    rate: f64,

    #[command(flatten)]
    trusting: Trusting,
}

pub fn run(compare: &Compare) -> Result<ExitCode, CliError> {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().map_err(CliError::of_start)?;
    let status = runtime.block_on(compare.run());
    runtime.shutdown_background();
    status
}

impl Compare {
    async fn run(&self) -> Result<ExitCode, CliError> {
        let documents = self.documents()?;
        let accounts = Accounts::read(&self.accounts)?;
        let mut first = self.side(0, &accounts).await?;
        let mut second = self.side(1, &accounts).await?;
        let mut likeness = introduced(&first, &second);
        let word = UNIX_EPOCH.elapsed().map_or(0, |time| time.as_secs());
        let mut report = Report::new([&first, &second]);
        let mut count = 0;
        let playing = async {
            for document in &documents {
                for scenario in &document.scenarios {
                    if !self.is_wanted(document, scenario) {
                        continue;
                    }
                    count += 1;
                    let unique = format!("probe{word}x{count}x");
                    let sides = [&mut first, &mut second];
                    let played = play(sides, &mut likeness, document, scenario, &unique, self.read_only).await;
                    report.add(&document.name, &scenario.name, played.map_err(CliError::of_start)?);
                }
            }
            Ok(())
        };
        tokio::select! {
            played = playing => played?,
            _ = tokio::signal::ctrl_c() => return Err(CliError::of_interruption("interrupted before all was compared")),
        }
        if count == 0 {
            return Err(CliError::of_usage("--only fits no probe"));
        }
        let text = report.text();
        match &self.output {
            Some(file) => {
                let fault = |error| CliError::of_start(format!("{} can't be written: {error}", file.display()));
                write_whole(file, &text).map_err(fault)?;
                say(report.counts())?;
            }
            None => say(text.trim_end())?,
        }
        report.left().iter().for_each(|what| tell(format_args!("left behind: {what}")));
        Ok(if report.differs() { ExitCode::FAILURE } else { ExitCode::SUCCESS })
    }

    /// The probes of the program, and those of files.
    fn documents(&self) -> Result<Vec<Document>, CliError> {
        let mut texts: Vec<(String, String)> =
            PROBES.iter().map(|(name, text)| ((*name).to_owned(), (*text).to_owned())).collect();
        for file in &self.probes {
            let name = file.display().to_string();
            let text = std::fs::read_to_string(file).map_err(|error| CliError::of_start(format!("{name}: {error}")))?;
            texts.push((name, text));
        }
        let mut documents = Vec::new();
        for (name, text) in texts {
            documents.push(Document::parse(&name, &text).map_err(|mistakes| {
                let lines: Vec<String> = mistakes.iter().map(ToString::to_string).collect();
                CliError::of_start(lines.join("; "))
            })?);
        }
        Ok(documents)
    }

    async fn side(&self, at: usize, accounts: &Accounts) -> Result<Side, CliError> {
        let base = &self.urls[at];
        let http = Transport::new(self.trusting.config(base.is_secure())?, self.rate)?;
        let accounts = accounts.of(at, base.as_str());
        Side::open(base.as_str().to_owned(), Arc::new(http), &accounts).await.map_err(CliError::of_start)
    }

    fn is_wanted(&self, document: &Document, scenario: &crate::scenario::Scenario) -> bool {
        let Some(pattern) = &self.only else { return true };
        let words: Vec<String> = pattern.split('*').map(regex::escape).collect();
        let Ok(pattern) = regex::RegexBuilder::new(&words.join(".*")).case_insensitive(true).build() else {
            return false;
        };
        let from: usize = document.text.lines().take(scenario.line.saturating_sub(1)).map(|line| line.len() + 1).sum();
        let rest = &document.text[from.min(document.text.len())..];
        let end = rest[1..].find("\n## ").map_or(rest.len(), |end| end + 1);
        pattern.is_match(&document.name) || rest[..end].lines().any(|line| pattern.is_match(line))
    }
}

/// What is known of the likeness of two servers before anything is asked: addresses, accounts, and names.
fn introduced(first: &Side, second: &Side) -> Likeness {
    let mut likeness = Likeness::default();
    for (at, side) in [first, second].into_iter().enumerate() {
        let own = ["realm_url", "realm_uri"].iter().filter_map(|key| side.settings[*key].as_str());
        for url in own.chain([side.url.as_str()]) {
            likeness.replace(at, url, "URL");
            let host = url.split_once("://").map_or(url, |(_, rest)| rest).split('/').next().unwrap_or_default();
            likeness.replace(at, host, "HOST");
        }
        for (handle, person) in &side.scope.directory.people {
            likeness.replace(at, &person.email, &format!("EMAIL of {handle}"));
            likeness.replace(at, &person.api_key, "KEY");
        }
    }
    for (handle, person) in &first.scope.directory.people {
        if let Some(other) = second.scope.directory.person(handle) {
            likeness.pair("user", person.user_id, other.user_id);
            if person.full_name != other.full_name {
                likeness.replace(0, &person.full_name, &format!("NAME of {handle}"));
                likeness.replace(1, &other.full_name, &format!("NAME of {handle}"));
            }
        }
    }
    for (name, id) in &first.scope.directory.channels {
        if let Some(other) = second.scope.directory.channel(name) {
            likeness.pair("channel", *id, other);
        }
    }
    for (name, id) in &first.scope.directory.groups {
        if let Some(other) = second.scope.directory.group(name) {
            likeness.pair("group", *id, other);
        }
    }
    likeness
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
