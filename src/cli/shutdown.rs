//! Requests to shut down a long-running command: a signal, the end of standard input, or the end of a process.

#[cfg(unix)]
pub mod process;

use super::CliError;
use super::signals::TerminationSignals;
use tokio::sync::mpsc;

/// Listens for requests to end the program: the signals, and what is passed to [`Self::end_after`].
pub struct ShutdownListener {
    signals: TerminationSignals,
    /// Cloned by [`Self::end_after`]. It keeps the channel open, whose end would look like a request.
    sender: mpsc::Sender<()>,
    receiver: mpsc::Receiver<()>,
}

impl ShutdownListener {
    /// Starts to listen for signals.
    ///
    /// # Errors
    ///
    /// If no signal handler can be installed.
    pub fn listen() -> Result<Self, CliError> {
        let (sender, receiver) = mpsc::channel(1);
        Ok(Self { signals: TerminationSignals::listen().map_err(CliError::failure)?, sender, receiver })
    }

    /// Requests the end of the program when `wait_for_end` returns, which runs on a thread of its own and may block.
    pub fn end_after(&self, wait_for_end: impl FnOnce() + Send + 'static) {
        let sender = self.sender.clone();
        std::thread::spawn(move || {
            wait_for_end();
            let _ = sender.blocking_send(());
        });
    }

    /// Waits until the program is asked to end.
    pub async fn wait(&mut self) {
        tokio::select! {
            () = self.signals.wait() => {}
            _ = self.receiver.recv() => {}
        }
    }
}

/// Blocks until standard input is closed or can't be read, and discards what it reads.
pub fn wait_for_input_end() {
    let _ = std::io::copy(&mut std::io::stdin().lock(), &mut std::io::sink());
}
