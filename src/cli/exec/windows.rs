//! Console events and exit statuses of the command on Windows, where the console itself sends Ctrl-C to the command.

use std::process::ExitStatus;
use tokio::process::Child;
use tokio::signal::windows::{CtrlBreak, CtrlC, ctrl_break, ctrl_c};

/// The console events that this program survives, so that it can report the exit status of the command, which receives
/// them too.
pub struct Signals(CtrlC, CtrlBreak);

impl Signals {
    /// Installs the handlers.
    ///
    /// # Errors
    ///
    /// When a handler can't be installed.
    pub fn listen() -> std::io::Result<Self> {
        Ok(Self(ctrl_c()?, ctrl_break()?))
    }

    /// Waits for a console event. Returns (), in place of a signal to forward.
    pub async fn next(&mut self) {
        tokio::select! {
            _ = self.0.recv() => {}
            _ = self.1.recv() => {}
        }
    }
}

/// Does nothing, since the console sends the event to the command.
pub fn forward(_child: &Child, (): ()) {}

/// Always true, since all console events request the end of a program.
pub fn is_terminating((): ()) -> bool {
    true
}

/// Kills a command, without its descendants.
pub async fn kill(child: &mut Child) {
    let _ = child.kill().await;
}

/// The exit status of the command. A number above 255, which other systems don't have, becomes 1.
pub fn shell_status(exit_status: ExitStatus) -> u8 {
    exit_status.code().and_then(|code| u8::try_from(code).ok()).unwrap_or(1)
}
