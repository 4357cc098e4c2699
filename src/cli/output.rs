//! Writing to standard output and standard error.

use super::CliError;
use std::fmt::Display;
use std::io::{ErrorKind, Write};

/// Writes a line to standard output. That a reader such as `head` has closed the pipe is no error.
///
/// # Errors
///
/// Why the line can't be written, such as a full disk.
pub(super) fn say(line: impl Display) -> Result<(), CliError> {
    match writeln!(std::io::stdout(), "{line}") {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => {
            Err(CliError::of_start(format!("cannot write to standard output: {error}")))
        }
        _ => Ok(()),
    }
}

/// Writes a line to standard error. A failure can't be reported anywhere, and is ignored.
pub(super) fn tell(line: impl Display) {
    let _ = writeln!(std::io::stderr(), "{line}");
}
