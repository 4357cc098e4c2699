//! Opens the WebSocket connection, with or without TLS.

use super::Target;
use std::sync::Arc;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;
use tokio_rustls::rustls::ClientConfig;
use tokio_rustls::rustls::pki_types::ServerName;
use tokio_tungstenite::tungstenite::Error;
use tokio_tungstenite::tungstenite::handshake::client::Request;
use tokio_tungstenite::{WebSocketStream, client_async};

/// The stream below the WebSocket.
pub trait Duplex: AsyncRead + AsyncWrite + Send + Unpin {}

impl<S: AsyncRead + AsyncWrite + Send + Unpin> Duplex for S {}

/// Connects to the target; with TLS if there is a configuration for it.
///
/// # Errors
///
/// Why there is no connection, or the server's refusal.
pub async fn open(
    target: &Target,
    tls_config: Option<&Arc<ClientConfig>>,
    request: Request,
) -> Result<WebSocketStream<Box<dyn Duplex>>, Error> {
    let stream = TcpStream::connect((target.host.as_str(), target.port)).await?;
    let stream: Box<dyn Duplex> = match tls_config {
        None => Box::new(stream),
        Some(tls_config) => {
            let name = ServerName::try_from(target.host.clone()).map_err(std::io::Error::other)?;
            Box::new(TlsConnector::from(tls_config.clone()).connect(name, stream).await?)
        }
    };
    client_async(request, stream).await.map(|(socket, _)| socket)
}
