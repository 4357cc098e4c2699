//! The TLS options: the certificate of a server, and the certificates that a client trusts.

use super::CliError;
use super::atomic_file::write_atomically;
use crate::server::{Host, Server};
use crate::tls::{Tls, client_config, client_config_without_trust};
use clap::Args;
use clap::builder::BoolishValueParser;
use std::net::IpAddr;
use std::path::{Path, PathBuf};
use tokio_rustls::rustls::ClientConfig;

#[derive(Debug, Args)]
pub struct TlsOptions {
    /// HTTPS instead of HTTP, with a certificate made at start-up
    #[arg(long, env = "CHATDOUBLE_TLS", value_parser = BoolishValueParser::new())]
    tls: bool,

    /// HTTPS instead of HTTP, with this certificate (PEM) and its chain up to one that clients trust
    #[arg(long, env = "CHATDOUBLE_TLS_CERT", value_name = "FILE", requires = "tls_key")]
    tls_cert: Option<PathBuf>,

    /// Private key (PEM) of the certificate of --tls-cert
    #[arg(long, env = "CHATDOUBLE_TLS_KEY", value_name = "FILE", requires = "tls_cert")]
    tls_key: Option<PathBuf>,

    /// File to which to write the certificate that clients have to trust (PEM), complete before the ready line is
    /// printed
    #[arg(long, env = "CHATDOUBLE_TLS_CA_FILE", value_name = "FILE")]
    tls_ca_file: Option<PathBuf>,

    /// Further name or address for which the certificate made at start-up is valid; repeat the option for several, or
    /// separate them by commas in the variable
    #[arg(long, env = "CHATDOUBLE_TLS_NAME", value_name = "NAME", value_delimiter = ',', value_parser = parse_tls_name)]
    tls_name: Vec<String>,
}

/// Parses a host name or an IP address; IPv6 addresses may be in brackets.
fn parse_tls_name(text: &str) -> Result<String, String> {
    let without_brackets = text.trim_matches(['[', ']']);
    if without_brackets.parse::<IpAddr>().is_ok() {
        return Ok(without_brackets.to_owned());
    }
    match Host::parse(text) {
        Some(host) if host.name().eq_ignore_ascii_case(text) => Ok(text.to_owned()),
        _ => Err("takes a host name or an address, without a port".to_owned()),
    }
}

impl TlsOptions {
    /// The requested TLS configuration; None for plain HTTP.
    ///
    /// # Errors
    ///
    /// When a file can't be read, or an option that needs TLS is given without it.
    pub fn tls(&self) -> Result<Option<Tls>, CliError> {
        match (&self.tls_cert, &self.tls_key) {
            (Some(certificate), Some(key)) => {
                Ok(Some(Tls::Given { certificate: read_file(certificate)?, key: read_file(key)? }))
            }
            _ if self.tls => Ok(Some(Tls::Made { names: self.tls_name.clone() })),
            _ if self.tls_ca_file.is_some() => Err(CliError::usage("--tls-ca-file needs --tls")),
            _ if !self.tls_name.is_empty() => Err(CliError::usage("--tls-name needs --tls")),
            _ => Ok(None),
        }
    }

    /// The error for the user if TLS can't start, with the names of the certificate files if they were given.
    pub fn start_error(&self, error: impl std::fmt::Display) -> CliError {
        match (&self.tls_cert, &self.tls_key) {
            (Some(certificate), Some(key)) => {
                CliError::failure(format!("{} and {}: {error}", certificate.display(), key.display()))
            }
            _ => CliError::failure(error),
        }
    }

    /// Writes the certificate that clients have to trust to the requested file.
    ///
    /// # Errors
    ///
    /// When the file can't be written.
    pub fn write_trusted_certificate(&self, server: &Server) -> Result<(), CliError> {
        let (Some(file), Some(certificate)) = (&self.tls_ca_file, server.trusted_certificate()) else { return Ok(()) };
        write_atomically(file, certificate)
            .map_err(|error| CliError::failure(format!("cannot write {}: {error}", file.display())))
    }

    /// The absolute path of the file of `--tls-ca-file`, for processes with another working directory.
    pub fn trusted_certificate_file(&self) -> Option<PathBuf> {
        self.tls_ca_file.as_deref().map(|file| std::path::absolute(file).unwrap_or_else(|_| file.to_owned()))
    }
}

fn read_file(file: &Path) -> Result<String, CliError> {
    std::fs::read_to_string(file).map_err(|error| CliError::failure(format!("{}: {error}", file.display())))
}

/// Adds a hint to the reason for a failed connection if the certificate is not trusted, or if the server has none.
pub fn with_tls_hint(reason: String) -> String {
    if reason.contains("UnknownIssuer") {
        format!("{reason}; name the one to trust with --tls-ca")
    } else if reason.contains("InvalidContentType") {
        format!("{reason}: it speaks HTTP, not HTTPS; did you mean http://?")
    } else {
        reason
    }
}

#[derive(Debug, Args)]
pub struct TrustOptions {
    /// File of certificates (PEM) to trust in addition to those of this machine
    #[arg(long, visible_alias = "ca-file", env = "CHATDOUBLE_TLS_CA", value_name = "FILE")]
    tls_ca: Option<PathBuf>,
}

impl TrustOptions {
    /// The TLS configuration for a URL; None for plain HTTP.
    ///
    /// # Errors
    ///
    /// For `https`, the errors of [`Self::config`].
    pub fn config_for(&self, url: &str) -> Result<Option<ClientConfig>, CliError> {
        if !url.starts_with("https://") {
            return Ok(None);
        }
        self.config(true).map(Some)
    }

    /// The TLS configuration of a client. `is_needed` says whether the client uses HTTPS; only then must it trust a
    /// certificate.
    ///
    /// # Errors
    ///
    /// When the file can't be read or has no certificate, or HTTPS is needed and no certificate is trusted.
    pub fn config(&self, is_needed: bool) -> Result<ClientConfig, CliError> {
        match client_config(self.tls_ca.as_deref()) {
            Err(_) if !is_needed && self.tls_ca.is_none() => client_config_without_trust().map_err(CliError::failure),
            result => result.map_err(CliError::failure),
        }
    }
}
