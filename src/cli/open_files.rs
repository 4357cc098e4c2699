//! The system's limit on open files, which each connection counts towards.

use super::CliError;

/// The number of files that the program has open before it serves anything, with a reserve.
#[cfg(unix)]
const REQUIRED_FILES: usize = 12;

/// Raises the limit to the maximum. Many systems allow only 256 or 1,024 files by default.
#[cfg(unix)]
pub fn raise_limit() {
    use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
    let limit = getrlimit(Resource::Nofile);
    // A failure is reported later, if a file can't be opened.
    let _ = setrlimit(Resource::Nofile, Rlimit { current: limit.maximum, ..limit });
}

/// Checks that enough files can be opened to start. Otherwise the runtime would panic.
///
/// # Errors
///
/// The first error of opening a file, such as `Too many open files`.
#[cfg(unix)]
pub fn check_limit() -> Result<(), CliError> {
    let files: std::io::Result<Vec<std::fs::File>> =
        (0..REQUIRED_FILES).map(|_| std::fs::File::open("/dev/null")).collect();
    files.map(drop).map_err(|error| CliError::failure(format!("cannot open the files that it takes to serve: {error}")))
}

/// Does nothing, since other systems have no such limit.
#[cfg(not(unix))]
pub fn raise_limit() {}

/// Always succeeds, since other systems have no such limit.
#[cfg(not(unix))]
pub fn check_limit() -> Result<(), CliError> {
    Ok(())
}
