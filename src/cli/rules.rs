//! `chatdouble rules`: the rules of the report on clients.

use super::CliError;
use super::output::say;
use crate::report::rules;
use clap::Args;
use std::fmt::Write;
use std::process::ExitCode;

#[derive(Debug, Args)]
#[command(after_help = "For example:\n\n  chatdouble rules --json")]
pub struct Rules {
    /// Print a list in JSON
    #[arg(long)]
    json: bool,
}

pub fn run(options: &Rules) -> Result<ExitCode, CliError> {
    let text = if options.json {
        serde_json::to_string_pretty(rules::all()).map_err(CliError::of_program)?
    } else {
        in_words()
    };
    say(text.trim_end())?;
    Ok(ExitCode::SUCCESS)
}

fn in_words() -> String {
    let mut text = String::new();
    for rule in rules::all() {
        let _ = writeln!(text, "{} ({})", rule.name, rule.severity);
        let _ = writeln!(text, "  {}\n  Why: {}\n  Instead: {}", rule.message("…"), rule.why, rule.help);
        let _ = writeln!(text, "  For example: {}\n", rule.example);
    }
    text
}
