//! Options of TLS: the certificate that a server shows, and what is trusted as a client.

use super::CliError;
use super::file::write_whole;
use crate::server::{Authority, Server};
use crate::tls::{Tls, trusting, trusting_nobody};
use clap::Args;
use clap::builder::BoolishValueParser;
use std::net::IpAddr;
use std::path::{Path, PathBuf};
use tokio_rustls::rustls::ClientConfig;

/// How a server speaks TLS.
#[derive(Debug, Args)]
pub struct Secure {
    /// HTTPS instead of HTTP, with a certificate made at start-up
    #[arg(long, env = "CHATDOUBLE_TLS", value_parser = BoolishValueParser::new())]
    tls: bool,

    /// HTTPS instead of HTTP, with this certificate (PEM) and its chain up to one that clients trust
    #[arg(long, env = "CHATDOUBLE_TLS_CERT", value_name = "FILE", requires = "tls_key")]
    tls_cert: Option<PathBuf>,

    /// The private key of the certificate (PEM)
    #[arg(long, env = "CHATDOUBLE_TLS_KEY", value_name = "FILE", requires = "tls_cert")]
    tls_key: Option<PathBuf>,

    /// File to which to write the certificate that clients have to trust (PEM), complete before the ready line is
    /// printed
    #[arg(long, env = "CHATDOUBLE_TLS_CA_FILE", value_name = "FILE")]
    tls_ca_file: Option<PathBuf>,

    /// Further name or address for which the certificate made at start-up is valid; repeat the option for several, or
    /// separate them by commas in the variable
    #[arg(long, env = "CHATDOUBLE_TLS_NAME", value_name = "NAME", value_delimiter = ',', value_parser = tls_name)]
    tls_name: Vec<String>,
}

/// Reads a host's name, or its address; one of the sixth version in brackets or not.
fn tls_name(text: &str) -> Result<String, String> {
    let bare = text.trim_matches(['[', ']']);
    if bare.parse::<IpAddr>().is_ok() {
        return Ok(bare.to_owned());
    }
    match Authority::parse(text) {
        Some(host) if host.name().eq_ignore_ascii_case(text) => Ok(text.to_owned()),
        _ => Err("takes a host name or an address, without a port".to_owned()),
    }
}

impl Secure {
    /// What was asked for; None for plain HTTP.
    ///
    /// # Errors
    ///
    /// A file that can't be read, or an option that needs TLS.
    pub fn tls(&self) -> Result<Option<Tls>, CliError> {
        match (&self.tls_cert, &self.tls_key) {
            (Some(certificate), Some(key)) => Ok(Some(Tls::Given { certificate: read(certificate)?, key: read(key)? })),
            _ if self.tls => Ok(Some(Tls::Made { names: self.tls_name.clone() })),
            _ if self.tls_ca_file.is_some() => Err(CliError::of_usage("--tls-ca-file needs --tls")),
            _ if !self.tls_name.is_empty() => Err(CliError::of_usage("--tls-name needs --tls")),
            _ => Ok(None),
        }
    }

    /// What is wrong with TLS, with the files that were given.
    pub fn fault(&self, error: impl std::fmt::Display) -> CliError {
        match (&self.tls_cert, &self.tls_key) {
            (Some(certificate), Some(key)) => {
                CliError::of_start(format!("{} and {}: {error}", certificate.display(), key.display()))
            }
            _ => CliError::of_start(error),
        }
    }

    /// Writes the file that was asked for.
    ///
    /// # Errors
    ///
    /// What the system says.
    pub fn tell_trusted(&self, server: &Server) -> Result<(), CliError> {
        let (Some(file), Some(trusted)) = (&self.tls_ca_file, server.trusted_certificate()) else { return Ok(()) };
        write_whole(file, trusted)
            .map_err(|error| CliError::of_start(format!("cannot write {}: {error}", file.display())))
    }

    /// The file that was asked for, wherever it is looked at from.
    pub fn trusted_file(&self) -> Option<PathBuf> {
        self.tls_ca_file.as_deref().map(|file| std::path::absolute(file).unwrap_or_else(|_| file.to_owned()))
    }
}

fn read(file: &Path) -> Result<String, CliError> {
    std::fs::read_to_string(file).map_err(|error| CliError::of_start(format!("{}: {error}", file.display())))
}

/// The reason for a failed connection, with the remedy for a certificate that is not trusted.
pub fn with_remedy(reason: String) -> String {
    if reason.contains("UnknownIssuer") { format!("{reason}; name the one to trust with --tls-ca") } else { reason }
}

/// Authorities that a client trusts.
#[derive(Debug, Args)]
pub struct Trusting {
    /// File of certificates (PEM) to trust in addition to those of this machine
    #[arg(long, visible_alias = "ca-file", env = "CHATDOUBLE_TLS_CA", value_name = "FILE")]
    tls_ca: Option<PathBuf>,
}

impl Trusting {
    /// A client for a URL; None for plain HTTP.
    ///
    /// # Errors
    ///
    /// That no authority can be read.
    pub fn client(&self, url: &str) -> Result<Option<ClientConfig>, CliError> {
        if !url.starts_with("https://") {
            return Ok(None);
        }
        self.config(true).map(Some)
    }

    /// The authorities that a client trusts. Only for HTTPS (`is_needed`) must there be any.
    ///
    /// # Errors
    ///
    /// That the file can't be read, or that no authority can be read for HTTPS.
    pub fn config(&self, is_needed: bool) -> Result<ClientConfig, CliError> {
        match trusting(self.tls_ca.as_deref()) {
            Err(_) if !is_needed && self.tls_ca.is_none() => trusting_nobody().map_err(CliError::of_start),
            trusted => trusted.map_err(CliError::of_start),
        }
    }
}
