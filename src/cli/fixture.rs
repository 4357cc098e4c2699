//! `chatdouble fixture`: working on fixture files.

use super::Fault;
use crate::fixture;
use clap::Subcommand;
use std::path::PathBuf;
use std::process::ExitCode;

#[derive(Debug, Subcommand)]
pub enum Fixture {
    /// Checks files: silent when all is well, else every fault as FILE: $.path: reason
    Check {
        /// Fixture files
        #[arg(required = true, value_name = "FILE")]
        files: Vec<PathBuf>,
    },
}

pub fn run(command: Fixture) -> Result<ExitCode, Fault> {
    let Fixture::Check { files } = command;
    let mut is_well = true;
    for file in files {
        let name = file.display();
        let text = match std::fs::read_to_string(&file) {
            Ok(text) => text,
            Err(error) => {
                eprintln!("{name}: $: cannot be read: {error}");
                is_well = false;
                continue;
            }
        };
        let now = crate::time::Timestamp::from_seconds(1_767_225_600);
        let faults = fixture::read(&text, now, 0).err().unwrap_or_default();
        for fault in &faults {
            eprintln!("{name}: {fault}");
        }
        is_well &= faults.is_empty();
    }
    Ok(if is_well { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}
