//! Options of the commands that send requests to a real server.

use super::CliError;
use super::output::tell;
use super::secure::Trusting;
use crate::upstream::{Account, BaseUrl, Options, Upstream, read_zuliprc};
use clap::Args;
use std::path::PathBuf;
use std::time::Duration;

/// Rate, timeout, repetitions and trust of requests to a real server.
#[derive(Debug, Args)]
pub struct Manners {
    /// Requests a second at most; 0 for no limit
    #[arg(long, value_name = "N", default_value_t = 5.0, value_parser = rate)]
    rate: f64,

    /// How long to wait for a reply, or for more of it
    #[arg(long, value_name = "SECONDS", default_value_t = 60, value_parser = clap::value_parser!(u64).range(1..=86_400))]
    timeout: u64,

    /// How often to repeat a read that fails for a temporary reason, after pauses of 1, 2, 4 … seconds
    #[arg(long, value_name = "N", default_value_t = 5, value_parser = clap::value_parser!(u32).range(0..=10))]
    retries: u32,

    #[command(flatten)]
    trusting: Trusting,
}

/// Reads the value of `--rate`: requests a second, 0 for no limit.
pub fn rate(text: &str) -> Result<f64, String> {
    let rate = text.parse().ok().filter(|rate: &f64| rate.is_finite() && *rate >= 0.0);
    rate.ok_or_else(|| "takes a number of requests a second, or 0 for no limit".to_owned())
}

impl Manners {
    /// A client for a server.
    ///
    /// # Errors
    ///
    /// A fault of the certificates or the proxies.
    pub fn upstream(&self, base: BaseUrl) -> Result<Upstream, CliError> {
        let options = Options {
            rate: self.rate,
            patience: Duration::from_secs(self.timeout),
            retries: self.retries,
            notice: |line| tell(line),
        };
        let trusting = self.trusting.config(base.is_secure())?;
        Upstream::new(base, trusting, options).map_err(CliError::of_start)
    }
}

/// The account that requests are sent as.
#[derive(Debug, Args)]
pub struct Credentials {
    /// The email address of the account
    #[arg(long, value_name = "EMAIL")]
    user: Option<String>,

    /// Its API key; better in the variable CHATDOUBLE_API_KEY, which other users of this machine do not see
    #[arg(long, value_name = "KEY")]
    api_key: Option<String>,

    /// File with the address and the key, in the format of clients (zuliprc)
    #[arg(long, value_name = "FILE")]
    zuliprc: Option<PathBuf>,
}

impl Credentials {
    /// The account: an option has precedence over the file, and the file over the variable.
    ///
    /// # Errors
    ///
    /// A file that can't be read, or the option that is missing.
    pub fn account(&self) -> Result<Account, CliError> {
        let saved = match &self.zuliprc {
            Some(file) => {
                let fault =
                    |reason: &dyn std::fmt::Display| CliError::of_start(format!("{}: {reason}", file.display()));
                let text = std::fs::read_to_string(file).map_err(|error| fault(&error))?;
                Some(read_zuliprc(&text).map_err(|reason| fault(&reason))?)
            }
            None => None,
        };
        let (saved_email, saved_key) = saved.map(|saved| (saved.email, saved.api_key)).unzip();
        let variable = || std::env::var("CHATDOUBLE_API_KEY").ok().filter(|key| !key.is_empty());
        let email = self.user.clone().or(saved_email);
        let email = email.ok_or_else(|| CliError::of_usage("needs the account: --user EMAIL, or --zuliprc FILE"))?;
        let api_key = self.api_key.clone().or(saved_key).or_else(variable);
        let api_key = api_key.ok_or_else(|| {
            CliError::of_usage("needs the account's API key: --api-key KEY, CHATDOUBLE_API_KEY or --zuliprc FILE")
        })?;
        Ok(Account { email, api_key })
    }
}
