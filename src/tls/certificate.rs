//! The certificate of a server: generated at start, or provided by the user.

use super::authority::Authority;
use super::{ANDROID_EMULATOR_HOST, TlsError, Validity};
use std::fmt;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use std::sync::Arc;
use tokio::net::TcpStream;
use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::crypto::ring;
use tokio_rustls::rustls::pki_types::pem::PemObject;
use tokio_rustls::rustls::pki_types::{CertificateDer, PrivateKeyDer};
use tokio_rustls::rustls::server::ResolvesServerCert;
use tokio_rustls::rustls::sign::{CertifiedKey, SingleCertAndKey};
use tokio_rustls::rustls::{self, ServerConfig};

/// The ALPN identifier of HTTP/2 (RFC 9113, section 3.2).
const ALPN_HTTP2: &[u8] = b"h2";

/// A connection with TLS.
pub type SecureStream = tokio_rustls::server::TlsStream<TcpStream>;

/// The certificate of a server.
///
/// ```
/// use chatdouble::{Options, Server, Tls};
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), chatdouble::StartError> {
/// let options = Options { tls: Some(Tls::Made { names: Vec::new() }), ..Options::default() };
/// let server = Server::start_with(options).await?;
/// assert!(server.url().starts_with("https://"));
/// // What a client has to trust, in PEM.
/// assert!(server.trusted_certificate().is_some_and(|pem| pem.starts_with("-----BEGIN CERTIFICATE-----")));
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug)]
pub enum Tls {
    /// Generated at start, and signed by an authority that is generated too. It is valid for `localhost`, the addresses
    /// of this machine (also as an Android emulator sees it), the server's own host names, and the names listed here.
    /// The hosts of worlds below `localhost` get certificates of the same authority.
    Made {
        /// Host names or IP addresses.
        names: Vec<String>,
    },
    /// Provided by the user.
    Given {
        /// The certificate, followed by its chain of issuers, in PEM.
        certificate: String,
        /// Its private key, in PEM.
        key: String,
    },
}

/// The TLS configuration of a server, and what its clients have to trust.
#[derive(Clone)]
pub struct TlsConfig {
    pub acceptor: TlsAcceptor,
    /// The certificate that clients have to trust, in PEM: that of the generated authority, or the provided one with
    /// its chain.
    pub trusted: Arc<str>,
}

impl TlsConfig {
    /// Performs the TLS handshake with a client.
    ///
    /// # Errors
    ///
    /// When the handshake fails.
    pub async fn accept(&self, stream: TcpStream) -> std::io::Result<SecureStream> {
        self.acceptor.accept(stream).await
    }

    /// Whether client and server negotiated HTTP/2.
    pub fn is_http2(stream: &SecureStream) -> bool {
        stream.get_ref().1.alpn_protocol() == Some(ALPN_HTTP2)
    }
}

impl Tls {
    /// Reads or generates the certificate. A generated one is also valid for `other_names` and `addresses`.
    ///
    /// # Errors
    ///
    /// When the certificate or key can't be read or used, they don't belong together, a name can't be part of a
    /// certificate, or the system gives no random numbers.
    pub(crate) fn prepare(
        &self,
        other_names: Vec<String>,
        addresses: Vec<IpAddr>,
        validity: Validity,
    ) -> Result<TlsConfig, TlsError> {
        let (resolver, trusted): (Arc<dyn ResolvesServerCert>, String) = match self {
            Tls::Given { certificate, key } => {
                let certified_key = read_certified_key(certificate, key)?;
                (Arc::new(SingleCertAndKey::from(certified_key)), certificate.clone())
            }
            Tls::Made { names } => {
                let authority =
                    Authority::new(host_names([names.as_slice(), &other_names].concat(), addresses), validity)?;
                let trusted = authority.certificate();
                (Arc::new(authority), trusted)
            }
        };
        let builder = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()));
        let builder = builder.with_safe_default_protocol_versions().map_err(config_error)?;
        let mut config = builder.with_no_client_auth().with_cert_resolver(resolver);
        config.alpn_protocols = vec![ALPN_HTTP2.to_vec(), b"http/1.1".to_vec()];
        Ok(TlsConfig { acceptor: TlsAcceptor::from(Arc::new(config)), trusted: trusted.into() })
    }
}

fn config_error(error: rustls::Error) -> TlsError {
    TlsError(format!("no TLS with this certificate: {error}"))
}

/// The names and addresses in a generated certificate, without duplicates.
fn host_names(other_names: Vec<String>, addresses: Vec<IpAddr>) -> Vec<String> {
    let loopback = [Ipv4Addr::LOCALHOST.into(), Ipv6Addr::LOCALHOST.into(), ANDROID_EMULATOR_HOST.into()];
    let addresses = loopback.into_iter().chain(addresses).map(|address: IpAddr| address.to_string());
    let mut names: Vec<String> = Vec::new();
    for name in ["localhost".to_owned()].into_iter().chain(addresses).chain(other_names) {
        if !names.contains(&name) {
            names.push(name);
        }
    }
    names
}

fn read_certified_key(certificate: &str, key: &str) -> Result<CertifiedKey, TlsError> {
    let unreadable = |part: &str, error: &dyn fmt::Display| TlsError(format!("the {part} can't be read: {error}"));
    let chain: Result<Vec<_>, _> = CertificateDer::pem_slice_iter(certificate.as_bytes()).collect();
    let chain = chain.map_err(|error| unreadable("certificate", &error))?;
    if chain.is_empty() {
        return Err(unreadable("certificate", &"it has no part CERTIFICATE"));
    }
    let key = PrivateKeyDer::from_pem_slice(key.as_bytes()).map_err(|error| unreadable("key", &error))?;
    CertifiedKey::from_der(chain, key, &ring::default_provider()).map_err(|error| match error {
        rustls::Error::InconsistentKeys(_) => TlsError("the key is not that of the certificate".to_owned()),
        other => TlsError(format!("the certificate and its key can't be used: {other}")),
    })
}
