//! What is said on standard output and standard error.

use super::CliError;
use std::fmt::Display;
use std::io::{ErrorKind, Write};

/// Writes a line to standard output. A reader such as `head` may have seen enough: nothing more is said to it then.
///
/// # Errors
///
/// What keeps the line from being written: a full disk, say.
pub(super) fn say(line: impl Display) -> Result<(), CliError> {
    match writeln!(std::io::stdout(), "{line}") {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => {
            Err(CliError::of_start(format!("cannot write to standard output: {error}")))
        }
        _ => Ok(()),
    }
}

/// Writes a line to standard error, where nobody can learn that it can't be written.
pub(super) fn tell(line: impl Display) {
    let _ = writeln!(std::io::stderr(), "{line}");
}
