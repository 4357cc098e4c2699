//! The command-line program.

use mimalloc::MiMalloc;
use std::io::Write;
use std::process::ExitCode;

/// The system's allocator makes a system call for every fourth page of a growing world, and is slower.
#[global_allocator]
static ALLOCATOR: MiMalloc = MiMalloc;

fn main() -> ExitCode {
    match chatdouble::cli::run(std::env::args_os()) {
        Ok(status) => status,
        Err(failure) => {
            // If standard error is closed, the message cannot be reported anywhere.
            let _ = writeln!(std::io::stderr(), "error: {}", failure.message);
            ExitCode::from(failure.status)
        }
    }
}
