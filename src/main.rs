//! The command-line program.

use std::process::ExitCode;

fn main() -> ExitCode {
    match chatdouble::cli::run(std::env::args_os()) {
        Ok(status) => status,
        Err(fault) => {
            eprintln!("error: {}", fault.message);
            ExitCode::from(fault.status)
        }
    }
}
