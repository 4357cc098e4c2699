//! The file with the certificate that the command of `exec` has to trust.

use crate::cli::CliError;
use crate::cli::tls::TlsOptions;
use crate::server::Server;
use std::fs::File;
use std::io::Write;
use std::path::{Path, PathBuf};

pub enum CertificateFile {
    /// The server does not use TLS.
    None,
    /// The file that the user requested.
    Requested(PathBuf),
    /// A file for the command only, which is removed at the end.
    Temporary(PathBuf),
}

impl CertificateFile {
    /// Creates a temporary file if the server has a certificate and the user requested no file for it.
    ///
    /// # Errors
    ///
    /// If the temporary file exists already or can't be written.
    pub fn create(options: &TlsOptions, server: &Server) -> Result<Self, CliError> {
        let Some(certificate) = server.trusted_certificate() else { return Ok(CertificateFile::None) };
        if let Some(file) = options.trusted_certificate_file() {
            return Ok(CertificateFile::Requested(file));
        }
        let name = format!("chatdouble-ca-{}-{}.pem", std::process::id(), server.address().port());
        let file = std::env::temp_dir().join(name);
        // `create_new` neither follows nor overwrites a file or link of another user.
        let result = File::create_new(&file).and_then(|mut opened| opened.write_all(certificate.as_bytes()));
        result.map_err(|error| CliError::failure(format!("cannot write {}: {error}", file.display())))?;
        Ok(CertificateFile::Temporary(file))
    }

    pub fn temporary_file(&self) -> Option<&Path> {
        if let CertificateFile::Temporary(file) = self { Some(file) } else { None }
    }

    pub fn path(&self) -> Option<&Path> {
        match self {
            CertificateFile::None => None,
            CertificateFile::Requested(file) | CertificateFile::Temporary(file) => Some(file),
        }
    }
}

impl Drop for CertificateFile {
    fn drop(&mut self) {
        if let Some(file) = self.temporary_file() {
            let _ = std::fs::remove_file(file);
        }
    }
}
