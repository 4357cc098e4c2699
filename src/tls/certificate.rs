//! The certificate that a server shows, made or given.

use super::authority::Authority;
use super::{EMULATORS_HOST, TlsError, Validity};
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

/// How clients that ask call HTTP/2.
const HTTP2: &[u8] = b"h2";

/// A connection within which TLS is spoken.
pub type SecureStream = tokio_rustls::server::TlsStream<TcpStream>;

/// Which certificate a server shows.
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
    /// One that an authority signs which is made at start-up, for this machine's names and addresses and for these names.
    Made {
        /// Host names or addresses.
        names: Vec<String>,
    },
    /// The one given.
    Given {
        /// The certificate, and those that lead to the one that clients trust, in PEM.
        certificate: String,
        /// Its private key, in PEM.
        key: String,
    },
}

/// A server's side of TLS.
#[derive(Clone)]
pub struct Secured {
    /// Takes connections.
    pub acceptor: TlsAcceptor,
    /// What a client has to trust, in PEM.
    pub trusted: Arc<str>,
}

impl Secured {
    /// Lets a client begin TLS.
    ///
    /// # Errors
    ///
    /// What the client did wrong.
    pub async fn accept(&self, stream: TcpStream) -> std::io::Result<SecureStream> {
        self.acceptor.accept(stream).await
    }

    /// Whether client and server agreed on HTTP/2.
    pub fn is_http2(stream: &SecureStream) -> bool {
        stream.get_ref().1.alpn_protocol() == Some(HTTP2)
    }
}

impl Tls {
    /// Reads or makes the certificate; one that is made is valid for these further names and addresses too.
    ///
    /// # Errors
    ///
    /// When a given certificate or key can't be read, they don't fit, or a name can't be in a certificate.
    pub(crate) fn secured(
        &self,
        further: Vec<String>,
        addresses: Vec<IpAddr>,
        validity: Validity,
    ) -> Result<Secured, TlsError> {
        let (resolver, trusted): (Arc<dyn ResolvesServerCert>, String) = match self {
            Tls::Given { certificate, key } => {
                let own = certified_key(certificate, key)?;
                (Arc::new(SingleCertAndKey::from(own)), certificate.clone())
            }
            Tls::Made { names } => {
                let authority = Authority::make(own_names([names.as_slice(), &further].concat(), addresses), validity)?;
                let trusted = authority.certificate();
                (Arc::new(authority), trusted)
            }
        };
        let builder = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()));
        let builder = builder.with_safe_default_protocol_versions().map_err(unfit)?;
        let mut config = builder.with_no_client_auth().with_cert_resolver(resolver);
        config.alpn_protocols = vec![HTTP2.to_vec(), b"http/1.1".to_vec()];
        Ok(Secured { acceptor: TlsAcceptor::from(Arc::new(config)), trusted: trusted.into() })
    }
}

fn unfit(error: rustls::Error) -> TlsError {
    TlsError(format!("no TLS with this certificate: {error}"))
}

/// The names and addresses by which this machine is called.
fn own_names(further: Vec<String>, addresses: Vec<IpAddr>) -> Vec<String> {
    let loopback = [Ipv4Addr::LOCALHOST.into(), Ipv6Addr::LOCALHOST.into(), EMULATORS_HOST.into()];
    let addresses = loopback.into_iter().chain(addresses).map(|address: IpAddr| address.to_string());
    let mut names: Vec<String> = Vec::new();
    for name in ["localhost".to_owned()].into_iter().chain(addresses).chain(further) {
        if !names.contains(&name) {
            names.push(name);
        }
    }
    names
}

fn certified_key(certificate: &str, key: &str) -> Result<CertifiedKey, TlsError> {
    let unreadable = |what: &str, error: &dyn fmt::Display| TlsError(format!("the {what} can't be read: {error}"));
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
