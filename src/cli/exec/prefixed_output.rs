//! Forwards the output of concurrent commands line by line, each line with the prefix of its command.

use std::io::Write;
use std::time::Duration;
use tokio::io::{AsyncBufReadExt, AsyncRead, BufReader};
use tokio::process::Child;
use tokio::task::JoinHandle;

/// How long to wait for more output after the command has ended. Its child processes may keep the pipes open.
const END_TIMEOUT: Duration = Duration::from_secs(1);

/// The tasks that forward the output of a command.
pub struct PrefixedOutput(Vec<JoinHandle<()>>);

impl PrefixedOutput {
    /// Starts to forward the output of a command. Must be called within a runtime.
    pub fn start(child: &mut Child, prefix: &str) -> Self {
        let stdout = child.stdout.take().map(|pipe| tokio::spawn(forward(pipe, prefix.to_owned(), std::io::stdout)));
        let stderr = child.stderr.take().map(|pipe| tokio::spawn(forward(pipe, prefix.to_owned(), std::io::stderr)));
        Self(stdout.into_iter().chain(stderr).collect())
    }

    /// Waits for the remaining output of a command that has ended.
    pub async fn finish(self) {
        for task in self.0 {
            let abort_handle = task.abort_handle();
            if tokio::time::timeout(END_TIMEOUT, task).await.is_err() {
                abort_handle.abort();
            }
        }
    }
}

async fn forward<Output: Write>(pipe: impl AsyncRead + Unpin, prefix: String, output: fn() -> Output) {
    let mut pipe = BufReader::new(pipe);
    let mut line = prefix.clone().into_bytes();
    while let Ok(1..) = pipe.read_until(b'\n', &mut line).await {
        if !line.ends_with(b"\n") {
            line.push(b'\n');
        }
        // The reader of the output may have ended.
        let _ = output().write_all(&line);
        line.truncate(prefix.len());
    }
}
