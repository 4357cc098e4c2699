//! How fast the program is, as a share of what the web framework itself can do: both are built alike and measured in
//! turns in one run, because absolute figures mean nothing on shared machines.
//!
//! `cargo bench` prints the table of `docs/contributing/performance.md`; words after `--` choose the figures whose names contain one
//! of them. The measured server has the first core, the load the second.

mod baseline;
mod figures;
mod load;
mod process;

use std::process::ExitCode;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).filter(|argument| !argument.starts_with("--")).collect();
    if arguments.first().is_some_and(|argument| argument == "baseline") {
        return runtime(true).block_on(baseline::serve());
    }
    process::run_on(process::LOAD_CORE);
    let rows = runtime(false).block_on(figures::all(&arguments));
    print!("{}", figures::table(&rows));
    ExitCode::SUCCESS
}

/// The baseline serves as the program does, on as many threads; the load needs one.
fn runtime(is_server: bool) -> tokio::runtime::Runtime {
    let mut builder = if is_server {
        tokio::runtime::Builder::new_multi_thread()
    } else {
        tokio::runtime::Builder::new_current_thread()
    };
    builder.enable_all().build().expect("a runtime")
}
