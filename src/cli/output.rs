//! Writing to standard output and standard error.

use super::CliError;
use std::fmt::Display;
use std::io::{ErrorKind, Write};

/// Writes a line to standard output. It is not an error if a reader such as `head` has closed the pipe.
///
/// # Errors
///
/// Why the line can't be written, such as a full disk.
pub(super) fn print_line(line: impl Display) -> Result<(), CliError> {
    match writeln!(std::io::stdout(), "{line}") {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => {
            Err(CliError::failure(format!("cannot write to standard output: {error}")))
        }
        _ => Ok(()),
    }
}

/// Writes a line to standard error. Failures are ignored, since they can't be reported anywhere.
pub(super) fn eprint_line(line: impl Display) {
    let _ = writeln!(std::io::stderr(), "{line}");
}
