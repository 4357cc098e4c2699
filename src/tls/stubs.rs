//! Stubs for builds without TLS. `Tls` has no values, so no function here is ever called.

use super::{TlsError, Validity};
use std::convert::Infallible;
use std::net::IpAddr;
use std::sync::Arc;
use tokio::net::TcpStream;

/// The type of TLS connections; there are none.
pub type SecureStream = TcpStream;

/// The certificate of a server; there is none.
#[derive(Clone, Debug)]
pub enum Tls {}

/// The TLS configuration of a server; there is none.
#[derive(Clone)]
pub struct TlsConfig {
    never: Infallible,
    /// The certificate that clients have to trust, in PEM.
    pub trusted: Arc<str>,
}

impl Tls {
    /// Never called.
    pub(crate) fn prepare(
        &self,
        _other_names: Vec<String>,
        _addresses: Vec<IpAddr>,
        _validity: Validity,
    ) -> Result<TlsConfig, TlsError> {
        match *self {}
    }
}

impl TlsConfig {
    /// Never called.
    pub async fn accept(&self, _stream: TcpStream) -> std::io::Result<SecureStream> {
        match self.never {}
    }

    /// Always false, because there is no connection with TLS.
    pub fn is_http2(_stream: &SecureStream) -> bool {
        false
    }
}
