//! `chatdouble health`: whether a server can answer, for probes of containers and scripts that have no curl.

use super::CliError;
use super::output::say;
use super::secure::Trusting;
use super::serve::waiting_runtime;
use crate::scenario::client::{Answer, Ask, Client};
use clap::Args;
use std::process::ExitCode;
use std::time::Duration;

/// How long a server may take to answer: less than probes wait by habit.
const PATIENCE: Duration = Duration::from_secs(5);

#[derive(Debug, Args)]
#[command(after_help = "For example:\n\n  chatdouble health\n  chatdouble health http://127.0.0.1:9991")]
pub struct Health {
    /// Base URL of the server, or of one of its worlds [default: http://127.0.0.1:9991, or the port in CHATDOUBLE_PORT]
    #[arg(value_name = "URL", env = "CHATDOUBLE_URL", value_parser = origin)]
    url: Option<String>,

    /// Port on this machine, if no URL is given
    #[arg(long, env = "CHATDOUBLE_PORT", value_name = "PORT", default_value_t = super::serve::PORT)]
    port: u16,

    #[command(flatten)]
    trusting: Trusting,
}

/// Reads a base URL down to its scheme, host and port, since worlds share the health of their server.
fn origin(url: &str) -> Result<String, String> {
    let takes = || "takes a base URL such as http://127.0.0.1:9991".to_owned();
    let (scheme, rest) = url.split_once("://").unwrap_or(("http", url));
    let authority = rest.split('/').next().unwrap_or_default();
    let is_authority = authority.parse::<http::uri::Authority>().is_ok_and(|read| !read.host().is_empty());
    if matches!(scheme, "http" | "https") && is_authority {
        Ok(format!("{scheme}://{authority}"))
    } else {
        Err(takes())
    }
}

pub fn run(health: &Health) -> Result<ExitCode, CliError> {
    let url = health.url.clone().unwrap_or_else(|| format!("http://127.0.0.1:{}", health.port));
    let client = Client::new(&url, health.trusting.client(&url)?).map_err(CliError::of_start)?;
    let version = waiting_runtime()?
        .block_on(version(&client, &url))
        .map_err(|reason| CliError::of_start(format!("{url}{} {reason}", implied_port(&url))))?;
    say(format_args!("chatdouble {version} answers at {url}"))?;
    Ok(ExitCode::SUCCESS)
}

/// The port that a URL means without naming it, for messages.
fn implied_port(url: &str) -> &'static str {
    let port = url.parse::<http::Uri>().ok().map(|url| (url.port().is_some(), url.scheme_str() == Some("https")));
    match port {
        Some((false, false)) => " (port 80)",
        Some((false, true)) => " (port 443)",
        _ => "",
    }
}

/// The version of the server at a base URL.
///
/// # Errors
///
/// What is the matter with it, as the end of a sentence that begins with the URL.
async fn version(client: &Client, url: &str) -> Result<String, String> {
    let ask = Ask { method: "GET".into(), url: format!("{url}/control/health"), ..Ask::default() };
    let Ok(asked) = tokio::time::timeout(PATIENCE, client.ask(ask)).await else {
        return Err(format!("does not answer within {} s", PATIENCE.as_secs()));
    };
    let Answer { status, body, .. } = asked.map_err(|failure| format!("can't be asked: {}", failure.reason()))?;
    match body["version"].as_str() {
        Some(version) if status == 200 => Ok(version.to_owned()),
        _ => Err(format!("answers as no healthy chatdouble does: {status}")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_message_names_a_port_that_the_url_does_not() {
        let ports =
            [("http://localhost", " (port 80)"), ("https://chat", " (port 443)"), ("http://localhost:9991", "")];
        assert!(ports.iter().all(|(url, port)| implied_port(url) == *port));
    }

    #[test]
    fn a_base_url_leads_to_its_server() {
        for (url, server) in [
            ("http://127.0.0.1:9991", "http://127.0.0.1:9991"),
            ("http://127.0.0.1:9991/w/blue/", "http://127.0.0.1:9991"),
            ("https://[::1]/api/v1", "https://[::1]"),
            ("chat:80", "http://chat:80"),
        ] {
            assert_eq!(origin(url), Ok(server.to_owned()), "{url}");
        }
        for url in ["", "http://", "ftp://x", "http://a b", "http:///x"] {
            assert!(origin(url).is_err(), "{url}");
        }
    }
}
