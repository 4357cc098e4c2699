//! `chatdouble rules`: lists the rules of the report on clients.

use super::CliError;
use super::output::print_line;
use crate::report::rules;
use clap::Args;
use std::fmt::Write;
use std::process::ExitCode;

#[derive(Debug, Args)]
#[command(after_help = "For example:\n\n  chatdouble rules --json")]
pub struct Rules {
    /// Print the rules as a list in JSON
    #[arg(long)]
    json: bool,
}

pub fn run(options: &Rules) -> Result<ExitCode, CliError> {
    let text = if options.json {
        serde_json::to_string_pretty(rules::all()).map_err(CliError::internal)?
    } else {
        format_rules()
    };
    print_line(text.trim_end())?;
    Ok(ExitCode::SUCCESS)
}

fn format_rules() -> String {
    let mut text = String::new();
    for rule in rules::all() {
        let _ = writeln!(text, "{} ({})", rule.name, rule.severity);
        let _ = writeln!(text, "  {}\n  Why: {}\n  Instead: {}", rule.message("…"), rule.why, rule.help);
        let _ = writeln!(text, "  For example: {}\n", rule.example);
    }
    text
}
