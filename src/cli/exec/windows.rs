//! What replaces signals where there are none: a console gives Ctrl-C to the command itself.

use std::process::ExitStatus;
use tokio::process::Child;
use tokio::signal::windows::{CtrlBreak, CtrlC, ctrl_break, ctrl_c};

/// What would end this program, and the command would be left behind.
pub struct Signals(CtrlC, CtrlBreak);

impl Signals {
    /// Takes them from now on.
    ///
    /// # Errors
    ///
    /// What the system says.
    pub fn listen() -> std::io::Result<Self> {
        Ok(Self(ctrl_c()?, ctrl_break()?))
    }

    /// The next one that arrives.
    pub async fn next(&mut self) {
        tokio::select! {
            _ = self.0.recv() => {}
            _ = self.1.recv() => {}
        }
    }
}

/// Does nothing: the console informs the command.
pub fn forward(_child: &Child, (): ()) {}

/// Whether a signal asks a program to end: there are no others.
pub fn is_terminating((): ()) -> bool {
    true
}

/// Ends a command at once.
pub async fn kill(child: &mut Child) {
    let _ = child.kill().await;
}

/// A command's end; a number that is no exit status elsewhere counts as a failure.
pub fn status_of(ended: ExitStatus) -> u8 {
    ended.code().and_then(|code| u8::try_from(code).ok()).unwrap_or(1)
}
