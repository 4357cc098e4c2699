//! Stubs for builds without HTTP/2.

use super::connection::Scope;
use super::idle_tracker::IdleTracker;
use std::sync::Arc;
use tokio::net::TcpStream;
use tokio::sync::watch;

/// Always false: the preface of HTTP/2 is refused as a malformed request of HTTP/1.1.
pub async fn begins_with_preface(_stream: &TcpStream) -> bool {
    false
}

/// Never called, because no connection begins with the preface.
pub async fn serve_scope<S>(_io: S, _scope: Scope, _stopped: watch::Receiver<bool>, _tracker: Arc<IdleTracker>) {}
