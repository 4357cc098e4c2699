//! The signals with which a user or the system ends the program.

#[cfg(unix)]
use tokio::signal::unix::{Signal, SignalKind, signal};
#[cfg(not(unix))]
use tokio::signal::windows::{CtrlBreak, CtrlC, CtrlClose, ctrl_break, ctrl_c, ctrl_close};

/// The requests to end the program: SIGINT and SIGTERM; on Windows Ctrl-C, Ctrl-Break and the closing of the console.
#[cfg(unix)]
pub struct TerminationSignals {
    interrupt: Signal,
    terminate: Signal,
}

#[cfg(unix)]
impl TerminationSignals {
    /// Starts to listen for the signals.
    ///
    /// # Errors
    ///
    /// If no signal handler can be installed.
    pub fn listen() -> std::io::Result<Self> {
        Ok(Self { interrupt: signal(SignalKind::interrupt())?, terminate: signal(SignalKind::terminate())? })
    }

    /// Waits until the program is asked to end.
    pub async fn wait(&mut self) {
        tokio::select! {
            _ = self.interrupt.recv() => {}
            _ = self.terminate.recv() => {}
        }
    }
}

/// The requests to end the program: SIGINT and SIGTERM; on Windows Ctrl-C, Ctrl-Break and the closing of the console.
#[cfg(not(unix))]
pub struct TerminationSignals {
    ctrl_c: CtrlC,
    ctrl_break: CtrlBreak,
    ctrl_close: CtrlClose,
}

#[cfg(not(unix))]
impl TerminationSignals {
    /// Starts to listen for the signals.
    ///
    /// # Errors
    ///
    /// If no signal handler can be installed.
    pub fn listen() -> std::io::Result<Self> {
        Ok(Self { ctrl_c: ctrl_c()?, ctrl_break: ctrl_break()?, ctrl_close: ctrl_close()? })
    }

    /// Waits until the program is asked to end.
    pub async fn wait(&mut self) {
        tokio::select! {
            _ = self.ctrl_c.recv() => {}
            _ = self.ctrl_break.recv() => {}
            _ = self.ctrl_close.recv() => {}
        }
    }
}
