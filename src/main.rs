//! The program `chatdouble`: runs the command line of the library and sets the allocator.

use mimalloc::MiMalloc;
use std::io::Write;
use std::process::ExitCode;

/// Replaces the system's allocator, which is slower: it asks the kernel for each page of a thread's heap
/// (docs/contributing/performance.md).
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
