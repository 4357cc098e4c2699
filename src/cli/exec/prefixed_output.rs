//! The output of a command that runs at the same time as others: each line begins with a prefix, and no line is within another.

use std::io::Write;
use std::time::Duration;
use tokio::io::{AsyncBufReadExt, AsyncRead, BufReader};
use tokio::process::Child;
use tokio::task::JoinHandle;

/// How long output is waited for after the command has ended: what it started may have its pipes for ever.
const PATIENCE: Duration = Duration::from_secs(1);

/// Passes the lines of a command on.
pub struct PrefixedOutput(Vec<JoinHandle<()>>);

impl PrefixedOutput {
    /// Passes on what a command writes to its pipes, within a runtime.
    pub fn of(child: &mut Child, prefix: &str) -> Self {
        let out = child.stdout.take().map(|pipe| tokio::spawn(forward(pipe, prefix.to_owned(), std::io::stdout)));
        let error = child.stderr.take().map(|pipe| tokio::spawn(forward(pipe, prefix.to_owned(), std::io::stderr)));
        Self(out.into_iter().chain(error).collect())
    }

    /// Waits for the rest of the output of a command that has ended.
    pub async fn end(self) {
        for reading in self.0 {
            let abort = reading.abort_handle();
            if tokio::time::timeout(PATIENCE, reading).await.is_err() {
                abort.abort();
            }
        }
    }
}

async fn forward<To: Write>(pipe: impl AsyncRead + Unpin, prefix: String, to: fn() -> To) {
    let mut pipe = BufReader::new(pipe);
    let mut line = prefix.clone().into_bytes();
    while let Ok(1..) = pipe.read_until(b'\n', &mut line).await {
        if !line.ends_with(b"\n") {
            line.push(b'\n');
        }
        // Whoever reads it may have ended.
        let _ = to().write_all(&line);
        line.truncate(prefix.len());
    }
}
