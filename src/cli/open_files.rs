//! How many files the program may have open: each connection is one.

use super::CliError;

/// How many files the program has open before it serves anything, with some to spare.
#[cfg(unix)]
const FILES_TO_START: usize = 12;

/// Takes as many as it can have: many systems allow a program 256 or 1,024 unless it asks for more.
#[cfg(unix)]
pub fn take() {
    use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
    let limit = getrlimit(Resource::Nofile);
    // What can't be had is reported when it is missed.
    let _ = setrlimit(Resource::Nofile, Rlimit { current: limit.maximum, ..limit });
}

/// Asserts that there is room for the files that are needed to start: the runtime panics where there is none.
#[cfg(unix)]
pub fn check() -> Result<(), CliError> {
    let opened: std::io::Result<Vec<std::fs::File>> =
        (0..FILES_TO_START).map(|_| std::fs::File::open("/dev/null")).collect();
    opened
        .map(drop)
        .map_err(|error| CliError::of_start(format!("cannot open the files that it takes to serve: {error}")))
}

/// Nothing: other systems have no such limit.
#[cfg(not(unix))]
pub fn take() {}

/// Nothing: other systems have no such limit.
#[cfg(not(unix))]
pub fn check() -> Result<(), CliError> {
    Ok(())
}
