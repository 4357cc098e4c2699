//! The options of commands that send requests to another server.

use super::CliError;
use super::output::eprint_line;
use super::tls::TrustOptions;
use crate::upstream::{Account, BaseUrl, BaseUrlError, Options, Upstream, parse_zuliprc};
use clap::Args;
use std::path::PathBuf;
use std::time::Duration;

/// Parses the base URL of an option.
pub fn parse_base_url(text: &str) -> Result<BaseUrl, String> {
    BaseUrl::parse(text).map_err(|error| match error {
        BaseUrlError::WithUser => format!("{error}; name the account by --user and --api-key"),
        BaseUrlError::Malformed | BaseUrlError::WithQuery => error.to_string(),
    })
}

#[derive(Debug, Args)]
pub struct RequestOptions {
    /// Requests a second at most; 0 for no limit
    #[arg(long, value_name = "N", default_value_t = 5.0, value_parser = parse_rate)]
    rate: f64,

    /// How long to wait for a reply, or for more of it
    #[arg(long, value_name = "SECONDS", default_value_t = 60, value_parser = clap::value_parser!(u64).range(1..=86_400))]
    timeout: u64,

    /// How often to repeat a read that fails for a temporary reason, after pauses of 1, 2, 4 … seconds
    #[arg(long, value_name = "N", default_value_t = 5, value_parser = clap::value_parser!(u32).range(0..=10))]
    retries: u32,

    #[command(flatten)]
    trust: TrustOptions,
}

/// Parses the value of `--rate`: requests per second, or 0 for no limit.
pub fn parse_rate(text: &str) -> Result<f64, String> {
    let rate = text.parse().ok().filter(|rate: &f64| rate.is_finite() && *rate >= 0.0);
    rate.ok_or_else(|| "takes a number of requests a second, or 0 for no limit".to_owned())
}

impl RequestOptions {
    /// Creates the client for a server.
    ///
    /// # Errors
    ///
    /// If the certificates to trust, or the proxies of this machine, are unusable.
    pub fn upstream(&self, base_url: BaseUrl) -> Result<Upstream, CliError> {
        let options = Options {
            rate: self.rate,
            read_timeout: Duration::from_secs(self.timeout),
            retries: self.retries,
            notify: |line| eprint_line(line),
        };
        let tls_config = self.trust.config(base_url.is_secure())?;
        Upstream::new(base_url, tls_config, options).map_err(CliError::failure)
    }
}

#[derive(Debug, Args)]
pub struct Credentials {
    /// Email address of the account that sends the requests
    #[arg(long, value_name = "EMAIL")]
    user: Option<String>,

    /// API key of the account; better in the variable CHATDOUBLE_API_KEY, which other users of this machine do not see
    #[arg(long, value_name = "KEY")]
    api_key: Option<String>,

    /// File with the address and the key, in the format of clients (zuliprc)
    #[arg(long, value_name = "FILE")]
    zuliprc: Option<PathBuf>,
}

impl Credentials {
    /// The account. Options take precedence over the file, and the file over the environment variable.
    ///
    /// # Errors
    ///
    /// When the file can't be read or lacks the address or key, or when no address or key is given.
    pub fn account(&self) -> Result<Account, CliError> {
        let file_account = match &self.zuliprc {
            Some(file) => {
                let file_error =
                    |reason: &dyn std::fmt::Display| CliError::failure(format!("{}: {reason}", file.display()));
                let text = std::fs::read_to_string(file).map_err(|error| file_error(&error))?;
                Some(parse_zuliprc(&text).map_err(|reason| file_error(&reason))?)
            }
            None => None,
        };
        let (file_email, file_key) =
            file_account.map(|file_account| (file_account.email, file_account.api_key)).unzip();
        let key_from_environment = || std::env::var("CHATDOUBLE_API_KEY").ok().filter(|key| !key.is_empty());
        let email = self.user.clone().or(file_email);
        let email = email.ok_or_else(|| CliError::usage("needs the account: --user EMAIL, or --zuliprc FILE"))?;
        let api_key = self.api_key.clone().or(file_key).or_else(key_from_environment);
        let api_key = api_key.ok_or_else(|| {
            CliError::usage("needs the account's API key: --api-key KEY, CHATDOUBLE_API_KEY or --zuliprc FILE")
        })?;
        Ok(Account { email, api_key })
    }
}
