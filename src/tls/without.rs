//! Stubs for builds without TLS. `Tls` has no values, so that the other functions are never called.

use super::{TlsError, Validity};
use std::convert::Infallible;
use std::net::IpAddr;
use std::sync::Arc;
use tokio::net::TcpStream;

/// A connection within which TLS is spoken: there is none.
pub type SecureStream = TcpStream;

/// Which certificate a server shows: none.
#[derive(Clone, Debug)]
pub enum Tls {}

/// A server's side of TLS: none.
#[derive(Clone)]
pub struct Secured {
    never: Infallible,
    /// What a client has to trust, in PEM.
    pub trusted: Arc<str>,
}

impl Tls {
    /// Never called.
    ///
    /// # Errors
    ///
    /// None.
    pub(crate) fn secured(
        &self,
        _host_names: Vec<String>,
        _addresses: Vec<IpAddr>,
        _days: Validity,
    ) -> Result<Secured, TlsError> {
        match *self {}
    }
}

impl Secured {
    /// Never called.
    ///
    /// # Errors
    ///
    /// None.
    pub async fn accept(&self, _stream: TcpStream) -> std::io::Result<SecureStream> {
        match self.never {}
    }

    /// Never: there is no such connection.
    pub fn is_http2(_stream: &SecureStream) -> bool {
        false
    }
}
