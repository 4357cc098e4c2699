//! `chatdouble health`: checks whether a server answers, for containers and scripts without curl.

use super::CliError;
use super::output::print_line;
use super::serve::current_thread_runtime;
use super::tls::TrustOptions;
use crate::scenario::client::{Client, HttpReply, HttpRequest};
use clap::Args;
use std::process::ExitCode;
use std::time::Duration;

/// How long to wait for a reply. It is shorter than the default timeout of Docker's health checks.
const REPLY_TIMEOUT: Duration = Duration::from_secs(5);

#[derive(Debug, Args)]
#[command(after_help = "For example:\n\n  chatdouble health\n  chatdouble health http://127.0.0.1:9991")]
pub struct Health {
    /// Base URL of the server; the path of a world's URL is ignored [default: http://127.0.0.1:9991, or the port in
    /// CHATDOUBLE_PORT]
    #[arg(value_name = "URL", env = "CHATDOUBLE_URL", value_parser = parse_server_url)]
    url: Option<String>,

    /// Port on this machine, if no URL is given
    #[arg(long, env = "CHATDOUBLE_PORT", value_name = "PORT", default_value_t = super::serve::DEFAULT_PORT)]
    port: u16,

    #[command(flatten)]
    trust: TrustOptions,
}

/// Parses a base URL and drops its path, since all worlds of a server have the same health.
fn parse_server_url(url: &str) -> Result<String, String> {
    let requirement = || "takes a base URL such as http://127.0.0.1:9991".to_owned();
    let (scheme, address) = url.split_once("://").unwrap_or(("http", url));
    let authority = address.split('/').next().unwrap_or_default();
    let is_authority = authority.parse::<http::uri::Authority>().is_ok_and(|authority| !authority.host().is_empty());
    if matches!(scheme, "http" | "https") && is_authority {
        Ok(format!("{scheme}://{authority}"))
    } else {
        Err(requirement())
    }
}

pub fn run(health: &Health) -> Result<ExitCode, CliError> {
    let url = health.url.clone().unwrap_or_else(|| format!("http://127.0.0.1:{}", health.port));
    let client = Client::new(&url, health.trust.config_for(&url)?).map_err(CliError::failure)?;
    let version = current_thread_runtime()?
        .block_on(fetch_version(&client, &url))
        .map_err(|reason| CliError::failure(format!("{url}{} {reason}", implied_port(&url))))?;
    print_line(format_args!("chatdouble {version} answers at {url}"))?;
    Ok(ExitCode::SUCCESS)
}

/// For messages: names the default port of a URL that has no port.
fn implied_port(url: &str) -> &'static str {
    match url.parse::<http::Uri>() {
        Ok(url) if url.port().is_some() => "",
        Ok(url) if url.scheme_str() == Some("https") => " (port 443)",
        Ok(_) => " (port 80)",
        Err(_) => "",
    }
}

/// Requests the version of the server at a base URL.
///
/// # Errors
///
/// What is wrong with the server, as the end of a sentence that begins with the URL.
async fn fetch_version(client: &Client, url: &str) -> Result<String, String> {
    let request = HttpRequest { method: "GET".into(), url: format!("{url}/control/health"), ..HttpRequest::default() };
    let Ok(result) = tokio::time::timeout(REPLY_TIMEOUT, client.send(request)).await else {
        return Err(format!("does not answer within {} s", REPLY_TIMEOUT.as_secs()));
    };
    let HttpReply { status, body, .. } = result.map_err(|failure| format!("can't be asked: {}", failure.reason()))?;
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
    fn base_urls_are_reduced_to_their_origin() {
        for (url, server) in [
            ("http://127.0.0.1:9991", "http://127.0.0.1:9991"),
            ("http://127.0.0.1:9991/w/blue/", "http://127.0.0.1:9991"),
            ("https://[::1]/api/v1", "https://[::1]"),
            ("chat:80", "http://chat:80"),
        ] {
            assert_eq!(parse_server_url(url), Ok(server.to_owned()), "{url}");
        }
        for url in ["", "http://", "ftp://x", "http://a b", "http:///x"] {
            assert!(parse_server_url(url).is_err(), "{url}");
        }
    }
}
