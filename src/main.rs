//! The command-line program.

use std::io::Write;
use std::process::ExitCode;

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
