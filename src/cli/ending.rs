//! What ends `serve`: a signal, the end of its standard input, or that of a process.

#[cfg(unix)]
pub mod process;

use super::CliError;
use super::signals::Ending;
use tokio::sync::mpsc;

/// What tells the program to end.
pub struct EndRequest {
    ending: Ending,
    tell: mpsc::Sender<()>,
    gone: mpsc::Receiver<()>,
}

impl EndRequest {
    /// Listens for signals.
    ///
    /// # Errors
    ///
    /// Where the system has no room for that.
    pub fn listen() -> Result<Self, CliError> {
        let (tell, gone) = mpsc::channel(1);
        Ok(Self { ending: Ending::listen().map_err(CliError::of_start)?, tell, gone })
    }

    /// Ends the program too when this returns, which may block.
    pub fn ends_after(&self, wait: impl FnOnce() + Send + 'static) {
        let tell = self.tell.clone();
        std::thread::spawn(move || {
            wait();
            let _ = tell.blocking_send(());
        });
    }

    /// Waits until the program is asked to end.
    pub async fn wait(&mut self) {
        tokio::select! {
            () = self.ending.received() => {}
            _ = self.gone.recv() => {}
        }
    }
}

/// Blocks until standard input ends. What is said there is of no interest, only that nobody is there any more.
pub fn wait_for_input() {
    let _ = std::io::copy(&mut std::io::stdin().lock(), &mut std::io::sink());
}
