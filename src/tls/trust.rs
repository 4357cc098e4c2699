//! The TLS configurations of this program as a client: which certificates it trusts.

use std::path::Path;
use std::sync::Arc;
use tokio_rustls::rustls::crypto::ring;
use tokio_rustls::rustls::pki_types::CertificateDer;
use tokio_rustls::rustls::pki_types::pem::PemObject;
use tokio_rustls::rustls::{ClientConfig, RootCertStore};

/// A configuration that trusts the certificates of this machine and, if there is a PEM file, those in it.
///
/// # Errors
///
/// When the file can't be read or has no certificate that can, no certificate at all is trusted, or the TLS library
/// supports no version of TLS.
pub fn client_config(file: Option<&Path>) -> Result<ClientConfig, String> {
    let mut roots = RootCertStore::empty();
    roots.add_parsable_certificates(rustls_native_certs::load_native_certs().certs);
    if let Some(file) = file {
        let unreadable = |error: &dyn std::fmt::Display| format!("{}: {error}", file.display());
        let text = std::fs::read(file).map_err(|error| unreadable(&error))?;
        let certificates: Result<Vec<_>, _> = CertificateDer::pem_slice_iter(&text).collect();
        let (added_count, _) = roots.add_parsable_certificates(certificates.map_err(|error| unreadable(&error))?);
        if added_count == 0 {
            return Err(unreadable(&"has no certificate that can be read"));
        }
    }
    if roots.is_empty() {
        return Err("no certificates to trust were found; name a file of them with --tls-ca".to_owned());
    }
    config_with_roots(roots)
}

/// A configuration that trusts no certificate, for connections without TLS.
///
/// # Errors
///
/// When the TLS library supports no version of TLS.
pub fn client_config_without_trust() -> Result<ClientConfig, String> {
    config_with_roots(RootCertStore::empty())
}

fn config_with_roots(roots: RootCertStore) -> Result<ClientConfig, String> {
    let builder = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()));
    let builder = builder.with_safe_default_protocol_versions().map_err(|error| error.to_string())?;
    Ok(builder.with_root_certificates(roots).with_no_client_auth())
}
