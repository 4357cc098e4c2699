//! A WebSocket with or without TLS.

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

/// What a WebSocket is spoken on.
pub trait Duplex: AsyncRead + AsyncWrite + Send + Unpin {}

impl<S: AsyncRead + AsyncWrite + Send + Unpin> Duplex for S {}

/// Connects; with TLS where a client for it is given.
///
/// # Errors
///
/// Why there is no connection, or the server's refusal.
pub async fn open(
    target: &Target,
    client: Option<&Arc<ClientConfig>>,
    request: Request,
) -> Result<WebSocketStream<Box<dyn Duplex>>, Error> {
    let stream = TcpStream::connect((target.host.as_str(), target.port)).await?;
    let stream: Box<dyn Duplex> = match client {
        None => Box::new(stream),
        Some(client) => {
            let name = ServerName::try_from(target.host.clone()).map_err(std::io::Error::other)?;
            Box::new(TlsConnector::from(client.clone()).connect(name, stream).await?)
        }
    };
    client_async(request, stream).await.map(|(socket, _)| socket)
}
