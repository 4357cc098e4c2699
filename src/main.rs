//! The command-line program.

use mimalloc::MiMalloc;
use std::io::Write;
use std::process::ExitCode;

/// The system's own asks the kernel for every fourth page that a growing world takes, and takes longer for each.
#[global_allocator]
static ALLOCATOR: MiMalloc = MiMalloc;

fn main() -> ExitCode {
    match chatdouble::cli::run(std::env::args_os()) {
        Ok(status) => status,
        Err(fault) => {
            // Who closed standard error does not want to know.
            let _ = writeln!(std::io::stderr(), "error: {}", fault.message);
            ExitCode::from(fault.status)
        }
    }
}
